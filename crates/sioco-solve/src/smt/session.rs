//! One conversation with an SMT-LIB solver, whatever it is reached by.

use sioco_model::{Id, TermId, Value};

use super::read::{self, Sexp, excerpt};
use super::sorts;
use super::stack::{Sent, Stack};
use super::write::{Features, Writer, symbol_name};
use crate::query::{Answer, Limits, Reason, Solver, Terms, Witness};

/// What differs between solvers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dialect {
    /// The option for the deterministic limit of one check.
    pub resources: Option<&'static str>,
    /// Whether that option may be set at any time.
    pub resources_any_time: bool,
    /// Other options that it needs.
    pub options: &'static str,
    /// What makes it remember where a contradiction comes from.
    pub cores: &'static str,
}

/// The standard's way to ask for cores.
pub const CORES: &str = "(set-option :produce-unsat-cores true)\n";

/// What a connection is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// Questions that grow step by step.
    Steps,
    /// Questions that are asked as a whole.
    Whole,
    /// Questions about what clashes.
    Cores,
}

/// Z3's dialect.
pub const Z3: Dialect = Dialect { resources: Some("rlimit"), resources_any_time: true, options: "", cores: CORES };

/// What went wrong with a connection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The time was over.
    Time,
    /// Somebody wanted to give up.
    Cancelled,
    /// Its limit of work was reached.
    Limited,
    /// Anything else, in words.
    Broken(String),
}

/// A way to a solver.
pub trait Connection: Send {
    /// Which solver it is.
    fn name(&self) -> String;

    /// How to speak to it.
    fn dialect(&self) -> Dialect;

    /// Has commands executed, and gives all that was printed. After a fault, and at first, the solver starts anew.
    fn run(&mut self, commands: &str, limits: &Limits) -> Result<String, Fault>;

    /// Forgets the solver that is running; the next command starts a new one.
    fn restart(&mut self);
}

/// A solver over a connection.
///
/// Path conditions are asked step by step, over one connection that keeps its stack. Conditions with quantifiers are
/// asked as a whole, over another: solvers that have been told to keep a stack are bad at those.
pub struct SmtSession<C> {
    stack: Stack,
    steps: C,
    sent: Sent,
    /// What the logic of `steps` was chosen by.
    features: Features,
    resources: u64,
    whole: Fresh<C>,
    cores: Fresh<C>,
}

/// A connection whose solver forgets everything before each question.
struct Fresh<C> {
    connection: C,
    started: bool,
}

const COMMON_OPTIONS: &str = "(set-option :print-success false)\n(set-option :produce-models true)\n";

impl<C: Connection> SmtSession<C> {
    /// A solver over connections of one kind.
    pub fn over(connect: impl Fn(Purpose) -> C) -> Self {
        SmtSession {
            stack: Stack::default(),
            steps: connect(Purpose::Steps),
            sent: Sent::default(),
            features: Features::default(),
            resources: 0,
            whole: Fresh { connection: connect(Purpose::Whole), started: false },
            cores: Fresh { connection: connect(Purpose::Cores), started: false },
        }
    }

    fn header(dialect: Dialect, features: Features, limits: &Limits, out: &mut String) {
        out.push_str(COMMON_OPTIONS);
        out.push_str(dialect.options);
        resources(dialect, limits, out);
        out.push_str(&format!("(set-logic {})\n", features.logic()));
    }

    /// The commands before `(check-sat)`, over the connection for steps.
    fn prepare_steps(&mut self, limits: &Limits, out: &mut String) {
        let dialect = self.steps.dialect();
        let features = self.stack.features();
        // A limit that cannot be changed without starting anew is kept, unless it is too low.
        let kept = !dialect.resources_any_time && self.resources > limits.resources && !self.sent.is_empty();
        let limits = &Limits { resources: if kept { self.resources } else { limits.resources }, ..limits.clone() };
        let other_limit = self.resources != limits.resources;
        let outgrown = self.features.or(features).logic() != self.features.logic();
        if !self.sent.is_empty() && (outgrown || (other_limit && !dialect.resources_any_time)) {
            self.steps.restart();
            self.sent.clear();
        }
        if self.sent.is_empty() {
            self.features = self.features.or(features);
            Self::header(dialect, self.features, limits, out);
        } else if other_limit {
            resources(dialect, limits, out);
        }
        self.resources = limits.resources;
        self.sent.update(&self.stack, out);
    }

