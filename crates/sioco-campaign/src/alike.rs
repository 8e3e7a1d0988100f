//! Whether two models declare the parameters of a gate alike: then a value of the one means the same in the other; and
//! whether they can speak to each other at all.
//!
//! Ranges and tolerances may differ. They say which values fit, and not what a value means.

use sioco_model::model::{Direction, Gate, Model};
use sioco_model::sort::{Constructor, Sort};
use sioco_model::{GateId, SortId};

/// Whether the parameters of two gates have the same names, in the same order, and sorts whose values mean the same.
pub(crate) fn params_are_alike(a: (&Model, GateId), b: (&Model, GateId)) -> bool {
    let (in_a, in_b) = (&a.0.gates[a.1].params, &b.0.gates[b.1].params);
    let mut pair = Pair { models: [a.0, b.0], by_name: false, assumed: Vec::new() };
    in_a.len() == in_b.len() && in_a.iter().zip(in_b).all(|(p, q)| p.name == q.name && pair.sorts(p.sort, q.sort))
}

/// The differences between parameters of gates that both models have, in words: of those with the same names in any order,
/// and sorts that have values in common, the values go by their names.
pub(crate) fn differences_of_params(model: &Model, played: &Model) -> Vec<String> {
    let pairs = model.gates.ids().filter_map(|a| {
        let b = played.gate(&model.gates[a].name)?;
        (model.gates[a].direction == played.gates[b].direction).then_some((a, b))
    });
    let differ = pairs.filter(|(a, b)| !params_fit((model, *a), (played, *b)));
    let differ = differ.map(|(a, b)| {
        let gate = &model.gates[a];
        let what = match gate.direction {
            Direction::Input => "input",
            Direction::Output => "output",
        };
        let (here, there) = (declared(model, gate), declared(played, &played.gates[b]));
        format!("the model has the {what} `{here}`, but the played model has `{there}`")
    });
    differ.collect()
}

/// A gate as it is declared.
fn declared(model: &Model, gate: &Gate) -> String {
    let params: Vec<String> = gate.params.iter().map(|p| format!("{}: {}", p.name, model.sorts.name(p.sort))).collect();
    if params.is_empty() { gate.name.clone() } else { format!("{}({})", gate.name, params.join(", ")) }
}

/// Whether values of a gate of the one can be values of the gate of the other.
fn params_fit(a: (&Model, GateId), b: (&Model, GateId)) -> bool {
    let (in_a, in_b) = (&a.0.gates[a.1].params, &b.0.gates[b.1].params);
    let mut pair = Pair { models: [a.0, b.0], by_name: true, assumed: Vec::new() };
    in_a.len() == in_b.len()
        && in_a.iter().all(|p| in_b.iter().find(|q| q.name == p.name).is_some_and(|q| pair.sorts(p.sort, q.sort)))
}

/// Sorts of two models.
struct Pair<'m> {
    models: [&'m Model; 2],
    /// Whether fields and constructors go by their names, in any order, and constructors may be missing, as in JSON.
    by_name: bool,
    /// Sorts may contain themselves: what is assumed need not be shown.
    assumed: Vec<(SortId, SortId)>,
}

