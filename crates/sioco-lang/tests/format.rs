//! The formatter: what it makes of odd texts, and that it loses nothing.

use sioco_lang::source::FileId;
use sioco_lang::syntax::format::{MAX_WIDTH, format};
use sioco_lang::syntax::lexer::{Tok, lex};
use sioco_lang::syntax::parser::parse;

const FILE: FileId = FileId(0);

/// Formats a text that must be right, twice.
fn formatted(text: &str) -> String {
    let once = format(FILE, text).unwrap_or_else(|e| panic!("does not parse:\n{text}\n{e:#?}"));
    let twice = format(FILE, &once).unwrap_or_else(|e| panic!("no longer parses:\n{once}\n{e:#?}"));
    assert_eq!(once, twice, "not stable, from:\n{text}");
    once
}

#[track_caller]
fn check(text: &str, expected: &str) {
    let found = formatted(text);
    assert!(found == expected, "{text}\n--- became ---\n{found}\n--- instead of ---\n{expected}");
}

/// Checks the switches of a location; both texts are without what is around them.
#[track_caller]
fn check_switches(text: &str, expected: &str) {
    let lines: String =
        expected.lines().map(|l| if l.is_empty() { "\n".into() } else { format!("    {l}\n") }).collect();
    check(&format!("process P{{init l{{\n{text}\n}}}}"), &format!("process P {{\n  init l {{\n{lines}  }}\n}}\n"));
}

#[test]
fn the_first_example() {
    check(
        "input inX(p:Int in 1 .. 10) output outX(p :Int) output done
process Accumulator{var x:Int=0

init l0{add:?inX(p)/x:=x+p->l1 finish:!done[x>15]->l2}state l1{tell:!outX(x)->l0}final l2}",
        "\
input  inX(p: Int in 1..10)
output outX(p: Int)
output done

process Accumulator {
  var x: Int = 0

  init l0 {
    add:    ?inX(p)          / x := x + p -> l1
    finish: !done   [x > 15]              -> l2
  }
  state l1 {
    tell: !outX(x) -> l0
  }
  final l2
}
",
    );
}

#[test]
fn nothing_stays_nothing() {
    check("", "");
    check(" \r\n\n\t", "");
    check("\u{feff}", "");
    check("\n\n// only a comment  \n\n\n// and one more", "// only a comment\n\n// and one more\n");
}

#[test]
fn errors_are_given_back() {
    for text in ["const a = ", "const a = \"x", "const a = 1 § 2", "process P {"] {
        let errors = format(FILE, text).expect_err("a syntax error");
        assert_eq!(errors, parse(FILE, text).diagnostics);
    }
}

#[test]
fn windows_line_ends() {
    check(
        "// a\r\n\r\n\r\ninput a // b \r\noutput b\r\nprocess P {\r\n  final l\r\n}\r\n",
        "// a\n\ninput  a  // b\noutput b\n\nprocess P {\n  final l\n}\n",
    );
}