    /// Asks, and asks a solver that has forgotten everything once more where one with a past did not decide it: what it
    /// did before must not count. (Z3 4.8 even keeps the limit of a check for what comes after it, until it refuses to
    /// take in anything.)
    fn ask(&mut self, terms: Terms<'_>, limits: &Limits, want: Want) -> Answer {
        if limits.cancelled() {
            return Answer::Unknown(Reason::Cancelled);
        }
        let via = match (want, self.stack.features().quantified) {
            (Want::Core, _) => Purpose::Cores,
            (_, true) => Purpose::Whole,
            (_, false) => Purpose::Steps,
        };
        let (past, resets) = match via {
            Purpose::Steps => (!self.sent.is_empty(), false),
            Purpose::Whole => (self.whole.started, true),
            Purpose::Cores => (self.cores.started, true),
        };
        let answer = self.ask_once(terms, limits, want, via);
        let open = match &answer {
            Answer::Unknown(Reason::Resources) => true,
            Answer::Unknown(Reason::Undecided(_)) => !resets,
            _ => false,
        };
        if !(past && open) || limits.cancelled() {
            return answer;
        }
        self.restart(via);
        self.ask_once(terms, limits, want, via)
    }

    fn ask_once(&mut self, terms: Terms<'_>, limits: &Limits, want: Want, via: Purpose) -> Answer {
        let features = self.stack.features();
        let mut commands = String::new();
        let mut names = None;
        match via {
            Purpose::Steps => self.prepare_steps(limits, &mut commands),
            Purpose::Whole => {
                self.whole.prepare(&mut commands);
                Self::header(self.whole.connection.dialect(), features, limits, &mut commands);
                self.stack.flat(&mut commands);
            }
            Purpose::Cores => {
                let dialect = self.cores.connection.dialect();
                self.cores.prepare(&mut commands);
                commands.push_str(dialect.cores);
                Self::header(dialect, features, limits, &mut commands);
                names = Some(self.stack.named(&mut commands));
            }
        }
        commands.push_str("(check-sat)\n");
        let verdict = match self.run_for_one(via, &commands, limits) {
            Ok(verdict) => verdict,
            Err(fault) => return self.fault(via, fault),
        };
        let outcome = match verdict.atom() {
            Some("unsat") => match names {
                None => Ok(Answer::Unsat(None)),
                Some(names) => self.core(&names, limits).map(Answer::Unsat),
            },
            Some("sat") => self.sat(terms, limits, want, via),
            Some("unknown") => self.why_unknown(via, limits).map(Answer::Unknown),
            _ => Err(Fault::Broken(format!("its answer to `(check-sat)` was {}", shown(&verdict)))),
        };
        outcome.unwrap_or_else(|fault| self.fault(via, fault))
    }

    fn connection(&mut self, via: Purpose) -> &mut C {
        match via {
            Purpose::Steps => &mut self.steps,
            Purpose::Whole => &mut self.whole.connection,
            Purpose::Cores => &mut self.cores.connection,
        }
    }

    /// Has commands executed of which only the last one answers.
    fn run_for_one(&mut self, via: Purpose, commands: &str, limits: &Limits) -> Result<Sexp, Fault> {
        let printed = self.connection(via).run(commands, limits)?;
        let mut all = read::read(&printed).map_err(|why| garbage(&printed, &why.to_string()))?;
        if let Some(error) = all.iter().find(|s| s.call("error").is_some()) {
            if is_limit(&error.to_string()) {
                return Err(Fault::Limited);
            }
            return Err(Fault::Broken(format!("it reported {}", shown(error))));
        }
        all.retain(|s| s.atom() != Some("unsupported"));
        match (all.pop(), all.is_empty()) {
            (Some(only), true) => Ok(only),
            (None, _) => Err(Fault::Broken("it printed no answer".into())),
            (Some(_), false) => Err(garbage(&printed, "more than one answer to one question")),
        }
    }

