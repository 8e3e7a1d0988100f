use super::*;
use crate::id::{Id, IdVec, LocationId, ProcessId, SortId, VarId};
use crate::model::{Channel, Gate, Location, Param, Process, Switch, SwitchParam, Variable};
use crate::sort::{Constructor, Field, Sorts};
use crate::term::TermPool;

/// A model with variables `x: Int`, `y: Int`, `b: Bool`, `r: Real`, `s: Seq<Int>` and a switch `?in(p, q)`.
fn model() -> Model {
    let mut sorts = Sorts::default();
    let seq = sorts.seq(sorts.int);
    let process = ProcessId::from_index(0);
    let mut variables = IdVec::new();
    for (name, sort) in [("x", sorts.int), ("y", sorts.int), ("b", sorts.bool), ("r", sorts.real), ("s", seq)] {
        variables.push(Variable { name: name.into(), process, sort, initial: None, hidden: false });
    }
    let mut terms = TermPool::new();
    let guard = terms.bool(&sorts, true);
    let int = sorts.int;
    let param = |name: &str| Param { name: name.into(), sort: int, tolerance: None };
    let gate = |name: &str, direction| Gate { name: name.into(), direction, params: vec![param("p"), param("q")] };
    let mut gates = IdVec::new();
    let input = gates.push(gate("in", Direction::Input));
    gates.push(gate("out", Direction::Output));
    let mut channels = IdVec::new();
    channels.push(Channel { name: "ci".into(), params: vec![param("p")] });
    let at = LocationId::from_index(0);
    let mut locations = IdVec::new();
    locations.push(Location { name: "l0".into(), process, is_final: false, hidden: false, outgoing: vec![] });
    let own = |name: &str| SwitchParam { name: name.into(), sort: int, term: None, tolerance: None };
    let mut switches = IdVec::new();
    switches.push(Switch {
        name: "go".into(),
        named: true,
        tags: vec![],
        process,
        source: at,
        label: Label::Gate(input),
        params: vec![own("p"), own("q")],
        guard,
        is_else: false,
        update: vec![],
        target: at,
    });
    let mut processes = IdVec::new();
    processes.push(Process {
        name: "P".into(),
        template: "P".into(),
        args: vec![],
        initial: at,
        locations: vec![at],
        variables: variables.ids().collect(),
        switches: switches.ids().collect(),
    });
    Model {
        name: "P".into(),
        sorts,
        terms,
        gates,
        channels,
        processes,
        variables,
        locations,
        switches,
        purposes: IdVec::new(),
        written: Default::default(),
    }
}

const GO: usize = 0;

impl Model {
    fn v(&mut self, name: &str) -> TermId {
        let (id, v) = self.variables.iter().find(|(_, v)| v.name == name).unwrap();
        self.terms.var(id, v.sort)
    }
    fn p(&mut self, n: u32) -> TermId {
        self.terms.param(n, self.sorts.int)
    }
    fn n(&mut self, n: i64) -> TermId {
        self.terms.constant(Value::Int(n), self.sorts.int)
    }
    fn real(&mut self, text: &str) -> TermId {
        self.terms.constant(Value::real(crate::number::parse_decimal(text).unwrap()), self.sorts.real)
    }
    fn op(&mut self, op: Op, args: &[TermId]) -> TermId {
        let sort = match op {
            Op::Not | Op::And | Op::Or | Op::Eq | Op::Lt | Op::Le | Op::Is(_) | Op::Contains | Op::Exists { .. } => {
                self.sorts.bool
            }
            Op::Quot | Op::ToReal => self.sorts.real,
            Op::Len | Op::Floor | Op::Index => self.sorts.int,
            _ => self.terms.sort(args[0]),
        };
        self.terms.app(op, args, sort)
    }
    fn shows(&self, t: TermId, expected: &str) {
        assert_eq!(term(self, Some(SwitchId::from_index(GO)), t), expected);
    }
    fn data(&mut self, name: &str, record: bool, constructors: &[(&str, &[&str])]) -> SortId {
        let int = self.sorts.int;
        let constructors = constructors
            .iter()
            .map(|(name, fields)| Constructor {
                name: (*name).into(),
                fields: fields.iter().map(|f| Field { name: (*f).into(), sort: int }).collect(),
            })
            .collect();
        let id = self.sorts.data.push(DataType { name: name.into(), record, constructors });
        self.sorts.data_sort(id)
    }
}