#[test]
fn spacing() {
    for (text, expected) in [
        ("const a=- 1", "const a = -1"),
        ("const a=1- -1-(- 2)", "const a = 1 - -1 - (-2)"),
        ("const a=! b&&! ! c", "const a = !b && !!c"),
        ("const a=f ( x,[ 1,2 ] , y [ 0 ] [ 1 ] . z )", "const a = f(x, [1, 2], y[0][1].z)"),
        ("const a=[ ]++[ [ ] ]", "const a = [] ++ [[]]"),
        ("const a=(p).x is A", "const a = (p).x is A"),
        ("const a=p with{x:1,y:2,}.x", "const a = p with { x: 1, y: 2, }.x"),
        ("const a=Point{x:1}", "const a = Point { x: 1 }"),
        ("const a=E{ }", "const a = E {}"),
        ("const a=1<=p<=10", "const a = 1 <= p <= 10"),
        ("const a=x div 2 mod(3)*-4/5", "const a = x div 2 mod (3) * -4 / 5"),
        ("const a=\"x  //  y\"++\"\\\"\"", "const a = \"x  //  y\" ++ \"\\\"\""),
        ("const a:Seq < Seq<Int in 0 .. 3> > =[ ]", "const a: Seq<Seq<Int in 0..3>> = []"),
        ("const a:Int in 0 .. =1", "const a: Int in 0.. = 1"),
        ("const a:Real in .. 3.5=1", "const a: Real in ..3.5 = 1"),
        ("const a:Int in - 3 .. - n=1", "const a: Int in -3..-n = 1"),
        ("const a:Int in(1+2)..(n)=1", "const a: Int in (1 + 2)..(n) = 1"),
        ("const a=Seq<3", "const a = Seq < 3"),
        ("const a=match x{A=>1,B(p,_)=>-2,-3=>4,_=>5}", "const a = match x { A => 1, B(p, _) => -2, -3 => 4, _ => 5 }"),
        ("const a=if(b)then(c)else(d)", "const a = if (b) then (c) else (d)"),
        ("const a=let x=1 in let y=2 in x+y", "const a = let x = 1 in let y = 2 in x + y"),
        ("output v(p:Real tolerance 0.01,q:Int)", "output v(p: Real tolerance 0.01, q: Int)"),
        ("output v( )", "output v()"),
        ("channel c ( m:Msg , )", "channel c(m: Msg,)"),
        ("type T=A|B ( x:Int )|C", "type T = A | B(x: Int) | C"),
        ("type T=|A|B", "type T = | A | B"),
        ("type T={x:Int,y:Int}", "type T = { x: Int, y: Int }"),
        ("fun f( ):Bool=true", "fun f(): Bool = true"),
        ("import\n\"a.sts\"", "import \"a.sts\""),
        ("system S=P ( 1 )||left :P(2)||Q", "system S = P(1) || left: P(2) || Q"),
        ("process P{ }", "process P {}"),
        ("process P(n:Int){\n\n}", "process P(n: Int) {}"),
    ] {
        check(text, &format!("{expected}\n"));
    }
}

#[test]
fn blank_lines() {
    check(
        "\n\nconst a = 1\n\n\n\nconst b = 2\nconst c = 3\nprocess P {\n\n\n  var x: Int = 0\n\n\n\n  var y: Int = 0
  init l {\n\n    ?a -> l\n\n\n    ?b -> l\n\n  }\n\n}\n\n\n\nprocess Q {}\nsystem S = P\ntype T = Int\n\n",
        "\
const a = 1

const b = 2
const c = 3

process P {
  var x: Int = 0

  var y: Int = 0
  init l {
    ?a -> l

    ?b -> l
  }
}

process Q {}

system S = P

type T = Int
",
    );
}

#[test]
fn gates_are_aligned_in_runs() {
    check(
        "input a output b\ninput c\n\ninput d\ninput e\n// x\noutput f\nchannel g\ninput h",
        "input  a\noutput b\ninput  c\n\ninput d\ninput e\n// x\noutput f\nchannel g\ninput h\n",
    );
}

#[test]
fn comments_between_lines() {
    check(
        "\
// of the file

   // of the gate
input a // trailing a
// of b
output b // trailing b
// of P
process P { // opens P

// of x
var x: Int = 0 // trailing x
      // of l


      // still of l
init l { // opens l
         // of the switch
?a -> l // trailing switch
// end of l

} // closes l

// end of P
} // closes P
// of Q

process Q {
// nothing in Q
}
process R { // nothing in R
}
process S { final m { // nothing in m
} }


// end of file",
        "\
// of the file

// of the gate
input a  // trailing a
// of b
output b  // trailing b

// of P
process P {  // opens P
  // of x
  var x: Int = 0  // trailing x
  // of l

  // still of l
  init l {  // opens l
    // of the switch
    ?a -> l  // trailing switch
    // end of l
  }  // closes l

  // end of P
}  // closes P

// of Q

process Q {
  // nothing in Q
}

process R {  // nothing in R
}

process S {
  final m {  // nothing in m
  }
}

// end of file
",
    );
}

