//! What a plan is for: what the tester and the reports need to know about it.

use crate::cover::Cover;

/// What a plan is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Intent {
    /// What its purposes are.
    pub kind: Kind,
    /// The length that was asked for, if all paths or traces of it were.
    pub length: Option<usize>,
    /// How many times as long as the restriction by inclusion all paths are, if that says how long they are.
    pub inclusion: Option<usize>,
    /// How many purposes were asked for, if they are drawn at random.
    pub drawn: Option<usize>,
    /// Where the values of inputs come from.
    pub values: InputValues,
    /// The plan is a suite of a comparison (S2): a purpose is there for its inputs, and a refused one counts as such.
    pub compared: bool,
    /// It has all that the model allows, up to a length: nobody can ask a system for all of that.
    pub all_allowed: bool,
}

/// What the purposes of a plan are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Kind {
    /// Ways to goals, which the plan lists.
    #[default]
    Goals,
    /// One tree of all paths of a length.
    Paths,
    /// All traces of a length.
    Traces,
    /// Ways to the redirected edges of the reduced graph.
    Edges,
    /// Random walks.
    Walks,
    /// Sequences of random inputs.
    Inputs,
}

/// Where the values of inputs come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum InputValues {
    /// Somebody chooses them for a purpose, before or while it is run.
    #[default]
    Chosen,
    /// They represent a class, and are a part of the plan: whoever plans chooses them.
    OfClass,
    /// They are a part of the plan, and nobody chooses them.
    Drawn,
}

impl Intent {
    /// Of a plan for this cover.
    pub fn of(cover: &Cover) -> Intent {
        let plain = Intent::default();
        match *cover {
            Cover::Switch | Cover::Location | Cover::Purpose(_) => plain,
            Cover::Paths(n) => Intent { kind: Kind::Paths, length: Some(n), all_allowed: true, ..plain },
            Cover::Traces(n) => Intent { kind: Kind::Traces, length: Some(n), all_allowed: true, ..plain },
            Cover::Inclusion(k) => Intent { kind: Kind::Paths, inclusion: Some(k), ..plain },
            Cover::Reduced => Intent { kind: Kind::Edges, ..plain },
            Cover::Random(n) => Intent { kind: Kind::Walks, drawn: Some(n), ..plain },
            Cover::Inputs(n) => Intent { kind: Kind::Inputs, drawn: Some(n), values: InputValues::Drawn, ..plain },
            Cover::Classes => Intent { values: InputValues::OfClass, ..plain },
            Cover::Compare => Intent { compared: true, ..plain },
        }
    }

    /// Whether a length bounds the purposes, so that there may be longer ones.
    pub fn is_by_length(self) -> bool {
        matches!(self.kind, Kind::Paths | Kind::Traces)
    }

    /// Whether a test ends with the answer to its last input, whatever is asked for: its values are a part of the plan.
    pub fn ends_with_answer(self) -> bool {
        self.values != InputValues::Chosen
    }
}

impl Kind {
    /// What to call several of them.
    pub fn noun(self) -> &'static str {
        match self {
            Kind::Goals => "purposes",
            Kind::Paths => "paths",
            Kind::Traces => "traces",
            Kind::Edges => "edges",
            Kind::Walks => "walks",
            Kind::Inputs => "sequences",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Intent {
        Cover::recorded(text).expect("a cover").intent()
    }

    #[test]
    fn what_a_plan_is_for_follows_from_its_cover() {
        for text in ["switch", "location", "purpose:Big"] {
            assert_eq!(of(text), Intent::default());
        }
        assert_eq!((of("paths:3").kind, of("paths:3").length, of("paths:3").inclusion), (Kind::Paths, Some(3), None));
        assert_eq!((of("traces:4").kind, of("traces:4").length), (Kind::Traces, Some(4)));
        let inclusion = of("inclusion:2");
        assert_eq!((inclusion.kind, inclusion.length, inclusion.inclusion), (Kind::Paths, None, Some(2)));
        assert_eq!(
            (of("reduced").kind, of("random:7").kind, of("inputs:5").kind),
            (Kind::Edges, Kind::Walks, Kind::Inputs)
        );
        assert_eq!((of("random:7").drawn, of("inputs:5").drawn, of("traces:4").drawn), (Some(7), Some(5), None));
        assert_eq!(of("classes").kind, Kind::Goals);
    }

    #[test]
    fn only_some_plans_are_special() {
        let all = [
            "switch",
            "location",
            "paths:3",
            "inclusion:1",
            "reduced",
            "traces:12",
            "random:7",
            "classes",
            "inputs:7",
            "purpose:Big",
            "compare",
        ];
        let those = |holds: fn(Intent) -> bool| all.into_iter().filter(|text| holds(of(text))).collect::<Vec<_>>();
        assert_eq!(those(|i| i.compared), ["compare"]);
        assert_eq!(those(|i| i.all_allowed), ["paths:3", "traces:12"]);
        assert_eq!(those(Intent::is_by_length), ["paths:3", "inclusion:1", "traces:12"]);
        assert_eq!(those(Intent::ends_with_answer), ["classes", "inputs:7"]);
        assert_eq!(those(|i| i.values == InputValues::Drawn), ["inputs:7"]);
        assert_eq!(those(|i| i.values == InputValues::OfClass), ["classes"]);
    }
}
