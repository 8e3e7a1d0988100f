//! Models made by hand, to look at and to test with.

use sioco_model::id::{ChannelId, GateId, Id, IdVec, LocationId, ProcessId, SortId, TermId, VarId};
use sioco_model::model::{Channel, Direction, Gate, Label, Location, Param, Process, Switch, SwitchParam, Variable};
use sioco_model::sort::Sorts;
use sioco_model::term::{Op, TermPool};
use sioco_model::{Model, SwitchId, Value};

/// Builds a model line by line.
pub(super) struct Builder {
    pub model: Model,
    at: ProcessId,
}

impl Builder {
    pub fn new(name: &str) -> Builder {
        let model = Model {
            name: name.into(),
            sorts: Sorts::default(),
            terms: TermPool::new(),
            gates: IdVec::new(),
            channels: IdVec::new(),
            processes: IdVec::new(),
            variables: IdVec::new(),
            locations: IdVec::new(),
            switches: IdVec::new(),
        };
        Builder { model, at: Id::from_index(0) }
    }

    pub fn process(&mut self, name: &str, locations: &[&str]) {
        let first = self.model.locations.next_id();
        self.at = self.model.processes.push(Process {
            name: name.into(),
            template: name.into(),
            args: vec![],
            initial: first,
            locations: vec![],
            variables: vec![],
            switches: vec![],
        });
        for name in locations {
            self.location(name);
        }
    }

    /// A location; `(name)` is final and `.name` hidden.
    pub fn location(&mut self, name: &str) -> LocationId {
        let id = self.model.locations.push(Location {
            name: name.trim_matches(['(', ')', '.']).into(),
            process: self.at,
            is_final: name.starts_with('('),
            hidden: name.starts_with('.'),
            outgoing: vec![],
        });
        self.model.processes[self.at].locations.push(id);
        id
    }

    pub fn var(&mut self, name: &str, initial: Option<i64>) {
        let id = self.model.variables.push(Variable {
            name: name.into(),
            process: self.at,
            sort: self.model.sorts.int,
            initial: initial.map(Value::Int),
            hidden: false,
        });
        self.model.processes[self.at].variables.push(id);
    }

    /// `name: label [guard] / update`, with the words of a small language: see [`Builder::term`].
    pub fn switch(&mut self, from: &str, name: &str, label: &str, guard: &str, update: &str, to: &str) -> SwitchId {
        let (source, target) = (self.find(from), self.find(to));
        let (head, args) = label.trim_end_matches(')').split_once('(').unwrap_or((label, ""));
        let args: Vec<&str> = args.split(',').map(str::trim).filter(|a| !a.is_empty()).collect();
        let int = self.model.sorts.int;
        let mut binds = true;
        let label = if let Some(gate) = head.strip_prefix('?') {
            Label::Gate(self.gate(gate, Direction::Input, args.len()))
        } else if let Some(gate) = head.strip_prefix('!') {
            binds = false;
            Label::Gate(self.gate(gate, Direction::Output, args.len()))
        } else if let Some(channel) = head.strip_prefix("send ") {
            binds = false;
            Label::Send(self.channel(channel))
        } else if let Some(channel) = head.strip_prefix("recv ") {
            Label::Receive(self.channel(channel))
        } else {
            Label::Internal
        };
        let names: Vec<String> = if binds { args.iter().map(|a| a.to_string()).collect() } else { vec![] };
        let params = args
            .iter()
            .map(|a| SwitchParam {
                name: a.to_string(),
                sort: int,
                term: (!binds).then(|| self.term(a, &names)),
                tolerance: None,
            })
            .collect();
        let guard = if guard.is_empty() {
            self.model.terms.bool(&self.model.sorts, true)
        } else {
            self.condition(guard, &names)
        };
        let update = (update.split(','))
            .filter_map(|u| u.split_once(":="))
            .map(|(var, t)| (self.variable(var.trim()), self.term(t.trim(), &names)))
            .collect();
        let id = self.model.switches.next_id();
        let name_or = if name.is_empty() { format!("{from}{head}#{}", id.index()) } else { name.to_string() };
        self.model.switches.push(Switch {
            name: name_or,
            named: !name.is_empty(),
            tags: vec![],
            process: self.at,
            source,
            label,
            params,
            guard,
            is_else: false,
            update,
            target,
        });
        self.model.locations[source].outgoing.push(id);
        self.model.processes[self.at].switches.push(id);
        id
    }

