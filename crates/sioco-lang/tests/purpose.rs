//! Purposes: what they become, what is wrong with them, and that they can be printed and read again.

use std::path::{Path, PathBuf};

use sioco_lang::check::CheckOptions;
use sioco_lang::source::{FileId, MemoryLoader};
use sioco_lang::syntax::format::format;
use sioco_lang::{Checked, check_file, check_text};
use sioco_model::model::Model;
use sioco_model::print;
use sioco_model::purpose::{EventLabel, Pattern, Purpose};
use sioco_model::{Id, WrittenId};

const ATM: &str = "
type Amount = Int in 0..
type Colour = Red | Green
input  deposit(t: Amount)
input  amount(a: Amount)
input  paint(c: Colour)
output cash(y: Amount)
output screen(s: String)
output error(code: Int)
output closed
channel inner
const LIMIT = 100
fun twice(n: Int): Int = 2 * n

process ATM {
  var money: Int = 0
  var n: Int = 0
  init Idle {
    put: ?deposit(t) / money := money + t -> Idle
    ask: ?amount(_) / n := n + 1 ; !screen(\"wait\") -> Busy
    ?paint(_) -> Idle
    send inner -> Idle
  }
  state Busy {
    pay: !cash(any y) [y <= money + twice(n)] -> Idle
    bad: !error(any c) [c != 0] -> Broken
  }
  state Broken { !closed -> End }
  final End
}
process Log {
  var n: Int = 0
  init Idle { note: recv inner [n < LIMIT] / n := n + 1 -> Idle }
}
system Bank = ATM || Log
";

fn bank(purposes: &str) -> Checked {
    check_text("m.sts", &format!("{ATM}{purposes}"))
}

#[track_caller]
fn model(text: &str) -> Model {
    let checked = check_text("m.sts", text);
    assert_eq!(checked.diagnostics, [], "{text}");
    checked.model.expect("a model").model
}

fn codes(checked: &Checked) -> Vec<&'static str> {
    checked.diagnostics.iter().map(|d| d.code.short()).collect()
}

#[track_caller]
fn pattern(text: &str) -> (Purpose, Model) {
    let model = model(&format!("{ATM}purpose P {{ {text} }}"));
    (model.purposes.as_slice()[0].clone(), model)
}

/// A purpose that was printed is the same if it is read, but for the numbers of terms.
#[track_caller]
fn same_again(p: &Purpose, printed: &str) {
    let m = model(&format!("{ATM}{printed}"));
    let again = &m.purposes.as_slice()[0];
    assert_eq!(print::purpose(&m, again), printed);
    assert_eq!((&again.name, &again.slots, again.rejects.len()), (&p.name, &p.slots, p.rejects.len()));
    assert_eq!(shape(&again.pattern), shape(&p.pattern), "{printed}");
}

fn shape(pattern: &Pattern) -> String {
    let all = |parts: &[Pattern]| parts.iter().map(shape).collect::<Vec<_>>().join(" ");
    match pattern {
        Pattern::Event(e) => format!("{:?}{:?}{}", e.label, e.binds, e.condition.is_some()),
        Pattern::Sequence(parts) => format!("seq({})", all(parts)),
        Pattern::Choice(parts) => format!("any({})", all(parts)),
        Pattern::Repeat { body, least, most } => format!("{least}..{most:?}({})", shape(body)),
        Pattern::Anything => "..".into(),
        Pattern::At { locations, condition } => format!("{locations:?}{}", condition.is_some()),
    }
}

