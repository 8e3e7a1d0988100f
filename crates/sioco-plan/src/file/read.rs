//! Reading a plan back, for a model that may have changed since.

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value as Json;
use sioco_model::model::{Direction, Model};
use sioco_model::purpose::{Pattern, Purpose as Written};
use sioco_model::term::Term;
use sioco_model::{Id, LocationId, SortId, TermId, Value, print};
use sioco_solve::Reason;
use sioco_symbolic::step::Step;

use super::document::{atom_text, parameter};
use super::explain::{
    NoSwitch, STOPS, find_switch, read_infeasible, read_reason, read_steering, read_step, read_values,
};
use super::fingerprint::{fingerprint, gate_text};
use super::locate::{self, Key};
use super::wrong::{Read, Wrong, field, flag, is, list, number, optional, text, word, wrong};
use super::{FORMAT, FileError, Loaded, Misfit, VERSION, in_short};
use crate::case::{Case, Other, Spot};
use crate::cover::Cover;
use crate::event::Event;
use crate::goal::{Goal, State};
use crate::plan::{Counts, Plan};
use crate::purpose::{Leg, Node, Purpose, PurposeId};
use crate::value;
use crate::want::{Side, Want, param_sorts};

/// What to do about a file that is damaged.
const AGAIN: &str = "make it again with `sioco plan FILE --output PLAN.json`";

/// The plan in a text, as far as it fits the model: names, places and parameters are looked up; whether its paths are
/// still possible is not asked, see [`retake`](super::retake).
pub fn read(text: &str, model: &Model) -> Result<Loaded, FileError> {
    let error =
        |line: Option<usize>, what: String, help: &str| FileError { line, what: in_short(what), help: help.into() };
    let json: Json = serde_json::from_str(text).map_err(|e| match (text.trim().is_empty(), e.is_eof()) {
        (true, _) => error(None, "the file is empty".into(), AGAIN),
        (_, true) => error(Some(e.line()), "the file is truncated".into(), AGAIN),
        _ => {
            // Its place is told apart.
            let what = e.to_string();
            let what = what.split(" at line ").next().unwrap_or_default();
            error(Some(e.line()), format!("this is not JSON: {what}"), "give a file that `sioco plan --output` wrote")
        }
    })?;
    let format = json.get("format").and_then(Json::as_str);
    if format != Some(FORMAT) {
        let what = match format {
            Some(other) => format!("this is a `{other}` file, not a plan"),
            None => format!("this is not a plan: it has no `\"format\": \"{FORMAT}\"`"),
        };
        let line = locate::line(text, &[Key::Field("format")]);
        return Err(error(Some(line), what, "give a file that `sioco plan --output` wrote"));
    }
    if let Some(version) = json.get("version").and_then(Json::as_u64).filter(|v| *v > VERSION || *v == 0) {
        let what = format!("this plan has format version {version}; this sioco reads up to version {VERSION}");
        let line = locate::line(text, &[Key::Field("version")]);
        return Err(error(Some(line), what, "use a newer sioco, or make the plan again with this one"));
    }
    let damaged = |mut wrong: Wrong| {
        wrong.keys.reverse();
        let line = locate::line(text, &wrong.keys);
        let what = match wrong.keys.is_empty() {
            true => format!("the document {}", wrong.what),
            false => format!("`{}` {}", locate::name(&wrong.keys), wrong.what),
        };
        error(Some(line), what, AGAIN)
    };
    plan(&json, model).map_err(damaged)
}

struct Reader<'m> {
    model: &'m Model,
    same: bool,
    misfits: Vec<Misfit>,
}

