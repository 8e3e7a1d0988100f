//! Explorations for people and programs.

use serde_json::Value as Json;
use sioco_lang::check_text;
use sioco_model::Model;
use sioco_report::explore::tree::{Drawing, tree};
use sioco_report::explore::{Explored, json, summary};
use sioco_report::style::Style;
use sioco_solve::BackEnd;
use sioco_solve::values::Bounds;
use sioco_symbolic::analysis::ModelErrors;
use sioco_symbolic::{Exploration, ExploreOptions, Merge, Order, Stop, explore};

/// Both ways out of every state: without merging, the tree doubles with each step.
const TWICE: &str = "input a(p: Int in 1..9)
output o(q: Int)
process P {
  var x: Int = 0
  init l { add: ?a(p) / x := x + p -> l  tell: !o(x) -> l }
}
";

fn model() -> Model {
    check_text("m.sts", TWICE).model.expect("it is a model").model
}

/// Shows what was found to somebody, with all that is needed to speak about it.
type Show<'a> = &'a dyn Fn(&Exploration, &dyn Fn(&Explored));

/// Explores the model, and hands over what was found.
fn with_tree(order: Order, depth: usize, use_it: &dyn Fn(&mut Exploration, Show)) {
    let model = model();
    let options = ExploreOptions { order, merge: Merge::Nothing, depth: Some(depth), ..ExploreOptions::default() };
    let solvers = || -> Box<dyn Bounds> { Box::new(BackEnd::BuiltIn.chain()) };
    let mut found = explore(&model, &solvers, &options, &mut |_| {});
    let back_end = BackEnd::Command("silent-solver".into());
    let show = |found: &Exploration, tell: &dyn Fn(&Explored)| {
        tell(&Explored {
            model: &model,
            file: "m.sts",
            options: &options,
            found,
            model_errors: &ModelErrors::default(),
            time: None,
            late: true,
            back_end: &back_end,
            solver: None,
        });
    };
    use_it(&mut found, &show);
}

/// However large a document or a tree is, it is made in pieces of about one node.
#[test]
fn a_large_graph_is_told_node_by_node() {
    for order in [Order::BreadthFirst, Order::DepthFirst] {
        with_tree(order, 10, &|found, show| {
            let nodes = found.graph.len();
            assert_eq!(nodes, 2047);
            show(found, &|explored| {
                let pieces: Vec<String> = json::exploration(explored, None).collect();
                assert!(pieces.len() > nodes, "{} pieces", pieces.len());
                assert!(pieces.iter().all(|p| p.len() < 1000), "{:?}", pieces.iter().map(String::len).max());
                let text = pieces.concat();
                let document: Json = serde_json::from_str(&text).expect("a document");
                assert_eq!(document["nodes"].as_array().map(Vec::len), Some(nodes));
                assert_eq!(document["doubts"], serde_json::json!([]));
                assert_eq!(document["counters"]["nodes"], nodes);
                // Fields come in the order in which a document has them.
                assert_eq!(document.to_string(), text);
                let label = |_| String::new();
                let drawing = Drawing { lines: 0, width: None, style: Style { on: false }, label: &label };
                let lines: Vec<String> = tree(explored, drawing).collect();
                assert_eq!(lines.len(), nodes);
                assert!(lines.iter().all(|l| l.ends_with('\n') && l.matches('\n').count() == 1));
            });
        });
    }
}

/// Nothing is made before somebody wants it.
#[test]
fn a_document_can_be_left_early() {
    with_tree(Order::BreadthFirst, 10, &|found, show| {
        show(found, &|explored| {
            let text: String = json::exploration(explored, None).take_while(|p| !p.contains("\"n3\"")).collect();
            assert!(text.ends_with('}') && text.contains("\"id\":\"n2\""), "{text}");
        });
    });
}

/// A solver that was silent when the time was up is named: then not every step was decided.
#[test]
fn a_silent_solver_is_named() {
    with_tree(Order::BreadthFirst, 2, &|found, show| {
        let told = |found: &Exploration, expected: &str, unanswered: Json| {
            show(found, &|explored| {
                let text = summary::summary(explored, 100, Style { on: false });
                assert!(text.contains(expected), "{text}");
                let text: String = json::exploration(explored, None).collect();
                let document: Json = serde_json::from_str(&text).expect("a document");
                assert_eq!(document["stop"]["unanswered"], unanswered);
            });
        };
        told(found, "  unknown   none: every step was decided\n", Json::Null);
        found.stop = Stop::Cancelled;
        told(found, "  unknown   none: every step was decided\n", Json::Null);
        found.counters.chain.unanswered = 1;
        told(
            found,
            "  unknown   not all steps were decided: silent-solver had not answered when the time limit was\n            reached\n",
            "silent-solver".into(),
        );
    });
}
