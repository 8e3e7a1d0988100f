//! From XML to an automaton.

mod transition;

use roxmltree::{Attribute, Document, Node};
use rustc_hash::FxHashMap;
use sioco_model::visible::shortened;

use super::expr::{self, Expr, Fault, Located, Ref};
use super::{Automaton, Location, MAX_LISTED, Notes, Order, Param, Symbol, Type, Value};
use crate::diagnostic::did_you_mean;
use crate::import::{FilePosition, ImportError};

/// Text in the XML, and where it is.
#[derive(Clone, Copy)]
enum Text<'a, 'x> {
    Element(Node<'a, 'x>),
    Attribute(Attribute<'a, 'x>),
}

impl Text<'_, '_> {
    fn text(&self) -> String {
        match self {
            Text::Element(node) => node.children().filter(|c| c.is_text()).filter_map(|c| c.text()).collect::<String>(),
            Text::Attribute(attribute) => attribute.value().into(),
        }
    }

    /// The byte in the file at which a byte of the text is.
    fn locate(&self, xml: &str, mut offset: usize) -> usize {
        match self {
            Text::Element(node) => {
                let mut place = node.range().start;
                for child in node.children().filter(|c| c.is_text()) {
                    let text = child.text().unwrap_or_default();
                    if let Some(found) = raw_offset(xml, child.range(), text, offset.min(text.len())) {
                        place = found;
                    }
                    if offset <= text.len() {
                        break;
                    }
                    offset -= text.len();
                }
                place
            }
            Text::Attribute(attribute) => {
                let range = attribute.range_value();
                raw_offset(xml, range.clone(), attribute.value(), offset).unwrap_or(range.start)
            }
        }
    }
}

/// Where a byte of a text is in the file, before entities such as `&amp;` were replaced. `None` where the text was made
/// in a way that this does not follow.
fn raw_offset(xml: &str, range: std::ops::Range<usize>, text: &str, offset: usize) -> Option<usize> {
    let start = range.start;
    let raw = xml.get(range)?;
    let (mut at, mut found) = (0, None);
    for c in text.char_indices().map(|(i, c)| (i == offset, c)).chain([(offset == text.len(), ' ')]) {
        if c.0 {
            found = Some(start + at);
        }
        let rest = &raw[at..];
        at += match rest.chars().next() {
            Some('&') => rest.find(';')? + 1,
            Some('\r') if rest.starts_with("\r\n") => 2,
            Some(r) if r == c.1 || r.is_whitespace() => r.len_utf8(),
            Some(_) => return None,
            None => 0,
        };
    }
    found
}

/// Reads an automaton, and remembers what there is to tell.
pub(super) struct Reader<'a, 'x> {
    doc: &'a Document<'x>,
    pub(super) notes: Notes,
    symbols: Vec<Symbol>,
    /// As input, and as output.
    symbol_ids: FxHashMap<String, [Option<usize>; 2]>,
    /// For each location whether RaLib takes it for one of inputs, where that is needed.
    inputs_at: Vec<Option<bool>>,
    constants: Vec<Value>,
    constant_ids: FxHashMap<String, usize>,
    /// Constants by value, where the value alone is not understood as a literal.
    constant_values: FxHashMap<String, usize>,
    registers: Vec<Value>,
    register_ids: FxHashMap<String, usize>,
    /// Whether a register or constant has a name with spaces or operators in it.
    odd: bool,
    locations: Vec<Location>,
    location_ids: FxHashMap<String, (usize, usize)>,
}

impl<'a, 'x> Reader<'a, 'x> {
    pub(super) fn new(doc: &'a Document<'x>, order: Order) -> Self {
        Reader {
            doc,
            notes: Notes { executed: order, ..Notes::default() },
            symbols: Vec::new(),
            symbol_ids: FxHashMap::default(),
            inputs_at: Vec::new(),
            constants: Vec::new(),
            constant_ids: FxHashMap::default(),
            constant_values: FxHashMap::default(),
            registers: Vec::new(),
            register_ids: FxHashMap::default(),
            odd: false,
            locations: Vec::new(),
            location_ids: FxHashMap::default(),
        }
    }

    pub(super) fn place(&self, offset: usize) -> FilePosition {
        let at = self.doc.text_pos_at(offset);
        FilePosition { line: at.row, column: at.col }
    }

