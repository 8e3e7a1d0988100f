//! Each sort and each operation.

use sioco_model::number::{BigInt, Rational, int, rational};

use super::*;

fn suite(name: &str, make: Make<'_>) {
    for test in [
        linear,
        levels,
        division,
        bounds,
        definedness,
        lazy,
        selections,
        reals,
        booleans,
        strings,
        unicode,
        sequences,
        enumerations,
        data,
        records,
        checked,
        exists,
        partial_exists,
        shadowed,
        shared,
        big,
        unwritable,
    ] {
        test(name, &mut *make());
    }
}

#[test]
fn every_back_end_passes_the_suite() {
    for_all(&suite);
}

fn linear(name: &str, s: &mut dyn Solver) {
    let mut b = Build::default();
    let (x, y) = (b.symbol(b.sorts.int), b.symbol(b.sorts.int));
    let (three, minus) = (b.int(3), b.int(-7));
    let sum = b.app(Op::Add, &[x, y, three]);
    let eq = b.app(Op::Eq, &[sum, minus]);
    let lt = b.app(Op::Lt, &[x, y]);
    sat(name, s, &b, &[eq, lt]);
    let neg = b.app(Op::Neg, &[x]);
    let gt = b.app(Op::Lt, &[neg, minus]);
    let both = b.app(Op::Sub, &[y, x]);
    let twice = b.app(Op::Mul, &[three, both]);
    let less = b.app(Op::Lt, &[twice, three]);
    sat(name, s, &b, &[eq, gt]);
    unsat(name, s, &b, &[lt, less]);
}

fn levels(name: &str, s: &mut dyn Solver) {
    let mut b = Build::default();
    let x = b.symbol(b.sorts.int);
    let (zero, five) = (b.int(0), b.int(5));
    let low = b.app(Op::Lt, &[zero, x]);
    let high = b.app(Op::Lt, &[x, five]);
    let limits = Limits::default();
    s.assert(b.terms(), low);
    assert_eq!(s.check(b.terms(), &limits, false), Answer::Sat(None), "{name}");
    for round in 0..3 {
        s.push();
        s.assert(b.terms(), high);
        // Terms and symbols grow between calls.
        let y = b.symbol(b.sorts.int);
        let below = b.app(Op::Lt, &[y, zero]);
        let same = b.app(Op::Eq, &[x, y]);
        s.push();
        s.assert(b.terms(), below);
        assert!(matches!(s.check(b.terms(), &limits, true), Answer::Sat(Some(_))), "{name} {round}");
        s.assert(b.terms(), same);
        assert_eq!(s.check(b.terms(), &limits, true), Answer::Unsat(None), "{name} {round}");
        let core = s.core(b.terms(), &limits);
        let Answer::Unsat(Some(core)) = core else { panic!("{name}: {core:?}") };
        assert!(core.contains(&same) && !core.contains(&high), "{name}: {core:?}");
        s.pop();
        assert!(matches!(s.check(b.terms(), &limits, true), Answer::Sat(Some(_))), "{name} {round}");
        s.pop();
    }
    // A level that is closed unasked, and a symbol that is declared anew.
    s.push();
    s.assert(b.terms(), high);
    s.pop();
    let big = b.int(1_000);
    let far = b.app(Op::Lt, &[big, x]);
    s.assert(b.terms(), far);
    assert!(matches!(s.check(b.terms(), &limits, true), Answer::Sat(Some(_))), "{name}");
}

fn division(name: &str, s: &mut dyn Solver) {
    for (a, d, q, r) in [(7, 2, 3, 1), (-7, 2, -4, 1), (7, -2, -3, 1), (-7, -2, 4, 1)] {
        let mut b = Build::default();
        let (x, y, d) = (b.symbol(b.sorts.int), b.symbol(b.sorts.int), b.int(d));
        let a = b.int(a);
        let is = b.app(Op::Eq, &[x, a]);
        let div = b.app(Op::Div, &[x, d]);
        let div = b.app(Op::Eq, &[div, y]);
        let modulo = b.app(Op::Mod, &[x, d]);
        let (q, r) = (Value::Int(q), b.int(r));
        let modulo = b.app(Op::Eq, &[modulo, r]);
        assert_eq!(of(&sat(name, s, &b, &[is, div, modulo]), 1), &q, "{name}");
        let not = b.app(Op::Not, &[modulo]);
        unsat(name, s, &b, &[is, not]);
    }
}