    /// After a fault nothing is known of the state of the solver.
    fn fault(&mut self, via: Purpose, fault: Fault) -> Answer {
        self.restart(via);
        Answer::Unknown(match fault {
            Fault::Time => Reason::Time,
            Fault::Cancelled => Reason::Cancelled,
            Fault::Limited => Reason::Resources,
            Fault::Broken(what) => Reason::Broken { solver: self.connection(via).name(), what },
        })
    }

    fn sat(&mut self, terms: Terms<'_>, limits: &Limits, want: Want, via: Purpose) -> Result<Answer, Fault> {
        let features = self.stack.features();
        let trouble = self.stack.trouble().map(|why| why.0.clone());
        // The solver's reals have roots, ours do not: there, only a witness tells.
        let doubtful = trouble.is_some() || (features.real && features.nonlinear);
        if want != Want::Witness && !doubtful {
            return Ok(Answer::Sat(None));
        }
        let undecided = |why: String| Answer::Unknown(Reason::Undecided(trouble.clone().unwrap_or(why)));
        let (witness, strange) = self.witness(terms, limits, via)?;
        let confirmed = match terms.unsettled(&witness, &self.stack.conjuncts()) {
            Some(open) if open.is_empty() => true,
            Some(open) => self.confirm(terms, limits, &witness, &open)?,
            None => false,
        };
        if !confirmed {
            return Ok(undecided(strange.unwrap_or_else(|| "it says yes, but the witness does not check".into())));
        }
        Ok(Answer::Sat((want == Want::Witness).then_some(witness)))
    }

    /// The values of all symbols, and what about a value was not understood: another one is in its place, which may
    /// do as well.
    fn witness(&mut self, terms: Terms<'_>, limits: &Limits, via: Purpose) -> Result<(Witness, Option<String>), Fault> {
        let mut witness: Witness = terms.symbols.values().map(|s| terms.sorts.default_value(s.sort)).collect();
        let symbols = self.stack.symbols().to_vec();
        if symbols.is_empty() {
            return Ok((witness, None));
        }
        let mut strange = None;
        let names: Vec<String> = symbols.iter().map(|y| symbol_name(*y)).collect();
        let answer = self.run_for_one(via, &format!("(get-value ({}))\n", names.join(" ")), limits)?;
        let pairs = answer.list().unwrap_or_default();
        if pairs.len() != symbols.len() {
            return Err(Fault::Broken(format!("its answer to `(get-value …)` was {}", shown(&answer))));
        }
        for ((y, name), pair) in symbols.iter().zip(&names).zip(pairs) {
            match pair.list() {
                Some([Sexp::Atom(n), value]) if n == name => {
                    match read::value(terms.sorts, terms.symbols[*y].sort, value) {
                        Ok(value) => witness[y.index()] = value,
                        Err(why) => strange = Some(why.to_string()),
                    }
                }
                _ => {
                    return Err(Fault::Broken(format!(
                        "it was asked for the value of {name} and said {}",
                        shown(pair)
                    )));
                }
            }
        }
        Ok((witness, strange))
    }

    /// Whether the conjuncts, which the evaluator cannot evaluate, are true for the witness: asked with all values put
    /// in, where the answer is easy.
    fn confirm(
        &mut self,
        terms: Terms<'_>,
        limits: &Limits,
        witness: &[Value],
        open: &[TermId],
    ) -> Result<bool, Fault> {
        let mut writer = Writer::default();
        let mut features = Features { quantified: true, ..Features::default() };
        let (mut text, mut formulas) = (String::new(), String::new());
        for &c in open {
            let Ok(written) = writer.conjunct(terms, c) else { return Ok(false) };
            text.push_str(written.before());
            formulas.push(' ');
            formulas.push_str(&written.text[written.formula.clone()]);
            features = features.or(written.features);
        }
        for &y in writer.symbols() {
            text.push_str(&format!("(assert (= {} ", symbol_name(y)));
            if sorts::literal(terms.sorts, terms.symbols[y].sort, &witness[y.index()], &mut text).is_err() {
                return Ok(false);
            }
            text.push_str("))\n");
        }
        let mut commands = String::new();
        self.whole.prepare(&mut commands);
        Self::header(self.whole.connection.dialect(), features, limits, &mut commands);
        commands.push_str(&text);
        commands.push_str(&format!("(assert (not (and true{formulas})))\n(check-sat)\n"));
        let verdict = self.run_for_one(Purpose::Whole, &commands, limits);
        if verdict.is_err() {
            self.restart(Purpose::Whole);
        }
        Ok(verdict?.atom() == Some("unsat"))
    }

