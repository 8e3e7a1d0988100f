//! The document of a plan, with the places of its goals.

use serde_json::Value as Json;
use sioco_plan::case::Case;
use sioco_plan::file::shape::{PlaceLine, StateLine};
use sioco_plan::file::{self, ReasonLine};
use sioco_plan::value;
use sioco_solve::Reason;

use super::Planned;
use super::goals::span;

/// The plan as it is written to a file; `docs/plan-file.md` describes it.
pub fn document(planned: &Planned<'_>, file: &str, cases: &[Case]) -> Json {
    let mut line = file::line(planned.model(), planned.options, planned.plan, cases);
    line.model.file = Some(file);
    for ((goal, _), line) in planned.plan.goals.iter().zip(&mut line.goals) {
        line.place = Some(span(planned, goal).map(|span| {
            let sources = planned.source.sources;
            let (line, column) = sources.position(span);
            PlaceLine { file: &sources.file(span.file).name, line, column }
        }));
        if let StateLine::NotReached { stop } = &mut line.state {
            by_the_clock(planned, stop);
        }
    }
    by_the_clock(planned, &mut line.stop);
    // What has no values since the time was up was not cancelled by anybody.
    for (case, line) in cases.iter().zip(&mut line.purposes) {
        if let Some(why @ Reason::Cancelled) = &case.unknown
            && !planned.interrupted
        {
            let text = planned.reason(why).to_string();
            line.unknown = Some(ReasonLine { detail: None, kind: "time", solver: None, text });
        }
    }
    value::tree(&line)
}

/// What nobody interrupted was ended by the clock.
fn by_the_clock(planned: &Planned<'_>, stop: &mut &'static str) {
    if *stop == "interrupted" && !planned.interrupted {
        *stop = "time";
    }
}