fn bounds(name: &str, s: &mut dyn Solver) {
    let mut b = Build::default();
    let digit = b.range(-1, 3);
    let (x, y) = (b.symbol(digit), b.symbol(b.sorts.int));
    let (three, four) = (b.int(3), b.int(4));
    let least = b.app(Op::Le, &[three, x]);
    assert_eq!(of(&sat(name, s, &b, &[least]), 0), &Value::Int(3));
    let beyond = b.app(Op::Le, &[four, x]);
    unsat(name, s, &b, &[beyond]);
    let free = b.app(Op::Le, &[four, y]);
    let witness = sat(name, s, &b, &[free]);
    assert!(b.sorts.contains(digit, of(&witness, 0)));
    let open = b.sorts.intern(Sort::Int { lo: None, hi: Some((-5).into()) });
    let z = b.symbol(open);
    let positive = b.app(Op::Le, &[three, z]);
    unsat(name, s, &b, &[positive]);
}

/// `x div y > 2` is not satisfied by `y == 0`.
fn definedness(name: &str, s: &mut dyn Solver) {
    let mut b = Build::default();
    let (x, y) = (b.symbol(b.sorts.int), b.symbol(b.sorts.int));
    let (zero, two) = (b.int(0), b.int(2));
    for op in [Op::Div, Op::Mod] {
        let q = b.app(op, &[x, y]);
        let gt = b.app(Op::Lt, &[two, q]);
        let le = b.app(Op::Not, &[gt]);
        let is_zero = b.app(Op::Eq, &[y, zero]);
        let same = b.app(Op::Eq, &[q, q]);
        sat(name, s, &b, &[gt]);
        for c in [gt, le, same] {
            unsat(name, s, &b, &[c, is_zero]);
        }
    }
}

fn lazy(name: &str, s: &mut dyn Solver) {
    let mut b = Build::default();
    let (x, y) = (b.symbol(b.sorts.int), b.symbol(b.sorts.int));
    let (zero, two) = (b.int(0), b.int(2));
    let is_zero = b.app(Op::Eq, &[y, zero]);
    let not_zero = b.app(Op::Not, &[is_zero]);
    let q = b.app(Op::Div, &[x, y]);
    let gt = b.app(Op::Lt, &[two, q]);
    let guarded = b.app(Op::And, &[not_zero, gt]);
    let unguarded = b.app(Op::And, &[gt, not_zero]);
    let either = b.app(Op::Or, &[is_zero, gt]);
    let other_way = b.app(Op::Or, &[gt, is_zero]);
    sat(name, s, &b, &[guarded]);
    sat(name, s, &b, &[either, is_zero]);
    unsat(name, s, &b, &[other_way, is_zero]);
    let no_guarded = b.app(Op::Not, &[guarded]);
    let no_unguarded = b.app(Op::Not, &[unguarded]);
    sat(name, s, &b, &[no_guarded, is_zero]);
    unsat(name, s, &b, &[no_unguarded, is_zero]);
    let ite = b.app(Op::Ite, &[is_zero, two, q]);
    let chosen = b.app(Op::Eq, &[ite, two]);
    let wrong = b.app(Op::Ite, &[not_zero, two, q]);
    let wrong = b.app(Op::Eq, &[wrong, two]);
    sat(name, s, &b, &[chosen, is_zero]);
    unsat(name, s, &b, &[wrong, is_zero]);
}

