//! Whether two models declare the parameters of a gate alike: then a value of the one means the same in the other.
//!
//! Ranges and tolerances may differ. They say which values fit, and not what a value means.

use sioco_model::model::Model;
use sioco_model::sort::{Constructor, Sort};
use sioco_model::{GateId, SortId};

/// Whether the parameters of two gates have the same names, in the same order, and sorts whose values mean the same.
pub(crate) fn params_are_alike(a: (&Model, GateId), b: (&Model, GateId)) -> bool {
    let (in_a, in_b) = (&a.0.gates[a.1].params, &b.0.gates[b.1].params);
    let mut assumed = Vec::new();
    in_a.len() == in_b.len()
        && in_a.iter().zip(in_b).all(|(p, q)| p.name == q.name && sorts(a.0, p.sort, b.0, q.sort, &mut assumed))
}

/// Whether values of two sorts mean the same. Sorts may contain themselves: what is assumed to be alike need not be shown.
fn sorts(a: &Model, in_a: SortId, b: &Model, in_b: SortId, assumed: &mut Vec<(SortId, SortId)>) -> bool {
    if assumed.contains(&(in_a, in_b)) {
        return true;
    }
    assumed.push((in_a, in_b));
    match (a.sorts.get(in_a), b.sorts.get(in_b)) {
        (Sort::Bool, Sort::Bool) | (Sort::Int { .. }, Sort::Int { .. }) => true,
        (Sort::Real { .. }, Sort::Real { .. }) | (Sort::String, Sort::String) => true,
        (Sort::Seq(in_a), Sort::Seq(in_b)) | (Sort::Set(in_a), Sort::Set(in_b)) => sorts(a, *in_a, b, *in_b, assumed),
        (Sort::Map(key_a, in_a), Sort::Map(key_b, in_b)) => {
            sorts(a, *key_a, b, *key_b, assumed) && sorts(a, *in_a, b, *in_b, assumed)
        }
        (Sort::Data(in_a), Sort::Data(in_b)) => {
            let (data_a, data_b) = (&a.sorts.data[*in_a], &b.sorts.data[*in_b]);
            let (all_a, all_b) = (&data_a.constructors, &data_b.constructors);
            let mut same = |p: &Constructor, q: &Constructor| {
                let (of_p, of_q) = (&p.fields, &q.fields);
                // A record goes by its fields alone.
                (data_a.record || p.name == q.name)
                    && of_p.len() == of_q.len()
                    && of_p.iter().zip(of_q).all(|(f, g)| f.name == g.name && sorts(a, f.sort, b, g.sort, assumed))
            };
            data_a.record == data_b.record
                && all_a.len() == all_b.len()
                && all_a.iter().zip(all_b).all(|(p, q)| same(p, q))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(types: [&str; 2], params: [&str; 2], expected: bool) {
        let model = |i: usize| {
            let text = format!("{}\noutput o({})\nprocess P {{ init l {{ !o(any v) -> l }} }}", types[i], params[i]);
            let text = if params[i].contains(',') { text.replace("o(any v)", "o(any v, any w)") } else { text };
            sioco_lang::check_text("m.sts", &text).model.expect("a model").model
        };
        let (a, b) = (model(0), model(1));
        let gate = |m: &Model| m.gate("o").expect("it is declared");
        let found = params_are_alike((&a, gate(&a)), (&b, gate(&b)));
        assert_eq!(found, expected, "{types:?} {params:?}");
    }

    #[test]
    fn what_means_the_same_is_alike() {
        check(["", ""], ["p: Int", "p: Int in 0..3"], true);
        check(["", ""], ["p: Int", "p: Real"], false);
        check(["", ""], ["p: Int", "q: Int"], false);
        check(["", ""], ["p: Int, q: Int", "q: Int, p: Int"], false);
        check(["", ""], ["p: Seq<Int>", "p: Seq<Int in 0..3>"], true);
        check(["", ""], ["p: Seq<Int>", "p: Seq<Bool>"], false);
        let c = "type C = Red | Mix(a: Int)";
        check([c, c], ["p: C", "p: C"], true);
        check([c, "type D = Red | Mix(a: Int in 0..3)"], ["p: C", "p: D"], true);
        check([c, "type C = Mix(a: Int) | Red"], ["p: C", "p: C"], false);
        check([c, "type C = Red | Mix(b: Int)"], ["p: C", "p: C"], false);
        check([c, "type C = Red | Mix(a: Bool)"], ["p: C", "p: C"], false);
        check([c, "type C = Red | Mix(a: Int) | Blue"], ["p: C", "p: C"], false);
        check([c, "type C = Red | Green"], ["p: C", "p: C"], false);
        check(["type R = { a: Int }", "type S = { a: Int }"], ["p: R", "p: S"], true);
        check(["type R = { a: Int }", "type R = R(a: Int)"], ["p: R", "p: R"], false);
    }
}
