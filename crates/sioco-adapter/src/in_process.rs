//! Rust code as a system under test, in the same process: for those who test their own.
//!
//! ```
//! use std::collections::VecDeque;
//! use sioco_adapter::in_process::{Args, InProcess, Output, System};
//!
//! /// What is to be tested.
//! #[derive(Default)]
//! struct Accumulator {
//!     sum: i64,
//!     answers: VecDeque<i64>,
//! }
//!
//! impl System for Accumulator {
//!     fn reset(&mut self) {
//!         *self = Accumulator::default();
//!     }
//!
//!     fn input(&mut self, gate: &str, args: Args<'_>) {
//!         match gate {
//!             "inX" => self.sum += args.get::<i64>("p"),
//!             _ => unreachable!("the model has no other input"),
//!         }
//!         self.answers.push_back(self.sum);
//!     }
//!
//!     fn output(&mut self) -> Option<Output> {
//!         self.answers.pop_front().map(|sum| Output::new("outX", sum))
//!     }
//! }
//!
//! # let text = "input inX(p: Int)\noutput outX(p: Int)\nprocess P { init l { ?inX(_) -> m } state m { !outX(any p) -> l } }";
//! # let model = sioco_lang::check_text("accumulator.sts", text).model.expect("a model").model;
//! let mut sut = InProcess::new(&model, Accumulator::default);
//! # use sioco_exec::{GateValue, Observation, Polled, Sut, SutEvent};
//! # use sioco_model::Value;
//! # let wait = std::time::Duration::from_secs(1);
//! # sut.reset(sioco_exec::RunNumber(1), 0).expect("a reset");
//! # sut.send(1, &GateValue { gate: model.gate("inX").expect("a gate"), args: vec![Value::Int(6)] }).expect("sent");
//! # assert_eq!(sut.poll(wait), Ok(Polled::Event(SutEvent::Accepted { id: 1 })));
//! # let out = GateValue { gate: model.gate("outX").expect("a gate"), args: vec![Value::Int(6)] };
//! # assert_eq!(sut.poll(wait), Ok(Polled::Event(SutEvent::Observed(Observation::Output(out)))));
//! # assert_eq!(sut.poll(wait), Ok(Polled::Event(SutEvent::Observed(Observation::Delta))));
//! ```
//!
//! A panic in `input` or `output` is a crash of the system, and a crash is an observation: the run fails, unless the
//! model has the output `crashed` there. The next run begins with a new system. A panic of the connecting code is a
//! fault, not a verdict. The connecting code is [`Args::get`], [`reset`](System::reset), the function that makes a
//! new system, and everything in [`glue`]. Some ends cannot be caught, and end the whole process:
//! `std::process::exit`, and an abort. An abort comes from a second panic while the first one unwinds, from a stack
//! overflow, or from any panic in a program that is built with `panic = "abort"`. A call that never returns holds up
//! everything. A panic on another thread of the system is only seen if the system passes it on.

mod panics;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, Hash};
use std::ops::Deref;
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use sioco_exec::{Crash, Fault, FaultKind, GateValue, Observation, Order, Polled, RunNumber, Sut, SutEvent};
use sioco_model::model::{CLOSED, CRASHED, Direction, Gate, Model, Param};
use sioco_model::number::{self, to_big, to_rational};
use sioco_model::sort::{Sort, Sorts};
use sioco_model::visible::shortened;
use sioco_model::{SortId, Value};

pub use self::panics::glue;
use self::panics::{Caught, catch, give_up};
use crate::lines::{Interrupt, later};
use crate::protocol::{GateValueError, gate_of};
use crate::values::{Misread, argument, keep_digits};

/// At most this many outputs are taken before an input. A system that always has another one would otherwise never get
/// the input; the remaining ones are taken after it.
const OUTPUTS_BEFORE_INPUT: usize = 1000;
/// A system that does things by itself is asked for outputs this often. An output is seen at most a millisecond late,
/// which is little beside the usual quiescence time of 100 ms; more often would keep a core busy.
const OUTPUT_CHECK: Duration = Duration::from_millis(1);