#[test]
fn comments_inside_declarations() {
    check(
        "const // 1\na // 2\n: Int // 3\n= // 4\n5 // 5",
        "const  // 1\n    a  // 2\n    : Int  // 3\n    =  // 4\n  5  // 5\n",
    );
    check(
        "input a( // 1\np: Int, // 2\n// 3\nq: // 4\nInt // 5\n, r: Int\n// 6\n) // 7",
        "\
input a(  // 1
  p: Int,  // 2
  // 3
  q:  // 4
      Int  // 5
      ,
  r: Int
  // 6
)  // 7
",
    );
    check("input // why\na\noutput b", "input  // why\n    a\noutput b\n");
    check("process P // 1\n{ // 2\n}", "process P  // 1\n    {  // 2\n}\n");
    check("process P( // 1\n) {}", "process P(  // 1\n    ) {}\n");
    check(
        "type T = A // 1\n | B( // 2\nx: Int) | C // 3\n",
        "type T = A  // 1\n  | B(  // 2\n    x: Int\n  )\n  | C  // 3\n",
    );
    check("type T = { x: Int // 1\n, y: Int }", "type T = {\n  x: Int  // 1\n      ,\n  y: Int\n}\n");
    check("system S = P // 1\n// 2\n|| q: // 3\nQ", "system S = P  // 1\n  // 2\n  || q:  // 3\n      Q\n");
    check(
        "fun f(a: Int): Int = 1 + // 1\n a * // 2\n (3 // 3\n - 4)",
        "\
fun f(a: Int): Int =
  1
    +  // 1
        a *  // 2
        (3  // 3
      - 4)
",
    );
    check(
        "fun f(r: R): Int = match r // 1\n{ // 2\nA(x // 3\n) => x, // 4\n// 5\nB // 6\n=> // 7\n0 // 8\n}",
        "\
fun f(r: R): Int = match r  // 1
    {  // 2
  A(x  // 3
      ) => x,  // 4
  // 5
  B  // 6
      =>  // 7
      0  // 8
}
",
    );
    check(
        "const a = if b // 1\nthen c // 2\nelse // 3\n d",
        "const a =\n  if b  // 1\n      then c  // 2\n  else  // 3\n      d\n",
    );
}

#[test]
fn comments_inside_switches() {
    check_switches(
        "a // 1\n@T // 2\n: // 3\n// 4\n?b(p) -> l",
        "a  // 1\n        @T  // 2\n        :  // 3\n    // 4\n    ?b(p)\n    -> l",
    );
    check_switches(
        "?b // 1\n(p // 2\n, _) // 3\n[x // 4\n] // 5\n/ // 6\nx // 7\n:= 1, // 8\ny := 2 // 9\n-> // 10\nl // 11",
        "\
?b  // 1
        (
      p  // 2
          ,
      _
    )  // 3
    [x  // 4
        ]  // 5
    /  // 6
        x  // 7
          := 1,  // 8
      y := 2  // 9
    ->  // 10
        l  // 11",
    );
    check_switches(
        "?b(p) // 1\n; // 2\n!c(p) // 3\n-> l\n?x -> l",
        "?b(p)  // 1\n    ;  // 2\n        !c(p)  // 3\n    -> l\n?x -> l",
    );
    // The comment of one switch does not change the alignment of others.
    check_switches(
        "a: ?b -> l\nlong: ?b(p) -> l // x\nc: ?b //\n-> l\nd: ?b -> l",
        "a:    ?b    -> l\nlong: ?b(p) -> l  // x\nc: ?b  //\n    -> l\nd: ?b -> l",
    );
}