    fn ignore(&mut self, what: String, offset: usize) {
        // Looking up a place costs time: only the first of a kind has one.
        if self.notes.ignored.len() < MAX_LISTED && !self.notes.ignored.iter().any(|(w, _)| *w == what) {
            let place = self.place(offset);
            self.notes.ignored.push((what, place));
        }
    }

    /// The elements inside, after notes on what is not known: other elements, attributes, and text between elements.
    fn inside(
        &mut self,
        node: Node<'a, 'x>,
        attributes: &[&str],
        elements: &[&str],
        text: bool,
    ) -> Vec<(&'x str, Node<'a, 'x>)> {
        let name = node.tag_name().name();
        for attribute in node.attributes() {
            // `xsi:schemaLocation` and the like are about the file, not the automaton.
            if attribute.namespace().is_none() && !attributes.contains(&attribute.name()) {
                self.ignore(format!("the attribute `{}` of `{name}`", attribute.name()), attribute.range().start);
            }
        }
        let mut found = Vec::new();
        for child in node.children() {
            let tag = child.tag_name().name();
            if child.is_element() && elements.contains(&tag) {
                found.push((tag, child));
            } else if child.is_element() {
                self.ignore(format!("the element `{tag}` in `{name}`"), child.range().start);
            } else if !text && child.is_text() && child.text().is_some_and(|t| !t.trim().is_empty()) {
                self.ignore(format!("text in `{name}`"), child.range().start);
            }
        }
        found
    }

    fn attribute(&self, node: Node<'a, 'x>, name: &str) -> Result<Attribute<'a, 'x>, ImportError> {
        node.attribute_node(name).ok_or_else(|| ImportError::MissingAttribute {
            element: node.tag_name().name().into(),
            attribute: name.into(),
            at: self.place(node.range().start),
        })
    }

    /// The automaton, complete.
    pub(super) fn read(&mut self) -> Result<Automaton, ImportError> {
        let root = self.doc.root_element();
        if root.tag_name().name() != "register-automaton" {
            return Err(ImportError::NotARegisterAutomaton {
                found: root.tag_name().name().into(),
                at: self.place(root.range().start),
            });
        }
        let sections = ["alphabet", "constants", "globals", "locations", "transitions"];
        let parts = self.inside(root, &[], &sections, false);
        let part = |name: &'static str| parts.iter().filter(move |(tag, _)| *tag == name).map(|(_, node)| *node);

        for alphabet in part("alphabet") {
            for (direction, list) in self.inside(alphabet, &[], &["inputs", "outputs"], false) {
                for (_, symbol) in self.inside(list, &[], &["symbol"], false) {
                    self.symbol(symbol, direction == "inputs")?;
                }
            }
        }
        for globals in part("globals") {
            for (_, variable) in self.inside(globals, &[], &["variable"], false) {
                self.register(variable)?;
            }
        }
        for constants in part("constants") {
            for (_, constant) in self.inside(constants, &[], &["constant"], false) {
                self.constant(constant)?;
            }
        }
        let mut initial: Option<(usize, usize)> = None;
        for locations in part("locations") {
            for (_, location) in self.inside(locations, &[], &["location"], false) {
                let (id, is_initial) = self.location(location)?;
                let at = location.range().start;
                match initial {
                    Some((first, first_at)) if is_initial => {
                        return Err(ImportError::TwoInitials {
                            first: (self.locations[first].name.clone(), self.place(first_at)),
                            second: (self.locations[id].name.clone(), self.place(at)),
                        });
                    }
                    None if is_initial => initial = Some((id, at)),
                    _ => {}
                }
            }
        }
        let Some((initial, _)) = initial else {
            let at = part("locations").next().unwrap_or(root).range().start;
            return Err(ImportError::NoInitial { at: self.place(at) });
        };
        let mut nodes = Vec::new();
        for list in part("transitions") {
            nodes.extend(self.inside(list, &[], &["transition"], false).into_iter().map(|(_, node)| node));
        }
        self.alternate(initial, &nodes);
        let transitions = nodes.into_iter().map(|node| self.transition(node)).collect::<Result<_, _>>()?;
        // A constant with two values that something refers to by name was refused on the way.
        let conflicts = self.constants.iter().filter(|c| c.conflict.is_some()).take(MAX_LISTED);
        let conflicts: Vec<String> = conflicts.map(|c| self.conflict_note(c)).collect();
        self.notes.twice.extend(conflicts);
        Ok(Automaton {
            symbols: std::mem::take(&mut self.symbols),
            constants: std::mem::take(&mut self.constants),
            registers: std::mem::take(&mut self.registers),
            locations: std::mem::take(&mut self.locations),
            initial,
            transitions,
        })
    }