/// A system under test. Gates are named as in the model.
pub trait System {
    /// Goes to the initial state.
    fn reset(&mut self);

    /// The same, with a seed for a system that does things at random.
    fn reset_with_seed(&mut self, seed: u64) {
        let _ = seed;
        self.reset();
    }

    /// Takes an input.
    fn input(&mut self, gate: &str, args: Args<'_>);

    /// Gives the next output, if there is one.
    fn output(&mut self) -> Option<Output>;

    /// Whether no output means that none will come before the next input. A system with threads or timers of its own
    /// says no: then the quiescence time decides.
    fn settles(&self) -> bool {
        true
    }
}

/// The values of an input: a slice, with the names of the parameters.
#[derive(Clone, Copy)]
pub struct Args<'a> {
    sorts: &'a Sorts,
    gate: &'a Gate,
    values: &'a [Value],
}

impl Args<'_> {
    /// The value of a parameter, as a Rust type.
    ///
    /// # Panics
    /// If there is no such parameter, or its values are of another type. In a [`System`] that becomes a fault: it is an error
    /// of the test, and no crash of the system.
    #[track_caller]
    pub fn get<T: FromArg>(&self, name: &str) -> T {
        match self.gate.params.iter().position(|p| p.name == name) {
            Some(at) => self.at(at),
            None => give_up(format!("`{}` has no parameter `{name}`", self.gate.name)),
        }
    }

    /// The value of a parameter by its position, from 0.
    ///
    /// # Panics
    /// As [`get`](Args::get).
    #[track_caller]
    pub fn at<T: FromArg>(&self, position: usize) -> T {
        let (Some(param), Some(value)) = (self.gate.params.get(position), self.values.get(position)) else {
            give_up(format!("`{}` has no parameter at {position}", self.gate.name));
        };
        match T::from_arg(self.sorts, param.sort, value) {
            Some(value) => value,
            None => {
                let (shown, wanted) = (self.sorts.show(param.sort, value), std::any::type_name::<T>());
                give_up(format!(
                    "`{}` of `{}` is {shown}, which is not a value of type {wanted}",
                    param.name, self.gate.name
                ))
            }
        }
    }
}

impl Deref for Args<'_> {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        self.values
    }
}

/// A Rust type that values of the model can be taken as.
pub trait FromArg: Sized {
    /// The value of a sort as this type, if it is one.
    fn from_arg(sorts: &Sorts, sort: SortId, value: &Value) -> Option<Self>;
}

/// A Rust type that can be a value of the model.
pub trait IntoArg {
    /// What it stands for.
    fn into_arg(self) -> Arg;
}

/// A value of an output.
#[derive(Clone, PartialEq, Debug)]
pub enum Arg {
    /// A value of the model.
    Value(Value),
    /// What stands for it in the protocol; see [`sioco_plan::value`].
    Json(Json),
    /// A sequence.
    Seq(Vec<Arg>),
    /// A set, in any order.
    Set(Vec<Arg>),
    /// A map, in any order.
    Map(Vec<(Arg, Arg)>),
}

macro_rules! integers {
    ($($int:ty)*) => {$(
        impl FromArg for $int {
            fn from_arg(_: &Sorts, _: SortId, value: &Value) -> Option<Self> {
                to_big(value)?.try_into().ok()
            }
        }
        impl IntoArg for $int {
            fn into_arg(self) -> Arg {
                Arg::Value(number::int(self.into()))
            }
        }
    )*};
}
integers! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }

impl FromArg for bool {
    fn from_arg(_: &Sorts, _: SortId, value: &Value) -> Option<Self> {
        value.as_bool()
    }
}

impl IntoArg for bool {
    fn into_arg(self) -> Arg {
        Arg::Value(Value::Bool(self))
    }
}

/// A string, or the name of a constructor.
impl FromArg for String {
    fn from_arg(sorts: &Sorts, sort: SortId, value: &Value) -> Option<Self> {
        match (value, sorts.get(sort)) {
            (Value::Str(text), _) => Some(text.as_ref().to_string()),
            (_, Sort::Data(data)) => {
                Some(sorts.data[*data].constructors.get(value.constructor()? as usize)?.name.clone())
            }
            _ => None,
        }
    }
}

