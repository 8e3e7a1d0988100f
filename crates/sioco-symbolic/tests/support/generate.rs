//! Random small models as text, so that a failure can be read. All values that are chosen are from small ranges.

use std::fmt::Write;

use super::Rng;

/// What may occur in a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Only variables with finitely many values.
    pub finite: bool,
    /// Two processes more often, with handshakes.
    pub parallel: bool,
    /// Guards and updates as large as this.
    pub depth: u32,
    /// Switches that loop, so that trees become large.
    pub dense: bool,
    /// Sequences of up to two items, also chosen ones: a guard bounds their length.
    pub short: bool,
}

pub const FINITE: Shape = Shape { finite: true, parallel: true, depth: 2, dense: false, short: false };
pub const ANY: Shape = Shape { finite: false, parallel: true, depth: 3, dense: false, short: false };
pub const DENSE: Shape = Shape { finite: true, parallel: true, depth: 2, dense: true, short: false };
pub const SHORT: Shape = Shape { finite: true, parallel: false, depth: 2, dense: false, short: true };

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ty {
    Small,
    Nat,
    Bool,
    Enum,
    Record,
    Variant,
    Wide,
    Str,
    Seq,
    Short,
}

use Ty::*;

impl Ty {
    fn text(self) -> &'static str {
        match self {
            Small => "Int in -2..2",
            Nat => "Int in 0..3",
            Bool => "Bool",
            Enum => "E",
            Record => "R",
            Variant => "V",
            Wide => "Int",
            Str => "String",
            Seq => "Seq<Int>",
            Short => "Seq<Int in 0..1>",
        }
    }

    fn is_int(self) -> bool {
        matches!(self, Small | Nat | Wide)
    }
}

const CHOSEN: [Ty; 8] = [Small, Small, Nat, Nat, Bool, Enum, Record, Variant];
const KEPT: [Ty; 14] = [Small, Small, Small, Nat, Bool, Enum, Record, Variant, Wide, Wide, Wide, Str, Seq, Small];
const FINITE_KEPT: usize = 8;
const SHORT_CHOSEN: [Ty; 7] = [Nat, Bool, Enum, Record, Variant, Short, Short];

struct Gen<'r> {
    rng: &'r mut Rng,
    shape: Shape,
    scope: Vec<(String, Ty)>,
}

/// A model as text. Not all of them are accepted by the checker.
pub fn text(rng: &mut Rng, shape: Shape) -> String {
    let mut g = Gen { rng, shape, scope: Vec::new() };
    g.model()
}

