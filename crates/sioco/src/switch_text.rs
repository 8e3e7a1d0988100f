//! What a switch says in a picture: its own words, as they stand in the source.

use sioco_lang::check::{CheckedModel, SwitchSpans};
use sioco_lang::source::SourceMap;
use sioco_model::SwitchId;
use sioco_report::graph::{SwitchText, default_text};
use sioco_report::words::on_one_line;

/// The texts of the switches as written, where a source is known, and else as the language would write them.
pub fn as_written<'a>(sources: &'a SourceMap, checked: &'a CheckedModel) -> impl Fn(SwitchId) -> SwitchText + 'a {
    let default = default_text(&checked.model);
    move |switch| match checked.spans.switches.get(switch) {
        Some(spans) => of_spans(sources, spans),
        None => default(switch),
    }
}

fn of_spans(sources: &SourceMap, spans: &SwitchSpans) -> SwitchText {
    // Assignments that nobody wrote have the place of the label.
    let updates = spans.update.iter().filter(|span| **span != spans.label);
    SwitchText {
        label: on_one_line(sources, spans.label),
        guard: spans.guard.map(|span| on_one_line(sources, span)).unwrap_or_default(),
        update: updates.map(|span| on_one_line(sources, *span)).collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_and_lines_go() {
        let text = "output a(s: String)\nprocess P {\n  var x: Int = 0\n  init l {\n\
            n: !a( // why\n   \"a  // b\" )\n [ x\n  <  3 ] / x := x+1 -> l\n    ?? }\n}";
        let text = text.replace("    ?? ", "");
        let checked = sioco_lang::check_text("m.sts", &text);
        assert_eq!(checked.diagnostics, []);
        let model = checked.model.unwrap();
        let switch = model.model.switch("n").unwrap();
        let written = as_written(&checked.sources, &model)(switch);
        assert_eq!(written.label, "!a( \"a  // b\" )");
        assert_eq!(written.guard, "x < 3");
        assert_eq!(written.update, "x := x+1");
    }
}