/// A string, or the name of a constructor without fields.
impl IntoArg for &str {
    fn into_arg(self) -> Arg {
        Arg::Json(self.into())
    }
}

/// A string, or the name of a constructor without fields.
impl IntoArg for String {
    fn into_arg(self) -> Arg {
        Arg::Json(self.into())
    }
}

/// The nearest number.
impl FromArg for f64 {
    fn from_arg(_: &Sorts, _: SortId, value: &Value) -> Option<Self> {
        Some(to_rational(value)?.to_f64().value())
    }
}

/// The number as it is written with as few digits as tell it from others.
impl IntoArg for f64 {
    fn into_arg(self) -> Arg {
        let text = format!("{self:?}");
        // What is no number is no value either.
        let number = keep_digits(&text).ok().and_then(|text| serde_json::from_str(&text).ok());
        Arg::Json(number.unwrap_or_else(|| text.into()))
    }
}

impl<T: FromArg> FromArg for Vec<T> {
    fn from_arg(sorts: &Sorts, sort: SortId, value: &Value) -> Option<Self> {
        match (value, sorts.get(sort)) {
            (Value::Seq(items), Sort::Seq(item)) => items.iter().map(|v| T::from_arg(sorts, *item, v)).collect(),
            _ => None,
        }
    }
}

/// A sequence.
impl<T: IntoArg> IntoArg for Vec<T> {
    fn into_arg(self) -> Arg {
        Arg::Seq(self.into_iter().map(T::into_arg).collect())
    }
}

/// The items of a set.
fn from_set<T: FromArg, C: FromIterator<T>>(sorts: &Sorts, sort: SortId, value: &Value) -> Option<C> {
    match (value, sorts.get(sort)) {
        (Value::Set(items), Sort::Set(item)) => items.iter().map(|v| T::from_arg(sorts, *item, v)).collect(),
        _ => None,
    }
}

/// The entries of a map.
fn from_map<K: FromArg, V: FromArg, C: FromIterator<(K, V)>>(sorts: &Sorts, sort: SortId, value: &Value) -> Option<C> {
    match (value, sorts.get(sort)) {
        (Value::Map(entries), Sort::Map(key, item)) => {
            let entry = |(k, v): &(Value, Value)| Some((K::from_arg(sorts, *key, k)?, V::from_arg(sorts, *item, v)?));
            entries.iter().map(entry).collect()
        }
        _ => None,
    }
}

fn into_map<K: IntoArg, V: IntoArg>(entries: impl IntoIterator<Item = (K, V)>) -> Arg {
    Arg::Map(entries.into_iter().map(|(k, v)| (k.into_arg(), v.into_arg())).collect())
}

impl<T: FromArg + Ord> FromArg for BTreeSet<T> {
    fn from_arg(sorts: &Sorts, sort: SortId, value: &Value) -> Option<Self> {
        from_set::<T, _>(sorts, sort, value)
    }
}

/// A set.
impl<T: IntoArg> IntoArg for BTreeSet<T> {
    fn into_arg(self) -> Arg {
        Arg::Set(self.into_iter().map(T::into_arg).collect())
    }
}

impl<T: FromArg + Eq + Hash, S: BuildHasher + Default> FromArg for HashSet<T, S> {
    fn from_arg(sorts: &Sorts, sort: SortId, value: &Value) -> Option<Self> {
        from_set::<T, _>(sorts, sort, value)
    }
}

/// A set.
impl<T: IntoArg, S: BuildHasher> IntoArg for HashSet<T, S> {
    fn into_arg(self) -> Arg {
        Arg::Set(self.into_iter().map(T::into_arg).collect())
    }
}

impl<K: FromArg + Ord, V: FromArg> FromArg for BTreeMap<K, V> {
    fn from_arg(sorts: &Sorts, sort: SortId, value: &Value) -> Option<Self> {
        from_map::<K, V, _>(sorts, sort, value)
    }
}