#[test]
fn a_purpose_has_slots_events_and_rejects() {
    let (p, model) = pattern(
        "?deposit(m); ..; ?amount(x) [x <= m]; (!cash(y) [y == x] | !screen(_)){1..3}; at Busy [money > 2]
         reject !error(code) [code > LIMIT]
         reject delta",
    );
    let names: Vec<&str> = p.slots.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["m", "x", "y", "_", "code"]);
    let Pattern::Sequence(parts) = &p.pattern else { panic!("a sequence: {:?}", p.pattern) };
    assert_eq!(parts.len(), 5);
    assert_eq!(parts[1], Pattern::Anything);
    let Pattern::Repeat { body, least: 1, most: Some(3) } = &parts[3] else { panic!("{:?}", parts[3]) };
    let Pattern::Choice(ways) = &**body else { panic!("{body:?}") };
    let Pattern::Event(cash) = &ways[0] else { panic!("{ways:?}") };
    assert_eq!(cash.label, EventLabel::Gate(model.gate("cash").unwrap()));
    assert_eq!(cash.binds, [2]);
    let Pattern::At { locations, .. } = &parts[4] else { panic!("{:?}", parts[4]) };
    assert_eq!(locations, &[model.location("ATM.Busy").unwrap()]);
    assert_eq!(p.rejects.len(), 2);
    assert_eq!(p.rejects[0].binds, [4]);
    assert_eq!(p.rejects[1].label, EventLabel::Delta);
    assert_eq!(
        print::purpose(&model, &p),
        "purpose P {\n  ?deposit(m); ..; ?amount(x) [x <= m]; (!cash(y) [y == x] | !screen(_)){1..3}; at Busy \
         [money > 2]\n  reject !error(code) [code > 100]\n  reject delta\n}\n"
    );
}

#[test]
fn sequences_bind_tighter_than_choices() {
    let (p, _) = pattern("any; delta | any");
    let Pattern::Choice(ways) = &p.pattern else { panic!("{:?}", p.pattern) };
    assert!(matches!(ways[0], Pattern::Sequence(_)));
}

#[test]
fn a_name_has_one_slot_on_all_ways() {
    let (p, _) = pattern("(?deposit(x) | ?amount(x)); !cash(y) [y == x]");
    assert_eq!(p.slots.len(), 2, "{p:?}");
    // The last round counts.
    let (p, _) = pattern("?deposit(x)+; !cash(y) [y == x]");
    assert_eq!(p.slots.len(), 2);
    // A name that is out of scope may be used again.
    let (p, _) = pattern("(?deposit(x) [x > 1] | any); ?amount(x) [x > 2]");
    assert_eq!(p.slots.len(), 2);
    // Different ranges have what is common to them.
    let text = "input a(p: Int in 0..1)\ninput b(p: Int in 0..9)\noutput o(p: Int)\n\
        process P { init l { ?a(_) -> l ?b(_) -> l !o(1) -> l } }\n\
        purpose Q { (?a(x) | ?b(x)); !o(y) [y == x] }";
    let m = model(text);
    assert_eq!(m.purposes.as_slice()[0].slots[0].sort, m.sorts.int);
}

#[test]
fn names_with_and_without_their_process() {
    for text in [
        "any; at Log.Idle [Log.n == ATM.n && money > 0]",
        "any; at ATM.Idle",
        "take put",
        "take ATM.put",
        "take \"ATM.put\"",
        "take \"Idle?paint\"",
        "take \"Idle.send.inner\"",
        "take \"ask!screen\"",
        "take note [money > twice(Log.n)]",
        "?paint(c) [c == Red || c is Green]",
        "!closed",
    ] {
        let (p, m) = pattern(text);
        let again = print::purpose(&m, &p);
        same_again(&p, &again);
    }
}

#[test]
fn printed_purposes_are_the_same_purposes() {
    for text in [
        "?deposit(m); ..; !cash(y) [y == m]",
        "any; (delta; any)*; at End | take pay; (any | delta; (any; any)+){2}; any{2..}; any{0..4}",
        "((any; any) | (delta | any)); (any; any); any",
        "(?deposit(x) | ?amount(x) [x > 1]){3}; !cash(_)\nreject any [money - ATM.n > 3]\nreject take bad",
        "?deposit(x)+; !screen(s) [s == \"a\\\"b\" && x < LIMIT]",
    ] {
        let (p, m) = pattern(text);
        let again = print::purpose(&m, &p);
        same_again(&p, &again);
    }
}

