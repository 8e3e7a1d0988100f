//! Which solver stands behind the cheap layers, and opening it when it is needed.
//!
//! Most runs never ask a back-end anything, and an open one is not cheap: a Z3 context takes 17 MB and 10 ms. So a
//! [`BackEnd`] is a choice, and what it makes opens the solver with the first question that gets that far.

use std::fmt;
use std::path::Path;

use sioco_model::TermId;

use crate::builtin::Builtin;
use crate::chain::Chain;
use crate::query::{Answer, Limits, Reason, Solver, Terms};
use crate::smt::locate::{self, Candidate, Fate, Origin};
use crate::smt::process::{CommandLineError, ProcessSolver, words};
use crate::smt::z3::{self, Z3Solver};

/// The solver that is asked what the built-in layers do not decide.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum BackEnd {
    /// Z3 if one is found.
    #[default]
    Auto,
    /// None: the built-in layers alone.
    BuiltIn,
    /// Z3; if there is none, that is an error.
    Z3,
    /// An SMT-LIB 2 solver as a child process, with its arguments.
    Command(String),
}

/// How Z3 is started as a program.
const Z3_PROGRAM: &str = "z3 -in";

/// Programs that are known by their name, and what they need to be told to read commands one by one.
const KNOWN: [(&str, &str); 5] = [
    ("z3", "-in"),
    ("cvc5", "--lang smt2 --incremental"),
    ("yices-smt2", "--incremental"),
    ("mathsat", "-input=smt2"),
    ("opensmt", "-p"),
];

/// A command line with the arguments that a known program needs, if none were given.
fn with_arguments(command: &str, words: &[String]) -> String {
    let [program] = words else { return command.into() };
    let name = Path::new(program).file_stem().unwrap_or_default();
    match KNOWN.iter().find(|(known, _)| name == *known) {
        Some((_, arguments)) => format!("{command} {arguments}"),
        None => command.into(),
    }
}

impl BackEnd {
    /// `auto`, `builtin` or `z3`; anything else is a command line, such as `my-solver --smt2`. The known solvers (cvc5,
    /// yices-smt2, mathsat, opensmt) get the arguments that they need if the command has none.
    pub fn parse(text: &str) -> Result<BackEnd, BackEndError> {
        Ok(match text.trim() {
            "auto" => BackEnd::Auto,
            "builtin" => BackEnd::BuiltIn,
            "z3" => BackEnd::Z3,
            command => match &words(command).map_err(BackEndError::Command)?[..] {
                [] => return Err(BackEndError::Empty),
                words => BackEnd::Command(with_arguments(command, words)),
            },
        })
    }

    /// Opens it now; nothing if there is none to open, which is no error for [`Auto`](BackEnd::Auto) and
    /// [`BuiltIn`](BackEnd::BuiltIn). A child process starts with the first question, but its program must be there.
    pub fn open(&self) -> Result<Option<Box<dyn Solver>>, Reason> {
        match self {
            BackEnd::BuiltIn => Ok(None),
            BackEnd::Command(line) => process(line).map(Some),
            BackEnd::Auto | BackEnd::Z3 => {
                let (library, candidates) = z3::find();
                if let Some(library) = library {
                    return Ok(Some(Box::new(Z3Solver::new(&library))));
                }
                // Somebody who names a library does not want another one in its place.
                let chosen = candidates.iter().any(|c| c.origin == Origin::Chosen);
                if !chosen && locate::on_path("z3").is_some() {
                    return process(Z3_PROGRAM).map(Some);
                }
                match self {
                    BackEnd::Auto if candidates.is_empty() => Ok(None),
                    _ => Err(missing_z3(&candidates)),
                }
            }
        }
    }

    /// All layers, in front of this back-end. It is opened when the first question reaches it; if that fails, those
    /// questions are *unknown*, and the reason names it.
    pub fn chain(&self) -> Chain {
        match self {
            BackEnd::BuiltIn => {
                let mut chain = Chain::new(None);
                chain.leave_back_end(Reason::BuiltInAlone);
                chain
            }
            _ => Chain::new(Some(Box::new(Deferred::new(self.clone())))),
        }
    }

    /// The back-end alone, with no layers in front of it, opened on first use: for measurements.
    pub fn plain(&self) -> Box<dyn Solver> {
        match self {
            BackEnd::BuiltIn => Box::new(Builtin::new()),
            _ => Box::new(Deferred::new(self.clone())),
        }
    }
}