/// A map.
impl<K: IntoArg, V: IntoArg> IntoArg for BTreeMap<K, V> {
    fn into_arg(self) -> Arg {
        into_map(self)
    }
}

impl<K: FromArg + Eq + Hash, V: FromArg, S: BuildHasher + Default> FromArg for HashMap<K, V, S> {
    fn from_arg(sorts: &Sorts, sort: SortId, value: &Value) -> Option<Self> {
        from_map::<K, V, _>(sorts, sort, value)
    }
}

/// A map.
impl<K: IntoArg, V: IntoArg, S: BuildHasher> IntoArg for HashMap<K, V, S> {
    fn into_arg(self) -> Arg {
        into_map(self)
    }
}

impl FromArg for Value {
    fn from_arg(_: &Sorts, _: SortId, value: &Value) -> Option<Self> {
        Some(value.clone())
    }
}

impl IntoArg for Value {
    fn into_arg(self) -> Arg {
        Arg::Value(self)
    }
}

/// Records and constructors with fields, as in the protocol.
impl FromArg for Json {
    fn from_arg(sorts: &Sorts, sort: SortId, value: &Value) -> Option<Self> {
        Some(sioco_plan::value::json(sorts, sort, value))
    }
}

/// Records and constructors with fields, as in the protocol.
impl IntoArg for Json {
    fn into_arg(self) -> Arg {
        Arg::Json(self)
    }
}

/// The values of an output: `()` for none, a value for one, a tuple for several.
pub trait IntoArgs {
    /// One value per parameter.
    fn into_args(self) -> Vec<Arg>;
}

impl<T: IntoArg> IntoArgs for T {
    fn into_args(self) -> Vec<Arg> {
        vec![self.into_arg()]
    }
}

macro_rules! tuples {
    ($(($($name:ident)*))*) => {$(
        impl<$($name: IntoArg),*> IntoArgs for ($($name,)*) {
            #[allow(non_snake_case)]
            fn into_args(self) -> Vec<Arg> {
                let ($($name,)*) = self;
                vec![$($name.into_arg()),*]
            }
        }
    )*};
}
tuples! { () (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) }

/// An output.
#[derive(Clone, PartialEq, Debug)]
pub struct Output {
    /// The gate.
    pub gate: String,
    /// One value per parameter.
    pub args: Vec<Arg>,
}

impl Output {
    /// An output at a gate, with values: `Output::new("done", ())`, `Output::new("sum", 6)`,
    /// `Output::new("at", (1, "north"))`.
    pub fn new(gate: impl Into<String>, args: impl IntoArgs) -> Output {
        Output { gate: gate.into(), args: args.into_args() }
    }

    /// The orderly end of the system, as an observation.
    pub fn closed() -> Output {
        Output::new(CLOSED, ())
    }

    /// An abnormal end of the system, as an observation, with what is known about it: for a system that tells of its crashes
    /// instead of panicking.
    pub fn crashed(message: impl Into<String>) -> Output {
        Output::new(CRASHED, message.into())
    }
}

/// A [`System`], connected as a system under test.
pub struct InProcess<'m, S> {
    model: &'m Model,
    make: Box<dyn FnMut() -> S + 'm>,
    /// There is none before the first run, and after a crash.
    system: Option<S>,
    interrupt: Interrupt,
    events: VecDeque<SutEvent>,
    /// Whether the system ended in this run.
    ended: bool,
}