fn plan(json: &Json, model: &Model) -> Read<Loaded> {
    field(json, "version", number)?;
    let (name, print) = field(json, "model", |m| Ok((field(m, "name", text)?, field(m, "fingerprint", text)?)))?;
    let same = print == format!("{:016x}", fingerprint(model));
    let mut reader = Reader { model, same, misfits: Vec::new() };
    field(json, "model", |m| field(m, "gates", |gates| reader.gates(gates)))?;
    let cover = field(json, "cover", |c| {
        Cover::recorded(text(c)?).or_else(|why| wrong(format!("is not a value of `--cover`: {why}")))
    })?;
    let strict = field(json, "options", |o| field(o, "strict", flag))?;
    let goals = field(json, "goals", |g| list(g, |g| reader.goal(g)))?;
    let mut at = 0;
    let purposes = field(json, "purposes", |p| {
        list(p, |p| {
            at += 1;
            reader.purpose(p, PurposeId::from_index(at - 1), goals.len())
        })
    })?;
    let count = purposes.len();
    for (i, (_, state)) in goals.iter().enumerate() {
        if let State::Covered { by, .. } = state
            && let Some(wild) = by.iter().map(|p| p.index()).find(|p| *p >= count)
        {
            let keys = vec![Key::Field("by"), Key::Item(i), Key::Field("goals")];
            return Err(Wrong { keys, what: format!("names purpose {wild}, but there are only {count}") });
        }
    }
    let counts = optional(json, "counts", |c| {
        let of = |name| Ok::<_, Wrong>(optional(c, name, number)?.unwrap_or(0));
        Ok(Counts {
            nodes: of("nodes")?,
            candidates: of("candidates")?,
            impossible: of("impossible")?,
            cut: of("cut")?,
            unfinished: of("unfinished")?,
        })
    })?;
    // What was found out about another model says nothing about this one.
    let steering = if same { optional(json, "steering", |s| read_steering(model, s))? } else { None };
    let stop = field(json, "stop", |s| word(s, &STOPS))?;
    let length = optional(json, "length", number)?;
    let counts = counts.unwrap_or_default();
    let misfits = reader.misfits;
    let mut loaded = Loaded {
        plan: Plan { cover, strict, goals: Vec::new(), purposes: Vec::new(), length, steering, stop, counts },
        cases: Vec::new(),
        numbers: Vec::new(),
        misfits,
        same,
        model: name.to_owned(),
    };
    loaded.fill(model, goals, purposes);
    Ok(loaded)
}

impl Loaded {
    /// Keeps the goals and purposes that are about something, with new numbers.
    fn fill(&mut self, model: &Model, goals: Vec<(Option<Goal>, State)>, purposes: Vec<Option<(Purpose, Case)>>) {
        let mut place = vec![None; goals.len()];
        let mut kept = 0;
        for (i, (goal, _)) in goals.iter().enumerate() {
            if goal.is_some() {
                place[i] = Some(kept);
                kept += 1;
            }
        }
        let mut new = vec![None; purposes.len()];
        for (i, found) in purposes.into_iter().enumerate() {
            let Some((mut purpose, case)) = found else { continue };
            purpose.goals = purpose.goals.iter().filter_map(|g| place[*g]).collect();
            new[i] = Some(PurposeId::from_index(self.numbers.len()));
            self.numbers.push(PurposeId::from_index(i));
            self.plan.purposes.push(purpose);
            self.cases.push(case);
        }
        for (goal, state) in goals {
            let Some(goal) = goal else { continue };
            let state = match state {
                State::Covered { by, doubt } => covered(by.iter().filter_map(|p| new[p.index()]).collect(), doubt),
                state => state,
            };
            self.plan.goals.push((goal, state));
        }
        self.new_goals(model);
    }

    /// What the cover should have in it and the plan does not.
    fn new_goals(&mut self, model: &Model) {
        let has = |goal: &Goal| self.plan.goals.iter().any(|(g, _)| g == goal);
        let mut missing = Vec::new();
        if self.plan.cover == Cover::Switch {
            let new = model.switches.iter().filter(|(s, _)| !has(&Goal::Switch(*s)));
            missing.extend(new.map(|(_, s)| ("switch", s.name.clone())));
        }
        if self.plan.cover == Cover::Location {
            let new = model.locations.iter().filter(|(id, l)| !l.hidden && !has(&Goal::Location(*id)));
            missing.extend(new.map(|(id, _)| ("location", model.location_name(id))));
        }
        self.misfits.extend(missing.into_iter().map(|(kind, name)| Misfit::NewGoal { kind, name }));
    }
}