/// Why a text names no back-end. Whoever wrote it is to blame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BackEndError {
    /// It names nothing.
    Empty,
    /// It is no command line.
    Command(CommandLineError),
}

impl fmt::Display for BackEndError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BackEndError::Empty => f.write_str("name a solver: `auto`, `builtin`, `z3`, `cvc5` or a command line"),
            BackEndError::Command(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for BackEndError {}

impl fmt::Display for BackEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BackEnd::Auto => "auto",
            BackEnd::BuiltIn => "builtin",
            BackEnd::Z3 => "z3",
            BackEnd::Command(line) => line,
        })
    }
}

fn process(line: &str) -> Result<Box<dyn Solver>, Reason> {
    let broken = |what: String| Reason::Broken { solver: line.into(), what };
    let words = words(line).map_err(|why| broken(why.to_string()))?;
    let program = words.first().map(String::as_str).unwrap_or_default();
    // With a folder in its name it is not looked for on the path.
    let (found, place) = match Path::new(program).components().count() > 1 {
        true => (locate::is_program(Path::new(program)), "is not a program that can be started"),
        false => (locate::on_path(program).is_some(), "is not on the path"),
    };
    if !found {
        return Err(broken(format!("`{program}` {place}")));
    }
    Ok(Box::new(ProcessSolver::new(line).map_err(|why| broken(why.to_string()))?))
}

fn missing_z3(candidates: &[Candidate]) -> Reason {
    let refused = candidates.iter().filter_map(|c| match &c.fate {
        Fate::Refused(why) => Some(format!("{} ({}): {why}", c.path.display(), c.origin)),
        _ => None,
    });
    let refused: Vec<String> = refused.collect();
    let what = match refused.is_empty() {
        true => "found neither its library nor its program; see `sioco doctor`".to_owned(),
        false => format!("it cannot be used: {}", refused.join("; ")),
    };
    Reason::Broken { solver: "Z3".into(), what }
}

/// A solver that is opened on first use.
struct Deferred {
    back_end: BackEnd,
    state: State,
}

enum State {
    Closed,
    Open(Box<dyn Solver>),
    /// There is none, and why.
    Without(Reason),
}

impl Deferred {
    fn new(back_end: BackEnd) -> Self {
        Deferred { back_end, state: State::Closed }
    }

    /// The solver. A level or a conjunct is reason enough to open it: a [`Chain`] speaks to its back-end only to ask.
    fn solver(&mut self) -> Result<&mut Box<dyn Solver>, Reason> {
        if matches!(self.state, State::Closed) {
            self.state = match self.back_end.open() {
                Ok(Some(solver)) => State::Open(solver),
                Ok(None) => State::Without(Reason::NoSolver),
                Err(why) => State::Without(why),
            };
        }
        match &mut self.state {
            State::Open(solver) => Ok(solver),
            State::Without(why) => Err(why.clone()),
            State::Closed => Err(Reason::NoSolver),
        }
    }
}

impl Solver for Deferred {
    fn name(&self) -> String {
        match (&self.state, &self.back_end) {
            (State::Open(solver), _) => solver.name(),
            (State::Without(Reason::NoSolver), _) => "no solver".into(),
            (_, BackEnd::Auto | BackEnd::Z3) => "Z3".into(),
            (_, other) => other.to_string(),
        }
    }

    fn push(&mut self) {
        if let Ok(solver) = self.solver() {
            solver.push();
        }
    }

    fn pop(&mut self) {
        if let State::Open(solver) = &mut self.state {
            solver.pop();
        }
    }

    fn assert(&mut self, terms: Terms<'_>, conjunct: TermId) {
        if let Ok(solver) = self.solver() {
            solver.assert(terms, conjunct);
        }
    }

    fn check(&mut self, terms: Terms<'_>, limits: &Limits, want_witness: bool) -> Answer {
        match self.solver() {
            Ok(solver) => solver.check(terms, limits, want_witness),
            Err(why) => Answer::Unknown(why),
        }
    }

    fn core(&mut self, terms: Terms<'_>, limits: &Limits) -> Answer {
        match self.solver() {
            Ok(solver) => solver.core(terms, limits),
            Err(why) => Answer::Unknown(why),
        }
    }
}
