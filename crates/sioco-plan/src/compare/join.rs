//! Two models in one: a specification and an implementation model side by side, over the same gates (S2 definition 17).
//!
//! The processes of both are processes of one model, each with its own locations, variables, switches and channels. So
//! one symbolic path goes through both of them, and what they have in common is a matter of conditions over the same
//! symbols. The product is not built: pairs of locations come up during the search.

use std::fmt;
use std::ops::Range;

use rustc_hash::FxHashMap;
use sioco_model::model::{
    Channel, Direction, Gate, Label, Location, Model, Param, Process, Switch, SwitchParam, Variable,
};
use sioco_model::sort::{DataType, Sort, Sorts};
use sioco_model::term::{Op, Term};
use sioco_model::{
    BinderId, ChannelId, DataId, GateId, Id, IdVec, LocationId, ProcessId, SortId, SwitchId, TermId, VarId,
};

use crate::file::gate_text;

/// One of the two models.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Side {
    /// The specification.
    Spec,
    /// The implementation model.
    Impl,
}

impl Side {
    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Side::Spec => "the specification",
            Side::Impl => "the implementation model",
        }
    }

    fn other(self) -> Side {
        match self {
            Side::Spec => Side::Impl,
            Side::Impl => Side::Spec,
        }
    }
}

/// Why two models cannot be compared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mismatch {
    /// One of them has a gate that the other has not.
    NoGate {
        /// Who has none.
        side: Side,
        /// The gate, as the other declares it.
        gate: String,
    },
    /// A gate has another direction or other parameters.
    Gate {
        /// Its name.
        name: String,
        /// How the specification declares it.
        spec: String,
        /// How the implementation model does.
        implementation: String,
    },
    /// There is no input at all.
    NoInput,
    /// There is no output at all.
    NoOutput,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mismatch::NoGate { side, gate } => {
                write!(f, "{} has no gate `{gate}`, and {} has one", side.name(), side.other().name())
            }
            Mismatch::Gate { name, spec, implementation } => write!(
                f,
                "the gate `{name}` is not the same in both models: `{spec}` in the specification, `{implementation}` in \
                 the implementation model"
            ),
            Mismatch::NoInput => write!(f, "the models have no input gate, so they cannot be compared"),
            Mismatch::NoOutput => write!(f, "the models have no output gate, so they answer no input"),
        }
    }
}

impl std::error::Error for Mismatch {}

impl Mismatch {
    /// What to do.
    pub fn help(&self) -> String {
        match self {
            Mismatch::NoGate { gate, .. } => {
                format!("declare `{gate}` in both: a model that never uses a gate still has to declare it")
            }
            Mismatch::Gate { .. } => "declare the gates in one file and `import` it in both models".into(),
            Mismatch::NoInput | Mismatch::NoOutput => {
                "a comparison takes models that answer inputs with outputs".into()
            }
        }
    }
}

/// A side of a [`Joined`].
#[derive(Clone, Debug)]
pub(crate) struct Part {
    processes: Range<usize>,
    /// Switches that nobody takes by itself: to the location of a model that has left the comparison, by source.
    lost: FxHashMap<LocationId, SwitchId>,
}

/// Two models in one, side by side over the same gates. Ids of the specification are the same in both.
#[derive(Clone, Debug)]
pub struct Joined {
    /// The joined model.
    pub model: Model,
    spec: Part,
    implementation: Part,
    /// A switch that changes nothing: a place for conditions.
    pub(crate) mark: SwitchId,
    /// For each input gate, a switch of neither model that takes any input there and changes nothing: a place for the
    /// arguments of an input before it is known who takes it.
    any: FxHashMap<GateId, SwitchId>,
    /// Where the switches, the locations and the variables of the implementation model begin.
    switches: usize,
    locations: usize,
}

impl Joined {
    pub(crate) fn part(&self, side: Side) -> &Part {
        match side {
            Side::Spec => &self.spec,
            Side::Impl => &self.implementation,
        }
    }

