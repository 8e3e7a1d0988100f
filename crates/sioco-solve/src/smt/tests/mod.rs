//! Every back-end that is there, on the same questions.

mod broken;
mod quantified;
mod random;
mod suite;

use std::sync::Arc;

use sioco_model::sort::{Constructor, DataType, Field, Sort, Sorts};
use sioco_model::term::{Op, TermPool};
use sioco_model::{DataId, Id, SortId, SymbolId, TermId, Value};

use super::locate;
use super::process::ProcessSolver;
use super::z3::{self, Z3Solver, lib::Z3Library};
use crate::query::{Answer, Limits, Solver, Symbol, Symbols, Terms, Witness};

/// Terms under construction.
#[derive(Default)]
struct Build {
    sorts: Sorts,
    pool: TermPool,
    symbols: Symbols,
}

impl Build {
    fn terms(&self) -> Terms<'_> {
        Terms { pool: &self.pool, sorts: &self.sorts, symbols: &self.symbols }
    }

    fn symbol(&mut self, sort: SortId) -> TermId {
        let y: SymbolId = self.symbols.push(Symbol { name: format!("p#{}", self.symbols.len()), sort });
        let base = self.sorts.base(sort);
        self.pool.symbol(y, base)
    }

    fn range(&mut self, lo: i64, hi: i64) -> SortId {
        self.sorts.intern(Sort::Int { lo: Some(lo.into()), hi: Some(hi.into()) })
    }

    fn int(&mut self, n: i64) -> TermId {
        self.pool.constant(Value::Int(n), self.sorts.int)
    }

    fn text(&mut self, s: &str) -> TermId {
        self.pool.constant(Value::string(s), self.sorts.string)
    }

    /// An operation whose sort is that of its first argument, or `Bool`.
    fn app(&mut self, op: Op, args: &[TermId]) -> TermId {
        let sort = match op {
            Op::Not | Op::And | Op::Or | Op::Eq | Op::Lt | Op::Le | Op::Contains | Op::Is(_) | Op::Exists { .. } => {
                self.sorts.bool
            }
            Op::Ite => self.pool.sort(args[1]),
            Op::Len | Op::Floor => self.sorts.int,
            Op::ToReal => self.sorts.real,
            Op::Index => match self.sorts.get(self.pool.sort(args[0])) {
                Sort::Seq(item) => *item,
                _ => self.sorts.string,
            },
            Op::SeqLit => {
                let item = self.pool.sort(args[0]);
                self.sorts.seq(item)
            }
            Op::Field(c, f) => match self.sorts.get(self.pool.sort(args[0])) {
                Sort::Data(d) => self.sorts.base(self.sorts.data[*d].constructors[c as usize].fields[f as usize].sort),
                _ => panic!("a field of a data type"),
            },
            _ => self.pool.sort(args[0]),
        };
        self.pool.app(op, args, sort)
    }

    fn data(&mut self, name: &str, constructors: &[(&str, &[SortId])]) -> SortId {
        let constructors = constructors.iter().map(|(name, fields)| Constructor {
            name: (*name).into(),
            fields: fields.iter().enumerate().map(|(i, sort)| Field { name: format!("f{i}"), sort: *sort }).collect(),
        });
        let id: DataId =
            self.sorts.data.push(DataType { name: name.into(), record: false, constructors: constructors.collect() });
        self.sorts.data_sort(id)
    }

    fn construct(&mut self, sort: SortId, c: u32, args: &[TermId]) -> TermId {
        self.pool.app(Op::Construct(c), args, sort)
    }

    /// `exists x: sort. body(x)`.
    fn exists(&mut self, sort: SortId, body: impl FnOnce(&mut Self, TermId) -> TermId) -> TermId {
        let first = self.pool.binders.push(sort);
        let x = self.pool.bound(&self.sorts, first);
        let body = body(self, x);
        self.app(Op::Exists { first, count: 1 }, &[body])
    }
}

type Make<'a> = &'a mut dyn FnMut() -> Box<dyn Solver>;

/// Runs a test against every back-end that is there, and says which are not.
fn for_all(test: &dyn Fn(&str, Make<'_>)) {
    match library() {
        Some(library) => test(library.version(), &mut || Box::new(Z3Solver::new(&library))),
        None => eprintln!("skipped: there is no Z3 library here"),
    }
    for command in ["z3 -in", "cvc5 --lang smt2 --incremental"] {
        let program = command.split(' ').next().unwrap();
        match locate::on_path(program) {
            Some(_) => test(command, &mut || Box::new(ProcessSolver::new(command).unwrap())),
            None => eprintln!("skipped: there is no {program} here"),
        }
    }
}

fn library() -> Option<Arc<Z3Library>> {
    let (library, candidates) = z3::find();
    if library.is_none() {
        eprintln!("no Z3 library: {candidates:?}");
    }
    library
}

/// Asserts the conjuncts on a level of their own and asks.
fn ask(solver: &mut dyn Solver, build: &Build, conjuncts: &[TermId]) -> Answer {
    solver.push();
    for c in conjuncts {
        solver.assert(build.terms(), *c);
    }
    let answer = solver.check(build.terms(), &Limits::default(), true);
    solver.pop();
    if let Answer::Sat(witness) = &answer {
        let witness = witness.as_ref().expect("a witness was asked for");
        assert!(build.terms().satisfies(witness, conjuncts), "{witness:?}");
    }
    answer
}

#[track_caller]
fn sat(name: &str, solver: &mut dyn Solver, build: &Build, conjuncts: &[TermId]) -> Witness {
    match ask(solver, build, conjuncts) {
        Answer::Sat(Some(witness)) => witness,
        other => panic!("{name}: {other:?} for {:?}", written(build, conjuncts)),
    }
}

#[track_caller]
fn unsat(name: &str, solver: &mut dyn Solver, build: &Build, conjuncts: &[TermId]) {
    let answer = ask(solver, build, conjuncts);
    assert_eq!(answer, Answer::Unsat(None), "{name}: {:?}", written(build, conjuncts));
}

fn written(build: &Build, conjuncts: &[TermId]) -> Vec<String> {
    let mut writer = super::write::Writer::default();
    conjuncts.iter().map(|c| writer.conjunct(build.terms(), *c).map_or_else(|e| e.0, |w| w.text)).collect()
}

/// The symbol of a term.
fn of(witness: &Witness, y: usize) -> &Value {
    &witness[SymbolId::from_index(y).index()]
}