#[test]
fn switches_are_aligned_in_runs() {
    check_switches(
        "a @R-1: ?b(p) / x := 1, y := 2 -> l ?bb [x > 1] -> mmm
abc: !b [else] -> l
// a comment ends the run
?b -> l
?bbb -> l

?bbbbb -> l // a blank line, too
?b -> l",
        "\
a @R-1: ?b(p)         / x := 1, y := 2 -> l
        ?bb   [x > 1]                  -> mmm
abc:    !b    [else]                   -> l
// a comment ends the run
?b   -> l
?bbb -> l

?bbbbb -> l  // a blank line, too
?b     -> l",
    );
}

#[test]
fn labels_and_answers() {
    check_switches(
        "?a(p)[p>0]/x:=p;!b(x)/x:=0->l
?a(_);!b(any q)[q>x];!c->l
tau->l
tau any k:Int in 0 .. 3,any b:Bool[k>x]->l
tau any k:Int in 0 .. [else]->l
send ci(x+1)->l
recv ci(y)/x:=y->l",
        "\
?a(p)                               [p > 0] / x := p ; !b(x) / x := 0         -> l
?a(_)                                                ; !b(any q) [q > x] ; !c -> l
tau                                                                           -> l
tau any k: Int in 0..3, any b: Bool [k > x]                                   -> l
tau any k: Int in 0..               [else]                                    -> l
send ci(x + 1)                                                                -> l
recv ci(y)                                  / x := y                          -> l",
    );
}

#[test]
fn locations() {
    check(
        "process P{init final a{}state b final c{?x->a}final d state e{\n}}",
        "\
process P {
  init final a {}
  state b
  final c {
    ?x -> a
  }
  final d
  state e {}
}
",
    );
}

#[test]
fn long_switches_are_broken() {
    let guard = |n: usize| format!("[{}]", "x".repeat(n));
    // `    ?a [x] -> l` is 15 long.
    let longest = guard(MAX_WIDTH - 14);
    check_switches(&format!("?a {longest}\n-> l"), &format!("?a {longest} -> l"));
    let too_long = guard(MAX_WIDTH - 13);
    check_switches(&format!("?a {too_long} -> l"), &format!("?a\n    {too_long}\n    -> l"));
    check_switches(
        &format!("n: ?a(p) {too_long} / x := 1, y := 2 ; !b [x] / y := 1 -> l\n?a -> l"),
        &format!(
            "\
n: ?a(p)
    {too_long}
    / x := 1, y := 2
    ; !b
    [x]
    / y := 1
    -> l
?a -> l"
        ),
    );
    let name = "n".repeat(60);
    check_switches(
        &format!("?a(p) [{name} && x || {name}] / x := {name}, y := {name} -> l"),
        &format!(
            "\
?a(p)
    [{name} && x
      || {name}]
    / x := {name},
      y := {name}
    -> l"
        ),
    );
    check_switches(
        &format!("?a(p) / x := match p {{ A => {name}, B => {name} }} -> l"),
        &format!(
            "\
?a(p)
    / x := match p {{
        A => {name},
        B => {name}
      }}
    -> l"
        ),
    );
}

#[test]
fn what_follows_a_group_must_fit_with_it() {
    // `        [a && b]`
    let (a, b) = ("a".repeat(50), "b".repeat(MAX_WIDTH - 8 - 50 - 6));
    check_switches(&format!("?a [{a} && {b}] -> l"), &format!("?a\n    [{a} && {b}]\n    -> l"));
    check_switches(&format!("?a [{a} && {b}b] -> l"), &format!("?a\n    [{a}\n      && {b}b]\n    -> l"));
}

#[test]
fn line_breaks_in_long_switches_do_not_stay() {
    let name = "n".repeat(100);
    check_switches(
        &format!("?a(\np) [x\n&& y] / x := 1,\ny := {name} -> l"),
        &format!("?a(p)\n    [x && y]\n    / x := 1,\n      y := {name}\n    -> l"),
    );
}