#[test]
fn problems() {
    for (text, expected) in [
        // Names.
        ("?depost(_)", &["N003"][..]),
        ("..; at Bussy", &["N004"]),
        ("..; at ATM.Bussy", &["N004"]),
        ("..; at Atm.Busy", &["N008"]),
        ("any; at Idle", &["N014"]),
        ("take putt", &["N012"]),
        ("take Log.put", &["N012"]),
        ("?deposit(m) [m > mony]", &["N001"]),
        ("?deposit(m) [m > n]", &["N014"]),
        ("?deposit(m) [m > Log.money]", &["N001"]),
        ("any [Lg.n > 1]", &["N001"]),
        // Events.
        ("?deposit", &["T003"]),
        ("?deposit(x, y)", &["T003"]),
        ("!deposit(_)", &["M004"]),
        ("?cash(_)", &["M004"]),
        ("!inner", &["M004"]),
        ("!cash(5)", &["M007"]),
        ("?paint(Red)", &["M007"]),
        ("!cash(any x) [x > 1]", &["M013"]),
        // Conditions.
        ("?deposit(m) [m]", &["T002"]),
        ("?deposit(m) [m == \"a\"]", &["T004"]),
        ("?deposit(m) [else]", &["M008"]),
        ("any [1 > 2]", &["W006"]),
        ("any [LIMIT > 1000]", &[]),
        // What is bound where.
        ("(?deposit(x) | any); !cash(y) [y == x]", &["N013"]),
        ("(?deposit(x) [x > 1])*; !cash(y) [y == x]", &["N013"]),
        ("?deposit(x){0..1}; !cash(y) [y == x]", &["N013"]),
        ("?deposit(x) [x > z]; ?amount(z) [z > 1]", &["N013"]),
        ("(?deposit(x) [x > z]; ?amount(z) [z > 1])*; any", &["N013"]),
        ("(?deposit(x) [x > 1] | !cash(y) [y == x])", &["N013"]),
        ("(?deposit(x) | !screen(x)); !cash(y) [y == x]", &["N013"]),
        ("?deposit(x) [x > 1]; any\nreject !cash(y) [y == x]", &["N013"]),
        ("?deposit(x); ?amount(x) [x > 1]", &["N010"]),
        ("?deposit(money) [money > 1]", &["N010"]),
        ("?deposit(LIMIT) [LIMIT > 1]", &["N010"]),
        ("?deposit(x)", &["W002"]),
        ("?deposit(_x)", &[]),
        // Repetitions.
        ("any{3..2}", &["M014"]),
        ("any{0}; any", &["M014"]),
        ("any{0..0}; any", &["M014"]),
        ("any{1..99999999999}", &["M014"]),
        ("(any*)*; any", &["M014"]),
        ("(..; at Busy)+; any", &["M014"]),
        // Rejects.
        ("any\nreject any", &["M015"]),
        ("any\nreject at Busy", &["M015"]),
        ("any\nreject (delta | !closed)", &["M015"]),
        ("any\nreject ..", &["M015"]),
        ("any\nreject delta; any", &["M015"]),
        ("any\nreject (delta)", &[]),
        ("any\nreject any [money > 1]", &[]),
        // Warnings.
        ("..", &["W008"]),
        ("any*", &["W008"]),
        ("any{0..1} | any", &["W008"]),
        ("..; at ATM.Idle", &["W008"]),
        ("..; at ATM.Idle [money > 0]", &[]),
        ("..; at Busy", &[]),
        ("any; ..", &["W009"]),
        ("any; ..; ..; any", &["W009"]),
        ("any; (delta | any; ..)", &["W009"]),
        ("any; (..; delta)+; any", &[]),
        // Syntax.
        ("", &["P001"]),
        ("reject delta", &["P001"]),
        ("any;", &["P001"]),
        ("any any", &["P001"]),
        ("any, any", &["P001"]),
        ("any -> any", &["P001"]),
        ("any || any", &["P001"]),
        ("_; any", &["P001"]),
        ("()", &["P001"]),
        ("(any | )", &["P001"]),
        ("any?", &["P001"]),
        ("any{..3}; any", &["P001"]),
        ("any{1,3}; any", &["P001"]),
        ("any{}", &["P001"]),
        ("any{x}", &["P001"]),
        ("deposit(_)", &["P001"]),
        ("Busy", &["P001"]),
        ("tau; any", &["P001"]),
        ("send inner; any", &["P001"]),
        ("take; any", &["P001"]),
        ("at", &["P001"]),
        ("any\nreject", &["P001"]),
        ("any\nreject delta; reject delta", &["P001"]),
        ("any [", &["P001"]),
        ("(any; any", &["P001"]),
        ("any)", &["P001"]),
        ("?deposit(m = 5)", &["P001"]),
    ] {
        let text = format!("purpose P {{ {text} }}\npurpose Q {{ any }}\n");
        let checked = bank(&text);
        assert_eq!(codes(&checked), expected, "{text}\n{:#?}", checked.diagnostics);
        for d in &checked.diagnostics {
            assert!(d.help.is_some() || d.primary.as_ref().is_some_and(|p| !p.text.is_empty()), "{d:#?}");
        }
    }
}