#[test]
fn brackets_stand_only_where_they_are_needed() {
    let mut m = model();
    let (x, y, p, one) = (m.v("x"), m.v("y"), m.p(0), m.n(1));
    let sum = m.op(Op::Add, &[x, p]);
    let product = m.op(Op::Mul, &[sum, y]);
    m.shows(product, "(x + p) * y");
    let other = m.op(Op::Add, &[product, one]);
    m.shows(other, "(x + p) * y + 1");
    let left = m.op(Op::Sub, &[sum, y]);
    m.shows(left, "x + p - y");
    let right = m.op(Op::Sub, &[y, sum]);
    m.shows(right, "y - (x + p)");
    let minus = m.n(-1);
    let t = m.op(Op::Mul, &[x, minus]);
    m.shows(t, "x * -1");
    let t = m.op(Op::Neg, &[sum]);
    m.shows(t, "-(x + p)");
    let t = m.op(Op::Mod, &[x, product]);
    m.shows(t, "x mod ((x + p) * y)");
    let t = m.op(Op::Max, &[sum, one, t]);
    m.shows(t, "max(x + p, 1, x mod ((x + p) * y))");
}

#[test]
fn conditions_read_as_they_were_written() {
    let mut m = model();
    let (x, y, b, p, one, nine) = (m.v("x"), m.v("y"), m.v("b"), m.p(0), m.n(1), m.n(9));
    let low = m.op(Op::Le, &[one, p]);
    let high = m.op(Op::Le, &[p, nine]);
    m.shows(low, "p >= 1");
    let range = m.op(Op::And, &[low, high]);
    m.shows(range, "1 <= p <= 9");
    let down = m.op(Op::And, &[high, low]);
    m.shows(down, "9 >= p >= 1");
    let less = m.op(Op::Lt, &[x, y]);
    let all = m.op(Op::And, &[b, low, high, less]);
    m.shows(all, "b && 1 <= p <= 9 && x < y");
    let zero = m.n(0);
    let (neg, pos) = (m.op(Op::Lt, &[x, zero]), m.op(Op::Lt, &[zero, y]));
    let two = m.op(Op::And, &[neg, pos]);
    m.shows(two, "x < 0 && y > 0");
    let not = m.op(Op::Not, &[two]);
    m.shows(not, "!(x < 0 && y > 0)");
    let or = m.op(Op::Or, &[two, not]);
    m.shows(or, "x < 0 && y > 0 || !(x < 0 && y > 0)");
    let both = m.op(Op::And, &[or, b]);
    m.shows(both, "(x < 0 && y > 0 || !(x < 0 && y > 0)) && b");
    let eq = m.op(Op::Eq, &[x, y]);
    let ne = m.op(Op::Not, &[eq]);
    m.shows(ne, "x != y");
    let t = m.op(Op::Eq, &[b, ne]);
    m.shows(t, "b == (x != y)");
    let t = m.op(Op::Eq, &[b, range]);
    m.shows(t, "b == 1 <= p <= 9");
    let t = m.op(Op::Not, &[range]);
    m.shows(t, "!(1 <= p <= 9)");
}

#[test]
fn real_numbers_and_conversions() {
    let mut m = model();
    let (x, r) = (m.v("x"), m.v("r"));
    let (one, three) = (m.real("1"), m.real("3"));
    let third = m.op(Op::Quot, &[one, three]);
    m.shows(third, "1 / 3");
    let value = m.terms.constant(Value::real(crate::number::rational(1.into(), 3.into()).unwrap()), m.sorts.real);
    let t = m.op(Op::Mul, &[r, value]);
    m.shows(t, "r * (1 / 3)");
    let converted = m.op(Op::ToReal, &[x]);
    let t = m.op(Op::Quot, &[converted, r]);
    m.shows(t, "x / r");
    let sum = m.op(Op::Add, &[converted, r]);
    let t = m.op(Op::Mul, &[sum, sum]);
    m.shows(t, "(x + r) * (x + r)");
    let t = m.op(Op::Floor, &[sum]);
    m.shows(t, "floor(x + r)");
}

