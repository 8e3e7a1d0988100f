//! Transitions: what they take or give, when, and what they assign.

use roxmltree::{Attribute, Node};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Reader, Text};
use crate::import::ImportError;
use crate::import::raxml::expr::{self, Expr, Ref};
use crate::import::raxml::reading::Evidence;
use crate::import::raxml::{Arg, Order, Param, Symbol, Transition, Type};

/// All values of one transition may become at most this large together, in terms, when earlier assignments are put into
/// them: a thousand values of the [greatest size](super::super::expr).
const MAX_GROWN: usize = 1_000_000;

/// A fresh value is compared with at most this many: comparing all with each other grows with the square of their
/// number. A transition seldom has more than some dozen.
const MAX_COMPARED: usize = 1000;

/// The parts of a transition, by the names of their elements.
type Parts<'a, 'x> = [(&'x str, Node<'a, 'x>)];

/// What stands in the head of a transition.
struct Head<'r, 'a, 'x> {
    node: Node<'a, 'x>,
    /// Where its symbol is named.
    attribute: Attribute<'a, 'x>,
    symbol: &'r Symbol,
    /// What stands for the parameters, if that is said.
    params: Option<Attribute<'a, 'x>>,
    /// The names that an input binds, or the terms of an output; without any, the declared names.
    names: &'r [String],
}

/// What the assignments of a transition come to.
#[derive(Default)]
struct Assigned {
    /// The value of each variable, as it is executed.
    values: FxHashMap<usize, Expr>,
    /// The variables, in the order in which they are assigned first.
    order: Vec<usize>,
    /// The variables that get a value that is chosen.
    fresh: FxHashSet<usize>,
    /// What tells in which order assignments are meant.
    evidence: Evidence,
    /// Whether the values depend on the order.
    order_matters: bool,
    /// How large all values are together.
    grown: usize,
}

/// What an output gives.
#[derive(Default)]
struct Given {
    args: Vec<Arg>,
    /// The parameter in which the chosen value of each variable is given.
    chosen: FxHashMap<usize, usize>,
    /// Whether it depends on what was assigned before.
    after: bool,
}

impl<'a, 'x> Reader<'a, 'x> {
    pub(super) fn transition(&mut self, node: Node<'a, 'x>) -> Result<Transition, ImportError> {
        if let Some(guard) = node.attribute_node("guard") {
            // Passing over an unknown attribute is harmless; passing over a guard is not.
            return Err(ImportError::BadValue {
                expected: "the guard in an element of its own".into(),
                found: guard.value().into(),
                help: "write `<guard>…</guard>` inside the transition".into(),
                at: self.place(guard.range().start),
            });
        }
        let parts = self.inside(node, &["from", "to", "symbol", "params"], &["guard", "assignments"], false);
        let from = self.location_id(node, "from")?;
        let to = self.location_id(node, "to")?;
        let attribute = self.attribute(node, "symbol")?;
        let symbol = self.symbol_of(attribute, from)?;
        let declared = &self.symbols[symbol];
        let params = node.attribute_node("params").filter(|p| !p.value().trim().is_empty());
        let names: Vec<String> = match params {
            Some(params) if declared.input => params.value().split(',').map(|p| p.trim().to_string()).collect(),
            _ => declared.params.iter().map(|p| p.name.clone()).collect(),
        };
        let head = Head { node, attribute, symbol: declared, params, names: &names };
        let bound = self.bound(&head)?;
        let odd = self.odd || names.iter().any(|n| expr::is_odd(n));
        let scope = expr::Scope { find: &|name: &str| self.lookup(&bound, name), odd };
        let mut conditions: Vec<Expr> = self.guard(&head, &parts, &scope)?.into_iter().collect();
        let mut assigned = self.assigned(&head, &parts, &scope)?;
        let Given { args, chosen, after } = self.given(&head, &mut assigned, &scope)?;
        conditions.extend(self.all_fresh(&head, &assigned, &chosen, &args)?);

        let mut update: Vec<(usize, Expr)> = Vec::new();
        for variable in assigned.order {
            let value = assigned.values.remove(&variable).expect("each assigned variable has its value");
            // What the other order of evaluation leaves behind: a variable that keeps its value.
            if value != Expr::Ref(Ref::Var(variable)) {
                update.push((variable, value));
            }
        }
        let mut choices: Vec<(usize, usize)> = chosen.into_iter().collect();
        choices.sort_unstable();
        update.retain(|(v, _)| !assigned.fresh.contains(v));
        update.extend(choices.iter().map(|(v, i)| (*v, Expr::Ref(Ref::Param(*i)))));

        let at = node.range().start;
        self.look_inside(&parts);
        if assigned.order_matters {
            self.notes.order = Some(self.count(self.notes.order, at));
        }
        if after {
            self.notes.after = Some(self.count(self.notes.after, at));
        }
        if !choices.is_empty() {
            self.notes.fresh = Some(self.count(self.notes.fresh, at));
        }
        let guard = Expr::all(conditions);
        Ok(Transition { from, to, symbol, names, args, guard, update, order: assigned.evidence })
    }

    /// The symbol that a transition names, as one of inputs or outputs.
    fn symbol_of(&self, attribute: Attribute<'a, 'x>, from: usize) -> Result<usize, ImportError> {
        let name = attribute.value().trim();
        let symbol = self.symbol_ids.get(name).and_then(|ids| match self.inputs_at[from] {
            Some(inputs) if !ids.contains(&None) => ids[usize::from(!inputs)],
            _ => ids[0].or(ids[1]),
        });
        symbol.ok_or_else(|| self.unknown("symbol", name, self.symbol_ids.keys(), attribute.range_value().start))
    }

    /// That a symbol has another number of parameters.
    fn wrong_count(&self, head: &Head<'_, 'a, 'x>, found: usize) -> ImportError {
        ImportError::WrongCount {
            symbol: head.attribute.value().trim().into(),
            declared: head.symbol.params.len(),
            found,
            at: self.place(head.params.map_or(head.node.range(), |p| p.range_value()).start),
            declaration: self.place(head.symbol.at),
        }
    }

    /// The parameters that an input gives names to, by these.
    fn bound<'r>(&self, head: &Head<'r, 'a, 'x>) -> Result<FxHashMap<&'r str, usize>, ImportError> {
        let mut bound = FxHashMap::default();
        if head.names.len() != head.symbol.params.len() {
            return Err(self.wrong_count(head, head.names.len()));
        }
        if head.symbol.input {
            for (i, name) in head.names.iter().enumerate() {
                if !name.is_empty() && bound.insert(name.as_str(), i).is_some() {
                    return Err(ImportError::BadValue {
                        expected: "a name for each parameter".into(),
                        found: head.params.map_or(name.clone(), |p| p.value().into()),
                        help: format!("`{name}` cannot be bound twice: rename one of them"),
                        at: self.place(head.params.map_or(head.node.range(), |p| p.range_value()).start),
                    });
                }
            }
        }
        Ok(bound)
    }

    /// The guard, unless it is always true.
    fn guard(
        &self,
        head: &Head<'_, 'a, 'x>,
        parts: &Parts<'a, 'x>,
        scope: &expr::Scope<'_>,
    ) -> Result<Option<Expr>, ImportError> {
        let mut guards = parts.iter().filter(|(tag, _)| *tag == "guard").map(|(_, node)| *node);
        let mut found = None;
        if let Some(guard) = guards.next() {
            let source = Text::Element(guard);
            let text = source.text();
            if !text.trim().is_empty() {
                let condition = self.understood(source, expr::condition(&text, scope))?;
                self.no_conflict(&condition)?;
                self.typed(&condition, &head.symbol.params, Type::Bool, guard.range().start)?;
                found = Some(condition).filter(|condition| *condition != Expr::Literal("true".into()));
            }
        }
        match guards.next() {
            None => Ok(found),
            Some(second) => Err(ImportError::BadExpression {
                message: "this is the second guard of one transition".into(),
                help: "join them with `&&` in one `<guard>`".into(),
                at: self.place(second.range().start),
            }),
        }
    }

    /// The assignments, in order or at once.
    fn assigned(
        &self,
        head: &Head<'_, 'a, 'x>,
        parts: &Parts<'a, 'x>,
        scope: &expr::Scope<'_>,
    ) -> Result<Assigned, ImportError> {
        let mut found = Assigned::default();
        let mut in_turn: FxHashMap<usize, Expr> = FxHashMap::default();
        let assigns = parts.iter().filter(|(tag, _)| *tag == "assignments").flat_map(|(_, node)| node.children());
        for node in assigns.filter(|n| n.is_element() && n.tag_name().name() == "assign") {
            let target = self.attribute(node, "to")?;
            let name = target.value().trim();
            let Some(&variable) = self.register_ids.get(name) else {
                return Err(self.unknown("variable", name, self.register_ids.keys(), target.range_value().start));
            };
            let source = Text::Element(node);
            let text = source.text();
            if text.trim() == "__fresh__" {
                found.fresh.insert(variable);
                found.evidence.assigned.push(variable);
                continue;
            }
            let value = self.understood(source, expr::term(&text, scope))?;
            self.no_conflict(&value)?;
            self.typed(&value, &head.symbol.params, self.registers[variable].ty, node.range().start)?;
            let Some(in_order) = value.substitute(&in_turn) else {
                return Err(self.too_large(node));
            };
            found.grown += in_order.size();
            if found.grown > MAX_GROWN {
                return Err(self.too_large(node));
            }
            found.order_matters |= in_order != value;
            found.evidence.look(variable, &value, &in_order, &in_turn, node.range().start);
            in_turn.insert(variable, in_order.clone());
            let value = if self.notes.executed == Order::InOrder { in_order } else { value };
            if found.values.insert(variable, value).is_none() {
                found.order.push(variable);
            }
        }
        Ok(found)
    }

    /// The parameters of an output, which see what was assigned.
    fn given(
        &self,
        head: &Head<'_, 'a, 'x>,
        assigned: &mut Assigned,
        scope: &expr::Scope<'_>,
    ) -> Result<Given, ImportError> {
        let mut given = Given::default();
        if head.symbol.input {
            return Ok(given);
        }
        let declared = &head.symbol.params;
        if declared.is_empty() {
            return match head.params {
                None => Ok(given),
                Some(params) => Err(self.wrong_count(head, params.value().split(',').count())),
            };
        }
        // Without `params` the declared names must be those of registers or constants.
        let (source, text) = match head.params {
            Some(params) => (Text::Attribute(params), params.value().to_string()),
            None => (Text::Attribute(head.attribute), head.names.join(",")),
        };
        let terms = self.understood(source, expr::terms(&text, scope))?;
        if terms.len() != declared.len() {
            return Err(self.wrong_count(head, terms.len()));
        }
        for (i, (offset, term)) in terms.into_iter().enumerate() {
            self.no_conflict(&term)?;
            let at = source.locate(self.doc.input_text(), offset);
            self.typed(&term, declared, declared[i].ty, at)?;
            let fresh = match &term {
                Expr::Ref(Ref::Var(v)) if assigned.fresh.contains(v) => Some(*v),
                _ => None,
            };
            if let Some(variable) = fresh {
                // What is chosen is stored too.
                self.typed(&Expr::Ref(Ref::Param(i)), declared, self.registers[variable].ty, at)?;
                if given.chosen.insert(variable, i).is_some() {
                    let name = &self.registers[variable].name;
                    return Err(ImportError::BadExpression {
                        message: format!("the fresh value of `{name}` stands for two parameters"),
                        help: "give each parameter a register of its own".into(),
                        at: self.place(at),
                    });
                }
                given.args.push(Arg::Any);
                continue;
            }
            let Some(value) = term.substitute(&assigned.values) else {
                return Err(self.too_large(head.node));
            };
            assigned.grown += value.size();
            if assigned.grown > MAX_GROWN {
                return Err(self.too_large(head.node));
            }
            given.after |= value != term;
            given.args.push(Arg::Term(value));
        }
        Ok(given)
    }

    /// That each chosen value differs from what it is compared with. Whatever is to be chosen has to be given.
    fn all_fresh(
        &self,
        head: &Head<'_, 'a, 'x>,
        assigned: &Assigned,
        chosen: &FxHashMap<usize, usize>,
        args: &[Arg],
    ) -> Result<Vec<Expr>, ImportError> {
        let at = head.node.range().start;
        if let Some(lost) = assigned.fresh.iter().find(|v| !chosen.contains_key(v)) {
            let name = &self.registers[*lost].name;
            return Err(ImportError::BadExpression {
                message: format!("`{name}` is to be fresh, but is not a parameter of an output here"),
                help: "name it in the `params` of an output".into(),
                at: self.place(at),
            });
        }
        let freshness = self.freshness(&head.symbol.params, args);
        if freshness.len() > MAX_COMPARED {
            return Err(ImportError::BadExpression {
                message: format!("this fresh value would have to differ from more than {MAX_COMPARED} others"),
                help: "give its data type to fewer variables and constants".into(),
                at: self.place(at),
            });
        }
        Ok(freshness)
    }

    /// Tells what is passed over inside of the parts of a transition.
    fn look_inside(&mut self, parts: &Parts<'a, 'x>) {
        for list in parts.iter().filter(|(tag, _)| *tag == "assignments") {
            for (_, assign) in self.inside(list.1, &[], &["assign"], false) {
                self.inside(assign, &["to"], &[], true);
            }
        }
        for (tag, guard) in parts {
            if *tag == "guard" {
                self.inside(*guard, &[], &[], true);
            }
        }
    }

    fn too_large(&self, node: Node<'a, 'x>) -> ImportError {
        ImportError::BadExpression {
            message: "the assignments before make this value too large to write down".into(),
            help: "split the transition in two".into(),
            at: self.place(node.range().start),
        }
    }

    /// That each chosen value differs from all that RaLib compares it with.
    fn freshness(&self, declared: &[Param], args: &[Arg]) -> Vec<Expr> {
        let mut conditions = Vec::new();
        for (i, _) in args.iter().enumerate().filter(|(_, a)| matches!(a, Arg::Any)) {
            let same = |data_type: &str| data_type == declared[i].data_type;
            let registers = self.registers.iter().enumerate().filter(|(_, r)| same(&r.data_type));
            let registers = registers.map(|(r, _)| Expr::Ref(Ref::Var(r)));
            let constants = self.constants.iter().filter(|c| same(&c.data_type)).map(|c| c.value.clone());
            let others = args.iter().enumerate().filter(|(j, _)| *j != i && same(&declared[*j].data_type));
            let others = others.filter_map(|(j, arg)| match arg {
                Arg::Any => (j < i).then_some(Expr::Ref(Ref::Param(j))),
                // Registers and constants are in the lists above; what was assigned here may be in neither.
                Arg::Term(term) => (!matches!(term, Expr::Ref(_))).then(|| term.clone()),
            });
            let all = registers.chain(constants).chain(others);
            conditions.extend(all.map(|e| Expr::differ(Expr::Ref(Ref::Param(i)), e)));
        }
        conditions
    }
}
