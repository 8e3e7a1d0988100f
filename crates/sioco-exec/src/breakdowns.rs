//! Breakdowns that end a campaign: of the adapter, of the system's surroundings, or of the model before the first step.
//! Each costs a person time, and after a while none tells anything new.

use crate::record::End;
use crate::sut::{Fault, FaultKind};

/// This many faults of an adapter, or refusals, end a campaign if nothing else happens between them. One may be a
/// passing trouble; three in a row are none, and each further one would only repeat it.
const FAULTS: u32 = 3;
/// This many runs in a row that end since an adapter does not answer end a campaign: each takes all of its patience,
/// half a minute in all with the usual ten seconds.
const HANGS: u32 = 3;
/// This many runs that an adapter spoils end a campaign, whatever comes between them: by time-outs, by dying, by breaking
/// the protocol, or by answers that it tells before the input. An adapter with a rare fault still gets its results; one
/// with a frequent fault has to be mended first.
const SPOILED: u32 = 10;

/// See the [module](self).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Breakdowns {
    /// In a row, without a step between them.
    faults: u32,
    spoiled: u32,
    /// Runs in a row that ended since the adapter did not answer.
    hangs: u32,
}

impl Breakdowns {
    /// A step was taken.
    pub fn step(&mut self) {
        self.faults = 0;
    }

    /// A run ended without an error.
    pub fn answered(&mut self) {
        self.hangs = 0;
    }

    /// The adapter or the surroundings broke down. Says whether that is enough.
    pub fn fault(&mut self, fault: &Fault) -> Option<End> {
        self.faults += 1;
        self.spoiled += u32::from(matches!(fault.kind, FaultKind::Timeout | FaultKind::Died | FaultKind::Protocol));
        self.hangs += u32::from(fault.kind == FaultKind::Timeout);
        let enough = self.faults >= FAULTS || self.spoiled >= SPOILED || self.hangs >= HANGS;
        (enough || !fault.again).then_some(End::Broken)
    }

    /// An input was refused where that says nothing. Says whether that is enough.
    pub fn refused(&mut self) -> Option<End> {
        self.faults += 1;
        (self.faults >= FAULTS).then_some(End::Broken)
    }

    /// The adapter told things in an order that it did not promise. Says whether that is enough.
    pub fn misordered(&mut self) -> Option<End> {
        self.spoiled += 1;
        (self.spoiled >= SPOILED).then_some(End::Broken)
    }

    /// The model is undefined before the first step of a run. Says whether that is enough.
    pub fn undefined(&mut self) -> Option<End> {
        self.faults += 1;
        (self.faults >= FAULTS).then_some(End::Undefined)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(kind: FaultKind, again: bool) -> Fault {
        Fault { kind, message: "it broke".into(), stderr: Vec::new(), again }
    }

    #[test]
    fn three_in_a_row_are_enough() {
        let mut breakdowns = Breakdowns::default();
        let glue = fault(FaultKind::Protocol, true);
        assert_eq!((breakdowns.fault(&glue), breakdowns.fault(&glue)), (None, None));
        breakdowns.step();
        assert_eq!((breakdowns.fault(&glue), breakdowns.refused()), (None, None));
        assert_eq!(breakdowns.undefined(), Some(End::Undefined));
        assert_eq!(breakdowns.refused(), Some(End::Broken));
        assert_eq!(Breakdowns::default().fault(&fault(FaultKind::Protocol, false)), Some(End::Broken));
    }

    #[test]
    fn three_hangs_are_enough_whatever_happens_in_their_runs() {
        let mut breakdowns = Breakdowns::default();
        for _ in 0..2 {
            breakdowns.step();
            assert_eq!(breakdowns.fault(&fault(FaultKind::Timeout, true)), None);
        }
        let mut recovered = breakdowns;
        recovered.answered();
        for breakdowns in [&mut breakdowns, &mut recovered] {
            breakdowns.step();
        }
        assert_eq!(recovered.fault(&fault(FaultKind::Timeout, true)), None);
        assert_eq!(breakdowns.fault(&fault(FaultKind::Timeout, true)), Some(End::Broken));
    }

    #[test]
    fn ten_spoiled_runs_are_enough() {
        let mut breakdowns = Breakdowns::default();
        for n in 1..=10 {
            breakdowns.step();
            breakdowns.answered();
            let end = match n % 3 {
                0 => breakdowns.misordered(),
                1 => breakdowns.fault(&fault(FaultKind::Died, true)),
                _ => breakdowns.fault(&fault(FaultKind::Protocol, true)),
            };
            assert_eq!(end, (n == 10).then_some(End::Broken), "{n}");
        }
    }
}