    /// Whether a process belongs to a side.
    pub(crate) fn has_process(&self, side: Side, process: ProcessId) -> bool {
        self.part(side).processes.contains(&process.index())
    }

    /// The processes of a side.
    pub(crate) fn processes(&self, side: Side) -> Range<usize> {
        self.part(side).processes.clone()
    }

    /// The switch that takes any input at a gate, for neither model.
    pub(crate) fn any(&self, gate: GateId) -> Option<SwitchId> {
        self.any.get(&gate).copied()
    }

    /// The switch by which a process leaves the comparison.
    pub(crate) fn lost(&self, side: Side, at: LocationId) -> Option<SwitchId> {
        self.part(side).lost.get(&at).copied()
    }

    /// The switch in the model of the side.
    pub fn own_switch(&self, side: Side, switch: SwitchId) -> SwitchId {
        match side {
            Side::Spec => switch,
            Side::Impl => SwitchId::from_index(switch.index() - self.switches),
        }
    }

    /// The name of a location of the model of a side, without its process.
    pub(crate) fn location_name(&self, side: Side, location: LocationId) -> &str {
        let first = if side == Side::Impl { self.locations } else { 0 };
        &self.model.locations[LocationId::from_index(first + location.index())].name
    }

    /// The location in the model of the side; none for the one of a model that has left the comparison.
    pub fn own_location(&self, side: Side, location: LocationId) -> Option<LocationId> {
        let hidden = &self.model.locations[location];
        if hidden.hidden && hidden.name == LOST {
            return None;
        }
        match side {
            Side::Spec => Some(location),
            Side::Impl => Some(LocationId::from_index(location.index() - self.locations)),
        }
    }
}

/// The name of the location of a model that has left the comparison: S2's `err_s` and `err_t`.
const LOST: &str = "err";

/// Joins two models, if they have the same gates.
pub fn join(spec: &Model, implementation: &Model) -> Result<Joined, Mismatch> {
    let mut model = spec.clone();
    model.purposes = IdVec::new();
    model.written.clear();
    let mut carry = Carry::new(&mut model, implementation);
    carry.gates()?;
    let at = carry.copy();
    let Offsets { processes, locations, switches } = at;
    let spec_part = leave(&mut model, 0..processes);
    let implementation_part = leave(&mut model, processes..processes + implementation.processes.len());
    let mark = mark(&mut model);
    let any = any_input(&mut model, mark);
    if !model.gates.values().any(|g| g.direction == Direction::Input) {
        return Err(Mismatch::NoInput);
    }
    if !model.gates.values().any(|g| g.direction == Direction::Output) {
        return Err(Mismatch::NoOutput);
    }
    Ok(Joined { model, spec: spec_part, implementation: implementation_part, mark, any, switches, locations })
}

/// A switch that does nothing but lead somewhere; it is in no list of what leaves its source.
fn silent_switch(
    model: &mut Model,
    name: String,
    process: ProcessId,
    source: LocationId,
    target: LocationId,
) -> SwitchId {
    let guard = model.terms.bool(&model.sorts, true);
    model.switches.push(Switch {
        name,
        named: false,
        tags: Vec::new(),
        process,
        source,
        label: Label::Internal,
        params: Vec::new(),
        guard,
        is_else: false,
        update: Vec::new(),
        target,
    })
}

/// Adds to each process a location where it has left the comparison, and ways there.
fn leave(model: &mut Model, processes: Range<usize>) -> Part {
    let mut lost = FxHashMap::default();
    for p in processes.clone() {
        let process = ProcessId::from_index(p);
        let target = model.locations.push(Location {
            name: LOST.into(),
            process,
            is_final: true,
            hidden: true,
            outgoing: Vec::new(),
        });
        for source in model.processes[process].locations.clone() {
            lost.insert(source, silent_switch(model, LOST.into(), process, source, target));
        }
        lost.insert(target, silent_switch(model, LOST.into(), process, target, target));
    }
    Part { processes, lost }
}

