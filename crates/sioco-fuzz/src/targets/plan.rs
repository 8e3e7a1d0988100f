//! Plans in files.

use std::sync::LazyLock;

use sioco_model::{Id, Model};
use sioco_plan::case::{Case, case_with_others};
use sioco_plan::file::{self, Loaded, Misfit};
use sioco_plan::walker::Walker;
use sioco_plan::{Cover, PlanOptions, plan};
use sioco_solve::values::Choice;
use sioco_symbolic::path::{Path, Shortcuts};

use super::{assert_told, builtin, shape};
use crate::Seen;

/// Small, so that its plans are, and with a goal that cannot be reached, a choice of the system, and a written purpose.
const MODEL: &str = r#"type Colour = Red | Green
input  inX(p: Int in 1..10, c: Colour)
output outX(p: Int)
output done
output never
process Acc {
  var x: Int = 0
  init l0 {
    add:    ?inX(p, c) [p > 2 || c == Red] / x := x + p -> l1
    finish: !done   [x > 15]              -> l2
    no:     !never  [x > 3 && x < 2]      -> l2
  }
  state l1 { tell: !outX(x) -> l0
    other: !outX(any q) [q > x + 5] -> l2 }
  final l2
}
purpose Two {
  ?inX(a, _) [a > 3]; !outX(b) [b > a]
  reject !done
}
"#;

fn checked(text: &str) -> Model {
    let found = sioco_lang::check_text("plan.sts", text);
    found.model.unwrap_or_else(|| panic!("{:?}", found.diagnostics)).model
}

fn model() -> &'static Model {
    static FOUND: LazyLock<Model> = LazyLock::new(|| checked(MODEL));
    &FOUND
}

fn changed() -> &'static Model {
    static FOUND: LazyLock<Model> =
        LazyLock::new(|| checked(&MODEL.replace("tell:", "say:").replace("1..10", "1..8").replace("x > 15", "x > 12")));
    &FOUND
}

fn walker(model: &Model) -> Walker<'_> {
    Walker::new(Path::with(model, &builtin, Shortcuts::default(), Default::default()))
}

/// A plan that is read is the plan that would be written. What does not fit is told, purpose by purpose, and so is what is
/// damaged, with its line.
pub fn run(data: &[u8], seen: &mut Seen) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    for model in [model(), changed()] {
        match file::read(text, model) {
            Ok(found) => loaded(text, model, found, seen),
            Err(error) => {
                assert_told(text, error.line, &error.what, &error.help);
                seen.add(("refused", shape(&error.what)));
            }
        }
    }
}

fn loaded(text: &str, model: &Model, mut found: Loaded, seen: &mut Seen) {
    seen.add((
        found.same,
        format!("{:?}", found.plan.stop),
        found.plan.purposes.len().min(3),
        found.plan.goals.len().min(5),
    ));
    assert_sound(&found);
    assert!(found.plan.purposes.len() <= text.len() && found.plan.goals.len() <= text.len());
    let document = file::document(model, &PlanOptions::new(found.plan.cover.clone()), &found.plan, &found.cases);
    let again = serde_json::to_string_pretty(&document).expect("a document");
    let again = file::read(&again, model).unwrap_or_else(|e| panic!("written again: {e}\n{again}"));
    assert!(again.same, "it is about this model now");
    assert_eq!(format!("{:?}", again.plan), format!("{:?}", found.plan), "written and read again");
    assert_eq!(again.cases, found.cases, "written and read again");
    told(model, &found, seen);
    file::retake(&mut found, &mut walker(model));
    assert_sound(&found);
    told(model, &found, seen);
}

fn told(model: &Model, found: &Loaded, seen: &mut Seen) {
    for misfit in &found.misfits {
        let words = misfit.describe(model);
        assert!(!words.is_empty());
        seen.add(("misfit", shape(&words)));
    }
}

/// Goals and purposes name each other, and nothing that is not there.
fn assert_sound(found: &Loaded) {
    let plan = &found.plan;
    assert_eq!(plan.purposes.len(), found.numbers.len());
    assert_eq!(plan.purposes.len(), found.cases.len());
    for (purpose, case) in plan.purposes.iter().zip(&found.cases) {
        assert!(purpose.goals.iter().all(|goal| *goal < plan.goals.len()), "a purpose names a goal");
        assert!(purpose.accepts().next().is_some(), "a purpose that cannot be reached");
        assert!(case.nodes.is_empty() || case.nodes.len() == purpose.nodes.len(), "values for other nodes");
    }
    for (_, state) in &plan.goals {
        if let sioco_plan::goal::State::Covered { by, .. } = state {
            assert!(
                !by.is_empty() && by.iter().all(|purpose| purpose.index() < plan.purposes.len()),
                "a goal names a purpose"
            );
        }
    }
    let lost = |misfit: &Misfit| misfit.purpose().is_none_or(|purpose| purpose.index() < 1 << 30);
    assert!(found.misfits.iter().all(lost));
}

/// Plans to start from.
pub fn seeds() -> Vec<Vec<u8>> {
    let model = model();
    let mut found = Vec::new();
    for (cover, data) in
        [("switch", false), ("switch", true), ("purpose:Two", false), ("traces:2", false), ("random:1", false)]
    {
        let cover = Cover::parse(cover).expect("a cover");
        let options = PlanOptions { nodes: 30, data, walk: 4, ..PlanOptions::new(cover) };
        let plan = plan(model, &builtin, &options, &mut |_| {}).expect("a plan");
        let mut walker = walker(model);
        let cases: Vec<Case> = plan.purposes.iter().map(|p| case_with_others(&mut walker, p, Choice::Min)).collect();
        let document = file::document(model, &options, &plan, &cases);
        found.push(serde_json::to_vec(&document).expect("a document"));
    }
    found
}