/// The state of a goal that these purposes are left for.
pub(super) fn covered(by: Vec<PurposeId>, doubt: bool) -> State {
    match by.is_empty() {
        true => State::Unknown(Reason::Undecided("the purposes that cover it no longer fit the model".into())),
        false => State::Covered { by, doubt },
    }
}

impl Reader<'_> {
    fn gates(&mut self, json: &Json) -> Read<()> {
        let Some(gates) = json.as_object() else { return wrong("must be an object") };
        for (name, was) in gates {
            let was = text(was)?.to_owned();
            let is = self.model.gate(name).map(|g| gate_text(self.model, &self.model.gates[g]));
            if is.as_ref() != Some(&was) {
                self.misfits.push(Misfit::Gate { gate: name.clone(), was, is });
            }
        }
        Ok(())
    }

    fn goal(&mut self, json: &Json) -> Read<(Option<Goal>, State)> {
        let model = self.model;
        let goal = if let Some(name) = optional(json, "switch", text)? {
            self.found("switch", name, find_switch(model, name).map(Goal::Switch))
        } else if let Some(name) = optional(json, "location", text)? {
            let found = model.locations.ids().find(|l| model.location_name(*l) == name);
            self.found("location", name, found.map(Goal::Location))
        } else if let Some(name) = optional(json, "class", text)? {
            Some(Goal::Class(name.to_owned()))
        } else if let Some(name) = optional(json, "transition", text)? {
            Some(Goal::Transition(name.to_owned()))
        } else if let Some(atom) = optional(json, "atom", |a| self.atom(a, None))? {
            match atom {
                Some(Want::Atom { switch, atom, side }) => Some(Goal::Atom { switch, atom, side }),
                _ => None,
            }
        } else {
            let name = field(json, "written", text)?;
            self.found("purpose", name, model.purpose(name).map(Goal::Written))
        };
        let state = match field(json, "state", text)? {
            "covered" => {
                State::Covered { by: field(json, "by", |b| list(b, purpose_id))?, doubt: is(json, "perhaps")? }
            }
            "infeasible" if self.same => State::Infeasible(field(json, "why", |w| read_infeasible(model, w))?),
            "infeasible" => {
                State::Unknown(Reason::Undecided("it was infeasible, but the model has changed since".into()))
            }
            "not reached" => State::NotReached(field(json, "stop", |s| word(s, &STOPS))?),
            "unknown" => State::Unknown(field(json, "reason", read_reason)?),
            other => return wrong(format!("has an unknown state \"{other}\"")),
        };
        Ok((goal, state))
    }

    fn found(&mut self, kind: &'static str, name: &str, goal: Option<Goal>) -> Option<Goal> {
        if goal.is_none() {
            self.misfits.push(Misfit::NoGoal { kind, name: name.to_owned() });
        }
        goal
    }

    /// A side of an atom; nothing if the guard has no such atom any more.
    fn atom(&mut self, json: &Json, purpose: Option<PurposeId>) -> Read<Option<Want>> {
        let (name, was) = (field(json, "switch", text)?, field(json, "text", text)?);
        let number = field(json, "number", number)?;
        let sides = Side::ALL.map(|s| (s.name(), s));
        let side = field(json, "side", |s| word(s, &sides))?;
        let switch = find_switch(self.model, name);
        let fits = switch.filter(|s| atom_text(self.model, *s, number).as_deref() == Some(was));
        if fits.is_none() {
            self.misfits.push(Misfit::Guard { purpose, switch: name.to_owned(), was: was.to_owned() });
        }
        Ok(fits.map(|switch| Want::Atom { switch, atom: number, side }))
    }

    /// A purpose with its values; nothing if it does not fit.
    fn purpose(&mut self, json: &Json, at: PurposeId, goals: usize) -> Read<Option<(Purpose, Case)>> {
        let before = self.misfits.len();
        let model = self.model;
        let goals = field(json, "goals", |g| {
            list(g, |g| {
                let g = number(g)?;
                if g < goals { Ok(g) } else { wrong(format!("is goal {g}, but there are only {goals}")) }
            })
        })?;
        let mut purpose = Purpose { nodes: Vec::new(), goals, ..Purpose::default() };
        let mut case = Case::default();
        let mut places: Vec<(usize, Vec<LocationId>)> = Vec::new();
        field(json, "nodes", |nodes| {
            list(nodes, |node| {
                let fits = self.node(node, at, &mut purpose, &mut case, &mut places)?;
                if !fits {
                    // The rest is read all the same: what is damaged is told first.
                    let parent = purpose.nodes.len().checked_sub(1);
                    purpose.nodes.push(Node { parent, leg: None, accept: false, answer: false, doubt: None });
                    case.nodes.push(Spot::default());
                    places.push(places.last().cloned().unwrap_or_default());
                }
                Ok(())
            })
        })?;
        if purpose.nodes.is_empty() {
            return wrong("has no nodes");
        }
        if purpose.accepts().next().is_none() {
            return wrong("has no node with `accept`");
        }
        case.start = match optional(json, "start", |s| Ok((s, read_values(model, s))))? {
            None => Vec::new(),
            Some((_, Ok(values))) => values,
            Some((_, Err(mut wrong))) if self.same => {
                wrong.keys.push(Key::Field("start"));
                return Err(wrong);
            }
            Some(_) => {
                // Values for another model are no use.
                case.nodes.iter_mut().for_each(|n| n.values = None);
                Vec::new()
            }
        };
        case.unknown = optional(json, "unknown", read_reason)?;
        purpose.probe = optional(json, "probe", |p| list(p, |p| self.probe(p)))?.unwrap_or_default();
        let usable = self.misfits[before..].iter().all(|m| m.purpose().is_none());
        Ok(usable.then_some((purpose, case)))
    }

    /// A node; says whether its step fits.
    fn node(
        &mut self,
        json: &Json,
        at: PurposeId,
        purpose: &mut Purpose,
        case: &mut Case,
        places: &mut Vec<(usize, Vec<LocationId>)>,
    ) -> Read<bool> {
        let model = self.model;
        let accept = is(json, "accept")?;
        let Some(parent) = optional(json, "parent", number)? else {
            if !purpose.nodes.is_empty() {
                return wrong("has no `parent`, but is not the first");
            }
            purpose.nodes.push(Node { parent: None, leg: None, accept, answer: false, doubt: None });
            let (others, cut) = self.others(json)?;
            case.nodes.push(Spot { others, cut, ..Spot::default() });
            places.push((0, model.processes.values().map(|p| p.initial).collect()));
            return Ok(true);
        };
        if parent >= purpose.nodes.len() {
            return wrong(format!("has the parent {parent}, which does not come before it"));
        }
        let step = match field(json, "step", |s| read_step(model, s))? {
            Ok(step) => step,
            Err(NoSwitch(name)) => {
                let misfit = Misfit::NoSwitch { purpose: at, name };
                if !self.misfits.contains(&misfit) {
                    self.misfits.push(misfit);
                }
                return Ok(ends(purpose, accept));
            }
        };
        let (depth, mut locations) = places[parent].clone();
        let broken = self.misfits.iter().any(|m| m.purpose() == Some(at));
        let here = step.switches().all(|s| {
            let s = &model.switches[s];
            locations.get(s.process.index()) == Some(&s.source)
        });
        if !here || !is_step(model, step) {
            // One step in the wrong place explains the others.
            if !broken {
                let locations = locations.iter().map(|l| model.location_name(*l)).collect();
                let step = step.name(model);
                self.misfits.push(Misfit::NotHere { purpose: at, at: depth + 1, step, locations });
            }
            return Ok(ends(purpose, accept));
        }
        for s in step.switches() {
            let s = &model.switches[s];
            locations[s.process.index()] = s.target;
        }
        let way = || purpose.line(parent).iter().map(|leg| leg.step).chain([step]).collect();
        let wants = optional(json, "wants", |w| list(w, |w| self.want(w, at, step, depth + 1, &way)))?;
        let wants = wants.unwrap_or_default();
        let leg = Leg { step, wants: wants.into_iter().flatten().collect() };
        let doubt = optional(json, "doubt", read_reason)?;
        purpose.nodes.push(Node {
            parent: Some(parent),
            leg: Some(leg),
            accept,
            answer: is(json, "answer")?,
            doubt: doubt.map(Box::new),
        });
        let values = optional(json, "args", |a| self.args(a, step))?.flatten();
        let (others, cut) = self.others(json)?;
        let (apart, another_start) = (is(json, "apart")?, is(json, "another_start")?);
        let other_outputs = is(json, "other_outputs")?;
        case.nodes.push(Spot { values, apart, another_start, other_outputs, others, cut });
        places.push((depth + 1, locations));
        Ok(true)
    }

    fn want(
        &mut self,
        json: &Json,
        at: PurposeId,
        step: Step,
        depth: usize,
        way: &dyn Fn() -> Vec<Step>,
    ) -> Read<Option<Want>> {
        if let Some(values) = optional(json, "values", |v| self.args(v, step))? {
            // One step explains the others.
            if values.is_none() && self.misfits.iter().all(|m| m.purpose() != Some(at)) {
                let step = step.name(self.model);
                self.misfits.push(Misfit::Values { purpose: at, at: depth, step });
            }
            return Ok(values.map(Want::Values));
        }
        let Some(written) = json.get("written") else { return field(json, "atom", |a| self.atom(a, Some(at))) };
        let model = self.model;
        let (name, was) = (field(written, "purpose", text)?, field(written, "condition", text)?);
        let first = optional(written, "number", number)?;
        let slots = field(written, "slots", |s| {
            list(s, |s| match list(s, number)?[..] {
                [slot, step, arg] => Ok((u32::try_from(slot).unwrap_or(u32::MAX), step, arg)),
                _ => wrong("must have three numbers"),
            })
        })?;
        let (negated, after) = (is(written, "negated")?, is(written, "after")?);
        let whole = self.misfits.iter().all(|m| m.purpose() != Some(at));
        let sorts = sorts_of_slots(model, &slots, &way());
        if let Err((step, arg)) = &sorts
            && self.same
            && whole
        {
            return wrong(format!("has the value {arg} of step {step}, which is not on the path"));
        }
        let sorts = sorts.unwrap_or_default();
        let found = model.purpose(name).and_then(|purpose| {
            let written = &model.purposes[purpose];
            let conditions = conditions(written);
            // Several may read the same and mean values of different events.
            let bound = |(n, sort): &(u32, SortId)| sorts.get(n) == Some(&model.sorts.base(*sort));
            let fits =
                |c: &TermId| print::condition(model, written, *c) == was && read_slots(model, *c).iter().all(bound);
            let same = first.and_then(|n| conditions.get(n).copied()).filter(fits);
            let condition = same.or_else(|| conditions.into_iter().find(fits))?;
            Some(Want::Written { purpose, condition, slots, negated, after })
        });
        if found.is_none() {
            self.misfits.push(Misfit::Written { purpose: at, name: name.to_owned(), was: was.to_owned() });
        }
        Ok(found)
    }

    fn args(&self, json: &Json, step: Step) -> Read<Option<Vec<Value>>> {
        let Some(object) = json.as_object() else { return wrong("must be an object") };
        let Some(switch) = step.switches().next() else { return Ok(Some(Vec::new())) };
        let params = &self.model.switches[switch].params;
        let mut values = Vec::new();
        for (i, p) in params.iter().enumerate() {
            let name = parameter(self.model, switch, i);
            let found = object.get(&name).and_then(|j| value::read(&self.model.sorts, p.sort, j));
            match found {
                Some(value) => values.push(value),
                None if self.same => {
                    let sort = self.model.sorts.name(p.sort);
                    return wrong(format!("has no value of `{sort}` for `{name}`"));
                }
                None => return Ok(None),
            }
        }
        Ok(Some(values))
    }

    /// An input that nothing is said about.
    fn probe(&self, json: &Json) -> Read<Event> {
        let name = field(json, "gate", text)?;
        let found = self.model.gate(name).filter(|g| self.model.gates[*g].direction == Direction::Input);
        let Some(gate) = found else { return wrong(format!("has the gate `{name}`, but the model has no such input")) };
        let of = |p: &sioco_model::model::Param| {
            field(json, "args", |args| {
                match args.get(&p.name).and_then(|j| value::read(&self.model.sorts, p.sort, j)) {
                    Some(value) => Ok(value),
                    None => wrong(format!("has no value of `{}` for `{}`", self.model.sorts.name(p.sort), p.name)),
                }
            })
        };
        let args = self.model.gates[gate].params.iter().map(of).collect::<Read<_>>()?;
        Ok(Event { gate, args })
    }

    fn others(&self, json: &Json) -> Read<(Vec<Other>, bool)> {
        let others = optional(json, "others", |o| {
            list(o, |o| {
                let step = field(o, "step", |s| read_step(self.model, s))?;
                Ok((step, is(o, "perhaps")?, is(o, "another_start")?))
            })
        })?;
        let others = others.unwrap_or_default().into_iter();
        let other = |(step, perhaps, another_start): (Result<Step, _>, bool, bool)| {
            Some(Other { step: step.ok()?, perhaps, another_start })
        };
        Ok((others.filter_map(other).collect(), is(json, "cut")?))
    }
}