/// Adds a process with one location, and a switch there.
fn mark(model: &mut Model) -> SwitchId {
    let process = model.processes.next_id();
    let initial = model.locations.push(Location {
        name: "mark".into(),
        process,
        is_final: true,
        hidden: true,
        outgoing: Vec::new(),
    });
    model.processes.push(Process {
        name: "mark".into(),
        template: "mark".into(),
        args: Vec::new(),
        initial,
        locations: vec![initial],
        variables: Vec::new(),
        switches: Vec::new(),
    });
    silent_switch(model, "mark".into(), process, initial, initial)
}

/// Adds a switch for every input gate beside the mark.
fn any_input(model: &mut Model, mark: SwitchId) -> FxHashMap<GateId, SwitchId> {
    let Switch { process, source, .. } = model.switches[mark];
    let inputs: Vec<GateId> =
        model.gates.iter().filter(|(_, g)| g.direction == Direction::Input).map(|(id, _)| id).collect();
    let mut any = FxHashMap::default();
    for gate in inputs {
        let switch = silent_switch(model, "any".into(), process, source, source);
        let of = |p: &Param| SwitchParam { name: p.name.clone(), sort: p.sort, term: None, tolerance: None };
        let params = model.gates[gate].params.iter().map(of).collect();
        let own = &mut model.switches[switch];
        (own.label, own.params) = (Label::Gate(gate), params);
        any.insert(gate, switch);
    }
    any
}

/// Where the parts of the implementation model begin.
struct Offsets {
    processes: usize,
    locations: usize,
    switches: usize,
}

/// Carries parts of one model over into another.
struct Carry<'a> {
    to: &'a mut Model,
    from: &'a Model,
    data: Vec<DataId>,
    sorts: FxHashMap<SortId, SortId>,
    terms: FxHashMap<TermId, TermId>,
    gates: Vec<GateId>,
    variables: usize,
    binders: usize,
}

impl<'a> Carry<'a> {
    fn new(to: &'a mut Model, from: &'a Model) -> Self {
        let (variables, binders) = (to.variables.len(), to.terms.binders.len());
        let mut carry = Carry {
            data: Vec::new(),
            sorts: FxHashMap::default(),
            terms: FxHashMap::default(),
            gates: Vec::new(),
            variables,
            binders,
            to,
            from,
        };
        carry.types();
        for b in from.terms.binders.values() {
            let sort = carry.sort(*b);
            carry.to.terms.binders.push(sort);
        }
        carry.to.terms.copy_levels(&from.terms, |b| BinderId::from_index(binders + b.index()));
        carry
    }

    /// Data types that look the same are the same; others are added.
    fn types(&mut self) {
        let same = same_types(&self.to.sorts, &self.from.sorts);
        let mut new = self.to.sorts.data.len();
        for known in &same {
            self.data.push(known.unwrap_or_else(|| {
                new += 1;
                DataId::from_index(new - 1)
            }));
        }
        for (known, (_, data)) in same.iter().zip(self.from.sorts.data.iter()) {
            if known.is_none() {
                let DataType { name, record, .. } = data.clone();
                // Its fields may speak of types that come later.
                self.to.sorts.data.push(DataType { name, record, constructors: Vec::new() });
            }
        }
        for (i, known) in same.iter().enumerate() {
            if known.is_none() {
                let mut constructors = self.from.sorts.data[DataId::from_index(i)].constructors.clone();
                for field in constructors.iter_mut().flat_map(|c| &mut c.fields) {
                    field.sort = self.sort(field.sort);
                }
                self.to.sorts.data[self.data[i]].constructors = constructors;
            }
        }
    }

