//! What can be done in a state, each with values for which it can.

use sioco_model::model::Label;
use sioco_model::semantics::{State, StepError, Unanswered};
use sioco_model::{SwitchId, Value};
use sioco_solve::oracle::StepQuestion;
use sioco_solve::values::Choice as ValueChoice;

use super::session::Simulation;

/// Something that can be done.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The switch; of a handshake, the sending one.
    pub switch: SwitchId,
    /// The receiving switch of a handshake.
    pub receive: Option<SwitchId>,
    /// Values for which it is enabled; `None` if none are known.
    pub example: Option<Vec<Value>>,
    /// Whether other values can be given.
    pub open: bool,
    /// Why the example is not what was asked for: there is no greatest value, for example.
    pub without: Option<&'static str>,
    /// What the example leads to, if that is a model error.
    pub dead_end: Option<DeadEnd>,
    /// Why it is not known whether it is enabled.
    pub unknown: Option<String>,
    /// Why nothing can be said about it: the model is undefined here.
    pub problem: Option<StepError>,
}

/// Why there are no values from the solver.
enum Unsolved {
    /// It does not know any.
    Unanswered(Unanswered),
    /// The interpreter does not take what it found.
    Useless,
}

/// Values that were solved for.
pub(super) struct Solved {
    pub args: Vec<Value>,
    /// Whether some have no end on the side asked for.
    endless: bool,
}

/// A model error that taking a step leads to.
#[derive(Clone, Debug)]
pub struct DeadEnd {
    /// The error.
    pub error: StepError,
    /// Whether it is known that all other values lead to one, too.
    pub always: bool,
}

impl Choice {
    fn new(switch: SwitchId, receive: Option<SwitchId>, open: bool) -> Choice {
        Choice { switch, receive, example: None, open, without: None, dead_end: None, unknown: None, problem: None }
    }

    fn failed(mut self, error: StepError) -> Choice {
        match error {
            StepError::NeedsSolver { why, .. } => self.unknown = Some(why),
            error => self.problem = Some(error),
        }
        self
    }
}

