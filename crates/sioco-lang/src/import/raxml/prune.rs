//! Leaves out what nothing uses.

use super::expr::Ref;
use super::{Arg, Automaton, Location, Notes, Value};

impl Automaton {
    /// Without what nothing uses, so that the text is checked without warnings.
    pub(super) fn pruned(mut self, notes: &mut Notes) -> Automaton {
        let lost = self.keep_reached(notes);
        let live = self.live_registers();
        for t in &mut self.transitions {
            t.update.retain(|(v, _)| live[*v]);
        }
        let (symbols, constants) = self.used();
        let unused = |values: &[Value], used: &[bool]| -> Vec<String> {
            values.iter().zip(used).filter(|(_, used)| !**used).map(|(v, _)| v.name.clone()).collect()
        };
        let gates = self.symbols.iter().zip(&symbols).filter(|(_, used)| !**used).map(|(s, _)| s.name.clone());
        notes.dropped = vec![
            ("locations that no path leads to", lost),
            ("symbols that no transition uses", gates.collect()),
            ("constants that nothing refers to by name", unused(&self.constants, &constants)),
            ("variables that nothing reads, and their assignments,", unused(&self.registers, &live)),
        ];
        let symbols = retain(&mut self.symbols, &symbols);
        let constants = retain(&mut self.constants, &constants);
        let registers = retain(&mut self.registers, &live);
        self.renumber(&symbols, &constants, &registers);
        self
    }

    /// Keeps the locations that a path leads to, in the order in which they are reached: a file may list them in any.
    /// Gives the names of the others.
    fn keep_reached(&mut self, notes: &mut Notes) -> Vec<String> {
        let mut out: Vec<Vec<usize>> = vec![Vec::new(); self.locations.len()];
        for (i, t) in self.transitions.iter().enumerate() {
            out[t.from].push(i);
        }
        let mut position: Vec<Option<usize>> = vec![None; self.locations.len()];
        position[self.initial] = Some(0);
        let mut order = vec![self.initial];
        let mut next = 0;
        while let Some(&location) = order.get(next) {
            next += 1;
            for &t in &out[location] {
                let to = self.transitions[t].to;
                if position[to].is_none() {
                    position[to] = Some(order.len());
                    order.push(to);
                }
            }
        }
        let lost = self.locations.iter().zip(&position).filter(|(_, p)| p.is_none());
        let lost: Vec<String> = lost.map(|(l, _)| l.name.clone()).collect();
        notes.sinks = order.iter().filter(|l| out[**l].is_empty()).map(|l| self.locations[*l].name.clone()).collect();
        let locations = std::mem::take(&mut self.locations);
        let mut locations: Vec<Option<Location>> = locations.into_iter().map(Some).collect();
        self.locations = order.iter().filter_map(|l| locations[*l].take()).collect();
        self.initial = 0;
        self.transitions.retain_mut(|t| match (position[t.from], position[t.to]) {
            (Some(from), Some(to)) => {
                (t.from, t.to) = (from, to);
                true
            }
            _ => false,
        });
        self.transitions.sort_by_key(|t| t.from);
        lost
    }

    /// Whether each register is read: by a guard or an output, or by an assignment to one that is.
    fn live_registers(&self) -> Vec<bool> {
        let mut live = vec![false; self.registers.len()];
        let mut reads: Vec<Vec<usize>> = vec![Vec::new(); self.registers.len()];
        let mut todo = Vec::new();
        for t in &self.transitions {
            let mut read = |r| {
                if let Ref::Var(v) = r
                    && !std::mem::replace(&mut live[v], true)
                {
                    todo.push(v);
                }
            };
            t.guard.iter().for_each(|g| g.visit(&mut read));
            for arg in &t.args {
                if let Arg::Term(term) = arg {
                    term.visit(&mut read);
                }
            }
            for (target, value) in &t.update {
                value.visit(&mut |r| {
                    if let Ref::Var(v) = r {
                        reads[*target].push(v);
                    }
                });
            }
        }
        while let Some(variable) = todo.pop() {
            for v in std::mem::take(&mut reads[variable]) {
                if !std::mem::replace(&mut live[v], true) {
                    todo.push(v);
                }
            }
        }
        live
    }

    /// Whether each symbol, and each constant, is used.
    fn used(&self) -> (Vec<bool>, Vec<bool>) {
        let mut symbols = vec![false; self.symbols.len()];
        let mut constants = vec![false; self.constants.len()];
        for t in &self.transitions {
            symbols[t.symbol] = true;
            t.visit(&mut |r| {
                if let Ref::Const(c) = r {
                    constants[c] = true;
                }
            });
        }
        (symbols, constants)
    }

    /// Gives everything that transitions refer to its new index.
    fn renumber(&mut self, symbols: &[usize], constants: &[usize], registers: &[usize]) {
        for t in &mut self.transitions {
            t.symbol = symbols[t.symbol];
            let mut renumber = |r: &mut Ref| match r {
                Ref::Var(v) => *v = registers[*v],
                Ref::Const(c) => *c = constants[*c],
                Ref::Param(_) => {}
            };
            t.guard.iter_mut().for_each(|g| g.visit_mut(&mut renumber));
            for arg in &mut t.args {
                if let Arg::Term(term) = arg {
                    term.visit_mut(&mut renumber);
                }
            }
            for (target, value) in &mut t.update {
                *target = registers[*target];
                value.visit_mut(&mut renumber);
            }
        }
    }
}

/// Keeps what is used; gives the new index for each old one.
fn retain<T>(items: &mut Vec<T>, used: &[bool]) -> Vec<usize> {
    let mut count = 0;
    let mut new = Vec::with_capacity(used.len());
    for used in used {
        new.push(count);
        count += usize::from(*used);
    }
    let mut used = used.iter();
    items.retain(|_| used.next().is_some_and(|u| *u));
    new
}