    fn find(&self, name: &str) -> LocationId {
        let (id, _) = (self.model.locations.iter()).find(|(_, l)| l.process == self.at && l.name == name).expect(name);
        id
    }

    fn variable(&self, name: &str) -> VarId {
        let (id, _) = (self.model.variables.iter()).find(|(_, v)| v.process == self.at && v.name == name).expect(name);
        id
    }

    fn gate(&mut self, name: &str, direction: Direction, arity: usize) -> GateId {
        let int = self.model.sorts.int;
        self.model.gate(name).unwrap_or_else(|| {
            let params = (0..arity).map(|i| Param { name: format!("p{i}"), sort: int, tolerance: None }).collect();
            self.model.gates.push(Gate { name: name.into(), direction, params })
        })
    }

    fn channel(&mut self, name: &str) -> ChannelId {
        let found = self.model.channels.iter().find(|(_, c)| c.name == name).map(|(id, _)| id);
        found.unwrap_or_else(|| self.model.channels.push(Channel { name: name.into(), params: vec![] }))
    }

    /// `a < b`, `a <= b`, `a > b` or `a == b`, joined by `&&`.
    fn condition(&mut self, text: &str, params: &[String]) -> TermId {
        let bool = self.model.sorts.bool;
        let parts: Vec<TermId> = text
            .split(" && ")
            .map(|part| {
                let words: Vec<&str> = part.splitn(2, [' ']).collect();
                let (sign, right) = words[1].split_once(' ').expect("a comparison");
                let (a, b) = (self.term(words[0], params), self.term(right, params));
                match sign {
                    "<" => self.model.terms.app(Op::Lt, &[a, b], bool),
                    "<=" => self.model.terms.app(Op::Le, &[a, b], bool),
                    ">" => self.model.terms.app(Op::Lt, &[b, a], bool),
                    _ => self.model.terms.app(Op::Eq, &[a, b], bool),
                }
            })
            .collect();
        self.model.terms.and(&self.model.sorts, &parts)
    }

    /// A number, a name, or two of them with `+` or `-` between.
    fn term(&mut self, text: &str, params: &[String]) -> TermId {
        let int: SortId = self.model.sorts.int;
        for (sign, op) in [(" + ", Op::Add), (" - ", Op::Sub)] {
            if let Some((a, b)) = text.split_once(sign) {
                let (a, b) = (self.term(a, params), self.term(b, params));
                return self.model.terms.app(op, &[a, b], int);
            }
        }
        if let Ok(n) = text.parse() {
            return self.model.terms.constant(Value::Int(n), int);
        }
        match params.iter().position(|p| p == text) {
            Some(i) => self.model.terms.param(i as u32, int),
            None => {
                let var = self.variable(text);
                self.model.terms.var(var, int)
            }
        }
    }
}

/// The sender of the Bounded Retransmission Protocol.
pub(super) fn brp(names: bool) -> Model {
    let mut b = Builder::new("BRP");
    b.process("Sender", &["INIT", "SF", "WA", "SC", "NI", "NW"]);
    for var in ["m1", "m2", "m3", "n", "rn", "tg"] {
        b.var(var, Some(0));
    }
    let name = |n: &'static str| if names { n } else { "" };
    b.switch("INIT", name("request"), "?IREQ(p0, p1, p2)", "", "m1 := p0, m2 := p1, m3 := p2, n := 0, rn := 0", "SF");
    b.switch("INIT", name("stray_ack"), "?IACK", "", "", "NI");
    b.switch("INIT", name("stray_timeout"), "?ITIMEOUT", "", "", "NI");
    b.switch("NI", name("refuse"), "!ONOK", "", "", "INIT");
    b.switch("SF", name("first"), "!OFRAME(1, 0, tg, m1)", "n == 0", "rn := rn + 1", "WA");
    b.switch("SF", name("second"), "!OFRAME(0, 0, tg, m2)", "n == 1", "rn := rn + 1", "WA");
    b.switch("SF", name("third"), "!OFRAME(0, 1, tg, m3)", "n == 2", "rn := rn + 1", "WA");
    b.switch("WA", name("ack"), "?IACK", "n < 2", "n := n + 1, rn := 0, tg := 1 - tg", "SF");
    b.switch("WA", name("last_ack"), "?IACK", "n == 2", "n := 3, rn := 0, tg := 1 - tg", "SC");
    b.switch("WA", name("again"), "?ITIMEOUT", "rn <= 5", "", "SF");
    b.switch("WA", name("give_up"), "?ITIMEOUT", "rn > 5", "", "SC");
    b.switch("WA", name("busy"), "?IREQ(p0, p1, p2)", "", "", "NW");
    b.switch("NW", name("refuse_busy"), "!ONOK", "", "", "WA");
    b.switch("SC", name("failed"), "!OCONF(0)", "n < 2", "", "INIT");
    b.switch("SC", name("unsure"), "!OCONF(2)", "n == 2", "", "INIT");
    b.switch("SC", name("done"), "!OCONF(1)", "n == 3", "", "INIT");
    b.model
}