#[test]
fn short_switches_are_joined() {
    check_switches(
        "n\n:\n?a\n(\np\n,\nq\n)\n[\nx\n&&\ny\n]\n/\nx\n:=\nmatch\np\n{\nA\n=>\n1\n}\n,\ny\n:=\n2\n->\nl",
        "n: ?a(p, q) [x && y] / x := match p { A => 1 }, y := 2 -> l",
    );
}

#[test]
fn nothing_is_padded_beyond_reason() {
    let (wide, long) = ("w".repeat(50), "u".repeat(75));
    check_switches(
        &format!("?a [x] -> l\n?b [{wide}] -> l\n?ccc [x] / y := 1 -> l"),
        &format!("?a   [x]          -> l\n?b   [{wide}] -> l\n?ccc [x] / y := 1 -> l"),
    );
    check_switches(
        &format!("?a [x] / x := {long} -> l\n?b [{}] -> l\n?c [x] -> l", &wide[..30]),
        &format!("?a [x] / x := {long} -> l\n?b [{}] -> l\n?c [x]                              -> l", &wide[..30]),
    );
}

#[test]
fn long_declarations_are_broken() {
    let name = "n".repeat(60);
    check(
        &format!("const a = {name} + {name}\nconst b = {name}\nconst cc = {}", "n".repeat(100)),
        &format!("const a =\n  {name}\n    + {name}\nconst b = {name}\nconst cc =\n  {}\n", "n".repeat(100)),
    );
    check(
        &format!("input a(p: {name}, q: {name}) output b"),
        &format!("input  a(\n  p: {name},\n  q: {name}\n)\noutput b\n"),
    );
    check(
        &format!("system S = {name} || q: {name}(1)\ntype T = A(x: {name}) | B(x: {name})\ntype U = | {name} | {name}"),
        &format!(
            "system S = {name}\n  || q: {name}(1)\n
type T = A(x: {name})\n  | B(x: {name})\ntype U =\n  | {name}\n  | {name}\n"
        ),
    );
    check(
        &format!("fun f(a: Int): Int = let x = {name} in if x > 1 then {name} else if x > 2 then {name} else a"),
        &format!(
            "\
fun f(a: Int): Int =
  let x = {name} in
  if x > 1 then {name}
  else if x > 2 then {name}
  else a
"
        ),
    );
    check(
        &format!("fun f(a: R): Int = match a {{ A => if a then {name} else {name}, B => {name} }}"),
        &format!(
            "\
fun f(a: R): Int = match a {{
  A => if a then {name}
    else {name},
  B => {name}
}}
"
        ),
    );
}

#[test]
fn purposes() {
    check(
        "input a(p:Int)\npurpose P{?a( m );..;(!b(_)|!c [m>1]){ 1 .. 3 };at  X . y [m<2];any *;take s {2..}\nreject delta  reject ! b(_)}",
        "input a(p: Int)

purpose P {
  ?a(m); ..; (!b(_) | !c [m > 1]){1..3}; at X.y [m < 2]; any*; take s{2..}
  reject delta
  reject !b(_)
}
",
    );
    // What was broken stays broken, with the brackets around it.
    check(
        "purpose P { // why\n?a;\n..; (!b\n; !c | any); delta // end\n// more\nreject !d // no\n}\nconst a = 1",
        "purpose P {  // why
  ?a;
  ..;
  (!b; !c | any);
  delta  // end
  // more
  reject !d  // no
}

const a = 1
",
    );
    let long = "an_output_with_a_rather_long_name";
    check(
        &format!("purpose P {{ any; ({long}(x) [x > 1]; ?{long}(y) [y > 1] | ?{long}(z) [z > 1]; any)+; delta }}")
            .replace("(an", "(!an"),
        &format!(
            "purpose P {{
  any;
  (
    !{long}(x) [x > 1]; ?{long}(y) [y > 1]
    | ?{long}(z) [z > 1]; any
  )+;
  delta
}}
"
        ),
    );
}

