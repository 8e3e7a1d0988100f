//! The document of a plan, with the places of its goals.

use serde_json::{Value as Json, json};
use sioco_plan::case::Case;
use sioco_plan::file;
use sioco_solve::Reason;

use super::Planned;
use super::goals::span;

/// The plan as it is written to a file; `docs/plan-file.md` describes it.
pub fn document(planned: &Planned<'_>, file: &str, cases: &[Case]) -> Json {
    let mut document = file::document(planned.model(), planned.options, planned.plan, cases);
    document["model"]["file"] = json!(file);
    for (i, (goal, _)) in planned.plan.goals.iter().enumerate() {
        let place = span(planned, goal).map(|span| {
            let (line, column) = planned.source.sources.position(span);
            json!({ "file": planned.source.sources.file(span.file).name, "line": line, "column": column })
        });
        document["goals"][i]["place"] = json!(place);
        if document["goals"][i]["stop"] == "interrupted" && !planned.interrupted {
            document["goals"][i]["stop"] = json!("time");
        }
    }
    if document["stop"] == "interrupted" && !planned.interrupted {
        document["stop"] = json!("time");
    }
    // What has no values since the time was up was not cancelled by anybody.
    for (i, case) in cases.iter().enumerate() {
        if let Some(why @ Reason::Cancelled) = &case.unknown
            && !planned.interrupted
        {
            document["purposes"][i]["unknown"] = json!({ "kind": "time", "text": planned.reason(why) });
        }
    }
    document
}