    fn conflict_note(&self, constant: &Value) -> String {
        let (other, at) = constant.conflict.clone().unwrap_or_default();
        format!(
            "the constant `{}` is declared twice, as {} at {} and as {other} at {}; nothing refers to it by name, so \
             that neither is needed",
            constant.name,
            constant.written,
            self.place(constant.at),
            self.place(at)
        )
    }

    fn data_type(&mut self, node: Node<'a, 'x>) -> (Type, String) {
        let name = node.attribute("type").unwrap_or_default().trim();
        let short = name.strip_prefix("java.lang.").or_else(|| name.strip_prefix("java.math.")).unwrap_or(name);
        let ty = match short.to_ascii_lowercase().as_str() {
            "int" | "integer" | "long" | "short" | "byte" | "biginteger" => Type::Int,
            "boolean" | "bool" => Type::Bool,
            "double" | "float" | "real" | "decimal" | "bigdecimal" => Type::Real,
            "string" => Type::String,
            _ => {
                // Few files have more than a handful; more are not worth a look at each.
                if self.notes.types.len() < 100 && !self.notes.types.iter().any(|t| t == name) {
                    self.notes.types.push(name.into());
                }
                Type::Int
            }
        };
        (ty, name.into())
    }

    fn symbol(&mut self, node: Node<'a, 'x>, input: bool) -> Result<(), ImportError> {
        let at = node.range().start;
        let name = self.attribute(node, "name")?.value().trim().to_string();
        let mut params = Vec::new();
        for (_, param) in self.inside(node, &["name"], &["param"], false) {
            self.inside(param, &["name", "type"], &[], false);
            let (ty, data_type) = self.data_type(param);
            let name = match param.attribute("name").map(str::trim) {
                None | Some("") => format!("p{}", params.len()),
                Some(name) => name.into(),
            };
            params.push(Param { name, ty, data_type });
        }
        let symbol = Symbol { name, input, params, at };
        let known = self.symbol_ids.entry(symbol.name.clone()).or_default();
        let Some(first) = known[usize::from(!input)] else {
            known[usize::from(!input)] = Some(self.symbols.len());
            self.symbols.push(symbol);
            return Ok(());
        };
        let first = &self.symbols[first];
        let types = |s: &Symbol| s.params.iter().map(|p| p.data_type.clone()).collect::<Vec<_>>();
        if types(first) != types(&symbol) {
            return Err(self.twice("symbol", &symbol.name, ", with other parameters".into(), first.at, at));
        }
        self.notes.twice.push(format!("the symbol `{}` is declared twice in the same way", symbol.name));
        Ok(())
    }

    /// Finds out which locations are those of inputs, as RaLib does: the initial one is, and inputs and outputs
    /// alternate. Needed only where an input and an output have the same name.
    fn alternate(&mut self, initial: usize, transitions: &[Node<'a, 'x>]) {
        self.inputs_at = vec![None; self.locations.len()];
        if self.symbol_ids.values().all(|ids| ids.contains(&None)) {
            return;
        }
        let end = |node: &Node, name| Some(self.location_ids.get(node.attribute(name)?.trim())?.0);
        let mut next: Vec<Vec<usize>> = vec![Vec::new(); self.locations.len()];
        for (from, to) in transitions.iter().filter_map(|t| Some((end(t, "from")?, end(t, "to")?))) {
            next[from].push(to);
        }
        self.inputs_at[initial] = Some(true);
        let mut todo = vec![(initial, true)];
        while let Some((location, inputs)) = todo.pop() {
            for &to in &next[location] {
                if self.inputs_at[to].is_none() {
                    self.inputs_at[to] = Some(!inputs);
                    todo.push((to, !inputs));
                }
            }
        }
    }