fn selections(name: &str, s: &mut dyn Solver) {
    let mut b = Build::default();
    let [x, y, z] = [(); 3].map(|()| b.symbol(b.sorts.int));
    let least = b.app(Op::Min, &[x, y, z]);
    let greatest = b.app(Op::Max, &[x, least, y, z]);
    let (minus, five) = (b.int(-5), b.int(5));
    let low = b.app(Op::Eq, &[least, minus]);
    let high = b.app(Op::Eq, &[greatest, five]);
    let abs = b.app(Op::Abs, &[x]);
    let abs = b.app(Op::Lt, &[five, abs]);
    sat(name, s, &b, &[low, high]);
    unsat(name, s, &b, &[low, high, abs]);
    let r = b.symbol(b.sorts.real);
    let half = b.pool.constant(Value::real(rational((-1).into(), 2.into()).unwrap()), b.sorts.real);
    let abs = b.app(Op::Abs, &[r]);
    let far = b.app(Op::Lt, &[abs, half]);
    unsat(name, s, &b, &[far]);
}

fn reals(name: &str, s: &mut dyn Solver) {
    let mut b = Build::default();
    let (r, n) = (b.symbol(b.sorts.real), b.symbol(b.sorts.int));
    let [one, three] = [1, 3].map(|n| b.pool.constant(Value::real(Rational::from(n)), b.sorts.real));
    let third = b.pool.constant(Value::real(rational((-1).into(), 3.into()).unwrap()), b.sorts.real);
    let product = b.app(Op::Mul, &[r, three]);
    let is = b.app(Op::Eq, &[product, one]);
    assert_eq!(of(&sat(name, s, &b, &[is]), 0).to_string(), "1 / 3");
    let is = b.app(Op::Eq, &[r, third]);
    assert_eq!(of(&sat(name, s, &b, &[is]), 0).to_string(), "-1 / 3");
    let whole = b.app(Op::ToReal, &[n]);
    let sum = b.app(Op::Add, &[whole, third]);
    let floor = b.app(Op::Floor, &[sum]);
    let six = b.int(6);
    let floor = b.app(Op::Eq, &[floor, six]);
    assert_eq!(of(&sat(name, s, &b, &[floor]), 1), &Value::Int(7));
    let quotient = b.app(Op::Quot, &[one, r]);
    let big = b.app(Op::Lt, &[three, quotient]);
    let zero = b.pool.constant(Value::real(Rational::ZERO), b.sorts.real);
    let is_zero = b.app(Op::Eq, &[r, zero]);
    sat(name, s, &b, &[big]);
    unsat(name, s, &b, &[big, is_zero]);
    // Only a root would do, and roots are no rationals: the solver may not say yes.
    let square = b.app(Op::Mul, &[r, r]);
    let two = b.pool.constant(Value::real(Rational::from(2)), b.sorts.real);
    let root = b.app(Op::Eq, &[square, two]);
    s.push();
    s.assert(b.terms(), root);
    let limits = Limits { wall: std::time::Duration::from_secs(2), ..Limits::default() };
    let answer = s.check(b.terms(), &limits, false);
    s.pop();
    assert!(matches!(answer, Answer::Unknown(_)), "{name}: {answer:?}");
}

fn booleans(name: &str, s: &mut dyn Solver) {
    let mut b = Build::default();
    let [p, q] = [(); 2].map(|()| b.symbol(b.sorts.bool));
    let same = b.app(Op::Eq, &[p, q]);
    let differ = b.app(Op::Not, &[same]);
    let witness = sat(name, s, &b, &[differ, p]);
    assert_eq!([of(&witness, 0), of(&witness, 1)], [&Value::Bool(true), &Value::Bool(false)]);
    unsat(name, s, &b, &[differ, p, q]);
    let (none, all) = (b.app(Op::Or, &[]), b.app(Op::And, &[]));
    sat(name, s, &b, &[all]);
    unsat(name, s, &b, &[none]);
}

