use std::path::Path;

use sioco_model::eval::{Env, eval};
use sioco_model::model::{Direction, Label, Model};
use sioco_model::{Id, Value};

use super::*;
use crate::source::FileId;
use crate::syntax::parser::parse;

/// An automaton with a location `a` (initial) and `b`, and the given alphabet, declarations and transitions.
fn file(alphabet: &str, declarations: &str, transitions: &str) -> String {
    format!(
        "<register-automaton><alphabet>{alphabet}</alphabet>{declarations}\
         <locations><location name=\"a\" initial=\"true\"/><location name=\"b\"/></locations>\
         <transitions>{transitions}</transitions></register-automaton>"
    )
}

const ALPHABET: &str = r#"<inputs><symbol name="I"><param type="int" name="p"/><param type="int" name="q"/></symbol>
    <symbol name="go"/></inputs>
    <outputs><symbol name="O"><param type="int" name="p"/></symbol><symbol name="ok"/></outputs>"#;

const VARIABLES: &str = r#"<globals><variable type="int" name="x">1</variable><variable type="int" name="y">-2</variable>
    <variable type="int" name="z">3</variable></globals>"#;

/// The transitions that nearly every test needs: all symbols are used, all variables are read.
const FRAME: &str = r#"<transition from="b" to="a" symbol="O" params="x"/><transition from="b" to="a" symbol="O"
    params="y"/><transition from="b" to="a" symbol="O" params="z"/><transition from="b" to="b" symbol="ok"/>
    <transition from="a" to="b" symbol="go"/><transition from="a" to="b" symbol="I"/>"#;

#[track_caller]
fn import(xml: &str) -> Imported {
    let imported = raxml(xml, "test.xml").unwrap_or_else(|e| panic!("{e}\n{xml}"));
    assert_clean(&imported.text);
    imported
}

/// Neither errors nor warnings.
#[track_caller]
fn assert_clean(text: &str) {
    let found = crate::check_text("test.sts", text).diagnostics;
    assert!(found.is_empty(), "{text}\n{found:#?}");
}

/// The switches that are not of the frame, for a transition from `a` to `b`.
#[track_caller]
fn switch(attributes: &str, inner: &str) -> String {
    let transition = format!("<transition from=\"a\" to=\"b\" {attributes}>{inner}</transition>{FRAME}");
    let text = import(&file(ALPHABET, VARIABLES, &transition)).text;
    let mut lines = text.lines().skip_while(|l| !l.contains("init a {"));
    lines.nth(1).unwrap().trim().to_string()
}

fn assign(pairs: &[(&str, &str)]) -> String {
    let all: String = pairs.iter().map(|(to, e)| format!("<assign to=\"{to}\">{e}</assign>")).collect();
    format!("<assignments>{all}</assignments>")
}

#[track_caller]
fn error(xml: &str) -> String {
    match raxml(xml, "test.xml") {
        Ok(imported) => panic!("imported:\n{}", imported.text),
        Err(e) => e.to_string(),
    }
}

#[track_caller]
fn has_note(imported: &Imported, part: &str) {
    assert!(imported.notes.iter().any(|n| n.contains(part)), "{:#?}", imported.notes);
}

#[test]
fn a_whole_automaton() {
    let xml = file(
        ALPHABET,
        VARIABLES,
        r#"<transition from="a" to="b" symbol="I" params="m,n"><guard> m &lt; n &amp;&amp; x != m </guard>
           <assignments><assign to="x">m</assign></assignments></transition>
           <transition from="b" to="a" symbol="O" params="x"/><transition from="b" to="a" symbol="ok"/>
           <transition from="a" to="a" symbol="go"/>"#,
    );
    let expected = "\
// Imported from dir/my-file.register.xml, a register automaton.
//
// - variables that nothing reads, and their assignments, are left out: `y`, `z`

input  I(p: Int, q: Int)
input  go
output O(p: Int)
output ok

process my_file {
  var x: Int = 1

  init a {
    ?I(m, n) [m < n && x != m] / x := m -> b
    ?go -> a
  }
  state b {
    !O(x) -> a
    !ok -> a
  }
}
";
    let imported = raxml(&xml, "dir/my-file.register.xml").unwrap();
    assert_eq!(imported.text, expected);
    assert_eq!(imported.notes.len(), 1);
    assert_clean(&imported.text);
}

#[test]
fn types() {
    let alphabet = r#"<inputs><symbol name="I"><param type="int"/><param type="boolean" name="b"/>
        <param type="DOUBLE"/><param name="s" type="string"/><param type="DUR" name=""/><param/></symbol></inputs>
        <outputs/>"#;
    let variables = r#"<globals><variable type="double" name="r">-1.5E1</variable><variable type="double" name="n">0
        </variable><variable type="boolean" name="t">true</variable><variable type="string" name="s"> a"b </variable>
        </globals>"#;
    let transition = r#"<transition from="a" to="b" symbol="I" params="i,b,d,u,v,w">
        <guard>d > r || d == n || b == t || u == s</guard></transition>"#;
    let imported = import(&file(alphabet, variables, transition));
    for line in [
        "input  I(p0: Int, b: Bool, p2: Real, s: String, p4: Int, p5: Int)",
        "var r: Real = -15",
        "var n: Real = 0",
        "var t: Bool = true",
        r#"var s: String = "a\"b""#,
        "?I(_, b, d, u, _, _) [d > r || d == n || b == t || u == s] -> b",
    ] {
        assert!(imported.text.contains(line), "{line}\n{}", imported.text);
    }
    has_note(&imported, "taken as Int: `DUR`, none at all");
}