    fn why_unknown(&mut self, via: Purpose, limits: &Limits) -> Result<Reason, Fault> {
        let answer = self.run_for_one(via, "(get-info :reason-unknown)\n", limits)?;
        let why = match answer.call(":reason-unknown") {
            Some([Sexp::Text(why) | Sexp::Atom(why)]) => why.clone(),
            _ => shown(&answer),
        };
        let limited = is_limit(&why);
        if limited {
            // Some solvers never recover from a limit that was reached.
            self.restart(via);
        }
        Ok(if limited { Reason::Resources } else { Reason::Undecided(why) })
    }

    fn restart(&mut self, via: Purpose) {
        self.connection(via).restart();
        match via {
            Purpose::Steps => self.sent.clear(),
            Purpose::Whole => self.whole.started = false,
            Purpose::Cores => self.cores.started = false,
        }
    }

    fn core(
        &mut self,
        names: &rustc_hash::FxHashMap<String, TermId>,
        limits: &Limits,
    ) -> Result<Option<Vec<TermId>>, Fault> {
        let answer = self.run_for_one(Purpose::Cores, "(get-unsat-core)\n", limits)?;
        let core: Option<Vec<TermId>> =
            answer.list().and_then(|items| items.iter().map(|c| names.get(c.atom()?).copied()).collect());
        match core {
            None => Err(Fault::Broken(format!("its answer to `(get-unsat-core)` was {}", shown(&answer)))),
            Some(mut core) => {
                core.sort_unstable();
                core.dedup();
                Ok(Some(core))
            }
        }
    }
}

impl<C> Fresh<C> {
    fn prepare(&mut self, out: &mut String) {
        out.push_str(if self.started { "(reset)\n" } else { "" });
        self.started = true;
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Want {
    Verdict,
    Witness,
    Core,
}

fn resources(dialect: Dialect, limits: &Limits, out: &mut String) {
    if let Some(option) = dialect.resources {
        // Z3 takes 32 bits, and zero for no limit.
        out.push_str(&format!("(set-option :{option} {})\n", limits.resources.clamp(1, u64::from(u32::MAX))));
    }
}

/// Whether words say that the limit was reached. Nobody else limits or cancels: interruptions from outside are faults of
/// the connection.
fn is_limit(words: &str) -> bool {
    let lower = words.to_lowercase();
    ["resource", "cancel", "timeout"].iter().any(|word| lower.contains(word))
}

fn shown(sexp: &Sexp) -> String {
    excerpt(&sexp.to_string())
}

fn garbage(printed: &str, why: &str) -> Fault {
    Fault::Broken(format!("it printed something that is no answer ({why}): {}", excerpt(printed)))
}

impl<C: Connection> Solver for SmtSession<C> {
    fn name(&self) -> String {
        self.steps.name()
    }

    fn push(&mut self) {
        self.stack.push();
    }

    fn pop(&mut self) {
        self.stack.pop();
        self.sent.pop(&self.stack);
    }

    fn assert(&mut self, terms: Terms<'_>, conjunct: TermId) {
        self.stack.assert(terms, conjunct);
    }

    fn check(&mut self, terms: Terms<'_>, limits: &Limits, want_witness: bool) -> Answer {
        self.ask(terms, limits, if want_witness { Want::Witness } else { Want::Verdict })
    }

    fn core(&mut self, terms: Terms<'_>, limits: &Limits) -> Answer {
        self.ask(terms, limits, Want::Core)
    }
}
