//! Models: parser, formatter, checker and importer.

use sioco_lang::diagnostic::{Diagnostic, has_errors};
use sioco_lang::import::{Order, raxml_with};
use sioco_lang::source::{FileId, Span};
use sioco_lang::syntax::lexer::{Token, lex};
use sioco_lang::syntax::parser::{Parsed, parse};
use sioco_model::semantics::{Interpreter, StepError};
use sioco_model::verify::verify;
use sioco_model::{GateId, Model};

use super::shape;
use crate::{Seen, walk};

/// This many steps of a model are taken: enough to come back to where it was in a small model, and few enough that
/// parsing is most of the work.
const STEPS: usize = 8;

/// Whatever the bytes: the lexer and parser come to an end, tokens and comments are in order and do not overlap, and
/// every span is inside of the text and does not cut a character.
pub fn parser(data: &[u8], seen: &mut Seen) {
    let text = String::from_utf8_lossy(data);
    let parsed = parse(FileId(0), &text);
    assert_in_order(&text, &parsed);
    walk::file(&parsed.file, &mut |node| assert_inside(&text, node.span));
    assert_diagnostics(&text, &parsed.diagnostics);
    seen.codes(&parsed.diagnostics);
    seen.tree(&parsed.file);
}

/// A text without syntax errors still has none when formatted, the same tokens and comments, and formatting it again
/// changes nothing.
pub fn format(data: &[u8], seen: &mut Seen) {
    use sioco_lang::syntax::format::format;
    let text = String::from_utf8_lossy(data);
    let parsed = parse(FileId(0), &text);
    seen.codes(&parsed.diagnostics);
    seen.tree(&parsed.file);
    let Ok(once) = format(FileId(0), &text) else {
        assert!(has_errors(&parsed.diagnostics), "not formatted though there are no errors");
        return;
    };
    let again = parse(FileId(0), &once);
    assert!(!has_errors(&again.diagnostics), "formatted, there are errors: {:?}\n{once}", again.diagnostics);
    let content = |text: &str, parsed: &Parsed| -> Vec<String> {
        let tokens = parsed.tokens.iter().map(|t| t.span);
        let comments = parsed.comments.iter().copied();
        tokens.chain(comments).map(|s| text.get(s.range()).expect("inside").trim_end().to_owned()).collect()
    };
    assert_eq!(content(&text, &parsed), content(&once, &again), "formatting changed tokens or comments:\n{once}");
    let twice = format(FileId(0), &once).expect("no errors, as was just seen");
    assert_eq!(once, twice, "formatting twice is not formatting once");
    let lines = parsed.tokens.iter().zip(&again.tokens).skip(1);
    for (i, (a, b)) in lines.enumerate() {
        let gap = |text: &str, parsed: &Parsed, t: &Token| {
            text.get(parsed.tokens[i].span.end as usize..t.span.start as usize).is_some_and(|s| s.contains('\n'))
        };
        seen.add((parsed.tokens[i].tok, a.tok, gap(&text, &parsed, a), gap(&once, &again, b)));
    }
}

/// The checker comes to an end. If it gives a model, there are no errors, the verifier finds nothing, and the model can
/// be run for some steps.
pub fn check(data: &[u8], seen: &mut Seen) {
    let text = String::from_utf8_lossy(data);
    checked(&text, seen);
}

/// The importer comes to an end. What it gives can be checked without errors, and is a model.
pub fn import(data: &[u8], seen: &mut Seen) {
    let text = String::from_utf8_lossy(data);
    for order in [Order::Auto, Order::InOrder, Order::AtOnce] {
        match raxml_with(&text, "fuzz.xml", order) {
            Err(error) => {
                let debug = format!("{error:?}");
                seen.add(debug.split([' ', '(', '{']).next().unwrap_or_default());
                seen.add(("import", shape(&error.to_string())));
            }
            Ok(imported) => {
                for note in &imported.notes {
                    seen.add(("note", shape(note)));
                }
                let found = checked(&imported.text, seen);
                assert!(!found.has_errors(), "imported, there are errors: {:#?}\n{}", found.diagnostics, imported.text);
                assert!(found.model.is_some(), "imported, there is no model:\n{}", imported.text);
            }
        }
    }
}

