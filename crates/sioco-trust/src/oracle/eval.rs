//! The value of a term (`docs/language.md`, expressions).

use std::collections::BTreeMap;

use crate::spec::{Compare, Spec, Term, Val};

/// The term has no value: a model error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Undefined;

/// Where a term is evaluated.
pub struct Scope<'a> {
    /// The model.
    pub spec: &'a Spec,
    /// The values of the variables of the process.
    pub variables: &'a [Val],
    /// The values of the parameters of the switch.
    pub params: &'a [Val],
}

impl Scope<'_> {
    /// The value of a term.
    pub fn value(&self, term: &Term) -> Result<Val, Undefined> {
        self.eval(term, &mut BTreeMap::new())
    }

    /// Whether a condition holds.
    pub fn holds(&self, term: &Term) -> Result<bool, Undefined> {
        Ok(truth(&self.value(term)?))
    }

    fn eval(&self, term: &Term, names: &mut BTreeMap<usize, Val>) -> Result<Val, Undefined> {
        let int = |t: &Term, names: &mut BTreeMap<usize, Val>| Ok(integer(&self.eval(t, names)?));
        Ok(match term {
            Term::Value(value, _) => value.clone(),
            Term::Variable(v) => self.variables[*v].clone(),
            Term::Param(p) => self.params[*p].clone(),
            Term::Name(n) => names[n].clone(),
            Term::Add(a, b) => Val::Int(int(a, names)? + int(b, names)?),
            Term::Sub(a, b) => Val::Int(int(a, names)? - int(b, names)?),
            Term::Mul(a, b) => Val::Int(int(a, names)? * int(b, names)?),
            Term::Div(a, b) => Val::Int(int(a, names)?.checked_div_euclid(int(b, names)?).ok_or(Undefined)?),
            Term::Mod(a, b) => Val::Int(int(a, names)?.checked_rem_euclid(int(b, names)?).ok_or(Undefined)?),
            Term::Compare(how, a, b) => {
                let (a, b) = (self.eval(a, names)?, self.eval(b, names)?);
                Val::Bool(match how {
                    Compare::Equal => a == b,
                    Compare::Different => a != b,
                    Compare::Less => integer(&a) < integer(&b),
                    Compare::LessOrEqual => integer(&a) <= integer(&b),
                })
            }
            Term::And(a, b) => match truth(&self.eval(a, names)?) {
                false => Val::Bool(false),
                true => self.eval(b, names)?,
            },
            Term::Or(a, b) => match truth(&self.eval(a, names)?) {
                true => Val::Bool(true),
                false => self.eval(b, names)?,
            },
            Term::Implies(a, b) => match truth(&self.eval(a, names)?) {
                false => Val::Bool(true),
                true => self.eval(b, names)?,
            },
            Term::Not(a) => Val::Bool(!truth(&self.eval(a, names)?)),
            Term::If(c, a, b) => match truth(&self.eval(c, names)?) {
                true => self.eval(a, names)?,
                false => self.eval(b, names)?,
            },
            Term::Match(of, _, arms, rest) => {
                let Val::Data(constructor, fields) = self.eval(of, names)? else { panic!("a match of {of:?}") };
                match arms.iter().find(|arm| arm.constructor == constructor) {
                    Some(arm) => {
                        names.extend(arm.names.iter().copied().zip(fields));
                        self.eval(&arm.value, names)?
                    }
                    None => self.eval(rest.as_ref().expect("a match has all cases"), names)?,
                }
            }
            Term::Is(a, _, c) => match self.eval(a, names)? {
                Val::Data(constructor, _) => Val::Bool(constructor == *c),
                other => panic!("{other:?} has no constructor"),
            },
            Term::Field(a, _, c, f) => match self.eval(a, names)? {
                Val::Data(constructor, fields) if constructor == *c => fields[*f].clone(),
                _ => return Err(Undefined),
            },
            Term::With(a, t, f, b) => {
                let (record, new) = (self.eval(a, names)?, self.eval(b, names)?);
                let Val::Data(0, mut fields) = record else { panic!("{record:?} is no record") };
                if !new.fits(&self.spec.types[*t].constructors[0].fields[*f], &self.spec.types) {
                    return Err(Undefined);
                }
                fields[*f] = new;
                Val::Data(0, fields)
            }
            Term::Make(t, c, terms) => {
                let mut fields = Vec::new();
                for (term, sort) in terms.iter().zip(&self.spec.types[*t].constructors[*c].fields) {
                    let value = self.eval(term, names)?;
                    if !value.fits(sort, &self.spec.types) {
                        return Err(Undefined);
                    }
                    fields.push(value);
                }
                Val::Data(*c, fields)
            }
            Term::Seq(items) => {
                let mut values = Vec::new();
                for item in items {
                    values.push(self.eval(item, names)?);
                }
                Val::Seq(values)
            }
            Term::Concat(a, b) => match (self.eval(a, names)?, self.eval(b, names)?) {
                (Val::Seq(mut a), Val::Seq(b)) => {
                    a.extend(b);
                    Val::Seq(a)
                }
                (Val::Text(a), Val::Text(b)) => Val::Text(a + &b),
                (a, _) => panic!("{a:?} cannot be joined"),
            },
            Term::Len(a) => match self.eval(a, names)? {
                Val::Seq(items) => Val::Int(items.len() as i64),
                Val::Text(text) => Val::Int(text.chars().count() as i64),
                other => panic!("{other:?} has no length"),
            },
            Term::Index(a, i) => {
                let items = sequence(self.eval(a, names)?);
                let place = usize::try_from(integer(&self.eval(i, names)?)).map_err(|_| Undefined)?;
                items.get(place).cloned().ok_or(Undefined)?
            }
            Term::Contains(a, b) => match (self.eval(a, names)?, self.eval(b, names)?) {
                (Val::Seq(items), item) => Val::Bool(items.contains(&item)),
                (Val::Text(text), Val::Text(part)) => Val::Bool(text.contains(&part)),
                (a, _) => panic!("{a:?} contains nothing"),
            },
            Term::Slice(a, from, to) => {
                let items = sequence(self.eval(a, names)?);
                let (from, to) = (integer(&self.eval(from, names)?), integer(&self.eval(to, names)?));
                if from < 0 || from > to || to > items.len() as i64 {
                    return Err(Undefined);
                }
                Val::Seq(items[from as usize..to as usize].to_vec())
            }
        })
    }
}

fn truth(value: &Val) -> bool {
    matches!(value, Val::Bool(true))
}

fn integer(value: &Val) -> i64 {
    match value {
        Val::Int(n) => *n,
        other => panic!("{other:?} is no integer"),
    }
}

fn sequence(value: Val) -> Vec<Val> {
    match value {
        Val::Seq(items) => items,
        other => panic!("{other:?} is no sequence"),
    }
}