impl Pair<'_> {
    /// Whether values of two sorts mean the same; by name, whether some can.
    fn sorts(&mut self, in_a: SortId, in_b: SortId) -> bool {
        if self.assumed.contains(&(in_a, in_b)) {
            return true;
        }
        self.assumed.push((in_a, in_b));
        let [a, b] = self.models;
        match (a.sorts.get(in_a), b.sorts.get(in_b)) {
            (Sort::Bool, Sort::Bool) | (Sort::Int { .. }, Sort::Int { .. }) => true,
            (Sort::Real { .. }, Sort::Real { .. }) | (Sort::String, Sort::String) => true,
            (Sort::Seq(in_a), Sort::Seq(in_b)) | (Sort::Set(in_a), Sort::Set(in_b)) => self.sorts(*in_a, *in_b),
            (Sort::Map(key_a, in_a), Sort::Map(key_b, in_b)) => self.sorts(*key_a, *key_b) && self.sorts(*in_a, *in_b),
            (Sort::Data(in_a), Sort::Data(in_b)) => {
                let (data_a, data_b) = (&a.sorts.data[*in_a], &b.sorts.data[*in_b]);
                let (all_a, all_b) = (&data_a.constructors, &data_b.constructors);
                if data_a.record != data_b.record {
                    false
                } else if data_a.record || !self.by_name {
                    // A record goes by its fields alone.
                    all_a.len() == all_b.len()
                        && all_a
                            .iter()
                            .zip(all_b)
                            .all(|(p, q)| (data_a.record || p.name == q.name) && self.fields(p, q))
                } else {
                    let both = all_a.iter().filter_map(|p| Some((p, all_b.iter().find(|q| q.name == p.name)?)));
                    let both: Vec<_> = both.collect();
                    !both.is_empty() && both.into_iter().all(|(p, q)| self.fields(p, q))
                }
            }
            _ => false,
        }
    }

    fn fields(&mut self, p: &Constructor, q: &Constructor) -> bool {
        let (of_p, of_q) = (&p.fields, &q.fields);
        of_p.len() == of_q.len()
            && of_p.iter().zip(of_q).all(|(f, at)| {
                let g = if self.by_name { of_q.iter().find(|g| g.name == f.name) } else { Some(at) };
                g.is_some_and(|g| g.name == f.name && self.sorts(f.sort, g.sort))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(types: [&str; 2], params: [&str; 2], alike: bool, fits: bool) {
        let model = |i: usize| {
            let text = format!("{}\noutput o({})\nprocess P {{ init l {{ !o(any v) -> l }} }}", types[i], params[i]);
            let text = if params[i].contains(',') { text.replace("o(any v)", "o(any v, any w)") } else { text };
            sioco_lang::check_text("m.sts", &text).model.expect("a model").model
        };
        let (a, b) = (model(0), model(1));
        let gate = |m: &Model| m.gate("o").expect("it is declared");
        let (a, b) = ((&a, gate(&a)), (&b, gate(&b)));
        assert_eq!((params_are_alike(a, b), params_fit(a, b)), (alike, fits), "{types:?} {params:?}");
    }

    #[test]
    fn what_means_the_same_is_alike() {
        check(["", ""], ["p: Int", "p: Int in 0..3"], true, true);
        check(["", ""], ["p: Int", "p: Real"], false, false);
        check(["", ""], ["p: Int", "q: Int"], false, false);
        check(["", ""], ["p: Int, q: Int", "q: Int, p: Int"], false, true);
        check(["", ""], ["p: Seq<Int>", "p: Seq<Int in 0..3>"], true, true);
        check(["", ""], ["p: Seq<Int>", "p: Seq<Bool>"], false, false);
        let c = "type C = Red | Mix(a: Int)";
        check([c, c], ["p: C", "p: C"], true, true);
        check([c, "type D = Red | Mix(a: Int in 0..3)"], ["p: C", "p: D"], true, true);
        check([c, "type C = Mix(a: Int) | Red"], ["p: C", "p: C"], false, true);
        check([c, "type C = Red | Mix(b: Int)"], ["p: C", "p: C"], false, false);
        check([c, "type C = Red | Mix(a: Bool)"], ["p: C", "p: C"], false, false);
        check([c, "type C = Red | Mix(a: Int) | Blue"], ["p: C", "p: C"], false, true);
        check([c, "type C = Red | Green"], ["p: C", "p: C"], false, true);
        let r = "type R = { a: Int, b: Bool }";
        check(["type R = { a: Int }", "type S = { a: Int }"], ["p: R", "p: S"], true, true);
        check([c, "type C = Green | Blue"], ["p: C", "p: C"], false, false);
        check([r, "type R = { b: Bool, a: Int }"], ["p: R", "p: R"], false, true);
        check(["type R = { a: Int }", "type R = R(a: Int)"], ["p: R", "p: R"], false, false);
    }
}
