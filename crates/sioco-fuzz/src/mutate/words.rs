//! Words that are put into inputs, by the kind of input, with spaces between them.

/// All words and signs of the language, built-in names, and literals at the edges.
pub(super) const MODEL: &str = r#"any channel const div else false final fun if implies import in init input is let match mod
    output process recv send state system tau then tolerance true type var with
    { } ( ) [ ] , : ; . .. -> => := = == != < <= > >= + ++ - * / && | || ! ? _
    purpose reject at take delta any; {2} {0..1} {1..} .. ;..;
    Bool Int Real String Seq Seq< min max abs floor len contains slice closed crashed
    0 1 2 10 255 0.5 1.25 "" "a" "a\tb\u{e9}" "\q" "\u{110000}" @REQ-1 @a.b p x l0 T A done
    9223372036854775807 9223372036854775808 -9223372036854775808 1_000 340282366920938463463374607431768211456
    // //x & ~ # % ' \ " ≤ ≥ ≠ é 漢 0.0000000000000000001 00 1_ 1__0.0_1 1. .5 1e5"#;

/// The same for register automata.
pub(super) const XML: &str = r#"register-automaton alphabet inputs outputs symbol param constants constant globals variable
    locations location transitions transition guard assignments assign from= to= symbol= params= name= type= initial=
    "true" "false" "int" "boolean" "double" "string" "biginteger" "DUR" "x" "y" "p" "q" "a" "b" "I" "O" "p,q" "x,x"
    __fresh__ x y p q a b I O i p0 x0 < > </ /> = " ' &lt; &gt; &amp; &quot; &#10; &#x1F600; &#0; == != <= >= && || + - * ( ) ! ,
    0 1 -1 1.5 -1.5E1 1e400 1e-400 9223372036854775808 true false null "" " " <guard> </guard> <assignments>
    </assignments> <!-- --> <![CDATA[ ]]> <?xml <!DOCTYPE process input any é - . a-b a.b 1a"#;

/// The same for journals, plans, logs and the adapter protocol.
pub(super) const JSON: &str = r##"{ } [ ] : , " "" null true false 0 1 -1 2 7 1.5 -0.0 0.1 1e2 1E-3 1e400 1e-400 1e999999999 -1e249
    1.23456789012345e-200 9.87654321e249 1.1e-240 123456789012345e-22 4.35e-7 0.000001 17.3e23 9007199254740993
    9223372036854775807 9223372036854775808 18446744073709551615 18446744073709551616 -9223372036854775809 0.1234567890123456789
    123456789012345678901234567890 NaN Infinity 'a' 01 1. .5 + "\u0000" "\ud800" "\u202e" "é" "type" "gate" "args" "run" "id"
    "at" "why" "aim" "order" "seed" "cause" "verdict" "format" "version" "sioco-journal" "sioco-plan" "fingerprint" "model"
    {"#bigint":"12"} {"#bigint":"x"} {"#bigint":"123456789012345678901234567890"} {"#rational":"1/3"} {"#rational":"1/0"}
    {"#rational":"-7/21"} {"#number":"1"} {"#number":"1e5"} {"Balance":{"amount":1,"ok":true}} {"Balance":{}} "Refused" "Red" "Blue"
    {"x":1,"y":2.5} {"purpose":0} {"purpose":99} {"guess":1} {"probe":0} {"shrunk":1} "walk" "replay" "sut" "sent" "certain" "pass" "fail"
    "reached" {"fail":"silence"} "input" "output" "accepted" "refused" "quiescent" "closed" "crashed" "hello" "ready" "reset" "error"
    "bye" "end" "again" "fault" "malformed" "hurried" "timed" "step" "delta" "parent" "nodes" "purposes" "goals" "by" "state" "accept"
    "a" "oa" "s" "os" "pt" "opt" "v" "r" "go" "done" "line" "inX" "outX" "p" "c" "t" "b" "q" "n" > < //"##;

/// The same for `sioco.toml`.
pub(super) const TOML: &str = r#"[ ] [[ ]] = , . { } " ' """ ''' # true false 0 1 -1 1.5 1e3 nan inf 1979-05-27 0xff 99999999999999999999
    [test] [profile.ci] [sut.s] [dialect.d] [dialect.d.inputs] [dialect.d.outputs] sut dialect test profile command start connect
    before order reset environment directory config line-end inputs outputs other last words send expect request status method path
    headers body regex line set json after "keep" "restart" "reconnect" "sut" "sent" "torxakis" "d" "h" "tcp://127.0.0.1:{port}"
    "http://x:1" "ws://x:1/y" "https://x" "model:x.sts" "{p}" "{n}" "{len(t)}" "{quoted(t)}" "{repeat(x,3)}" "{repeat(x,99999999)}" "{{" "}}" "{" "}"
    '.*' '.*\r\n' '(?<n>.*)\n' '(a|b)*c' '[0-9]{1000}' '(x{100}){100}' '(?<p>(a*)*)\n' '' '^a$' '\b' '(' '[' '(?i)a' '\pL'
    "4xx" "{n}" 404 99 "/p" "p" "" a s pt go oa os opt v r done closed crashed p c t b q n text
    max-steps for const gate quiescence-at fail-fast solver seed cover values attempts shrink-for no-shrink memory patience interaction
    trust plan journal format profile "z3" "sh -c" "2s" "500ms" "-1s" "1e9h" "switch>=95%" "switch>=200%" "N=3" "switch" "traces:2""#;

/// The same for traces in text, and for a system that speaks it.
pub(super) const TEXT: &str = r#"?a ?s ?pt ?go !oa !os !v !r !opt !line !done ?oa !a ( ) [ ] , = : ; / & " // # 6 -1 0 1000 1001 0.25 1/3 1/0 -1/3
    true false Red Green Blue r g NO Refused Balance(6,true) Balance(6) Point{x:1,y:2} (1,2) (1,2.5) [1,2] [] "a" "\n" "\u{e9}" "\q" p=6 c=Red t= b=
    delta quiescent closed crashed reset set x=3 take: text: point: go: free: say: end bye : :: :reset ?? !! undo quit random
    A S P V R DONE w1.5 $-1 250-a 250 999 é \r \n 1e5 NaN 99999999999999999999999999"#;

/// The same for responses of HTTP.
pub(super) const HTTP: &str = r#"HTTP/1.1 HTTP/1.0 HTTP/2 HTTP/9.9 200 201 204 304 404 500 99 1000 100 101 103 OK Content-Length: Transfer-Encoding: chunked
    identity gzip Content-Type: application/json text/plain; charset=utf-16 Location: /x Connection: close keep-alive Upgrade: websocket
    Content-Encoding: Set-Cookie: Trailer: Date: X: 0 1 2 5 a ff -1 +5 0x5 99999999999999999999 4294967296 ; , : \r \n
    {"p":6,"colour":"r"} {"t":"a","b":true} {"at":{"x":1,"y":2.5},"all":[1]} {"Balance":{"amount":1,"ok":true}} "NO" v=1.5 v=-
    [[[[ {{{{ } ] " null 1e400 é"#;