/// The accumulator of the language page.
pub(super) fn accumulator() -> Model {
    let mut b = Builder::new("Accumulator");
    b.process("Accumulator", &["l0", "l1", "(l2)"]);
    b.var("x", Some(0));
    b.switch("l0", "add", "?inX(p)", "1 <= p && p <= 10", "x := x + p", "l1");
    b.switch("l0", "finish", "!done", "x > 15", "", "l2");
    b.switch("l1", "tell", "!outX(x)", "", "", "l0");
    b.model
}

/// Loops of all kinds, parallel switches in both directions, and an answered input.
pub(super) fn busy() -> Model {
    let mut b = Builder::new("Busy");
    b.process("Busy", &["idle", "work", "(gone)", ".h", ".split"]);
    b.var("count", Some(0));
    b.var("limit", None);
    b.switch("idle", "poll", "?poll", "", "", "idle");
    b.switch("idle", "set", "?set(k)", "0 <= k && k <= 99", "limit := k", "idle");
    b.switch("idle", "beat", "!heartbeat(count)", "", "count := count + 1", "idle");
    b.switch("idle", "", "tau", "count > 100", "count := 0", "idle");
    b.switch("idle", "a", "?start(p)", "p < 10", "count := p", "work");
    b.switch("idle", "b", "?start(p)", "p == 10", "", "work");
    b.switch("idle", "c", "?resume", "", "", "work");
    b.switch("idle", "d", "?kick", "limit > 3", "limit := limit - 1, count := count + limit", "work");
    b.switch("idle", "", "!woke", "", "", "work");
    b.switch("work", "", "!ready(count)", "", "", "idle");
    b.switch("work", "ask", "?query(q)", "", "", "h");
    b.switch("h", "", "!reply(count + limit)", "", "", "work");
    b.switch("work", "fork", "?fork", "", "", "split");
    b.switch("split", "", "!left", "", "", "idle");
    b.switch("split", "", "!right", "", "", "gone");
    b.switch("work", "crash", "tau", "", "", "gone");
    b.model
}

/// Two processes with a channel.
pub(super) fn pair() -> Model {
    let mut b = Builder::new("Pair");
    b.process("Client", &["ready", "waiting"]);
    b.var("x", Some(0));
    b.switch("ready", "order", "?order(p)", "0 < p", "x := p", "waiting");
    b.switch("waiting", "", "send ci(x)", "", "", "ready");
    b.process("Server", &["empty", "full", "(closed)"]);
    b.var("y", None);
    b.switch("empty", "", "recv ci(v)", "", "y := v", "full");
    b.switch("full", "ship", "!ship(y)", "", "", "empty");
    b.switch("empty", "", "tau", "y > 100", "", "closed");
    b.model
}

/// A random model, always the same for the same numbers.
pub(super) fn random(locations: usize, switches: usize, seed: u64) -> Model {
    let mut state = seed;
    let mut next = |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit.max(1)
    };
    let mut b = Builder::new("Random");
    let names: Vec<String> = (0..locations).map(|i| format!("s{i}")).collect();
    let refs: Vec<&str> = names.iter().map(String::as_str).collect();
    b.process("Random", &refs);
    b.var("x", Some(0));
    for i in 0..switches {
        // Most switches lead a little ahead, some back, some anywhere: like written models.
        let from = if i + 1 < locations { i / 2 + next(i / 2 + 1) } else { next(locations) };
        let to = match next(10) {
            _ if i + 1 < locations => i + 1,
            0 => next(locations),
            1..=3 => from.saturating_sub(1 + next(4)),
            _ => (from + 1 + next(5)).min(locations - 1),
        };
        let label = ["?in(p)", "!out(x)", "tau"][next(3)];
        let guard = ["", "x < 3", "x > 12"][next(3)];
        let update = ["", "x := x + 1"][next(2)];
        b.switch(&names[from], "", label, guard, update, &names[to]);
    }
    b.model
}