#[test]
fn broken_lists_stay_broken_outside_of_switches() {
    for text in [
        "fun f(a: R): Int = match a {\n  A => 1,\n  B => 2\n}\n",
        "fun f(\n  a: R,\n): Int = 1\n",
        "fun f(a: Int): Int =\n  if a > 1 then 2\n  else 3\n",
        "fun f(a: Int): Int =\n  let b = a in\n  let c = b in\n  c\n",
        "fun f(a: Int): Bool =\n  a > 1\n    && a < 3\n",
        "type T =\n  | A\n  | B\n",
        "type T = A\n  | B\n",
        "type T = {\n  x: Int,\n  y: Int\n}\n",
        "system S = P\n  || Q\n",
        "process P {\n  var x: Seq<Int> = [\n    1,\n    2\n  ]\n}\n",
    ] {
        check(text, text);
    }
    // Elsewhere than at their first break they are joined.
    check("type T = { x: Int,\n y: Int\n}\n", "type T = { x: Int, y: Int }\n");
    check("const a =\n 1\n", "const a = 1\n");
}

// What follows takes models and throws white space and comments between their tokens.

const CORPUS: [&str; 5] = [
    r#"
import "common.sts"
type Colour = Red | Green | Blue
type Reply = | Balance(amount: Int in 0.., who: String,) | Refused
type Point = { x: Int, y: Seq<Seq<Real in -1.5..n + 1>>, }
const N: Int in 1..9 = 5
const text = "a // b" ++ "\t\"" ++ ""
fun dist(a: Int, b: Int): Int = abs(a - b)
fun f(r: Reply, p: Point): Int =
  let a = p.x in let b = -a in
  if a < b <= 3 && !(r is Refused) then match r { Balance(x, _) => x, Refused => 0, }
  else if a == b implies true || false then max(1, 2, [1, 2, 3][0])
  else (p with { x: 1, y: [] }).x + Point { x: 3, y: [[1.5]] }.x div 2 mod 3 * 4 - 5
"#,
    r#"
input  inX(p: Int in 1..10)
output outX(p: Real tolerance 0.01, q: Int)
output done
process Accumulator(n: Int, m: Int in 0..) {
  var x: Int = 0
  var free: Int in ..3 = any
  init l0 {
    add @REQ-1 @REQ-2.3: ?inX(p) [p > x && p < n] / x := x + p, free := match x { 0 => 1, _ => -p } -> l1
    finish: !done [x > 15] -> l2
    ?inX(_) [else] -> l0
    @REQ-9: ?inX(p) [p == x] / x := 0 ; !outX(p, x + 1) [x > 0] / x := x - 1 ; !done -> l0
    tau any k: Int in 0..n - 1, any b: Bool [k > x] -> l0
    tau -> l1
  }
  state l1 { tell: !outX(any r, x) [r > if x > 3 then 1 else let y = 2 in y * x] -> l0 }
  state empty {}
  final l2
}
process Main { init final l {} }
system S = Accumulator(1, 2) || left: Accumulator(N, f(3)) || Main
"#,
    r#"
input a(p: Int)
purpose P { ?a(m); ..; ?b(x, _) [x <= m && -x > s[0]]; (!c(y) [y == x] | !d(_)){1..3}; at Idle [n > 2] reject !e(_)
  reject delta reject any [Main.x > 1] }
purpose Q { (..; ?a(_)+ | (delta; any)* | take "l!a"{2..}){2}; take left.add [f(1) == 2]; at Main.l | !b(); delta }
purpose Long { ?an_input_with_a_long_name(parameter_one); !an_output_with_a_long_name(parameter_two) [parameter_two > 1]; delta
  ; (?an_input_with_a_long_name(parameter_three) [parameter_three > parameter_two || parameter_three == parameter_one] | any; any) }
system R = purpose || take
"#,
    r#"
channel ci(m: Msg)
channel co()
process Sender { var s: Seq<Msg> = [A, B(3), C { x: 1 }]
  init l { send ci(s[0]) [len(s) > 0] / s := slice(s, 1, len(s)) -> l send co -> m recv ci(_) -> l }
  state m { recv co() -> l }
}
process Long {
  init very_long_location_name_that_takes_space {
    a_rather_long_name_of_a_switch: ?an_input_with_a_long_name(parameter_one, parameter_two)
      [parameter_one > parameter_two || parameter_one == 0]
      / variable_one := parameter_one + parameter_two,
        variable_two := concat(parameter_one, parameter_two, "some text that makes it longer and longer", [])
      -> very_long_location_name_that_takes_space
    b: !an_output([1, 2, 3] ++ some_sequence ++ another_sequence_with_a_long_name ++ yet_another_one_that_is_long)
      -> l
    c: ?a -> l
    tau any first_choice: Int in 0..some_constant_bound, any second_choice: Int in 0..another_constant_bound [x] -> l
    ?a(p) / state_record := state_record
      with { first_field: p + 1, second_field: match p { 0 => "zero", _ => "more" }, third: 1 } -> l
  }
}
"#,
    "",
];

struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }
}

/// The tokens of a text, each with whether a line may end before it. An index and a record must start on the line of
/// what they belong to.
fn tokens(text: &str) -> Vec<(&str, bool)> {
    let tokens = lex(FILE, text).tokens;
    let may_start_line = |i: usize| {
        let start = tokens[i].span.start as usize;
        let broken = format!("{}\n{}", &text[..start], &text[start..]);
        !matches!(tokens[i].tok, Tok::LBracket | Tok::LBrace) || parse(FILE, &broken).diagnostics.is_empty()
    };
    tokens.iter().enumerate().map(|(i, t)| (&text[t.span.range()], may_start_line(i))).collect()
}

/// The tokens with other white space and, now and then, comments between them.
fn perturbed(tokens: &[(&str, bool)], random: &mut Random) -> String {
    let (newlines, comments) = (random.below(30), random.below(20));
    let mut out = String::new();
    for (token, may_start_line) in tokens {
        if *may_start_line && random.below(100) < comments {
            for _ in 0..=random.below(2) {
                // `/` and a comment right after it would be one comment.
                let spaces = if out.ends_with('/') { &[" ", "\n"][..] } else { &["", " ", "\n", "\r\n", "\n\n\n"] };
                out.push_str(random.pick(spaces));
                out.push_str(random.pick(&["// c\n", "//\n", " // äö  \n", "// x \r\n\n", "// \" {\n  "]));
            }
        } else if *may_start_line && random.below(100) < newlines {
            out.push_str(random.pick(&["\n", "\n\n", "\r\n", "\n\n\n  "]));
        } else {
            out.push_str(random.pick(&[" ", "  ", "\t"]));
        }
        out.push_str(token);
    }
    out.push_str(random.pick(&["", " // end", "\n// end\n", "\n\n"]));
    out
}

/// The texts of tokens and of comments.
fn content(text: &str) -> (Vec<&str>, Vec<&str>) {
    let lexed = lex(FILE, text);
    let tokens = lexed.tokens.iter().map(|t| &text[t.span.range()]).collect();
    let comments = lexed.comments.iter().map(|c| text[c.range()].trim_end()).collect();
    (tokens, comments)
}

#[test]
fn nothing_is_lost_and_the_second_time_changes_nothing() {
    let corpus = CORPUS.map(tokens);
    let mut with_comments = 0;
    for seed in 1..=800u64 {
        let text = perturbed(&corpus[seed as usize % corpus.len()], &mut Random::new(seed));
        let once = format(FILE, &text).unwrap_or_else(|e| panic!("seed {seed}: {e:#?}\n{text}"));
        assert_eq!(content(&text), content(&once), "seed {seed}:\n{text}\nbecame\n{once}");
        let twice = format(FILE, &once).unwrap_or_else(|e| panic!("seed {seed}: {e:#?}\n{once}"));
        assert!(once == twice, "seed {seed}:\n{text}\n--- became ---\n{once}\n--- and then ---\n{twice}");
        assert!(once.lines().all(|l| l.trim_end() == l), "seed {seed}: white space at the end of a line\n{once}");
        assert!(!once.contains('\r') && !once.contains("\n\n\n"), "seed {seed}:\n{once}");
        assert!(!once.starts_with('\n') && !once.ends_with("\n\n"), "seed {seed}:\n{once}");
        with_comments += usize::from(once.contains("//"));
    }
    assert!(with_comments > 400, "the texts have too few comments: {with_comments}");
}