#[test]
fn choices_sequences_and_data() {
    let mut m = model();
    let (x, b, s, one) = (m.v("x"), m.v("b"), m.v("s"), m.n(1));
    let ite = m.op(Op::Ite, &[b, x, one]);
    m.shows(ite, "if b then x else 1");
    let t = m.op(Op::Add, &[one, ite]);
    m.shows(t, "1 + (if b then x else 1)");
    let item = m.op(Op::Index, &[s, t]);
    m.shows(item, "s[1 + (if b then x else 1)]");
    let seq = m.sorts.seq(m.sorts.int);
    let list = m.terms.app(Op::SeqLit, &[x, one], seq);
    let t = m.op(Op::Concat, &[s, list]);
    m.shows(t, "s ++ [x, 1]");
    let t = m.op(Op::Len, &[t]);
    m.shows(t, "len(s ++ [x, 1])");

    let reply = m.data("Reply", false, &[("Balance", &["amount"]), ("Refused", &[])]);
    let t = m.terms.app(Op::Construct(0), &[x], reply);
    m.shows(t, "Balance(x)");
    let is = m.op(Op::Is(1), &[t]);
    m.shows(is, "Balance(x) is Refused");
    let t = m.op(Op::Not, &[is]);
    m.shows(t, "!Balance(x) is Refused");
    let t = m.terms.constant(Value::Enum(1), reply);
    m.shows(t, "Refused");

    let point = m.data("Point", true, &[("Point", &["x", "y"])]);
    let at = m.variables.push(Variable {
        name: "at".into(),
        process: ProcessId::from_index(0),
        sort: point,
        initial: None,
        hidden: false,
    });
    let at = m.terms.var(at, point);
    let y = m.terms.app(Op::Field(0, 1), &[at], m.sorts.int);
    m.shows(y, "at.y");
    let t = m.terms.app(Op::Construct(0), &[x, one], point);
    m.shows(t, "Point { x: x, y: 1 }");
    let t = m.terms.app(Op::Construct(0), &[x, y], point);
    m.shows(t, "at with { x: x }");
    let t = m.terms.app(Op::Field(0, 0), &[t], m.sorts.int);
    m.shows(t, "at with { x: x }.x");
}

#[test]
fn bound_variables_get_names_of_their_own() {
    let mut m = model();
    let range = m.sorts.intern(Sort::Int { lo: Some(0.into()), hi: Some(3.into()) });
    let (first, second) = (m.terms.binders.push(range), m.terms.binders.push(m.sorts.bool));
    let (k, flag) = (m.terms.bound(&m.sorts, first), m.terms.bound(&m.sorts, second));
    let x = m.v("x");
    let less = m.op(Op::Lt, &[x, k]);
    let body = m.op(Op::And, &[less, flag]);
    let t = m.op(Op::Exists { first, count: 2 }, &[body]);
    m.shows(t, "for some k: Int in 0..3, k2: Bool: x < k && k2");
    let t = m.op(Op::Not, &[t]);
    m.shows(t, "for no k: Int in 0..3, k2: Bool: x < k && k2");
    m.variables[VarId::from_index(1)].name = "k".into();
    m.shows(t, "for no k2: Int in 0..3, k3: Bool: x < k2 && k3");
}

#[test]
fn switches_print_on_one_line() {
    let mut m = model();
    let go = SwitchId::from_index(GO);
    let (x, y) = (VarId::from_index(0), VarId::from_index(1));
    let (tx, p, q, limit) = (m.v("x"), m.p(0), m.p(1), m.n(15));
    let ranged = m.sorts.intern(Sort::Int { lo: Some(0.into()), hi: None });
    let sum = m.op(Op::Add, &[tx, p]);
    let checked = m.op(Op::Checked(ranged), &[sum]);
    m.switches[go].guard = m.terms.app(Op::Lt, &[limit, tx], m.sorts.bool);
    m.switches[go].update = vec![(x, checked), (y, q)];
    assert_eq!(switch(&m, go), "?in(p, q) [x > 15] / x := x + p, y := q");
    m.variables[y].hidden = true;
    assert_eq!(update(&m, go), "x := x + p");
    m.variables[y].name = "q'".into();
    let carried = m.v("q'");
    m.shows(carried, "q");

    m.switches[go].label = Label::Gate(m.gate("out").unwrap());
    m.switches[go].params[0].term = Some(tx);
    m.switches[go].update.clear();
    assert_eq!(switch(&m, go), "!out(x, any q) [x > 15]");
    m.switches[go].is_else = true;
    assert_eq!(switch(&m, go), "!out(x, any q) [else]");

    m.switches[go].label = Label::Internal;
    m.switches[go].is_else = false;
    m.switches[go].guard = m.terms.bool(&m.sorts, true);
    m.switches[go].params[0].term = None;
    m.switches[go].params[0].sort = ranged;
    assert_eq!(switch(&m, go), "tau any p: Int in 0.., any q: Int");
    m.switches[go].params.clear();
    assert_eq!(switch(&m, go), "tau");

    m.switches[go].label = Label::Send(Id::from_index(0));
    m.switches[go].params = vec![SwitchParam { name: "p".into(), sort: m.sorts.int, term: Some(sum), tolerance: None }];
    assert_eq!(label(&m, go), "send ci(x + p)");
    m.switches[go].label = Label::Receive(Id::from_index(0));
    assert_eq!(label(&m, go), "recv ci(p)");
}

#[test]
fn a_shared_term_of_endless_text_is_cut() {
    let mut m = model();
    let mut t = m.v("x");
    for _ in 0..200 {
        t = m.op(Op::Mul, &[t, t]);
    }
    let text = term(&m, None, t);
    assert!(text.len() < 2 * MAX_BYTES && text.contains('…'), "{} bytes", text.len());
}
