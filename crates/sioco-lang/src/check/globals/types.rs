//! Types: declared ones and ranges, as sorts.

use sioco_model::number::{self, BigInt, Rational};
use sioco_model::sort::{Constructor, DataType, Field, Sort};
use sioco_model::{DataId, Id, SortId, Value};

use super::{BUILTIN_TYPES, ResolvedParam, TOLERANCE, suggest_or};
use crate::check::Checker;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::*;

impl<'a> Checker<'a> {
    pub(in crate::check) fn resolve_type_decl(&mut self, decl: &'a TypeDecl) -> Option<SortId> {
        let (constructors, record) = match &decl.body {
            TypeBody::Alias(ty) => return self.resolve_type(ty),
            TypeBody::Record(fields) => {
                let constructor = Constructor { name: decl.name.name.clone(), fields: self.resolve_fields(fields)? };
                (vec![constructor], true)
            }
            TypeBody::Variants(variants) => {
                let mut constructors = Vec::new();
                for v in variants {
                    constructors
                        .push(Constructor { name: v.name.name.clone(), fields: self.resolve_fields(&v.fields)? });
                }
                (constructors, false)
            }
        };
        let fields = constructors.iter().flat_map(|c| &c.fields);
        let parts = fields.fold(1u64, |sum, f| sum.saturating_add(self.parts(f.sort)));
        if parts > MAX_PARTS {
            self.report(
                Diagnostic::new(
                    Code::TooLargeTerm,
                    decl.name.span,
                    format!("the type `{}` is too large", decl.name.name),
                )
                .note(format!("counting nested fields, it has more than {MAX_PARTS} parts"))
                .help("for many items of one type, use a sequence `Seq<T>`"),
            );
            return None;
        }
        let data: DataId = self.sorts.data.push(DataType { name: decl.name.name.clone(), record, constructors });
        self.globals.parts.push(parts);
        Some(self.sorts.data_sort(data))
    }

    /// How many parts a value of a sort can have, sequences counted as one.
    pub(in crate::check) fn parts(&self, sort: SortId) -> u64 {
        match self.sorts.get(sort) {
            Sort::Data(data) => self.globals.parts[data.index()],
            _ => 1,
        }
    }

    pub(in crate::check) fn resolve_fields(&mut self, fields: &'a [ParamDecl]) -> Option<Vec<Field>> {
        let params = self.resolve_params(fields, false);
        params.into_iter().map(|p| Some(Field { name: p.name, sort: p.sort? })).collect()
    }

    /// Resolves parameters or fields; duplicate names and misplaced tolerances are reported.
    pub(in crate::check) fn resolve_params(
        &mut self,
        params: &'a [ParamDecl],
        tolerance_allowed: bool,
    ) -> Vec<ResolvedParam> {
        let mut resolved: Vec<ResolvedParam> = Vec::new();
        for (i, p) in params.iter().enumerate() {
            if let Some(first) = params[..i].iter().find(|q| q.name.name == p.name.name) {
                self.duplicate("parameter", &p.name, first.name.span);
            }
            let sort = self.resolve_type(&p.ty);
            let mut tolerance = None;
            if let Some(expr) = &p.tolerance {
                let real = sort.is_none_or(|s| matches!(self.sorts.get(s), Sort::Real { .. }));
                if !tolerance_allowed || !real {
                    self.report(
                        Diagnostic::new(Code::BadTolerance, expr.span, "a tolerance is not allowed here")
                            .help(TOLERANCE),
                    );
                } else if let Some((value, _)) = self.constant(expr, Some(self.sorts.real)) {
                    let value = number::to_rational(&value).expect("a Real");
                    if value < Rational::ZERO {
                        let d = Diagnostic::new(Code::BadTolerance, expr.span, "a tolerance cannot be negative");
                        self.report(d.help("give the largest allowed distance, in either direction"));
                    } else {
                        tolerance = Some(value);
                    }
                }
            }
            resolved.push(ResolvedParam { name: p.name.name.clone(), sort, tolerance });
        }
        resolved
    }