/// The conditions of a purpose that was written, in order.
pub(super) fn conditions(purpose: &Written) -> Vec<TermId> {
    fn collect(pattern: &Pattern, found: &mut Vec<TermId>) {
        match pattern {
            Pattern::Event(event) => found.extend(event.condition),
            Pattern::Sequence(parts) | Pattern::Choice(parts) => parts.iter().for_each(|p| collect(p, found)),
            Pattern::Repeat { body, .. } => collect(body, found),
            Pattern::Anything => {}
            Pattern::At { condition, .. } => found.extend(*condition),
        }
    }
    let mut found = Vec::new();
    collect(&purpose.pattern, &mut found);
    found.extend(purpose.rejects.iter().filter_map(|e| e.condition));
    found
}

/// The sorts of the values that slots stand for, on a way of these steps; which value there is not.
fn sorts_of_slots(
    model: &Model,
    slots: &[(u32, usize, usize)],
    way: &[Step],
) -> Result<FxHashMap<u32, SortId>, (usize, usize)> {
    let mut found = FxHashMap::default();
    for (slot, step, arg) in slots {
        let sort = way.get(*step).and_then(|step| param_sorts(model, *step).get(*arg).copied());
        let sort = sort.ok_or((*step, *arg))?;
        // Of several the first one counts.
        found.entry(*slot).or_insert(model.sorts.base(sort));
    }
    Ok(found)
}

