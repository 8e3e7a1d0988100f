//! Every term of a model, in a fixed order.

use super::{Carried, Guard, Label, Spec, Switch, Term};

impl Switch {
    /// Its terms.
    pub fn terms(&self) -> Vec<&Term> {
        let mut terms = Vec::new();
        match &self.label {
            Label::Output(_, carried) => terms.extend(carried.iter().filter_map(|c| match c {
                Carried::Term(term) => Some(term),
                Carried::Any(_) => None,
            })),
            Label::Send(_, sent) => terms.extend(sent),
            Label::Input(_) | Label::Tau(_) | Label::Receive(_) => {}
        }
        if let Guard::All(parts) = &self.guard {
            terms.extend(parts);
        }
        terms.extend(self.update.iter().map(|(_, term)| term));
        terms
    }

    /// The same, to change them.
    pub fn terms_mut(&mut self) -> Vec<&mut Term> {
        let mut terms = Vec::new();
        match &mut self.label {
            Label::Output(_, carried) => terms.extend(carried.iter_mut().filter_map(|c| match c {
                Carried::Term(term) => Some(term),
                Carried::Any(_) => None,
            })),
            Label::Send(_, sent) => terms.extend(sent),
            Label::Input(_) | Label::Tau(_) | Label::Receive(_) => {}
        }
        if let Guard::All(parts) = &mut self.guard {
            terms.extend(parts);
        }
        terms.extend(self.update.iter_mut().map(|(_, term)| term));
        terms
    }
}

impl Spec {
    /// Every switch.
    pub fn switches(&self) -> impl Iterator<Item = &Switch> {
        self.processes.iter().flat_map(|p| &p.switches)
    }

    /// Whether a term of it is one of these.
    pub fn has(&self, what: &dyn Fn(&Term) -> bool) -> bool {
        self.switches().flat_map(Switch::terms).any(|term| term.has(what))
    }
}