fn strings(name: &str, s: &mut dyn Solver) {
    let mut b = Build::default();
    let (x, i) = (b.symbol(b.sorts.string), b.symbol(b.sorts.int));
    let (ab, c, three, one) = (b.text("ab"), b.text("c"), b.int(3), b.int(1));
    let len = b.app(Op::Len, &[x]);
    let len = b.app(Op::Eq, &[len, three]);
    let has = b.app(Op::Contains, &[x, ab]);
    let item = b.app(Op::Index, &[x, i]);
    let is_c = b.app(Op::Eq, &[item, c]);
    let witness = sat(name, s, &b, &[len, has, is_c]);
    let Value::Str(text) = of(&witness, 0) else { panic!() };
    assert!(&***text == "abc" || &***text == "cab", "{text}");
    let middle = b.app(Op::Eq, &[i, one]);
    unsat(name, s, &b, &[len, has, is_c, middle]);
    let outside = b.app(Op::Eq, &[i, three]);
    let same = b.app(Op::Eq, &[item, item]);
    unsat(name, s, &b, &[len, same, outside]);
    let slice = b.app(Op::Slice, &[x, one, i]);
    let both = b.app(Op::Concat, &[c, slice, ab]);
    let ccab = b.text("ccab");
    let is = b.app(Op::Eq, &[both, ccab]);
    let witness = sat(name, s, &b, &[is, len]);
    assert_eq!(of(&witness, 1), &Value::Int(2));
    let minus = b.int(0);
    let backwards = b.app(Op::Eq, &[i, minus]);
    let same = b.app(Op::Eq, &[slice, slice]);
    unsat(name, s, &b, &[same, backwards]);
}

fn unicode(name: &str, s: &mut dyn Solver) {
    for text in ["é", "日本", "\u{1f600}", "\\", "\\u", "\"", "a\u{0}b", "\n\t", "\u{7f}", "\u{2ffff}"] {
        let mut b = Build::default();
        let x = b.symbol(b.sorts.string);
        let t = b.text(text);
        let is = b.app(Op::Eq, &[x, t]);
        assert_eq!(of(&sat(name, s, &b, &[is]), 0), &Value::string(text));
        let len = b.app(Op::Len, &[x]);
        let n = b.int(text.chars().count() as i64);
        let len = b.app(Op::Eq, &[len, n]);
        let not = b.app(Op::Not, &[len]);
        unsat(name, s, &b, &[is, not]);
    }
}

fn sequences(name: &str, s: &mut dyn Solver) {
    let mut b = Build::default();
    let ints = b.sorts.seq(b.sorts.int);
    let (x, i) = (b.symbol(ints), b.symbol(b.sorts.int));
    let [one, two, three, seven] = [1, 2, 3, 7].map(|n| b.int(n));
    let len = b.app(Op::Len, &[x]);
    let len = b.app(Op::Eq, &[len, three]);
    let has = b.app(Op::Contains, &[x, seven]);
    let item = b.app(Op::Index, &[x, i]);
    let is = b.app(Op::Eq, &[item, seven]);
    let at_two = b.app(Op::Eq, &[i, two]);
    let witness = sat(name, s, &b, &[len, has, is, at_two]);
    let Value::Seq(items) = of(&witness, 0) else { panic!() };
    assert_eq!(items[2], Value::Int(7));
    let outside = b.app(Op::Eq, &[i, three]);
    let same = b.app(Op::Eq, &[item, item]);
    unsat(name, s, &b, &[len, same, outside]);
    let pair = b.app(Op::SeqLit, &[one, i]);
    let long = b.app(Op::Concat, &[pair, x]);
    let all = b.pool.constant(Value::seq([1, 5, 7].map(Value::Int).to_vec()), ints);
    let is = b.app(Op::Eq, &[long, all]);
    let witness = sat(name, s, &b, &[is]);
    assert_eq!(of(&witness, 0), &Value::seq(vec![Value::Int(7)]));
    let slice = b.app(Op::Slice, &[x, one, i]);
    let empty = b.pool.constant(Value::seq(vec![]), ints);
    let is_empty = b.app(Op::Eq, &[slice, empty]);
    let witness = sat(name, s, &b, &[is_empty, len]);
    assert_eq!(of(&witness, 1), &Value::Int(1));
    let zero = b.int(0);
    let backwards = b.app(Op::Eq, &[i, zero]);
    unsat(name, s, &b, &[is_empty, backwards]);
}