    /// The sort of a type as written.
    pub(in crate::check) fn resolve_type(&mut self, ty: &'a TypeExpr) -> Option<SortId> {
        match &ty.kind {
            TypeExprKind::Error => None,
            TypeExprKind::Name(name) => match name.name.as_str() {
                "Bool" => Some(self.sorts.bool),
                "Int" => Some(self.sorts.int),
                "Real" => Some(self.sorts.real),
                "String" => Some(self.sorts.string),
                other if named_range(other).is_some() => {
                    let (lo, hi) = named_range(other).expect("it is one");
                    Some(self.sorts.intern(Sort::Int { lo: Some(lo), hi: Some(hi) }))
                }
                other => {
                    if let Some(entry) = self.globals.types.get(other) {
                        entry.used.set(true);
                        return entry.result;
                    }
                    let d = Diagnostic::new(Code::UnknownType, name.span, format!("there is no type `{other}`"));
                    let known = BUILTIN_TYPES.iter().copied().chain(self.globals.types.keys().copied());
                    let synonym = TYPE_SYNONYMS.iter().find(|(word, _)| word.eq_ignore_ascii_case(other));
                    let near = match synonym {
                        Some((_, meant)) => Some((*meant).to_string()),
                        None => self.near(other, known),
                    };
                    let lists = ["List", "Array", "Vec", "Vector"];
                    let maps = ["Dict", "Dictionary", "HashMap", "TreeMap"];
                    let d = if maps.iter().any(|m| m.eq_ignore_ascii_case(other)) {
                        d.help("maps are written `Map<K, V>`, such as `Map<String, Int>`")
                    } else if near.as_deref() == Some("Set") || near.as_deref() == Some("Map") {
                        d.help("did you mean `Set<…>`, or `Map<…, …>`?")
                    } else if lists.iter().any(|l| l.eq_ignore_ascii_case(other)) {
                        d.help("sequences are written `Seq<T>`, such as `Seq<Int>`")
                    } else if near.as_deref() == Some("Seq") {
                        d.help("did you mean `Seq<…>`?")
                    } else {
                        suggest_or(d, name, near, || format!("declare it: `type {other} = …`"))
                    };
                    self.report(d);
                    None
                }
            },
            TypeExprKind::Seq(item) => {
                let item = self.resolve_type(item)?;
                Some(self.sorts.seq(item))
            }
            TypeExprKind::Set(item) => {
                let item = self.resolve_type(item)?;
                Some(self.sorts.set(item))
            }
            TypeExprKind::Map(key, value) => {
                let (key, value) = (self.resolve_type(key), self.resolve_type(value));
                Some(self.sorts.map(key?, value?))
            }
            TypeExprKind::Range(base, lo, hi) => {
                let sort = self.resolve_type(base)?;
                let base_sort = self.sorts.base(sort);
                if !self.sorts.is_numeric(base_sort) {
                    let name = self.sorts.name(sort);
                    self.report(
                        Diagnostic::new(Code::TypeMismatch, base.span, format!("`{name}` cannot have a range"))
                            .help("only Int and Real can have a range"),
                    );
                    return None;
                }
                let mut bound = |e: &'a Option<Box<Expr>>| -> Option<Option<Value>> {
                    match e {
                        None => Some(None),
                        Some(e) => self.constant(e, Some(base_sort)).map(|(v, _)| Some(v)),
                    }
                };
                let (lo, hi) = (bound(lo), bound(hi));
                self.range(sort, lo?, hi?, ty.span)
            }
        }
    }

    pub(in crate::check) fn range(
        &mut self,
        outer: SortId,
        lo: Option<Value>,
        hi: Option<Value>,
        span: Span,
    ) -> Option<SortId> {
        fn tighter<T: PartialOrd + Clone>(a: Option<T>, b: &Option<T>, low: bool) -> Option<T> {
            match (a, b) {
                (Some(a), Some(b)) => Some(if (a < *b) == low { b.clone() } else { a }),
                (a, b) => a.or_else(|| b.clone()),
            }
        }
        let (sort, empty) = match self.sorts.get(outer) {
            Sort::Int { lo: olo, hi: ohi } => {
                let lo = tighter(lo.as_ref().and_then(number::to_big), olo, true);
                let hi = tighter(hi.as_ref().and_then(number::to_big), ohi, false);
                let empty = matches!((&lo, &hi), (Some(lo), Some(hi)) if lo > hi);
                (Sort::Int { lo, hi }, empty)
            }
            Sort::Real { lo: olo, hi: ohi } => {
                let lo = tighter(lo.as_ref().and_then(number::to_rational), olo, true);
                let hi = tighter(hi.as_ref().and_then(number::to_rational), ohi, false);
                let empty = matches!((&lo, &hi), (Some(lo), Some(hi)) if lo > hi);
                (Sort::Real { lo, hi }, empty)
            }
            _ => return None,
        };
        if empty {
            self.report(
                Diagnostic::new(Code::EmptyRange, span, "this range has no values")
                    .help("write the lower bound first: `lo..hi`, both included"),
            );
            return None;
        }
        Some(self.sorts.intern(sort))
    }
}

/// The range of a type such as `UInt8`.
fn named_range(name: &str) -> Option<(BigInt, BigInt)> {
    let (signed, bits) = match name.strip_prefix("UInt") {
        Some(bits) => (false, bits),
        None => (true, name.strip_prefix("Int")?),
    };
    let bits: usize = match bits {
        "8" => 8,
        "16" => 16,
        "32" => 32,
        "64" => 64,
        _ => return None,
    };
    let most = |bits: usize| (BigInt::ONE << bits) - BigInt::ONE;
    Some(if signed { (-(BigInt::ONE << (bits - 1)), most(bits - 1)) } else { (BigInt::ZERO, most(bits)) })
}

/// Types of other languages, and what they are here.
pub(in crate::check) const TYPE_SYNONYMS: [(&str, &str); 7] = [
    ("Integer", "Int"),
    ("Boolean", "Bool"),
    ("Float", "Real"),
    ("Double", "Real"),
    ("Decimal", "Real"),
    ("Text", "String"),
    ("Str", "String"),
];

/// A type may have at most this many parts: a few that double from one to the next would otherwise fill any memory.
/// Types that people write have some dozen.
pub(in crate::check) const MAX_PARTS: u64 = 10_000;