impl<'m, S: System> InProcess<'m, S> {
    /// A system for a model, and how it is made: for the first run, and whenever the one before crashed. Each is
    /// [reset](System::reset) before each run.
    pub fn new(model: &'m Model, make: impl FnMut() -> S + 'm) -> InProcess<'m, S> {
        let (interrupt, events) = (Interrupt::default(), VecDeque::new());
        InProcess { model, make: Box::new(make), system: None, interrupt, events, ended: false }
    }

    /// The same, which ends when somebody wants that.
    pub fn interrupted_by(self, interrupt: Interrupt) -> InProcess<'m, S> {
        InProcess { interrupt, ..self }
    }

    /// The system, if there is one.
    pub fn system(&self) -> Option<&S> {
        self.system.as_ref()
    }

    /// Calls the system. If it panics, it crashed, which is an event; if what connects it does, that is a fault.
    fn call<T>(&mut self, what: &str, call: impl FnOnce(&mut S) -> T) -> Result<Result<T, SutEvent>, Fault> {
        let Some(system) = &mut self.system else {
            return Err(fault(format!("there is no system to call {what}: it was not reset")));
        };
        match catch(|| call(system)) {
            Ok(result) => Ok(Ok(result)),
            Err(Caught::System(crash)) => {
                self.ended = true;
                self.bury();
                Ok(Err(SutEvent::Observed(Observation::Crashed(crash))))
            }
            Err(Caught::Glue(why)) => {
                self.bury();
                Err(fault(format!("the code that connects the system broke down {what}: {why}")))
            }
        }
    }

    /// Drops a system in whatever state it is. If it panics once more, that is nothing new.
    fn bury(&mut self) {
        let system = self.system.take();
        let _ = catch(|| drop(system));
    }

    /// The next output, if there is one.
    fn pull(&mut self) -> Result<Option<SutEvent>, Fault> {
        if self.ended {
            return Ok(None);
        }
        let output = match self.call("when it was asked for an output", S::output)? {
            Ok(Some(output)) => output,
            Ok(None) => return Ok(None),
            Err(crash) => return Ok(Some(crash)),
        };
        let seen = self.observation(output).map_err(|why| fault(why.to_string()))?;
        self.ended = seen.is_end();
        Ok(Some(SutEvent::Observed(seen)))
    }

    /// Whether no output means that none will come.
    fn settles(&self) -> Result<bool, Fault> {
        let Some(system) = self.system.as_ref().filter(|_| !self.ended) else { return Ok(true) };
        catch(|| system.settles()).map_err(|why| fault(format!("`settles` panicked: {}", why.message())))
    }

    fn observation(&self, output: Output) -> Result<Observation, GateValueError> {
        match output.gate.as_str() {
            CLOSED => return Ok(Observation::Closed),
            CRASHED => {
                let message = output.args.iter().find_map(|arg| match arg {
                    Arg::Json(json) => json.as_str(),
                    Arg::Value(_) | Arg::Seq(_) | Arg::Set(_) | Arg::Map(_) => None,
                });
                return Ok(Observation::Crashed(Crash::new(message.unwrap_or_default())));
            }
            _ => {}
        }
        let id = gate_of(self.model, &output.gate, Direction::Output)?;
        let params = &self.model.gates[id].params;
        let raw = format!("{:?}", output.args);
        let malformed = |why| Ok(Observation::Malformed { gate: Some(id), why, raw });
        if params.len() != output.args.len() {
            let (given, wanted) = (output.args.len(), params.len());
            return malformed(format!("it has {given} values, but needs {wanted}"));
        }
        let values = params.iter().zip(output.args).map(|(param, arg)| value(&self.model.sorts, param, arg));
        match values.collect() {
            Ok(args) => Ok(Observation::Output(GateValue { gate: id, args })),
            Err(Misread::Misfit(why)) => malformed(why),
            Err(why @ Misread::Protocol(_)) => Err(GateValueError::Values { line: None, why }),
        }
    }
}