    fn twice(&self, kind: &str, name: &str, why: String, first: usize, second: usize) -> ImportError {
        let (kind, name) = (kind.into(), name.into());
        ImportError::DeclaredTwice { kind, name, why, first: self.place(first), second: self.place(second) }
    }

    /// A register or constant with its value.
    fn value(&mut self, node: Node<'a, 'x>) -> Result<Value, ImportError> {
        let name = self.attribute(node, "name")?.value().trim().to_string();
        self.inside(node, &["name", "type"], &[], true);
        let (ty, data_type) = self.data_type(node);
        let source = Text::Element(node);
        let text = source.text();
        let written = text.trim();
        self.odd |= expr::is_odd(&name) || ty == Type::String && expr::is_odd(written);
        let (sign, digits) = written.strip_prefix('-').map_or((false, written), |d| (true, d));
        let digits = digits.strip_prefix('+').filter(|_| !sign).unwrap_or(digits);
        let number = expr::decimal(digits).filter(|n| ty == Type::Real || !n.contains('.'));
        let signed = |n: String| if sign { Expr::Neg(Box::new(Expr::Literal(n))) } else { Expr::Literal(n) };
        let value = match ty {
            Type::Int | Type::Real => number.map(signed),
            Type::Bool => matches!(written, "true" | "false").then(|| Expr::Literal(written.into())),
            Type::String => Some(Expr::Str(written.into())),
        };
        let Some(value) = value else {
            let expected = match ty {
                Type::Bool => "`true` or `false`",
                Type::Real => "a number",
                _ => "an integer",
            };
            let start = text.len() - text.trim_start().len();
            return Err(ImportError::BadValue {
                expected: format!("{expected} as the value of `{name}`"),
                found: shortened(written).into_owned(),
                help: "write such a value, or give it another `type`: int, double, boolean or string".into(),
                at: self.place(source.locate(self.doc.input_text(), start)),
            });
        };
        Ok(Value { name, ty, data_type, value, written: written.into(), at: node.range().start, conflict: None })
    }

    fn register(&mut self, node: Node<'a, 'x>) -> Result<(), ImportError> {
        let register = self.value(node)?;
        if let Some(&first) = self.register_ids.get(&register.name) {
            let first = &self.registers[first];
            if first.value != register.value || first.data_type != register.data_type {
                let why = differs(first, &register);
                return Err(self.twice("variable", &register.name, why, first.at, register.at));
            }
            self.notes.twice.push(format!("the variable `{}` is declared twice in the same way", register.name));
            return Ok(());
        }
        self.register_ids.insert(register.name.clone(), self.registers.len());
        self.registers.push(register);
        Ok(())
    }

    fn constant(&mut self, node: Node<'a, 'x>) -> Result<(), ImportError> {
        let constant = self.value(node)?;
        if let Some(&register) = self.register_ids.get(&constant.name) {
            let why = ", once as variable and once as constant".into();
            return Err(self.twice("name", &constant.name, why, self.registers[register].at, constant.at));
        }
        if let Some(&first) = self.constant_ids.get(&constant.name) {
            let known = &mut self.constants[first];
            if known.value == constant.value && known.data_type == constant.data_type {
                self.notes.twice.push(format!("the constant `{}` is declared twice in the same way", constant.name));
            } else {
                // Harmless as long as everything refers to constants by value, as the benchmarks do.
                known.conflict.get_or_insert((constant.written, constant.at));
            }
            return Ok(());
        }
        if constant.ty == Type::String {
            self.constant_values.entry(constant.written.clone()).or_insert(self.constants.len());
        }
        self.constant_ids.insert(constant.name.clone(), self.constants.len());
        self.constants.push(constant);
        Ok(())
    }

    fn location(&mut self, node: Node<'a, 'x>) -> Result<(usize, bool), ImportError> {
        self.inside(node, &["name", "initial"], &[], false);
        let name = self.attribute(node, "name")?.value().trim().to_string();
        let initial = match node.attribute_node("initial") {
            None => false,
            Some(attribute) => match attribute.value().trim() {
                "true" | "1" => true,
                "false" | "0" | "" => false,
                other => {
                    return Err(ImportError::BadValue {
                        expected: "`true` or `false` as the value of `initial`".into(),
                        found: other.into(),
                        help: "mark the initial location with `initial=\"true\"` and no other".into(),
                        at: self.place(attribute.range_value().start),
                    });
                }
            },
        };
        let (id, at) = (self.locations.len(), node.range().start);
        if let Some((_, first)) = self.location_ids.insert(name.clone(), (id, at)) {
            return Err(self.twice("location", &name, String::new(), first, at));
        }
        self.locations.push(Location { name });
        Ok((id, initial))
    }