    fn sort(&mut self, sort: SortId) -> SortId {
        if let Some(&known) = self.sorts.get(&sort) {
            return known;
        }
        let new = match self.from.sorts.get(sort).clone() {
            Sort::Data(data) => Sort::Data(self.data[data.index()]),
            Sort::Seq(item) => Sort::Seq(self.sort(item)),
            Sort::Set(item) => Sort::Set(self.sort(item)),
            Sort::Map(key, value) => Sort::Map(self.sort(key), self.sort(value)),
            other => other,
        };
        let id = self.to.sorts.intern(new);
        self.sorts.insert(sort, id);
        id
    }

    /// Finds the gates of the other model by their names.
    fn gates(&mut self) -> Result<(), Mismatch> {
        for gate in self.from.gates.values() {
            let Some(known) = self.to.gate(&gate.name) else {
                return Err(Mismatch::NoGate { side: Side::Spec, gate: written(self.from, gate) });
            };
            let params: Vec<SortId> = gate.params.iter().map(|p| self.sort(p.sort)).collect();
            let own = &self.to.gates[known];
            let same = own.direction == gate.direction && own.params.iter().map(|p| p.sort).eq(params);
            if !same {
                return Err(Mismatch::Gate {
                    name: gate.name.clone(),
                    spec: written(self.to, own),
                    implementation: written(self.from, gate),
                });
            }
            self.gates.push(known);
        }
        match self.to.gates.values().find(|g| self.from.gate(&g.name).is_none()) {
            Some(gate) => Err(Mismatch::NoGate { side: Side::Impl, gate: written(self.to, gate) }),
            None => Ok(()),
        }
    }

    fn var(&self, var: VarId) -> VarId {
        VarId::from_index(self.variables + var.index())
    }

    fn term(&mut self, term: TermId) -> TermId {
        if let Some(&known) = self.terms.get(&term) {
            return known;
        }
        let binders = self.binders;
        let binder = |b: BinderId| BinderId::from_index(binders + b.index());
        let new = match self.from.terms.get(term).clone() {
            Term::Const(value, sort) => {
                let sort = self.sort(sort);
                self.to.terms.constant(value, sort)
            }
            Term::Var(var, sort) => {
                let (var, sort) = (self.var(var), self.sort(sort));
                self.to.terms.var(var, sort)
            }
            Term::Param(i, sort) => {
                let sort = self.sort(sort);
                self.to.terms.param(i, sort)
            }
            Term::ProcessParam(i, sort) => {
                let sort = self.sort(sort);
                self.to.terms.process_param(i, sort)
            }
            Term::Symbol(y, sort) => {
                let sort = self.sort(sort);
                self.to.terms.symbol(y, sort)
            }
            Term::Bound(b, _) => self.to.terms.bound(&self.to.sorts, binder(b)),
            Term::App(op, args) => {
                let op = match op {
                    Op::Checked(sort) => Op::Checked(self.sort(sort)),
                    Op::Exists { first, count } => Op::Exists { first: binder(first), count },
                    Op::Each { each, first, count } => Op::Each { each, first: binder(first), count },
                    op => op,
                };
                let args: Vec<TermId> = args.iter().map(|a| self.term(*a)).collect();
                let sort = self.sort(self.from.terms.sort(term));
                self.to.terms.app(op, &args, sort)
            }
        };
        self.terms.insert(term, new);
        new
    }