/// The value that a parameter gets.
fn value(sorts: &Sorts, param: &Param, arg: Arg) -> Result<Value, Misread> {
    let value = match (arg, sorts.get(param.sort)) {
        (Arg::Json(json), _) => return argument(sorts, param, &json),
        (Arg::Seq(items), Sort::Seq(item)) => {
            let item = |(i, arg)| {
                let param = Param { name: format!("{}[{i}]", param.name), sort: *item, tolerance: None };
                value(sorts, &param, arg)
            };
            Value::seq(items.into_iter().enumerate().map(item).collect::<Result<_, Misread>>()?)
        }
        (Arg::Seq(_), _) => return Err(misfit(sorts, param, "a sequence")),
        (Arg::Set(items), Sort::Set(item)) => {
            let part = Param { name: format!("an item of {}", param.name), sort: *item, tolerance: None };
            Value::set(items.into_iter().map(|arg| value(sorts, &part, arg)).collect::<Result<_, Misread>>()?)
        }
        (Arg::Set(_), _) => return Err(misfit(sorts, param, "a set")),
        (Arg::Map(entries), Sort::Map(key, item)) => {
            let part = |what: &str, sort| Param { name: format!("{what} of {}", param.name), sort, tolerance: None };
            let (of_keys, of_values) = (part("a key", *key), part("a value", *item));
            let mut all = Vec::new();
            for (k, v) in entries {
                all.push((value(sorts, &of_keys, k)?, value(sorts, &of_values, v)?));
            }
            Value::map(all).map_err(|key| misfit(sorts, param, &format!("a map with the key {key} twice")))?
        }
        (Arg::Map(..), _) => return Err(misfit(sorts, param, "a map")),
        // An integer is a real number, too.
        (Arg::Value(value @ (Value::Int(_) | Value::BigInt(_))), Sort::Real { .. }) => {
            Value::real(to_rational(&value).expect("it is an integer"))
        }
        (Arg::Value(value), _) => value,
    };
    if param.takes(sorts, &value) { Ok(value) } else { Err(misfit(sorts, param, &sorts.show(param.sort, &value))) }
}

fn misfit(sorts: &Sorts, param: &Param, what: &str) -> Misread {
    Misread::Misfit(format!("`{}` is {}, but must be {}", param.name, shortened(what), sorts.name(param.sort)))
}

/// A fault of the code that connects the system.
fn fault(message: String) -> Fault {
    Fault { kind: FaultKind::Glue, message, stderr: Vec::new(), again: true }
}

impl<S: System> Sut for InProcess<'_, S> {
    fn order(&self) -> Order {
        Order::Sut
    }

    fn reset(&mut self, _run: RunNumber, seed: u64) -> Result<(), Fault> {
        self.events.clear();
        self.ended = false;
        if self.system.is_none() {
            let make = &mut self.make;
            let made = catch(make).map_err(|why| fault(format!("cannot make a new system: {}", why.message())))?;
            self.system = Some(made);
        }
        let Some(system) = &mut self.system else { return Ok(()) };
        catch(|| system.reset_with_seed(seed)).map_err(|why| {
            self.bury();
            fault(format!("cannot reset the system: {}", why.message()))
        })
    }

    fn send(&mut self, id: u64, input: &GateValue) -> Result<(), Fault> {
        // What it has to say already, it says before the input.
        for _ in 0..OUTPUTS_BEFORE_INPUT {
            match self.pull()? {
                Some(event) => self.events.push_back(event),
                None => break,
            }
        }
        if self.system.is_none() {
            // It crashed, and whoever asks is told so.
            return Ok(());
        }
        let model = self.model;
        let gate = &model.gates[input.gate];
        let args = Args { sorts: &model.sorts, gate, values: &input.args };
        let taken =
            self.call(&format!("at the input {}", input.show(model)), |system| system.input(&gate.name, args))?;
        // It took the input, and crashed by it perhaps.
        self.events.push_back(SutEvent::Accepted { id });
        self.events.extend(taken.err());
        Ok(())
    }

    fn may_be_late(&self) -> bool {
        !self.settles().unwrap_or(true)
    }

    fn poll(&mut self, wait: Duration) -> Result<Polled, Fault> {
        let until = later(wait);
        loop {
            if self.interrupt.is_over() {
                return Ok(Polled::Interrupted);
            }
            let event = match self.events.pop_front() {
                Some(event) => Some(event),
                None => self.pull()?,
            };
            if let Some(event) = event {
                return Ok(Polled::Event(event));
            }
            if wait.is_zero() {
                return Ok(Polled::Nothing);
            }
            if self.settles()? {
                return Ok(Polled::Event(SutEvent::Observed(Observation::Delta)));
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(Polled::Nothing);
            }
            std::thread::sleep(left.min(OUTPUT_CHECK));
        }
    }
}