    fn location_id(&self, node: Node<'a, 'x>, attribute: &str) -> Result<usize, ImportError> {
        let attribute = self.attribute(node, attribute)?;
        let name = attribute.value().trim();
        self.location_ids
            .get(name)
            .map(|(id, _)| *id)
            .ok_or_else(|| self.unknown("location", name, self.location_ids.keys(), attribute.range_value().start))
    }

    fn unknown<'n>(
        &self,
        kind: &str,
        name: &str,
        candidates: impl Iterator<Item = &'n String>,
        offset: usize,
    ) -> ImportError {
        ImportError::Unknown {
            kind: kind.into(),
            name: name.into(),
            meant: did_you_mean(name, candidates.map(String::as_str)),
            at: self.place(offset),
        }
    }

    /// What a name means in a transition with these parameters.
    fn lookup(&self, params: &FxHashMap<&str, usize>, name: &str) -> Option<Expr> {
        let name = name.trim();
        if name.is_empty() {
            return None;
        }
        let params = params.get(name).map(|p| Ref::Param(*p));
        let found = params
            .or_else(|| self.register_ids.get(name).map(|r| Ref::Var(*r)))
            .or_else(|| self.constant_ids.get(name).map(|c| Ref::Const(*c)))
            .or_else(|| self.constant_values.get(name).map(|c| Ref::Const(*c)));
        found.map(Expr::Ref)
    }

    /// Gives a fault in a text its place, and refuses constants that are not clear.
    fn understood<T>(&self, source: Text<'a, 'x>, result: Result<T, Located>) -> Result<T, ImportError> {
        result.map_err(|(offset, fault)| {
            let at = source.locate(self.doc.input_text(), offset);
            match fault {
                Fault::Unknown(name) => {
                    let names = self.register_ids.keys().chain(self.constant_ids.keys());
                    self.unknown("parameter, variable or constant", &name, names, at)
                }
                Fault::Other(message, help) => ImportError::BadExpression { message, help, at: self.place(at) },
            }
        })
    }

    fn no_conflict(&self, expr: &Expr) -> Result<(), ImportError> {
        let mut conflict = None;
        expr.visit(&mut |r| {
            if let Ref::Const(c) = r {
                conflict = conflict.or(self.constants[c].conflict.as_ref().map(|(value, at)| (c, value, *at)));
            }
        });
        let Some((c, value, at)) = conflict else { return Ok(()) };
        let first = &self.constants[c];
        let why = format!(" as {}, and now as {value}", first.written);
        Err(self.twice("constant", &first.name, why, first.at, at))
    }

    /// Refuses a term of another type than is needed; an Int will do for a Real.
    fn typed(&self, term: &Expr, params: &[Param], wanted: Type, offset: usize) -> Result<(), ImportError> {
        let ty = term.ty(&|r| match r {
            Ref::Param(p) => params[p].ty,
            Ref::Var(v) => self.registers[v].ty,
            Ref::Const(c) => self.constants[c].ty,
        });
        let message = match ty {
            Ok(ty) if ty == wanted || (ty, wanted) == (Type::Int, Type::Real) => return Ok(()),
            Ok(ty) => format!("expected {} here, found {}", wanted.text(), ty.text()),
            Err(why) => why.to_string(),
        };
        let help = "fix it, or the types in the declarations; unknown types become Int".into();
        Err(ImportError::BadExpression { message, help, at: self.place(offset) })
    }

    fn count(&self, sofar: Option<(usize, FilePosition)>, offset: usize) -> (usize, FilePosition) {
        sofar.map_or_else(|| (1, self.place(offset)), |(n, first)| (n + 1, first))
    }
}

/// How two declarations of one name differ.
fn differs(first: &Value, second: &Value) -> String {
    if first.value == second.value {
        format!(" with type {}, and now {}", first.data_type, second.data_type)
    } else {
        format!(" as {}, and now as {}", first.written, second.written)
    }
}