/// The slots that a condition reads, with their sorts.
fn read_slots(model: &Model, condition: TermId) -> Vec<(u32, SortId)> {
    let mut found = Vec::new();
    let mut open = vec![condition];
    let mut seen = FxHashSet::default();
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        match model.terms.get(term) {
            Term::Param(n, sort) => found.push((*n, *sort)),
            Term::App(_, args) => open.extend(args.iter().copied()),
            _ => {}
        }
    }
    found
}

/// The place of a purpose in a file. No file has so many that a place beyond all ids could be meant.
fn purpose_id(json: &Json) -> Read<PurposeId> {
    number(json).map(|place| PurposeId::from_index(place.min(u32::MAX as usize)))
}

/// A node that does not fit is still an end, so that the purpose is not called damaged besides.
fn ends(purpose: &mut Purpose, accept: bool) -> bool {
    if let Some(root) = purpose.nodes.first_mut() {
        root.accept |= accept;
    }
    false
}

/// Whether switches make a step together: a gate or an internal one alone, a send with a receive of the same channel.
fn is_step(model: &Model, step: Step) -> bool {
    use sioco_model::model::Label;
    match step {
        Step::Switch(s) => matches!(model.switches[s].label, Label::Gate(_) | Label::Internal),
        Step::Handshake { send, receive } => {
            let (send, receive) = (&model.switches[send], &model.switches[receive]);
            match (send.label, receive.label) {
                (Label::Send(a), Label::Receive(b)) => a == b && send.process != receive.process,
                _ => false,
            }
        }
        Step::Delta | Step::Divergence => true,
    }
}