fn enumerations(name: &str, s: &mut dyn Solver) {
    let mut b = Build::default();
    let colour = b.data("Colour", &[("Red", &[]), ("Green", &[]), ("Blue", &[])]);
    let (x, y) = (b.symbol(colour), b.symbol(colour));
    let red = b.construct(colour, 0, &[]);
    let blue = b.pool.constant(Value::Enum(2), colour);
    let [not_red, not_blue] = [red, blue].map(|c| {
        let is = b.app(Op::Eq, &[x, c]);
        b.app(Op::Not, &[is])
    });
    let differ = b.app(Op::Eq, &[x, y]);
    let differ = b.app(Op::Not, &[differ]);
    let is_green = b.app(Op::Is(1), &[y]);
    assert_eq!(of(&sat(name, s, &b, &[not_red, not_blue]), 0), &Value::Enum(1));
    unsat(name, s, &b, &[not_red, not_blue, is_green, differ]);
}

fn data(name: &str, s: &mut dyn Solver) {
    let mut b = Build::default();
    let digit = b.range(0, 9);
    let colour = b.data("Colour", &[("Red", &[]), ("Green", &[])]);
    let inner = b.data("Pair", &[("Pair", &[digit, colour])]);
    let reply = b.data("Reply", &[("None", &[]), ("One", &[digit]), ("Two", &[inner, b.sorts.bool])]);
    let x = b.symbol(reply);
    let (is_none, is_one, is_two) = (b.app(Op::Is(0), &[x]), b.app(Op::Is(1), &[x]), b.app(Op::Is(2), &[x]));
    let one_of = b.app(Op::Field(1, 0), &[x]);
    let (nine, ten) = (b.int(9), b.int(10));
    let ge = b.app(Op::Le, &[nine, one_of]);
    let beyond = b.app(Op::Le, &[ten, one_of]);
    assert_eq!(of(&sat(name, s, &b, &[ge]), 0), &Value::data(1, vec![Value::Int(9)]));
    unsat(name, s, &b, &[beyond]);
    unsat(name, s, &b, &[ge, is_two]);
    let guarded = b.app(Op::Or, &[is_none, ge]);
    assert_eq!(of(&sat(name, s, &b, &[guarded, is_none]), 0), &Value::Enum(0));
    let pair = b.app(Op::Field(2, 0), &[x]);
    let first = b.app(Op::Field(0, 0), &[pair]);
    let second = b.app(Op::Field(0, 1), &[pair]);
    let green = b.app(Op::Is(1), &[second]);
    let big = b.app(Op::Le, &[ten, first]);
    sat(name, s, &b, &[green]);
    unsat(name, s, &b, &[big]);
    unsat(name, s, &b, &[is_one, green]);
    let made = b.construct(reply, 1, &[nine]);
    let none = b.construct(reply, 0, &[]);
    let is = b.app(Op::Eq, &[x, made]);
    sat(name, s, &b, &[is, is_one]);
    let is = b.app(Op::Eq, &[x, none]);
    unsat(name, s, &b, &[is, is_one]);
    let (all, t) = (b.sorts.seq(reply), b.int(0));
    let list = b.symbol(all);
    let item = b.app(Op::Index, &[list, t]);
    let same = b.app(Op::Eq, &[item, x]);
    // Items have ranges, which takes quantifiers: not every solver is up to it, but none may be wrong.
    let answer = ask(s, &b, &[same, ge]);
    assert!(!matches!(answer, Answer::Unsat(_)), "{name}: {answer:?}");
}

fn records(name: &str, s: &mut dyn Solver) {
    let mut b = Build::default();
    let point = b.data("Point", &[("Point", &[b.sorts.int, b.sorts.real])]);
    let x = b.symbol(point);
    let (f, g) = (b.app(Op::Field(0, 0), &[x]), b.app(Op::Field(0, 1), &[x]));
    let four = b.int(4);
    let is = b.app(Op::Eq, &[f, four]);
    let whole = b.app(Op::ToReal, &[f]);
    let same = b.app(Op::Eq, &[whole, g]);
    let witness = sat(name, s, &b, &[is, same]);
    assert_eq!(of(&witness, 0), &Value::data(0, vec![Value::Int(4), Value::real(Rational::from(4))]));
}