#[test]
fn white_space_makes_no_difference_to_switches() {
    let tokens = tokens(CORPUS[1]);
    let expected = formatted(CORPUS[1]);
    let body = tokens.iter().position(|(t, _)| *t == "init").expect("the corpus has an initial location");
    let end = tokens.iter().position(|(t, _)| *t == "system").expect("the corpus has a system");
    for seed in 1..=100u64 {
        let mut random = Random::new(seed);
        let mut text = String::new();
        for (i, (token, may_start_line)) in tokens.iter().enumerate() {
            let newline = (body..end).contains(&i) && *may_start_line && random.below(3) == 0;
            text.push_str(if newline { "\n" } else { " " });
            text.push_str(token);
        }
        assert_eq!(formatted(&text), expected, "seed {seed}");
    }
}

/// What else may stand before the `=>` of a case would take it for an operator, but not where it begins a line.
#[test]
fn a_case_is_a_literal_and_no_operand_that_goes_on() {
    for (case, good) in [
        ("1", true),
        ("-1", true),
        ("-2.5", true),
        ("\"a\"", true),
        ("true", true),
        ("-if b then 1 else 1", false),
        ("-let x = 1 in x", false),
        ("-match x { _ => 1 }", false),
        ("-f(1)", false),
        ("- -1", false),
        ("1[0]", false),
        ("1 is A", false),
        ("-x.y", false),
    ] {
        let at_once = format!("const a = match x {{ {case} => 2, _ => 3 }}");
        let broken = format!("const a = match x {{\n  {case}\n  => 2,\n  _ => 3\n}}");
        for text in [&at_once, &broken] {
            assert_eq!(parse(FILE, text).diagnostics.is_empty(), good, "{text}");
            if good {
                formatted(text);
            }
        }
    }
}

#[test]
fn no_text_is_too_odd() {
    let corpus: Vec<(&str, bool)> = CORPUS.map(tokens).concat();
    let mut formatted_texts = 0;
    for seed in 1..=4000u64 {
        let mut random = Random::new(seed);
        // A part of the corpus, with some tokens replaced by others.
        let start = random.below(corpus.len() as u64) as usize;
        let end = (start + 1 + random.below(60) as usize).min(corpus.len());
        let mut part = corpus[start..end].to_vec();
        for _ in 0..random.below(3) {
            let i = random.below(part.len() as u64) as usize;
            part[i].0 = corpus[random.below(corpus.len() as u64) as usize].0;
        }
        let text =
            format!("{}{}", random.pick(&["", "const a = ", "process P { init l {"]), perturbed(&part, &mut random));
        if let Ok(once) = format(FILE, &text) {
            assert_eq!(content(&text), content(&once), "seed {seed}:\n{text}\nbecame\n{once}");
            assert_eq!(format(FILE, &once).as_ref(), Ok(&once), "seed {seed}:\n{text}");
            formatted_texts += 1;
        }
    }
    assert!(formatted_texts > 10, "too few of the texts are models: {formatted_texts}");
    // Deep nesting, up to what the parser takes.
    for (open, close) in
        [("(", ")"), ("[", "]"), ("!", ""), ("f(", ")"), ("if a then b else ", ""), ("match a { _ => ", "}")]
    {
        for comment in ["", "// x\n"] {
            let text = format!("const a = {}1{comment}{}", open.repeat(90), close.repeat(90));
            formatted(&text);
        }
    }
}