#[test]
fn inputs_bind_what_they_use() {
    assert_eq!(switch(r#"symbol="I" params="m,n""#, ""), "?I(_, _) -> b");
    assert_eq!(switch(r#"symbol="I" params=" m , n ""#, "<guard>n==x</guard>"), "?I(_, n) [n == x] -> b");
    assert_eq!(switch(r#"symbol="I""#, "<guard>q==x</guard>"), "?I(_, q) [q == x] -> b");
    assert_eq!(switch(r#"symbol="go" params="""#, "<guard></guard>"), "?go -> b");
}

#[test]
fn parameters_hide_variables() {
    let transition = format!(
        "<transition from=\"a\" to=\"b\" symbol=\"I\" params=\"x,x_2\"><guard>x == y &amp;&amp; x_2 == y</guard>{}\
         </transition>{FRAME}",
        assign(&[("x", "x")])
    );
    let imported = import(&file(ALPHABET, VARIABLES, &transition));
    let line = "?I(x_3, x_2) [x_3 == y && x_2 == y] / x := x_3 -> b";
    assert!(imported.text.contains(line), "{}", imported.text);
    has_note(&imported, "parameter `x` is `x_3`");
}

#[test]
fn outputs_are_terms() {
    assert_eq!(switch(r#"symbol="O" params="x""#, ""), "!O(x) -> b");
    assert_eq!(switch(r#"symbol="O" params="-7""#, ""), "!O(-7) -> b");
    assert_eq!(switch(r#"symbol="O" params="x+1""#, "<guard>x&lt;=4</guard>"), "!O(x + 1) [x <= 4] -> b");
}

#[test]
fn outputs_see_the_assignments() {
    let transition = format!(
        "<transition from=\"a\" to=\"b\" symbol=\"O\" params=\"z\"><guard>z == 0</guard>{}</transition>{FRAME}",
        assign(&[("z", "x"), ("x", "y")])
    );
    let imported = import(&file(ALPHABET, VARIABLES, &transition));
    assert!(imported.text.contains("!O(x) [z == 0] / z := x, x := y -> b"), "{}", imported.text);
    has_note(&imported, "1 output is evaluated, the first at");
}

#[test]
fn assignments_in_order() {
    for (pairs, expected) in [
        (vec![("z", "x"), ("x", "4"), ("y", "z")], "z := x, x := 4, y := x"),
        (vec![("z", "x"), ("x", "y"), ("y", "z")], "z := x, x := y, y := x"),
        (vec![("x", "p"), ("y", "x"), ("x", "q")], "x := q, y := p"),
        (vec![("x", "x+1"), ("x", "x*2")], "x := (x + 1) * 2"),
        (vec![("z", "x"), ("x", "z")], "z := x"),
        (vec![("x", "x")], ""),
    ] {
        let transition = format!("<transition from=\"a\" to=\"b\" symbol=\"I\">{}</transition>{FRAME}", assign(&pairs));
        let imported = raxml_with(&file(ALPHABET, VARIABLES, &transition), "test.xml", Order::InOrder).unwrap();
        let mut lines = imported.text.lines().skip_while(|l| !l.contains("init a {"));
        let found = lines.nth(1).unwrap().trim();
        let found = found.split_once(" / ").map_or("", |(_, update)| update);
        assert_eq!(found.trim_end_matches(" -> b"), expected, "{pairs:?}");
    }
}

#[test]
fn assignments_in_order_and_at_once() {
    let transition = format!(
        "<transition from=\"a\" to=\"b\" symbol=\"go\">{}</transition>{FRAME}",
        assign(&[("x", "y"), ("y", "x")])
    );
    let xml = file(ALPHABET, VARIABLES, &transition);
    let in_order = raxml_with(&xml, "test.xml", Order::InOrder).unwrap();
    assert!(in_order.text.contains("?go / x := y -> b"), "{}", in_order.text);
    has_note(&in_order, "executed in order; 1 transition, the first at 4:");
    let at_once = raxml_with(&xml, "test.xml", Order::AtOnce).unwrap();
    assert!(at_once.text.contains("?go / x := y, y := x -> b"), "{}", at_once.text);
    has_note(&at_once, "executed at once; 1 transition");
    // In order, the second assignment would do nothing.
    has_note(&import(&xml), "executed at once, as RaLib does; 1 transition, the first at 4:");
}

/// A queue of the two least numbers, as RaLib writes such: values move on to the next register, all at once.
#[test]
fn what_is_shifted_is_shifted_at_once() {
    let alphabet = r#"<inputs><symbol name="offer"><param type="int" name="p"/></symbol><symbol name="poll"/></inputs>
        <outputs><symbol name="ok"/><symbol name="out"><param type="int" name="q"/></symbol></outputs>"#;
    let registers = r#"<globals><variable type="int" name="r1">0</variable><variable type="int" name="r2">0</variable>
        <variable type="int" name="o">0</variable></globals>"#;
    let step = |from: &str, to: &str, what: &str, guard: &str, assigns: &[(&str, &str)]| {
        let guard = if guard.is_empty() { String::new() } else { format!("<guard>{guard}</guard>") };
        format!("<transition from=\"{from}\" to=\"{to}\" {what}>{guard}{}</transition>", assign(assigns))
    };
    let transitions = [
        step("a", "b", "symbol=\"offer\" params=\"p\"", "", &[("r1", "p")]),
        step("b", "c", "symbol=\"ok\"", "", &[]),
        step("c", "d", "symbol=\"offer\" params=\"p\"", "p &lt; r1", &[("r1", "p"), ("r2", "r1")]),
        step("c", "d", "symbol=\"offer\" params=\"p\"", "p &gt;= r1", &[("r2", "p")]),
        step("d", "e", "symbol=\"ok\"", "", &[]),
        step("e", "f", "symbol=\"poll\"", "", &[]),
        step("f", "c", "symbol=\"out\" params=\"o\"", "", &[("o", "r1"), ("r1", "r2")]),
    ];
    let locations = |names: &str| -> String {
        let of = |n: &str| format!("<location name=\"{n}\"{}/>", if n == "a" { " initial=\"true\"" } else { "" });
        names.split(' ').map(of).collect()
    };
    let xml = |transitions: &str| {
        format!(
            "<register-automaton><alphabet>{alphabet}</alphabet>{registers}<locations>{}</locations><transitions>{transitions}</transitions></register-automaton>",
            locations("a b c d e f")
        )
    };
    let imported = import(&xml(&transitions.concat()));
    assert!(imported.text.contains("[p < r1] / r1 := p, r2 := r1"), "{}", imported.text);
    has_note(&imported, "executed at once, as RaLib does; 1 transition");
    // The same through a register that is there for nothing else, and that nobody has written before.
    let other = transitions
        .concat()
        .replace(&assign(&[("r1", "p"), ("r2", "r1")]), &assign(&[("t", "r1"), ("r1", "p"), ("r2", "t")]));
    let other = xml(&other).replace("</globals>", "<variable type=\"int\" name=\"t\">0</variable></globals>");
    let imported = import(&other);
    assert!(imported.text.contains("[p < r1] / r1 := p, r2 := r1"), "{}", imported.text);
    has_note(&imported, "executed in order, since otherwise `t` is read at 3:");
    has_note(
        &imported,
        "would do something else if they were executed at once, as RaLib does (`--assignments at-once`)",
    );
    let at_once = raxml_with(&other, "test.xml", Order::AtOnce).unwrap();
    assert!(at_once.text.contains("r2 := t"), "{}", at_once.text);
    // What is assigned twice is meant in order, too.
    let twice = transitions
        .concat()
        .replace(&assign(&[("r1", "p"), ("r2", "r1")]), &assign(&[("r2", "r1"), ("r1", "p"), ("r1", "r1 + 1")]));
    let imported = import(&xml(&twice));
    assert!(imported.text.contains("[p < r1] / r2 := r1, r1 := p + 1"), "{}", imported.text);
    has_note(&imported, "executed in order, since otherwise `r1`, which is assigned again at");
}

#[test]
fn values_that_grow_are_refused() {
    let doubling: Vec<_> = (0..100).map(|_| ("x", "x+x")).collect();
    let transition = format!("<transition from=\"a\" to=\"b\" symbol=\"go\">{}</transition>", assign(&doubling));
    assert!(error(&file(ALPHABET, VARIABLES, &transition)).contains("too large to write down"));
    let nesting: Vec<_> = (0..100).map(|_| ("x", "-(x+1)")).collect();
    let transition = format!("<transition from=\"a\" to=\"b\" symbol=\"go\">{}</transition>", assign(&nesting));
    assert!(error(&file(ALPHABET, VARIABLES, &transition)).contains("too large to write down"));
}

#[test]
fn nested_terms_can_be_parsed_again() {
    let guard = format!("{}x == y{}", "x == 1 || (y == 2 &amp;&amp; !".repeat(10), ")".repeat(10));
    switch(r#"symbol="go""#, &format!("<guard>{}</guard>", guard.replace("!x", "x")));
    let guard = format!("{}x == y{}", "x == 1 || y == 2 &amp;&amp; !(".repeat(14), ")".repeat(14));
    switch(r#"symbol="go""#, &format!("<guard>{guard}</guard>"));
    let guard = format!("x == {}1{}", "1 + x * -(".repeat(14), ")".repeat(14));
    switch(r#"symbol="go""#, &format!("<guard>{guard}</guard>"));
}

#[test]
fn fresh_values() {
    let declarations = r#"<constants><constant type="int" name="c">9</constant></constants>
        <globals><variable type="int" name="x">1</variable><variable type="int" name="y">2</variable>
        <variable type="id" name="z">3</variable></globals>"#;
    let transition = format!(
        "<transition from=\"a\" to=\"b\" symbol=\"O\" params=\"x\">{}</transition>{FRAME}",
        assign(&[("x", "__fresh__"), ("y", "7")])
    );
    let imported = import(&file(ALPHABET, declarations, &transition));
    let line = "!O(any p) [p != x && p != y && p != 9] / y := 7, x := p -> b";
    assert!(imported.text.contains(line), "{}", imported.text);
    has_note(&imported, "1 output has a fresh value");
    for (symbol, expected) in
        [(r#"symbol="O" params="y""#, "`x` is to be fresh"), (r#"symbol="go""#, "`x` is to be fresh")]
    {
        let assign = assign(&[("x", "__fresh__")]);
        let transition = format!("<transition from=\"a\" to=\"b\" {symbol}>{assign}</transition>");
        let found = error(&file(ALPHABET, declarations, &transition));
        assert!(found.contains(expected), "{found}");
    }
}

#[test]
fn constants_by_name_and_by_value() {
    let declarations = r#"<constants><constant type="int" name="c">0</constant><constant type="int" name="d">1</constant>
        <constant type="string" name="hi">hello</constant><constant type="int" name="c">0</constant></constants>
        <globals><variable type="string" name="s"></variable></globals>"#;
    let alphabet = r#"<inputs><symbol name="I"><param type="int"/></symbol></inputs>
        <outputs><symbol name="O"><param type="int"/><param type="string"/></symbol></outputs>"#;
    let transitions = r#"<transition from="a" to="b" symbol="I" params="n"><guard>n == c || n == 1</guard></transition>
        <transition from="b" to="a" symbol="O" params="1,hello"/><transition from="b" to="a" symbol="O" params="c,s"/>"#;
    let imported = import(&file(alphabet, declarations, transitions));
    for line in [
        "const c: Int = 0\nconst hi: String = \"hello\"\n",
        "[n == c || n == 1]",
        "!O(1, hi)",
        "!O(c, s)",
        "var s: String = \"\"",
    ] {
        assert!(imported.text.contains(line), "{line}\n{}", imported.text);
    }
    has_note(&imported, "the constant `c` is declared twice in the same way");
    has_note(&imported, "constants that nothing refers to by name are left out: `d`");
}

#[test]
fn a_constant_with_two_values() {
    let declarations = "<constants>\n<constant type=\"int\" name=\"c\">4</constant>\n<constant type=\"int\" name=\"c\">5\
        </constant></constants>";
    let by_value = r#"<transition from="a" to="b" symbol="O" params="4"/>"#;
    has_note(&import(&file(ALPHABET, declarations, by_value)), "twice, as 4 at 4:1 and as 5 at 5:1");
    let by_name = r#"<transition from="a" to="b" symbol="O" params="c"/>"#;
    assert_eq!(
        error(&file(ALPHABET, declarations, by_name)),
        "5:1: the constant `c` is declared twice, first at 4:1 as 4, and now as 5; remove or rename one of them"
    );
}

#[test]
fn names_are_made_valid() {
    let xml = r#"<register-automaton><alphabet>
        <inputs><symbol name="in"><param type="int" name="any"/></symbol></inputs>
        <outputs><symbol name="a.b"/><symbol name="closed"/><symbol name="a_b"/><symbol name="crashed"/></outputs></alphabet>
        <globals><variable type="int" name="my-var">0</variable><variable type="int" name="my var">0</variable></globals>
        <locations><location name="0" initial="true"/><location name="state"/><location name=""/></locations>
        <transitions><transition from="0" to="state" symbol="in" params="my-par"><guard>my-par == my-var</guard>
        <assignments><assign to="my var">my-par</assign></assignments></transition>
        <transition from="state" to="" symbol="a.b"><guard>my var==my-var</guard></transition>
        <transition from="state" to="" symbol="a_b"/><transition from="" to="0" symbol="closed"/>
        <transition from="" to="0" symbol="crashed"/></transitions>
        </register-automaton>"#;
    let imported = import(xml);
    for line in [
        "input  in_(any_: Int)\noutput a_b_2\noutput closed_2\noutput a_b\noutput crashed_2\n",
        "var my_var: Int = 0\n  var my_var_2: Int = 0\n",
        "init l0 {\n    ?in_(my_par) [my_par == my_var] / my_var_2 := my_par -> state_\n",
        "state state_ {\n    !a_b_2 [my_var_2 == my_var] -> location\n    !a_b -> location\n",
        "state location {\n    !closed_2 -> l0\n    !crashed_2 -> l0\n",
    ] {
        assert!(imported.text.contains(line), "{line}\n{}", imported.text);
    }
    has_note(
        &imported,
        "input `in` is `in_`, output `a.b` is `a_b_2`, output `closed` is `closed_2`, output `crashed` is `crashed_2`",
    );
}

#[test]
fn a_name_for_input_and_output() {
    let alphabet = r#"<inputs><symbol name="s"/></inputs><outputs><symbol name="s"/></outputs>"#;
    let transitions = r#"<transition from="a" to="b" symbol="s"/><transition from="b" to="a" symbol="s"/>"#;
    let imported = import(&file(alphabet, "", transitions));
    assert!(imported.text.contains("?s -> b") && imported.text.contains("!s_2 -> a"), "{}", imported.text);
    has_note(&imported, "output `s` is `s_2`");
}

#[test]
fn what_nothing_uses_is_left_out() {
    let xml = r#"<register-automaton><alphabet><inputs><symbol name="I"/><symbol name="J"/></inputs>
        <outputs><symbol name="O"><param type="int"/></symbol></outputs></alphabet>
        <constants><constant type="int" name="c">0</constant></constants>
        <globals><variable type="int" name="x">0</variable><variable type="int" name="y">0</variable></globals>
        <locations><location name="c"/><location name="a" initial="true"/><location name="b"/></locations>
        <transitions><transition from="a" to="b" symbol="I"><assignments><assign to="x">y</assign>
        <assign to="y">c</assign></assignments></transition>
        <transition from="c" to="a" symbol="O" params="x"/></transitions></register-automaton>"#;
    let imported = import(xml);
    let body = imported.text.split_once("\n\n").unwrap().1;
    assert_eq!(body, "input  I\n\nprocess test {\n  init a {\n    ?I -> b\n  }\n  state b\n}\n");
    has_note(&imported, "locations that no path leads to are left out: `c`");
    has_note(&imported, "symbols that no transition uses are left out: `J`, `O`");
    has_note(&imported, "constants that nothing refers to by name are left out: `c`");
    has_note(&imported, "variables that nothing reads, and their assignments, are left out: `x`, `y`");
    has_note(&imported, "are no `final` ones, which the format does not have: `b`");
}

#[test]
fn what_is_not_known_is_passed_over() {
    let xml = file(ALPHABET, VARIABLES, FRAME)
        .replace("<alphabet>", "<layout zoom=\"1\"/><alphabet>")
        .replace("<location name=\"b\"/>", "<location name=\"b\" x=\"1\"><!-- c --><label/></location>stray");
    let imported = import(&xml);
    for part in
        ["`layout` in `register-automaton` at 1:", "`x` of `location`", "`label` in `location`", "text in `locations`"]
    {
        has_note(&imported, part);
    }
}

#[test]
fn errors_say_what_and_where() {
    let transition = |t: &str| file(ALPHABET, VARIABLES, &format!("\n{t}"));
    let guard =
        |g: &str| transition(&format!("<transition from=\"a\" to=\"b\" symbol=\"I\"><guard>{g}</guard></transition>"));
    let cases = [
        ("".to_string(), "1:1: this is not valid XML: it is empty"),
        ("not XML".into(), "1:1: this is not valid XML"),
        ("<a><b></a>".into(), "1:7: this is not valid XML: expected 'b' tag, not 'a'; fix"),
        ("<mealy/>".into(), "1:1: expected the element `register-automaton`, found `mealy`"),
        ("<!DOCTYPE x [<!ENTITY a 'b'>]><register-automaton/>".into(), "remove `<!DOCTYPE …>`"),
        ("<register-automaton/>".into(), "1:1: no location is the initial one; mark one"),
        ("<register-automaton>\n<locations/></register-automaton>".into(), "2:1: no location is the initial one"),
        (
            file("", "", "").replace("<location name=\"b\"/>", "<location name=\"b\" initial=\"true\"/>"),
            "`b` is marked as initial, but so is `a` at 1:",
        ),
        (
            file("", "", "").replace("\"true\"", "\"yes\""),
            "expected `true` or `false` as the value of `initial`, found `yes`",
        ),
        (file("", "", "").replace("name=\"b\"", "name=\"a\""), "the location `a` is declared twice, first at 1:"),
        (
            file("", "", "").replace(" name=\"b\"", ""),
            "`location` has no attribute `name`; write `<location name=\"…\">`",
        ),
        (file("<inputs><symbol/></inputs>", "", ""), "`symbol` has no attribute `name`"),
        (
            file("<inputs><symbol name=\"s\"/><symbol name=\"s\"><param/></symbol></inputs>", "", ""),
            "the symbol `s` is declared twice, first at 1:39, with other parameters",
        ),
        (
            file("", "<globals><variable type=\"int\" name=\"x\">\n 1.5</variable></globals>", ""),
            "2:2: expected an integer as the value of `x`, found `1.5`",
        ),
        (file("", "<globals><variable type=\"int\" name=\"x\"/></globals>", ""), "found ``"),
        (
            file("", "<globals><variable name=\"x\">1</variable><variable name=\"x\">2</variable></globals>", ""),
            "as 1, and now as 2",
        ),
        (
            file(
                "",
                "<globals><variable name=\"x\">1</variable></globals><constants><constant name=\"x\">1</constant></constants>",
                "",
            ),
            "once as variable and once as constant",
        ),
        (transition("<transition to=\"b\" symbol=\"go\"/>"), "5:1: `transition` has no attribute `from`"),
        (transition("<transition from=\"aa\" to=\"b\" symbol=\"go\"/>"), "5:19: there is no location `aa`"),
        (
            transition("<transition from=\"a\" to=\"b\" symbol=\"gos\"/>"),
            "there is no symbol `gos`; did you mean `go`?",
        ),
        (
            transition("<transition from=\"a\" to=\"b\" symbol=\"I\" params=\"n\"/>"),
            "5:48: `I` has 1 parameter here, but its declaration at 1:39 has 2",
        ),
        (transition("<transition from=\"a\" to=\"b\" symbol=\"O\" params=\"x,y\"/>"), "`O` has 2 parameters here"),
        (transition("<transition from=\"a\" to=\"b\" symbol=\"ok\" params=\"x\"/>"), "`ok` has 1 parameter here"),
        (transition("<transition from=\"a\" to=\"b\" symbol=\"I\" params=\"n,n\"/>"), "`n` cannot be bound twice"),
        (
            transition("<transition from=\"a\" to=\"b\" symbol=\"O\" params=\"x y\"/>"),
            "5:50: expected an operator or the end, found `y`",
        ),
        (
            transition("<transition from=\"a\" to=\"b\" symbol=\"O\"/>"),
            "there is no parameter, variable or constant `p`",
        ),
        (transition("<transition from=\"a\" to=\"b\" symbol=\"go\" guard=\"x==y\"/>"), "write `<guard>…</guard>`"),
        (
            transition(
                "<transition from=\"a\" to=\"b\" symbol=\"go\"><guard>x==y</guard><guard>x==y</guard></transition>",
            ),
            "second guard",
        ),
        (
            transition(
                "<transition from=\"a\" to=\"b\" symbol=\"go\"><assignments><assign to=\"w\">1</assign></assignments></transition>",
            ),
            "there is no variable `w`",
        ),
        (
            transition(
                "<transition from=\"a\" to=\"b\" symbol=\"go\"><assignments><assign>1</assign></assignments></transition>",
            ),
            "`assign` has no attribute `to`",
        ),
        (
            transition(
                "<transition from=\"a\" to=\"b\" symbol=\"go\"><assignments><assign to=\"x\"></assign></assignments></transition>",
            ),
            "expected a value, found the end",
        ),
        (guard("p == w"), "5:52: there is no parameter, variable or constant `w`"),
        (guard("p == x &amp;&amp; q = x"), "5:67: expected an operator or the end, found `=`; write `==` to compare"),
        (guard("p == x <!-- c --> &amp;&amp; w == x"), "5:76: there is no parameter"),
        (guard("\n p == x\r\n == y"), "7:2: expected an operator"),
        (guard("p == x == q"), "join comparisons with `&&`"),
    ];
    for (xml, expected) in cases {
        let found = error(&xml);
        assert!(found.contains(expected), "expected {expected}\nfound    {found}\n{xml}");
    }
}

#[test]
fn nothing_is_too_deep_or_too_long() {
    let deep = "<a>".repeat(100_000);
    assert!(error(&deep).contains("not valid XML"));
    let deep = format!("{}{}", "<a>".repeat(100_000), "</a>".repeat(100_000));
    assert!(error(&deep).contains("found `a`"));
    let inside =
        file(ALPHABET, &deep, FRAME).replace("params=\"y\"", "params=\"1\"").replace("params=\"z\"", "params=\"2\"");
    has_note(&import(&inside.replace("params=\"x\"", "params=\"3\"")), "`a` in `register-automaton`");
    let bomb = format!(
        "<!DOCTYPE x [<!ENTITY a \"x\">{}]><register-automaton>&a9;</register-automaton>",
        (0..10).map(|i| format!("<!ENTITY a{i} \"{}\">", "&a;".repeat(10))).collect::<String>()
    );
    assert!(error(&bomb).contains("document type"));
    assert!(error(&" ".repeat(MAX_FILE_BYTES as usize + 1)).contains("too large"));
    let attributes: String = (0..100_000).map(|i| format!(" a{i}='1'")).collect();
    assert!(error(&format!("<register-automaton{attributes}/>")).contains("an element with 100000 attributes"));
    assert!(error("\u{0}\u{1}").contains("not valid XML"));
}

#[test]
fn a_large_automaton() {
    let count = 20_000;
    let locations: String = (0..count).map(|i| format!("<location name=\"l-{i}\"/>")).collect();
    let transitions: String = (1..count)
        .map(|i| format!("<transition from=\"l-{}\" to=\"l-{i}\" symbol=\"go\" zoom=\"{i}\"/>", i - 1))
        .collect();
    let xml = file(ALPHABET, "", "").replace("<location name=\"b\"/>", &locations).replace(
        "<transitions>",
        &format!("<transitions><transition from=\"a\" to=\"l-0\" symbol=\"go\"/>{transitions}"),
    );
    let imported = import(&xml);
    assert_eq!(imported.text.lines().filter(|l| l.contains("?go")).count(), count);
    has_note(&imported, &format!("and {} more", count - MAX_LISTED));
}

/// Cuts a good file anywhere, and changes each of its characters: there must be an answer to everything, and all that
/// is imported can at least be parsed. (Types are not checked on the way: `x == "a"` is imported as it stands.)
#[test]
fn no_input_panics() {
    let transition = format!(
        "<transition from=\"a\" to=\"b\" symbol=\"O\" params=\"z\"><guard>!(x == -1.5 || y &lt; z)</guard>{}</transition>",
        assign(&[("z", "x"), ("x", "y*2")])
    );
    let xml = file(ALPHABET, VARIABLES, &format!("{transition}{FRAME}"));
    import(&xml);
    for (i, c) in xml.char_indices() {
        let _ = raxml(&xml[..i], "test.xml");
        for new in ["", "é", "\"", "<", "&", "-", " ", "0", "("] {
            if let Ok(imported) = raxml(&format!("{}{new}{}", &xml[..i], &xml[i + c.len_utf8()..]), "test.xml") {
                let found = parse(FileId(0), &imported.text).diagnostics;
                assert!(found.is_empty(), "{}\n{found:#?}", imported.text);
            }
        }
    }
}

#[test]
fn the_name_of_the_file_is_safe() {
    for (name, process) in
        [("", "automaton"), ("a/b.c.xml", "b"), ("..\\x\ny.xml", "x_y"), ("in.xml", "in_"), ("1.xml", "a1")]
    {
        let imported = raxml(&file(ALPHABET, VARIABLES, FRAME), name).unwrap();
        assert!(imported.text.contains(&format!("\nprocess {process} {{")), "{name}\n{}", imported.text);
        assert_clean(&imported.text);
    }
}

/// The files of the Bounded Retransmission Protocol from the Automata Wiki, where they are at hand.
fn brp() -> Option<Vec<(String, String)>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench/brp/raxml");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: there is no folder {}", folder.display());
        return None;
    };
    let read = |path: std::path::PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read_to_string(&path).unwrap())
    };
    let mut files: Vec<_> = entries.map(|e| read(e.unwrap().path())).collect();
    files.sort();
    Some(files)
}

#[test]
fn the_bounded_retransmission_protocol_is_clean() {
    let Some(files) = brp() else { return };
    assert_eq!(files.len(), 9);
    for (name, xml) in files {
        let imported = raxml(&xml, &name).unwrap_or_else(|e| panic!("{name}:{e}"));
        assert_clean(&imported.text);
        // None of these files has a location or a symbol that nothing uses.
        let switches = imported.text.lines().filter(|l| l.contains(" -> ")).count();
        assert_eq!(switches, xml.matches("<transition ").count(), "{name}");
    }
}

/// What the protocol's sender does, in six locations.
const SENDER: &str = "
input  IREQ(p0: Int, p1: Int, p2: Int)
input  IACK
input  ITIMEOUT
output ONOK
output OFRAME(first: Int, last: Int, bit: Int, m: Int)
output OCONF(result: Int)
process Sender {
  var m1: Int = 0 var m2: Int = 0 var m3: Int = 0
  var n: Int = 0 var rn: Int = 0 var tg: Int = 0
  init start {
    ?IREQ(a, b, c) / m1 := a, m2 := b, m3 := c, n := 0, rn := 0 -> send_frame
    ?IACK -> refuse
    ?ITIMEOUT -> refuse
  }
  state refuse { !ONOK -> start }
  state send_frame {
    !OFRAME(1, 0, tg, m1) [n == 0] / rn := rn + 1 -> wait
    !OFRAME(0, 0, tg, m2) [n == 1] / rn := rn + 1 -> wait
    !OFRAME(0, 1, tg, m3) [n == 2] / rn := rn + 1 -> wait
  }
  state wait {
    ?IACK [n < 2] / n := n + 1, rn := 0, tg := 1 - tg -> send_frame
    ?IACK [n == 2] / n := 3, rn := 0, tg := 1 - tg -> confirm
    ?ITIMEOUT [rn <= 5] -> send_frame
    ?ITIMEOUT [rn > 5] -> confirm
    ?IREQ(_, _, _) -> busy
  }
  state busy { !ONOK -> wait }
  state confirm {
    !OCONF(0) [n < 2] -> start
    !OCONF(2) [n == 2] -> start
    !OCONF(1) [n == 3] -> start
  }
}";

/// What a model that answers every input with one output says to some inputs.
fn answers(model: &Model, inputs: &[(&str, Vec<Value>)]) -> Vec<String> {
    let mut vars: Vec<Value> = model.variables.values().map(|v| v.initial.clone().unwrap()).collect();
    let mut at = model.processes.values().next().unwrap().initial;
    let value = |term, vars: &[Value], params: &[Value]| {
        eval(&model.terms, &model.sorts, term, Env { vars, params, bound: &[], symbols: &[], rounds: 0 }).unwrap()
    };
    let mut out = Vec::new();
    for (gate, params) in inputs {
        for (direction, params) in [(Direction::Input, params.as_slice()), (Direction::Output, &[])] {
            let enabled = model.locations[at].outgoing.iter().map(|s| &model.switches[*s]).filter(|s| match s.label {
                Label::Gate(g) => {
                    let g = &model.gates[g];
                    g.direction == direction
                        && (direction == Direction::Output || g.name == *gate)
                        && value(s.guard, &vars, params) == Value::Bool(true)
                }
                _ => false,
            });
            let enabled: Vec<_> = enabled.collect();
            let [s] = enabled.as_slice() else { panic!("{} switches for {gate}", enabled.len()) };
            if let (Direction::Output, Label::Gate(g)) = (direction, s.label) {
                let args = s.params.iter().map(|p| format!("{:?}", value(p.term.unwrap(), &vars, params)));
                out.push(format!("{}({})", model.gates[g].name, args.collect::<Vec<_>>().join(", ")));
            }
            let update: Vec<_> = s.update.iter().map(|(v, term)| (v.index(), value(*term, &vars, params))).collect();
            update.into_iter().for_each(|(v, new)| vars[v] = new);
            at = s.target;
        }
    }
    out
}

/// The imported reference does what the protocol does, each mutant something else.
#[test]
fn the_bounded_retransmission_protocol_behaves() {
    let Some(files) = brp() else { return };
    let model = |text: &str| crate::check_text("test.sts", text).model.unwrap().model;
    let sender = model(SENDER);
    // Random, but always the same: timeouts often, for they are what it takes many of.
    let mut seed = 1u64;
    let mut random = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let mut input = || match random(8) {
        0 => ("IREQ", (0..3).map(|_| Value::Int(random(3) as i64)).collect()),
        1..=2 => ("IACK", vec![]),
        _ => ("ITIMEOUT", vec![]),
    };
    let words: Vec<Vec<_>> = (0..200).map(|_| (0..60).map(|_| input()).collect()).collect();
    let expected: Vec<_> = words.iter().map(|w| answers(&sender, w)).collect();
    for (name, xml) in files.iter().filter(|(name, _)| !name.contains("_abs")) {
        let imported = model(&raxml(xml, name).unwrap().text);
        let same = words.iter().zip(&expected).all(|(w, e)| answers(&imported, w) == *e);
        assert_eq!(same, name.contains("reference"), "{name}");
        let at_once = model(&raxml_with(xml, name, Order::AtOnce).unwrap().text);
        let same = words.iter().zip(&expected).all(|(w, e)| answers(&at_once, w) == *e);
        assert!(!same, "{name}: the order of assignments should matter");
    }
}

#[test]
fn types_must_fit() {
    let alphabet = r#"<inputs><symbol name="I"><param type="int" name="p"/><param type="boolean" name="b"/></symbol>
        </inputs><outputs><symbol name="O"><param type="double" name="d"/></symbol></outputs>"#;
    let variables = r#"<globals><variable type="int" name="x">1</variable><variable type="double" name="r">1</variable>
        <variable type="string" name="s">a</variable></globals>"#;
    let input = |inner: &str| format!("<transition from=\"a\" to=\"b\" symbol=\"I\">{inner}</transition>");
    let guard = |text: &str| input(&format!("<guard>{text}</guard>"));
    let output = |params: &str, inner: &str| {
        format!("<transition from=\"a\" to=\"b\" symbol=\"O\" params=\"{params}\">{inner}</transition>")
    };
    for (transition, found) in [
        (guard("b == p"), "`==` does not take Bool and Int"),
        (guard("p"), "expected Bool here, found Int"),
        (guard("s &lt; s"), "`<` does not take String and String"),
        (guard("!p"), "`!` does not take Int"),
        (guard("-b == 1"), "`-` does not take Bool"),
        (guard("p == 1 || p + 1"), "`||` does not take Bool and Int"),
        (input(&assign(&[("x", "b")])), "expected Int here, found Bool"),
        (input(&assign(&[("x", "p * 0.5")])), "expected Int here, found Real"),
        (output("s", ""), "expected Real here, found String"),
        (output("x", &assign(&[("x", "__fresh__")])), "expected Int here, found Real"),
    ] {
        let message = error(&file(alphabet, variables, &transition));
        assert!(message.contains(found), "{transition}\n{message}");
    }
    import(&file(alphabet, variables, &(guard("p &lt; r &amp;&amp; b == (s == 'a')") + &output("x + 1", ""))));
}