fn checked(text: &str, seen: &mut Seen) -> sioco_lang::Checked {
    let parsed = parse(FileId(0), text);
    seen.tree(&parsed.file);
    let checked = sioco_lang::check_text("fuzz.sts", text);
    seen.codes(&checked.diagnostics);
    assert_diagnostics(text, &checked.diagnostics);
    if has_errors(&parsed.diagnostics) {
        assert!(checked.has_errors(), "syntax errors got lost: {:?}", parsed.diagnostics);
    }
    if let Some(found) = &checked.model {
        assert!(!checked.has_errors(), "a model in spite of errors: {:?}", checked.diagnostics);
        assert_eq!(verify(&found.model), [""; 0], "the model is not a good one");
        run_model(&found.model, seen);
    }
    checked
}

fn run_model(model: &Model, seen: &mut Seen) {
    let mut interpreter = Interpreter::new(model);
    let mut state = interpreter.initial_default();
    let outcome = |seen: &mut Seen, what: &str, error: &StepError| {
        seen.add((what, shape(&error.describe(model))));
    };
    for n in 0..STEPS {
        let _ = state.show(model);
        match interpreter.quiescence(&state) {
            Ok(q) => seen.add(("quiescence", std::mem::discriminant(&q))),
            Err(e) => outcome(seen, "quiescence", &e),
        }
        match interpreter.is_deadlock(&state) {
            Ok(d) => seen.add(("deadlock", d)),
            Err(e) => outcome(seen, "deadlock", &e),
        }
        let mut next = Vec::new();
        match interpreter.outputs(&state) {
            Ok(offers) => seen.add(("outputs", offers.len().min(3))),
            Err(e) => outcome(seen, "outputs", &e),
        }
        match interpreter.internal_steps(&state) {
            Ok(steps) => next.extend(steps.into_iter().map(|(_, state)| state).take(10)),
            Err(e) => outcome(seen, "internal", &e),
        }
        let gates: Vec<GateId> = model.gates.iter().map(|(id, _)| id).take(50).collect();
        for gate in gates {
            for switch in interpreter.switches_at(&state, gate).into_iter().take(20) {
                match interpreter.example(&state, switch) {
                    Ok(Some(args)) => {
                        assert!(interpreter.is_gate_value(gate, &args), "{args:?} do not fit the gate");
                        let mut after = state.clone();
                        match interpreter.fire(&mut after, switch, &args) {
                            Ok(true) => next.push(after),
                            Ok(false) => panic!("{args:?} do not enable the switch {switch:?}"),
                            Err(e) => outcome(seen, "fire", &e),
                        }
                    }
                    Ok(None) => seen.add("no example"),
                    Err(e) => outcome(seen, "example", &e),
                }
            }
        }
        seen.add(("next", next.len().min(3)));
        if next.is_empty() {
            break;
        }
        // Another one each time, so that one location with two ways is left by both.
        state = next.swap_remove(n % next.len());
        for (id, variable) in model.variables.iter() {
            let value = state.value(id);
            assert!(model.sorts.contains(variable.sort, value), "`{}` became {value}", variable.name);
        }
    }
}

fn assert_inside(text: &str, span: Span) {
    assert!(span.start <= span.end, "{span:?} ends before it starts");
    assert!(text.get(span.range()).is_some(), "{span:?} is outside of the text or cuts a character");
}

fn assert_diagnostics(text: &str, diagnostics: &[Diagnostic]) {
    for d in diagnostics {
        assert!(!d.message.is_empty(), "{d:?} says nothing");
        let labels = d.primary.iter().chain(&d.secondary).map(|l| l.span);
        for span in labels.chain(d.fix.iter().map(|f| f.span)) {
            assert_inside(text, span);
        }
    }
}

fn assert_in_order(text: &str, parsed: &Parsed) {
    let lexed = lex(FileId(0), text);
    assert_eq!(lexed.tokens, parsed.tokens, "the parser keeps the tokens");
    let (last, tokens) = parsed.tokens.split_last().expect("the end of the file");
    let mut all: Vec<Span> = tokens.iter().map(|t| t.span).chain(parsed.comments.iter().copied()).collect();
    assert!(parsed.tokens.is_sorted_by_key(|t| t.span.start) && parsed.comments.is_sorted_by_key(|c| c.start));
    all.sort_by_key(|s| s.start);
    let mut end = 0;
    for span in all {
        assert_inside(text, span);
        assert!(span.start >= end && span.start < span.end, "{span:?} is empty or overlaps what ends at {end}");
        end = span.end;
    }
    assert_eq!((last.span.start as usize, last.span.end as usize), (text.len(), text.len()), "the end of the file");
}