impl Simulation<'_> {
    /// What can be done, in the order written. A switch that is undefined here is listed with its problem.
    pub fn choices(&mut self) -> Vec<Choice> {
        let locations = self.state().locations().to_vec();
        let switches = locations.iter().flat_map(|l| self.model.locations[*l].outgoing.iter());
        let mut found = Vec::new();
        for &switch in switches {
            if matches!(self.model.switches[switch].label, Label::Send(_) | Label::Receive(_)) {
                continue;
            }
            let choice = Choice::new(switch, None, self.is_open(switch));
            found.extend(match self.plain_example(switch) {
                Ok(Some(args)) => Some(self.with_example(choice, args)),
                Ok(None) => None,
                Err(error) => Some(choice.failed(error)),
            });
        }
        found.extend(self.handshakes());
        found
    }

    /// The handshakes that are possible here.
    pub(super) fn handshakes(&mut self) -> Vec<Choice> {
        let pairs = self.interpreter.pairs(self.state());
        pairs.into_iter().filter_map(|(send, receive)| self.handshake(send, receive)).collect()
    }

    /// The handshake of two switches, if it is possible.
    pub(super) fn handshake(&mut self, send: SwitchId, receive: SwitchId) -> Option<Choice> {
        let state = self.state().clone();
        let choice = Choice::new(send, Some(receive), self.is_open(send));
        let listed = match self.interpreter.choices(&state, send) {
            Ok(listed) => listed,
            Err(StepError::NeedsSolver { why, .. }) => {
                return Some(match self.solved(&choice, None, false) {
                    Ok(Some(solved)) => self.with_example(choice, solved.args),
                    Ok(None) => return None,
                    Err(Unsolved::Useless) => Choice { unknown: Some(why), ..choice },
                    Err(Unsolved::Unanswered(why)) => Choice { unknown: Some(why.to_string()), ..choice },
                });
            }
            Err(error) => return Some(choice.failed(error)),
        };
        let mut unsure = None;
        for args in listed {
            match self.interpreter.enabled(&state, receive, &args) {
                Ok(true) => return Some(self.with_example(choice, args)),
                Ok(false) => {}
                Err(error) => {
                    unsure.get_or_insert(error);
                }
            }
        }
        unsure.map(|error| choice.failed(error))
    }

    fn is_open(&self, switch: SwitchId) -> bool {
        self.model.switches[switch].params.iter().any(|p| p.term.is_none())
    }

    fn plain_example(&mut self, switch: SwitchId) -> Result<Option<Vec<Value>>, StepError> {
        let state = self.state().clone();
        self.interpreter.example(&state, switch)
    }

    /// Values for which a switch is enabled here, chosen as the session was told to.
    pub(super) fn example(&mut self, switch: SwitchId) -> Result<Option<Vec<Value>>, StepError> {
        let Some(args) = self.plain_example(switch)? else { return Ok(None) };
        Ok(self.with_example(Choice::new(switch, None, self.is_open(switch)), args).example)
    }

    /// The choice with values as the session was told to choose them, and rather such that do not lead to a model error.
    fn with_example(&mut self, mut choice: Choice, plain: Vec<Value>) -> Choice {
        let wish = self.solving.choice(self.steps.len());
        let chosen = wish.filter(|_| choice.open).and_then(|wish| self.chosen(&choice, wish));
        let without = match wish {
            Some(ValueChoice::Min) => Some("no least value"),
            Some(ValueChoice::Max) => Some("no greatest value"),
            Some(ValueChoice::Middle) => Some("no middle"),
            _ => None,
        };
        choice.without = without.filter(|_| chosen.as_ref().is_some_and(|c| c.endless));
        let args = chosen.map_or(plain, |c| c.args);
        let Some(error) = self.leads_to(&choice, &args) else {
            choice.example = Some(args);
            return choice;
        };
        let mut always = !choice.open;
        if choice.open {
            match self.solved(&choice, wish, true) {
                Ok(Some(better)) if self.leads_to(&choice, &better.args).is_none() => {
                    choice.example = Some(better.args);
                    return choice;
                }
                Ok(None) => always = true,
                _ => {
                    let all = self.all_values(&choice);
                    if let Some(better) = all.iter().find(|args| self.leads_to(&choice, args).is_none()) {
                        choice.example = Some(better.clone());
                        return choice;
                    }
                    always = !all.is_empty();
                }
            }
        }
        choice.example = Some(args);
        choice.dead_end = Some(DeadEnd { error, always });
        choice
    }

    /// Values chosen in a certain way, if there are any that are found like this; rather without a model error.
    pub(super) fn chosen(&mut self, choice: &Choice, wish: ValueChoice) -> Option<Solved> {
        let safe = self.solved(choice, Some(wish), true).ok().flatten();
        safe.or_else(|| self.solved(choice, Some(wish), false).ok().flatten())
    }

    /// Values that the solver finds, without a wish the plainest.
    fn solved(&mut self, choice: &Choice, wish: Option<ValueChoice>, safe: bool) -> Result<Option<Solved>, Unsolved> {
        let state = self.state().clone();
        let (switch, receive, turn) = (choice.switch, choice.receive, self.solving.turn(self.steps.len()));
        let question = StepQuestion { switch, receive, vars: state.values(), safe, turn };
        let chosen = self.solving.choose(self.model, question, wish).map_err(Unsolved::Unanswered)?;
        let Some(chosen) = chosen else { return Ok(None) };
        // The interpreter has the last word.
        let args = self.interpreter.complete(&state, choice.switch, &chosen.values).map_err(|_| Unsolved::Useless)?;
        match self.attempt(choice, &args) {
            Ok(None) => Err(Unsolved::Useless),
            Err(_) if safe => Err(Unsolved::Useless),
            _ => Ok(Some(Solved { args, endless: !chosen.unbounded.is_empty() })),
        }
    }

    /// All values for which a choice is possible, if they can be listed; none otherwise.
    pub(super) fn all_values(&mut self, choice: &Choice) -> Vec<Vec<Value>> {
        let state = self.state().clone();
        let mut all = self.interpreter.choices(&state, choice.switch).unwrap_or_default();
        if let Some(receive) = choice.receive {
            all.retain(|args| matches!(self.interpreter.enabled(&state, receive, args), Ok(true)));
        }
        all
    }

    /// The state after the choice; `None` if it is not enabled for the values.
    fn attempt(&mut self, choice: &Choice, args: &[Value]) -> Result<Option<State>, StepError> {
        let mut state = self.state().clone();
        match choice.receive {
            Some(receive) => self.interpreter.shake(&state, choice.switch, receive, args),
            None => Ok(self.interpreter.fire(&mut state, choice.switch, args)?.then_some(state)),
        }
    }

    /// The model error that the choice leads to with these values.
    pub(super) fn leads_to(&mut self, choice: &Choice, args: &[Value]) -> Option<StepError> {
        self.attempt(choice, args).err().filter(|e| matches!(e, StepError::Undefined { .. }))
    }

    /// What is wrong with an example, in words.
    pub fn dead_end(&self, dead_end: &DeadEnd, open: bool) -> String {
        let error = self.undefined(&dead_end.error);
        match (open, dead_end.always) {
            (true, true) => format!("all values lead to a model error, this one to a {error}"),
            _ => format!("leads to a {error}"),
        }
    }
}