#[test]
fn fixes_mend() {
    for text in [
        "?depost(_)",
        "..; at ATM.Bussy",
        "take ATM.putt",
        "?deposit; any",
        "!deposit(_)",
        "any{3..2}",
        "any; ..",
        "any; ..; ..; any",
        "any;",
        "any any",
        "any, any",
        "any -> any",
        "any || any",
        "_; any",
        "any?; any",
        "any{..3}; any",
        "any{1,3}; any",
        "deposit(_)",
    ] {
        let mut text = format!("{ATM}purpose P {{ {text} }}\n");
        let checked = check_text("m.sts", &text);
        assert_eq!(checked.diagnostics.len(), 1, "{text}\n{:#?}", checked.diagnostics);
        let fix = checked.diagnostics[0].fix.clone().unwrap_or_else(|| panic!("{:#?}", checked.diagnostics));
        text.replace_range(fix.span.range(), &fix.replacement);
        assert_eq!(check_text("m.sts", &text).diagnostics, [], "{text}");
    }
}

#[test]
fn every_error_of_a_half_wrong_purpose() {
    let checked = bank(
        "purpose P {
           ?depost(x) [x > 1]; any{2..1}; take putt [mony > 1];
           ( !cash(5) | at Bussy ); any [money]
           reject !eror(_)
           reject take gone
         }
         purpose P { any }
         purpose Syntax { ?deposit(; any{; ?amount(x) [q > x]; take nothing }
         purpose Last { ?cash(_) }",
    );
    let mut found = codes(&checked);
    found.sort_unstable();
    let expected = [
        "M004", "M007", "M014", "N001", "N003", "N003", "N004", "N009", "N012", "N012", "N012", "P001", "P001", "T002",
    ];
    assert_eq!(found, expected, "{:#?}", checked.diagnostics);
}

#[test]
fn a_broken_purpose_leaves_the_rest_alone() {
    for text in [
        "purpose P { any\nprocess Next { init l {} }",
        "purpose P {\nprocess Next { init l {} }",
        "purpose P\nprocess Next { init l {} }",
        "purpose P { any; (any\n purpose Q { any }\nprocess Next { init l {} }",
        "purpose { any }\nprocess Next { init l {} }",
    ] {
        let text = format!("output o\nprocess First {{ init l {{ !o -> l }} }}\n{text}\nsystem S = First || Next\n");
        let checked = check_text("m.sts", &text);
        assert_eq!(codes(&checked), ["P001"], "{text}\n{:#?}", checked.diagnostics);
    }
    // A process that is not understood is not missing.
    let text =
        "input a\nprocess P { init l { ?a -> -> } state m { go: ?a -> l } }\npurpose Q { take stop; at n [x > 1] }";
    assert_eq!(codes(&check_text("m.sts", text)), ["P001"]);
    let text = "input a\nprocess P { init l { stop: ?a -> nowhere } }\npurpose Q { take stop; ?b }";
    assert_eq!(codes(&check_text("m.sts", text)), ["N004", "N003"]);
}

#[test]
fn the_words_of_purposes_are_names_elsewhere() {
    let m = model(
        "type _T = purpose | Other\nconst at = 1\nfun take(delta: Int): Int = delta + at\ninput delta(at: Int)\noutput purpose\n\
         process reject {\n  var take: Int = 0\n  init purpose { at: ?delta(p) / take := take(p) -> delta }\n\
         state delta {\n purpose: !purpose [take > at] -> purpose }\n}\n\
         system take = reject\n\
         purpose purpose { ?delta(reject) [reject > at]; take purpose; at delta [take == 1]; !purpose\nreject delta }\n\
         purpose\nreject\n{ take at }\n",
    );
    assert_eq!(m.purposes.len(), 2);
    assert_eq!(m.purposes.as_slice()[0].rejects.len(), 1);
}

fn files(files: &[(&str, &str)]) -> Checked {
    let loader = MemoryLoader(files.iter().map(|(path, text)| (PathBuf::from(path), text.to_string())).collect());
    check_file(Path::new(files[0].0), &loader, &CheckOptions::default())
}

#[test]
fn a_file_of_purposes() {
    let own = "import \"bank.sts\"\n\nconst MANY = 3\n\npurpose Rich {\n  ?deposit(x) [x > MANY]; ..; take pay\n}\n";
    let checked = files(&[("rich.sts", own), ("bank.sts", ATM)]);
    assert_eq!(checked.diagnostics, []);
    let found = checked.model.expect("a model");
    assert_eq!(found.model.purposes.len(), 1);
    assert_eq!(checked.sources.text(found.spans.purposes.as_slice()[0]), "Rich");
    assert_eq!(format(FileId(0), own).as_deref(), Ok(own));
    // The model may also import its purposes.
    let importing = format!("import \"rich.sts\"\n{ATM}");
    let checked = files(&[("bank.sts", &importing), ("rich.sts", "purpose Rich { ?deposit(_); take pay }")]);
    assert_eq!(checked.diagnostics, []);
    assert_eq!(checked.model.expect("a model").model.purposes.len(), 1);
    // Two files, one name.
    let again = format!("{ATM}purpose Rich {{ any }}");
    assert_eq!(codes(&files(&[("rich.sts", own), ("bank.sts", &again)])), ["N009"]);
    // A model that cannot be read leaves nothing to say.
    assert_eq!(codes(&files(&[("rich.sts", own)])), ["F001"]);
}

#[test]
fn a_purpose_belongs_to_the_systems_that_have_what_it_names() {
    let text = "input a\noutput o\nprocess A { init l { go: ?a -> m } final m }\nprocess B { init l { say: !o -> l } }\n\
        system One = A\nsystem Two = A || B\n\
        purpose InTwo { take say }\npurpose Both { take go; at m }\n";
    let purposes = |system: &str, text: &str| {
        let options = CheckOptions { system: Some(system.into()), ..CheckOptions::default() };
        let checked = sioco_lang::check::check_text_with("m.sts", text, &options);
        assert_eq!(checked.diagnostics, []);
        let model = checked.model.expect("a model").model;
        model.purposes.values().map(|p| p.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(purposes("One", text), ["Both"]);
    assert_eq!(purposes("Two", text), ["InTwo", "Both"]);
    // Whatever else is wrong is reported, and so is what no system has.
    let wrong = format!("{text}purpose Wrong {{ take say; any{{0}} }}\npurpose Gone {{ take gone }}");
    assert_eq!(codes(&check_text("m.sts", &wrong)), ["M014", "N012"]);
}

#[test]
fn instances_of_one_process() {
    let text = |system: &str, purpose: &str| {
        format!(
            "input a(n: Int)\nprocess A(k: Int) {{\n  var x: Int = 0\n  init l {{ go: ?a(n) [n == k] / x := x + 1 -> m }}\n  \
             state m {{ ?a(n) [n == x] -> l }}\n}}\nsystem S = {system}\npurpose P {{ {purpose} }}\n"
        )
    };
    // Any of them.
    let m = model(&text("A(1) || A(2)", "take A.go; at A.m"));
    let Pattern::Sequence(parts) = &m.purposes.as_slice()[0].pattern else { panic!("{:?}", m.purposes) };
    assert!(matches!(&parts[0], Pattern::Choice(ways) if ways.len() == 2));
    assert!(matches!(&parts[1], Pattern::At { locations, .. } if locations.len() == 2));
    let m = model(&text("A(1) || A(2)", "take \"A#2.go\""));
    assert!(
        matches!(&m.purposes.as_slice()[0].pattern, Pattern::Event(e) if e.label == EventLabel::Switch(m.switch("A#2.go").unwrap()))
    );
    let m = model(&text("one: A(1) || A(2)", "take one.go; at A.m [one.x > A.x]"));
    assert!(matches!(&m.purposes.as_slice()[0].pattern, Pattern::Sequence(parts) if parts.len() == 2));
    for (system, purpose, expected) in [
        ("A(1) || A(2)", "take go", "N014"),
        ("A(1) || A(2)", "any [A.x > 1]", "N014"),
        ("A(1) || A(2)", "any [x > 1]", "N014"),
        ("A(1) || A(2)", "take B.go", "N008"),
    ] {
        assert_eq!(codes(&check_text("m.sts", &text(system, purpose))), [expected], "{system} {purpose}");
    }
}

#[test]
fn deep_and_long_purposes() {
    let deep = format!("purpose P {{ {}any{} }}", "(".repeat(5000), ")".repeat(5000));
    assert_eq!(codes(&bank(&deep)), ["P005"]);
    let long = format!("purpose P {{ {} }}", vec!["?deposit(x) [x > 1] | any"; 2000].join(" | "));
    assert_eq!(codes(&bank(&long)), Vec::<&str>::new());
    let long = format!("purpose P {{ {} }}", vec!["any"; 20_000].join(";"));
    assert_eq!(codes(&bank(&long)), Vec::<&str>::new());
}

#[test]
fn the_verifier_sees_damage() {
    type Damage<'a> = &'a dyn Fn(&mut Purpose);
    let (p, model) = pattern("(?deposit(x) | ?amount(x)); !cash(y) [y == x]; at Busy; any{1..3}\nreject !error(_)");
    let problems = |damage: Damage| {
        let mut model = model.clone();
        damage(&mut model.purposes[WrittenId::from_index(0)]);
        sioco_model::verify::verify(&model)
    };
    assert_eq!(problems(&|_| {}), [""; 0]);
    fn parts(p: &mut Purpose) -> &mut Vec<Pattern> {
        let Pattern::Sequence(parts) = &mut p.pattern else { panic!("a sequence") };
        parts
    }
    let damages: [(&str, Damage); 9] = [
        ("a slot that one way does not bind", &|p| {
            let Pattern::Choice(ways) = &mut parts(p)[0] else { panic!("a choice") };
            ways[1] = Pattern::Anything;
        }),
        ("a choice between nothing", &|p| parts(p)[0] = Pattern::Choice(Vec::new())),
        ("a slot that is not there", &|p| drop(p.slots.pop())),
        ("a slot of another sort", &|p| p.slots[0].sort = model.sorts.bool),
        ("no slot for a parameter", &|p| p.rejects[0].binds.clear()),
        ("a slot for silence", &|p| p.rejects[0].label = EventLabel::Delta),
        ("nowhere", &|p| parts(p)[2] = Pattern::At { locations: Vec::new(), condition: None }),
        ("a repetition of nothing", &|p| {
            let Pattern::Repeat { body, .. } = &mut parts(p)[3] else { panic!("a repetition") };
            **body = Pattern::Anything;
        }),
        ("bounds out of order", &|p| {
            let Pattern::Repeat { least, .. } = &mut parts(p)[3] else { panic!("a repetition") };
            *least = 4;
        }),
    ];
    for (what, damage) in damages {
        assert!(!problems(damage).is_empty(), "{what}");
    }
    let mut twice = model.clone();
    twice.purposes.push(p);
    assert_eq!(sioco_model::verify::verify(&twice), ["the purpose name `P` is not unique"]);
}