    /// Copies processes, channels, variables, locations and switches.
    fn copy(mut self) -> Offsets {
        let from = self.from;
        let at = Offsets {
            processes: self.to.processes.len(),
            locations: self.to.locations.len(),
            switches: self.to.switches.len(),
        };
        let channels = self.to.channels.len();
        let process = |p: ProcessId| ProcessId::from_index(at.processes + p.index());
        let location = |l: LocationId| LocationId::from_index(at.locations + l.index());
        let switch = |s: SwitchId| SwitchId::from_index(at.switches + s.index());
        let channel = |c: ChannelId| ChannelId::from_index(channels + c.index());
        for c in from.channels.values() {
            let of = |p: &Param| Param { sort: self.sort(p.sort), ..p.clone() };
            let params = c.params.iter().map(of).collect();
            self.to.channels.push(Channel { name: c.name.clone(), params });
        }
        for p in from.processes.values() {
            self.to.processes.push(Process {
                initial: location(p.initial),
                locations: p.locations.iter().map(|l| location(*l)).collect(),
                variables: p.variables.iter().map(|v| self.var(*v)).collect(),
                switches: p.switches.iter().map(|s| switch(*s)).collect(),
                ..p.clone()
            });
        }
        for v in from.variables.values() {
            let variable = Variable { process: process(v.process), sort: self.sort(v.sort), ..v.clone() };
            self.to.variables.push(variable);
        }
        for l in from.locations.values() {
            let outgoing = l.outgoing.iter().map(|s| switch(*s)).collect();
            self.to.locations.push(Location { process: process(l.process), outgoing, ..l.clone() });
        }
        for s in from.switches.values() {
            let label = match s.label {
                Label::Gate(g) => Label::Gate(self.gates[g.index()]),
                Label::Send(c) => Label::Send(channel(c)),
                Label::Receive(c) => Label::Receive(channel(c)),
                Label::Internal => Label::Internal,
            };
            let mut params: Vec<SwitchParam> = s.params.clone();
            for p in &mut params {
                p.sort = self.sort(p.sort);
                p.term = p.term.map(|t| self.term(t));
            }
            let guard = self.term(s.guard);
            let update = s.update.iter().map(|(v, t)| (self.var(*v), self.term(*t))).collect();
            self.to.switches.push(Switch {
                process: process(s.process),
                source: location(s.source),
                target: location(s.target),
                label,
                params,
                guard,
                update,
                ..s.clone()
            });
        }
        at
    }
}

/// A gate as it is declared, without what it has none of.
fn written(model: &Model, gate: &Gate) -> String {
    gate_text(model, gate).trim_end_matches("()").to_owned()
}

/// For each data type of the second table, the one of the first that has the same name and the same constructors, over
/// types that are the same as well.
fn same_types(to: &Sorts, from: &Sorts) -> Vec<Option<DataId>> {
    let shape = |sorts: &Sorts, data: &DataType| -> Vec<String> {
        let of = |c: &sioco_model::sort::Constructor| {
            let fields = c.fields.iter().map(|f| format!("{}: {}", f.name, sorts.name(f.sort)));
            format!("{}({})", c.name, fields.collect::<Vec<_>>().join(", "))
        };
        data.constructors.iter().map(of).collect()
    };
    let find = |data: &DataType| {
        let known = to.data.iter().find(|(_, d)| d.name == data.name && d.record == data.record);
        known.filter(|(_, d)| shape(to, d) == shape(from, data)).map(|(id, _)| id)
    };
    let mut same: Vec<Option<DataId>> = from.data.values().map(find).collect();
    loop {
        let whole = |data: &DataType| {
            let mut fields = data.constructors.iter().flat_map(|c| &c.fields);
            fields.all(|f| inner(from, f.sort).is_none_or(|d| same[d.index()].is_some()))
        };
        let next: Vec<Option<DataId>> =
            same.iter().zip(from.data.values()).map(|(s, data)| s.filter(|_| whole(data))).collect();
        if next == same {
            return same;
        }
        same = next;
    }
}

/// The data type that a sort is made of, if it is.
fn inner(sorts: &Sorts, sort: SortId) -> Option<DataId> {
    match sorts.get(sort) {
        Sort::Data(data) => Some(*data),
        Sort::Seq(item) | Sort::Set(item) => inner(sorts, *item),
        // One of the two decides less than it could: types that are not compared are taken to be different.
        Sort::Map(key, value) => inner(sorts, *value).or_else(|| inner(sorts, *key)),
        _ => None,
    }
}