fn checked(name: &str, s: &mut dyn Solver) {
    let mut b = Build::default();
    let digit = b.range(0, 9);
    let x = b.symbol(b.sorts.int);
    let (one, nine) = (b.int(1), b.int(9));
    let next = b.app(Op::Add, &[x, one]);
    let inside = b.app(Op::Checked(digit), &[next]);
    let same = b.app(Op::Eq, &[inside, next]);
    let at_end = b.app(Op::Eq, &[x, nine]);
    sat(name, s, &b, &[same]);
    unsat(name, s, &b, &[same, at_end]);
    let wrong = b.app(Op::Not, &[same]);
    unsat(name, s, &b, &[wrong]);
}

fn exists(name: &str, s: &mut dyn Solver) {
    let mut b = Build::default();
    let digit = b.range(1, 10);
    let x = b.symbol(b.sorts.int);
    let (hundred, ninety_nine) = (b.int(100), b.int(99));
    let fits = b.exists(digit, |b, p| {
        let sum = b.app(Op::Add, &[x, p]);
        b.app(Op::Le, &[sum, hundred])
    });
    let above = b.app(Op::Lt, &[ninety_nine, x]);
    let none = b.app(Op::Not, &[fits]);
    sat(name, s, &b, &[fits]);
    unsat(name, s, &b, &[fits, above]);
    sat(name, s, &b, &[none]);
    let below = b.app(Op::Not, &[above]);
    unsat(name, s, &b, &[none, below]);
    // After a quantified question, others go on as before.
    sat(name, s, &b, &[above]);
    // Inside of each other, with the outer variable used in the inner one, and what is shared named.
    let nested = b.exists(digit, |b, p| {
        let twice = b.app(Op::Add, &[p, p]);
        b.exists(digit, |b, q| {
            let sum = b.app(Op::Add, &[twice, q]);
            let one = b.app(Op::Eq, &[sum, x]);
            let other = b.app(Op::Lt, &[twice, q]);
            let third = b.app(Op::Lt, &[sum, hundred]);
            b.app(Op::And, &[one, other, third])
        })
    });
    let four = b.int(4);
    let small = b.app(Op::Le, &[x, four]);
    sat(name, s, &b, &[nested]);
    unsat(name, s, &b, &[nested, small]);
    // An unbounded one cannot be evaluated, but can be refuted.
    let any = b.exists(b.sorts.int, |b, p| {
        let more = b.app(Op::Lt, &[p, x]);
        let less = b.app(Op::Lt, &[x, p]);
        b.app(Op::And, &[more, less])
    });
    unsat(name, s, &b, &[any]);
    let some = b.exists(b.sorts.int, |b, p| b.app(Op::Lt, &[p, x]));
    s.push();
    s.assert(b.terms(), some);
    assert_eq!(s.check(b.terms(), &Limits::default(), false), Answer::Sat(None), "{name}");
    s.pop();
    // A witness of such a one is confirmed by the solver.
    let twice = b.exists(b.sorts.int, |b, p| {
        let twice = b.app(Op::Add, &[p, p]);
        b.app(Op::Eq, &[twice, x])
    });
    let (low, high) = (b.app(Op::Lt, &[ninety_nine, x]), b.app(Op::Le, &[x, hundred]));
    s.push();
    [twice, low, high].iter().for_each(|c| s.assert(b.terms(), *c));
    let answer = s.check(b.terms(), &Limits::default(), true);
    assert!(matches!(&answer, Answer::Sat(Some(w)) if w[0] == Value::Int(100)), "{name}: {answer:?}");
    s.pop();
}

