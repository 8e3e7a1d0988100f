//! Quiescence in a run: a block of deltas without an input or an output between them (T-Q1, T-Q2).
//!
//! A delta by the clock may be premature, so it is judged at the next event. An output or the end of the system shows that
//! the block was none: it is withdrawn, and what came is judged by the belief before its first delta (T-Q3). An input or the
//! end of the run makes the block final, and then quiescence is a failure if nothing explains it (T-Q4). What a final block ruled
//! out is still followed beside the belief (see [`Patient`]).
//!
//! Quiescence that the adapter announces is certain and is judged at once. An output that follows it without an input
//! shows that the adapter was wrong, which says nothing about the system (T-Q6).

use crate::belief::Belief;
use crate::event::Observation;
use crate::patient::Patient;
use crate::referee::Referee;
use crate::reliance::Reliance;
use crate::sut::FaultKind;
use crate::verdict::{Cause, Failure, OpenCause, Trouble};

/// See the [module](self).
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// The belief before the first delta.
    before: Belief,
    /// What was followed beside it.
    patient: Option<Patient>,
    /// Whether the adapter announced it.
    announced: bool,
    /// Why the run ends if the block becomes final and counts: nothing explains it.
    refused: Option<Cause>,
    /// How far it can be relied on.
    reliance: Reliance,
    /// How many deltas were withdrawn before it.
    withdrawn: u64,
}

impl Block {
    /// Why the run ends if the block becomes final. A failure only if it can be relied on (T-Q10).
    fn cause(&self) -> Option<Cause> {
        match (&self.refused, self.reliance) {
            (Some(Cause::Failure(_)), Reliance::Once | Reliance::Starved(_)) => {
                Some(Cause::Open(OpenCause::Silence(self.reliance)))
            }
            (refused, _) => refused.clone(),
        }
    }
}

impl Block {
    /// Whether it is no quiescence that anything explains.
    pub(crate) fn is_refused(&self) -> bool {
        self.refused.is_some()
    }
}

impl Referee<'_> {
    /// A delta: announced, or by the clock, which can be relied on so far. Only one that is announced is judged at once.
    pub(crate) fn delta(&mut self, timed: Option<Reliance>) -> Option<Cause> {
        let (reliance, timed) = (timed.unwrap_or_default(), timed.is_some());
        match self.position.block.take() {
            // Two deltas in a row say nothing new, unless the second one is certain, or counts and the first does not.
            Some(block) if timed || block.announced => {
                let reliance = block.reliance.or(reliance);
                self.position.block = Some(Block { reliance, ..block });
                return None;
            }
            Some(block) => self.undo(block),
            None => {}
        }
        let (before, patient, withdrawn) = (self.position.belief.clone(), self.patient.clone(), self.withdrawn);
        let refused = self.fall_quiet(timed, &before);
        match (timed, refused) {
            (false, Some(cause)) => Some(cause),
            (_, refused) => {
                self.position.block = Some(Block { before, patient, announced: !timed, refused, reliance, withdrawn });
                None
            }
        }
    }

    /// Changes the belief to what explains a delta, given what it was before. A cause if nothing does; the belief is then
    /// as before.
    fn fall_quiet(&mut self, timed: bool, before: &Belief) -> Option<Cause> {
        let sent = self.position.queue.len();
        let explained = match self.position.mind.delta(&self.position.suite, &mut self.position.belief, sent) {
            Ok(explained) => explained,
            Err(error) => return Some(self.trouble(&error)),
        };
        match (explained, self.patient.take()) {
            (true, Some(mut patient)) if timed => {
                patient.silences += 1;
                self.patient = Some(patient);
            }
            (true, Some(mut patient)) => {
                let explained = patient.silent(&mut self.position.mind, &self.position.suite, sent);
                self.patient =
                    Some(patient).filter(|p| (explained || p.belief.cut) && p.differs(&self.position.belief));
            }
            (true, None) if timed => {
                self.patient = Patient::after(&mut self.position.mind, before.clone(), &self.position.belief, sent);
            }
            (true, None) => {}
            (false, Some(mut patient)) => {
                let all = patient.belief.clone();
                if !patient.silent(&mut self.position.mind, &self.position.suite, sent) {
                    self.patient = Some(patient);
                    return self.fail(&Observation::Delta, Failure::Silence);
                }
                self.disbelieve(patient);
                if timed {
                    self.patient = Patient::after(&mut self.position.mind, all, &self.position.belief, sent);
                }
            }
            (false, None) => return self.fail(&Observation::Delta, Failure::Silence),
        }
        // Where silence is only perhaps allowed, the run may have ended here: that holds for whatever comes later.
        if let (true, Some(doubt)) = (timed, self.position.belief.doubt().cloned())
            && let Some(patient) = &mut self.patient
        {
            patient.rest_on(&mut self.position.mind, &self.position.suite, sent, &doubt);
        }
        None
    }

    /// An input or the end of the run follows: the block is final. A cause if nothing explains it.
    pub fn conclude(&mut self) -> Option<Cause> {
        self.position.block.take()?.cause()
    }

    /// Why the run ends if the block becomes final.
    pub(crate) fn refused_quiescence(&self) -> Option<Cause> {
        self.position.block.as_ref()?.cause()
    }

    /// Something else than a delta follows: a block by the clock is withdrawn. Says whether the adapter announced it.
    pub(crate) fn interrupt_block(&mut self) -> bool {
        let Some(block) = self.position.block.take() else { return false };
        if block.announced {
            return true;
        }
        self.hidden += u64::from(block.refused.is_some());
        self.undo(block);
        self.withdrawn += 1;
        false
    }

    /// Believes again what was believed before a block.
    fn undo(&mut self, block: Block) {
        (self.position.belief, self.patient, self.withdrawn) = (block.before, block.patient, block.withdrawn);
        self.broken_by = None;
    }

    /// The belief that judges what is seen now: what comes after a block by the clock withdraws it.
    pub(crate) fn before_observation(&self) -> Belief {
        let withdrawn = self.position.block.as_ref().filter(|block| !block.announced);
        withdrawn.map_or(&self.position.belief, |block| &block.before).clone()
    }
}

/// The adapter announced quiescence, and then an output came without an input.
pub(crate) fn broken_word() -> Cause {
    let message = "an output came after `quiescent`, without an input in between; an adapter must send `quiescent` \
                   only if it knows that nothing more will come";
    Cause::Trouble(Trouble::Fault { kind: FaultKind::Protocol, message: message.into(), stderr: Vec::new() })
}