impl Gen<'_> {
    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.rng.below(of.len())]
    }

    fn model(&mut self) -> String {
        let mut out =
            String::from("type E = A | B | C\ntype R = { a: Int in 0..1, b: Bool }\ntype V = N | S(k: Int in -1..1)\n");
        let gates: Vec<Vec<Ty>> = (0..4)
            .map(|_| {
                let count = self.pick(&[0, 1, 1, 1, 2]);
                let mut types: Vec<Ty> = (0..count).map(|_| self.chosen()).collect();
                if types.len() == 2 {
                    types[1] = self.pick(&[Nat, Bool, Enum]);
                }
                types
            })
            .collect();
        for (i, types) in gates.iter().enumerate() {
            let kind = if i < 2 { "input" } else { "output" };
            let params: Vec<String> = types.iter().enumerate().map(|(k, t)| format!("a{k}: {}", t.text())).collect();
            let _ = writeln!(out, "{kind} g{i}({})", params.join(", "));
        }
        let channel = self.pick(&CHOSEN);
        let processes = if self.shape.parallel { self.pick(&[1, 1, 2]) } else { 1 };
        let both_ways = self.rng.one_in(2);
        if processes == 2 {
            let _ = writeln!(out, "channel c(a0: {})", channel.text());
            if both_ways {
                let _ = writeln!(out, "channel d(a0: {})", channel.text());
            }
        }
        for p in 0..processes {
            // Whoever sends needs somebody who receives, so each does so at least once.
            let handshakes: &[(&str, &str)] = match (processes, p, both_ways) {
                (1, ..) => &[],
                (_, 0, false) => &[("send", "c")],
                (_, 0, true) => &[("send", "c"), ("recv", "d")],
                (_, _, false) => &[("recv", "c")],
                (_, _, true) => &[("recv", "c"), ("send", "d")],
            };
            self.process(&mut out, p, handshakes, &gates, channel);
        }
        if processes == 2 {
            out.push_str("system Both = P0 || P1\n");
        }
        out
    }

    fn process(&mut self, out: &mut String, p: usize, handshakes: &[(&str, &str)], gates: &[Vec<Ty>], channel: Ty) {
        let _ = writeln!(out, "process P{p} {{");
        let kept = if self.shape.finite { FINITE_KEPT } else { KEPT.len() };
        let count = if !handshakes.is_empty() { self.pick(&[1, 2]) } else { self.pick(&[1, 2, 2, 3]) };
        let mut vars: Vec<(String, Ty)> = Vec::new();
        for v in 0..count {
            let ty = if self.shape.short { self.chosen() } else { self.pick(&KEPT[..kept]) };
            let free = !matches!(ty, Wide | Str | Seq | Short) && self.rng.one_in(3);
            let initial = match ty {
                _ if free => "any",
                Small => self.pick(&["-2", "-1", "0", "1", "2"]),
                Nat => self.pick(&["0", "1", "3"]),
                Bool => self.pick(&["true", "false"]),
                Enum => self.pick(&["A", "B", "C"]),
                Record => "R { a: 0, b: true }",
                Variant => self.pick(&["N", "S(1)", "S(-1)"]),
                Wide => self.pick(&["0", "1", "-7"]),
                Str => self.pick(&["\"\"", "\"a\""]),
                Seq => self.pick(&["[]", "[1]", "[0, 2]"]),
                Short => self.pick(&["[]", "[1]", "[0, 1]"]),
            };
            let _ = writeln!(out, "  var x{v}: {} = {initial}", ty.text());
            vars.push((format!("x{v}"), ty));
        }
        let locations = if self.shape.dense { 2 } else { self.pick(&[2, 3, 3, 4]) };
        for l in 0..locations {
            let _ = writeln!(out, "  {} l{l} {{", if l == 0 { "init" } else { "state" });
            let switches = match (self.shape.dense, l) {
                (true, _) => 3,
                (_, 0) => self.pick(&[2, 3]),
                (_, 1) if !handshakes.is_empty() => self.pick(&[1, 2]),
                _ => self.pick(&[0, 1, 2, 2, 3]),
            };
            let mut has_else = false;
            for s in 0..switches {
                self.scope = vars.clone();
                let (label, answer) = match handshakes.get(l) {
                    Some(how) if s == 0 => (self.handshake(*how, channel), None),
                    _ => self.label(handshakes, gates, channel),
                };
                let channel_label = label.starts_with("send") || label.starts_with("recv");
                let bounds = self.bounds(vars.len());
                let guard = match self.rng.below(8) {
                    0 if !channel_label && !has_else && bounds.is_empty() => {
                        has_else = true;
                        " [else]".into()
                    }
                    0..3 if bounds.is_empty() => String::new(),
                    0..3 => format!(" [{}]", bounds.join(" && ")),
                    _ => {
                        let mut parts = bounds;
                        parts.push(self.bool(self.shape.depth));
                        format!(" [{}]", parts.join(" && "))
                    }
                };
                let update = self.update(&vars);
                let answer = match answer {
                    Some(gate) => {
                        let args: Vec<String> = gates[gate].iter().map(|t| self.of(*t, 1)).collect();
                        format!(" ; !g{gate}({}){}", args.join(", "), self.update(&vars))
                    }
                    None => String::new(),
                };
                let target = self.rng.below(locations);
                let _ = writeln!(out, "    p{p}l{l}s{s}: {label}{guard}{update}{answer} -> l{target}");
            }
            out.push_str("  }\n");
        }
        out.push_str("}\n");
    }

    /// A type of something that is chosen.
    fn chosen(&mut self) -> Ty {
        if self.shape.short { self.pick(&SHORT_CHOSEN) } else { self.pick(&CHOSEN) }
    }

    /// The parameters come behind the variables: their sequences are short.
    fn bounds(&mut self, vars: usize) -> Vec<String> {
        let params: Vec<String> =
            self.scope[vars..].iter().filter(|(_, t)| *t == Short).map(|(p, _)| p.clone()).collect();
        let bound = |p: String| format!("len({p}) {}", self.pick(&["<= 2", "< 3", "<= 1", "== 2"]));
        params.into_iter().map(bound).collect()
    }

    /// A label, and perhaps an answer to it; its parameters are in scope afterwards.
    fn label(&mut self, handshakes: &[(&str, &str)], gates: &[Vec<Ty>], channel: Ty) -> (String, Option<usize>) {
        match self.rng.below(if handshakes.is_empty() { 8 } else { 11 }) {
            0..3 => {
                let gate = self.rng.below(2);
                let params: Vec<String> = (0..gates[gate].len()).map(|k| format!("p{k}")).collect();
                for (p, t) in params.iter().zip(&gates[gate]) {
                    self.scope.push((p.clone(), *t));
                }
                let answer = self.rng.one_in(6).then(|| 2 + self.rng.below(2));
                (format!("?g{gate}({})", params.join(", ")), answer)
            }
            3..6 => {
                let gate = 2 + self.rng.below(2);
                let chosen: Vec<bool> = gates[gate].iter().map(|_| self.rng.one_in(2)).collect();
                let terms: Vec<String> = gates[gate].iter().map(|t| self.of(*t, 2)).collect();
                let mut args = Vec::new();
                for (k, t) in gates[gate].iter().enumerate() {
                    args.push(match chosen[k] {
                        true => format!("any p{k}"),
                        false => terms[k].clone(),
                    });
                    if chosen[k] {
                        self.scope.push((format!("p{k}"), *t));
                    }
                }
                (format!("!g{gate}({})", args.join(", ")), None)
            }
            6 => ("tau".into(), None),
            7 => {
                let ty = self.chosen();
                self.scope.push(("p0".into(), ty));
                (format!("tau any p0: {}", ty.text()), None)
            }
            _ => {
                let how = self.pick(handshakes);
                (self.handshake(how, channel), None)
            }
        }
    }

    fn handshake(&mut self, (verb, name): (&str, &str), channel: Ty) -> String {
        if verb == "send" {
            return format!("send {name}({})", self.of(channel, 2));
        }
        self.scope.push(("p0".into(), channel));
        format!("recv {name}(p0)")
    }

    fn update(&mut self, vars: &[(String, Ty)]) -> String {
        let mut parts = Vec::new();
        for (name, ty) in vars {
            if self.rng.one_in(2) {
                parts.push(format!("{name} := {}", self.of(*ty, self.shape.depth)));
            }
        }
        if parts.is_empty() { String::new() } else { format!(" / {}", parts.join(", ")) }
    }

    /// Something in scope of a type.
    fn known(&mut self, fits: impl Fn(Ty) -> bool) -> Option<String> {
        let all: Vec<&(String, Ty)> = self.scope.iter().filter(|(_, t)| fits(*t)).collect();
        if all.is_empty() { None } else { Some(all[self.rng.below(all.len())].0.clone()) }
    }

    fn of(&mut self, ty: Ty, depth: u32) -> String {
        match ty {
            // Mostly inside of the range, so that there are runs.
            Small if !self.rng.one_in(3) => format!("max(-2, min(2, {}))", self.int(depth)),
            Nat if !self.rng.one_in(3) => format!("max(0, min(3, {}))", self.int(depth)),
            Small | Nat | Wide => self.int(depth),
            Bool => self.bool(depth),
            other => self.other(other, depth),
        }
    }

    fn other(&mut self, ty: Ty, depth: u32) -> String {
        if !self.rng.one_in(3)
            && let Some(name) = self.known(|t| t == ty)
        {
            return name;
        }
        if depth > 0 && self.rng.one_in(3) {
            let (c, a, b) = (self.bool(depth - 1), self.other(ty, depth - 1), self.other(ty, depth - 1));
            return format!("(if {c} then {a} else {b})");
        }
        let d = depth.saturating_sub(1);
        match ty {
            Enum => self.pick(&["A", "B", "C"]).into(),
            Record => match (self.rng.below(3), self.known(|t| t == Record)) {
                (0, Some(r)) => format!("({r} with {{ b: {} }})", self.bool(d)),
                (1, Some(r)) => format!("({r} with {{ a: {} }})", self.int(d)),
                _ => format!("R {{ a: abs({}) mod 2, b: {} }}", self.int(d), self.bool(d)),
            },
            Variant => match self.rng.below(4) {
                0 => "N".into(),
                1 => format!("S({})", self.int(d)),
                _ => format!("S(max(-1, min(1, {})))", self.int(d)),
            },
            Str if depth > 0 => format!("({} ++ {})", self.other(Str, d), self.other(Str, 0)),
            Str => self.pick(&["\"\"", "\"a\"", "\"b\""]).into(),
            Seq if depth > 0 => format!("({} ++ [{}])", self.other(Seq, 0), self.int(d)),
            Seq => self.pick(&["[]", "[1]"]).into(),
            Short => match (self.rng.below(3), self.known(|t| t == Short)) {
                (0, Some(q)) => format!("(if len({q}) < 2 then {q} ++ [{}] else [])", self.pick(&["0", "1"])),
                (1, Some(q)) => format!("(if len({q}) > 0 then slice({q}, 0, 1) else {q})"),
                _ => self.pick(&["[]", "[0]", "[1]", "[1, 0]", "[0, 1]"]).into(),
            },
            _ => unreachable!("numbers and truth values are made elsewhere"),
        }
    }

    fn int(&mut self, depth: u32) -> String {
        if depth == 0 || self.rng.one_in(3) {
            if !self.rng.one_in(3)
                && let Some(name) = self.known(Ty::is_int)
            {
                return name;
            }
            return self.pick(&["-2", "-1", "0", "1", "1", "2", "3"]).into();
        }
        let d = depth - 1;
        match self.rng.below(13) {
            0..3 => format!("({} + {})", self.int(d), self.int(d)),
            3 | 4 => format!("({} - {})", self.int(d), self.int(d)),
            5 => format!("({} * {})", self.int(d), self.int(d)),
            6 => format!("({} div {})", self.int(d), self.int(d)),
            7 => format!("({} mod {})", self.int(d), self.int(d)),
            8 => format!("{}({}, {})", self.pick(&["min", "max"]), self.int(d), self.int(d)),
            9 => format!("abs({})", self.int(d)),
            10 => format!("(if {} then {} else {})", self.bool(d), self.int(d), self.int(d)),
            11 => match self.rng.below(3) {
                0 => format!("{}.a", self.other(Record, 0)),
                1 => format!("(match {} {{ N => {}, S(k) => k }})", self.other(Variant, 0), self.int(d)),
                _ => match self.known(|t| t == Variant) {
                    Some(v) => format!("{v}.k"),
                    None => self.int(d),
                },
            },
            _ => match (self.rng.below(2), self.known(|t| t == Seq), self.known(|t| t == Str)) {
                (0, Some(q), _) => format!("{q}[{}]", self.int(d)),
                (_, Some(q), None) => format!("len({q})"),
                (_, _, Some(s)) => format!("len({s})"),
                _ => self.int(d),
            },
        }
    }

    fn bool(&mut self, depth: u32) -> String {
        if depth == 0 {
            if self.rng.one_in(2)
                && let Some(name) = self.known(|t| t == Bool)
            {
                return name;
            }
            if self.rng.one_in(12) {
                return self.pick(&["true", "false"]).into();
            }
        }
        let d = depth.saturating_sub(1);
        match self.rng.below(if depth == 0 { 7 } else { 13 }) {
            0..4 => {
                let op = self.pick(&["==", "!=", "<", "<=", ">", ">="]);
                format!("({} {op} {})", self.int(d), self.int(d))
            }
            4 => match self.known(|t| t == Variant) {
                Some(v) => format!("({v} is {})", self.pick(&["N", "S"])),
                None => format!("({} <= {})", self.int(d), self.int(d)),
            },
            5 => match self.known(|t| t == Record) {
                Some(r) => format!("{r}.b"),
                None => format!("({} == {})", self.int(d), self.int(d)),
            },
            6 if self.shape.short && self.rng.one_in(2) && self.known(|t| t == Short).is_some() => {
                let q = self.other(Short, 0);
                match self.rng.below(3) {
                    0 => format!("contains({q}, {})", self.pick(&["0", "1"])),
                    1 => format!("(len({q}) > 1 && {q}[1] == {})", self.pick(&["0", "1"])),
                    _ => format!("({q} == {})", self.other(Short, 1)),
                }
            }
            6 => {
                let mut types = vec![Enum, Record, Variant];
                if !self.shape.finite {
                    types.extend([Str, Seq]);
                }
                let known: Vec<Ty> = types.iter().copied().filter(|t| self.scope.iter().any(|(_, s)| s == t)).collect();
                match known.is_empty() {
                    true => format!("({} > {})", self.int(d), self.int(d)),
                    false => {
                        let ty = self.pick(&known);
                        let op = self.pick(&["==", "!="]);
                        format!("({} {op} {})", self.other(ty, d), self.other(ty, d))
                    }
                }
            }
            7 | 8 => format!("({} && {})", self.bool(d), self.bool(d)),
            9 | 10 => format!("({} || {})", self.bool(d), self.bool(d)),
            11 => format!("!{}", self.bool(d)),
            _ => format!("({} implies {})", self.bool(d), self.bool(d)),
        }
    }
}