/// One value that is good is enough, also where others are undefined.
fn partial_exists(name: &str, s: &mut dyn Solver) {
    let mut b = Build::default();
    let few = b.range(-1, 1);
    let x = b.symbol(few);
    let (ten, one, zero) = (b.int(10), b.int(1), b.int(0));
    let found = b.exists(few, |b, p| {
        let q = b.app(Op::Div, &[ten, p]);
        let m = b.app(Op::Mul, &[q, x]);
        b.app(Op::Le, &[ten, m])
    });
    let (positive, none) = (b.app(Op::Eq, &[x, one]), b.app(Op::Eq, &[x, zero]));
    let negative = b.app(Op::Lt, &[x, zero]);
    // -1 is good for x == -1, and 1 for x == 1. For x == 0 none is, and 0 is undefined.
    assert_eq!(of(&sat(name, s, &b, &[found, negative]), 0), &Value::Int(-1), "{name}");
    assert_eq!(of(&sat(name, s, &b, &[found, positive]), 0), &Value::Int(1), "{name}");
    unsat(name, s, &b, &[found, none]);
    let not_found = b.app(Op::Not, &[found]);
    unsat(name, s, &b, &[not_found]);
}

/// Two quantifiers over the same variable, one inside of the other, and a term that means something else in each.
fn shadowed(name: &str, s: &mut dyn Solver) {
    let mut b = Build::default();
    let (digit, x) = (b.range(0, 9), b.symbol(b.sorts.int));
    let first = b.pool.binders.push(digit);
    let p = b.pool.bound(&b.sorts, first);
    let twice = b.app(Op::Add, &[p, p]);
    let (three, eight, twelve) = (b.int(3), b.int(8), b.int(12));
    let (above, below) = (b.app(Op::Lt, &[eight, twice]), b.app(Op::Lt, &[twice, twelve]));
    let inner = b.app(Op::And, &[above, below]);
    let inner = b.app(Op::Exists { first, count: 1 }, &[inner]);
    let (small, is) = (b.app(Op::Lt, &[twice, three]), b.app(Op::Eq, &[twice, x]));
    let more = b.app(Op::Lt, &[p, twice]);
    let outer = b.app(Op::And, &[small, inner, is, more]);
    let outer = b.app(Op::Exists { first, count: 1 }, &[outer]);
    assert_eq!(of(&sat(name, s, &b, &[outer]), 0), &Value::Int(2), "{name}");
    let eq = b.app(Op::Eq, &[x, three]);
    unsat(name, s, &b, &[outer, eq]);
}

fn shared(name: &str, s: &mut dyn Solver) {
    let mut b = Build::default();
    let x = b.symbol(b.sorts.int);
    let mut t = x;
    for _ in 0..60 {
        t = b.app(Op::Add, &[t, t]);
    }
    let big = b.pool.constant(int(BigInt::from(1u64 << 60) * BigInt::from(5)), b.sorts.int);
    let is = b.app(Op::Eq, &[t, big]);
    let length: usize = written(&b, &[is]).iter().map(String::len).sum();
    assert!(length < 10_000, "{length}");
    s.push();
    s.assert(b.terms(), is);
    let answer = s.check(b.terms(), &Limits::default(), true);
    s.pop();
    assert_eq!(answer, Answer::Sat(Some(vec![Value::Int(5)])), "{name}");
}

fn big(name: &str, s: &mut dyn Solver) {
    let mut b = Build::default();
    let x = b.symbol(b.sorts.int);
    let huge = BigInt::from(10).pow(40);
    for n in [huge.clone(), -huge, BigInt::from(i64::MIN), BigInt::from(u64::MAX)] {
        let constant = b.pool.constant(int(n.clone()), b.sorts.int);
        let is = b.app(Op::Eq, &[x, constant]);
        assert_eq!(of(&sat(name, s, &b, &[is]), 0), &int(n));
    }
}

/// What cannot be written makes no answer wrong.
fn unwritable(name: &str, s: &mut dyn Solver) {
    let mut b = Build::default();
    let (x, n) = (b.symbol(b.sorts.string), b.symbol(b.sorts.int));
    let far = b.text("\u{10ffff}");
    let is = b.app(Op::Eq, &[x, far]);
    let answer = ask(s, &b, &[is]);
    assert!(matches!(&answer, Answer::Unknown(_)), "{name}: {answer:?}");
    let not = b.app(Op::Not, &[is]);
    sat(name, s, &b, &[not]);
    let less = b.app(Op::Lt, &[n, n]);
    unsat(name, s, &b, &[is, less]);
}
