//! The syntax tree: what was written, before any name is looked up.
//!
//! Every node has a span. Trees are shallow by construction: chains of operators, `else if` and `let` are lists, and
//! the parser refuses nesting beyond [`MAX_NESTING`], so that walking a tree cannot overflow a stack.

use crate::source::Span;

/// Brackets, unary operators and the like may nest at most this deep. The parser and all that follows recurse, and must
/// fit the 2 MiB stack of a thread; what people write nests a tenth of it.
pub const MAX_NESTING: usize = 100;

/// A name as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name; empty where one was expected and missing.
    pub name: String,
    /// Where.
    pub span: Span,
}

/// A file.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// Its declarations.
    pub items: Vec<Item>,
}

/// A declaration with the span of all of it.
#[derive(Clone, Debug)]
pub struct Item {
    /// What is declared.
    pub kind: ItemKind,
    /// From its keyword to its end.
    pub span: Span,
}

/// The kinds of declarations.
#[derive(Clone, Debug)]
pub enum ItemKind {
    /// `import "file.sts"`
    Import(StrLit),
    /// `type Name = …`
    Type(TypeDecl),
    /// `const N: Int = 5`
    Const(ConstDecl),
    /// `fun f(a: Int): Int = …`
    Fun(FunDecl),
    /// `input a(p: Int)`, `output b`
    Gate(GateDecl),
    /// `channel c(p: Int)`
    Channel(ChannelDecl),
    /// `process P(n: Int) { … }`
    Process(ProcessDecl),
    /// `system S = P || Q(3)`
    System(SystemDecl),
    /// `purpose P { … }`
    Purpose(PurposeDecl),
}

/// A string literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrLit {
    /// Its value, escapes resolved.
    pub value: String,
    /// Where, quotes included.
    pub span: Span,
}

/// `type Name = …`
#[derive(Clone, Debug)]
pub struct TypeDecl {
    /// The name.
    pub name: Ident,
    /// What it stands for.
    pub body: TypeBody,
}

/// The right-hand side of a type declaration.
#[derive(Clone, Debug)]
pub enum TypeBody {
    /// Another name for a type.
    Alias(TypeExpr),
    /// `A | B(x: Int)`
    Variants(Vec<VariantDecl>),
    /// `{ x: Int, y: Int }`
    Record(Vec<ParamDecl>),
}

/// One alternative of a variant type.
#[derive(Clone, Debug)]
pub struct VariantDecl {
    /// Its name.
    pub name: Ident,
    /// Its fields.
    pub fields: Vec<ParamDecl>,
}

/// `name: Type`, as parameter or field.
#[derive(Clone, Debug)]
pub struct ParamDecl {
    /// The name.
    pub name: Ident,
    /// The type.
    pub ty: TypeExpr,
    /// `tolerance 0.01`
    pub tolerance: Option<Expr>,
}

/// A type as written.
#[derive(Clone, Debug)]
pub struct TypeExpr {
    /// What it is.
    pub kind: TypeExprKind,
    /// Where.
    pub span: Span,
}

/// The kinds of types as written.
#[derive(Clone, Debug)]
pub enum TypeExprKind {
    /// A name.
    Name(Ident),
    /// `T in lo..hi`; a missing bound is none.
    Range(Box<TypeExpr>, Option<Box<Expr>>, Option<Box<Expr>>),
    /// `Seq<T>`
    Seq(Box<TypeExpr>),
    /// `Set<T>`
    Set(Box<TypeExpr>),
    /// `Map<K, V>`
    Map(Box<TypeExpr>, Box<TypeExpr>),
    /// Something that could not be read; already reported.
    Error,
}

/// `const N: Int = 5`
#[derive(Clone, Debug)]
pub struct ConstDecl {
    /// The name.
    pub name: Ident,
    /// The type, if written.
    pub ty: Option<TypeExpr>,
    /// The value.
    pub value: Expr,
}

/// `fun f(a: Int): Int = …`
#[derive(Clone, Debug)]
pub struct FunDecl {
    /// The name.
    pub name: Ident,
    /// The parameters.
    pub params: Vec<ParamDecl>,
    /// The type of the result.
    pub result: TypeExpr,
    /// `bound 50`: how many calls of a function that calls itself stand inside of each other.
    pub bound: Option<Expr>,
    /// The body.
    pub body: Expr,
}

/// `input a(p: Int)` or `output b`
#[derive(Clone, Debug)]
pub struct GateDecl {
    /// `true` for `input`.
    pub input: bool,
    /// The name.
    pub name: Ident,
    /// The parameters.
    pub params: Vec<ParamDecl>,
}

/// `channel c(p: Int)`
#[derive(Clone, Debug)]
pub struct ChannelDecl {
    /// The name.
    pub name: Ident,
    /// The parameters.
    pub params: Vec<ParamDecl>,
}

/// `process P(n: Int) { … }`
#[derive(Clone, Debug)]
pub struct ProcessDecl {
    /// The name.
    pub name: Ident,
    /// The parameters.
    pub params: Vec<ParamDecl>,
    /// The variables.
    pub vars: Vec<VarDecl>,
    /// The locations.
    pub locations: Vec<LocationDecl>,
}

/// `var x: Int = 0`
#[derive(Clone, Debug)]
pub struct VarDecl {
    /// The name.
    pub name: Ident,
    /// The type.
    pub ty: TypeExpr,
    /// The initial value.
    pub init: Initial,
    /// All of it.
    pub span: Span,
}

/// The initial value of a variable as written.
#[derive(Clone, Debug)]
pub enum Initial {
    /// `= e`
    Value(Expr),
    /// `= any`
    Free(Span),
    /// Nothing, which is an error.
    Missing,
}

/// `init l0 { … }`, `state l1 { … }`, `final l2`
#[derive(Clone, Debug)]
pub struct LocationDecl {
    /// Whether it says `init`.
    pub init: bool,
    /// Whether it says `final`.
    pub is_final: bool,
    /// The name.
    pub name: Ident,
    /// The switches.
    pub switches: Vec<SwitchDecl>,
    /// All of it.
    pub span: Span,
}

/// `name @tag: ?a(p) [g] / x := e ; !b(e) -> l`
#[derive(Clone, Debug)]
pub struct SwitchDecl {
    /// The name, if given.
    pub name: Option<Ident>,
    /// The tags, without `@`.
    pub tags: Vec<Ident>,
    /// The step itself, and after it the answers.
    pub steps: Vec<StepDecl>,
    /// Where it leads.
    pub target: Ident,
    /// All of it.
    pub span: Span,
}

/// A label with its guard and update.
#[derive(Clone, Debug)]
pub struct StepDecl {
    /// What happens.
    pub label: LabelDecl,
    /// `[g]`
    pub guard: GuardDecl,
    /// `/ x := e, y := f`
    pub update: Vec<AssignDecl>,
    /// From the label to the end of the update.
    pub span: Span,
}

/// A label as written.
#[derive(Clone, Debug)]
pub struct LabelDecl {
    /// What kind.
    pub kind: LabelKind,
    /// The gate or channel; empty for `tau`.
    pub name: Ident,
    /// The arguments.
    pub args: Vec<ArgDecl>,
    /// `any k: Int` of a `tau`.
    pub choices: Vec<ParamDecl>,
    /// From the sigil to the closing bracket.
    pub span: Span,
}

/// The kinds of labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelKind {
    /// `?gate`
    Input,
    /// `!gate`
    Output,
    /// `send channel`
    Send,
    /// `recv channel`
    Recv,
    /// `tau`
    Tau,
}

/// An argument of a label.
#[derive(Clone, Debug)]
pub enum ArgDecl {
    /// `any p`
    Any(Ident),
    /// `_`
    Ignored(Span),
    /// A name that an input or receive binds, or a term that an output or send evaluates.
    Term(Expr),
}

/// A guard as written.
#[derive(Clone, Debug)]
pub enum GuardDecl {
    /// Nothing: true.
    None,
    /// `[else]`
    Else(Span),
    /// `[e]`
    Expr(Expr),
}

/// `x := e`, `carts[id].qty := e`
#[derive(Clone, Debug)]
pub struct AssignDecl {
    /// The variable.
    pub target: Ident,
    /// Which part of it; nothing for all of it.
    pub path: Vec<PathStep>,
    /// The new value.
    pub value: Expr,
}

/// `system S = P || q: Q(3)`
#[derive(Clone, Debug)]
pub struct SystemDecl {
    /// The name.
    pub name: Ident,
    /// The instances.
    pub instances: Vec<InstanceDecl>,
}

/// `q: Q(3)`
#[derive(Clone, Debug)]
pub struct InstanceDecl {
    /// The name of the instance, if given.
    pub name: Option<Ident>,
    /// The process.
    pub process: Ident,
    /// The arguments.
    pub args: Vec<Expr>,
    /// All of it.
    pub span: Span,
}

/// `purpose P { ?a(x); ..; !b(y) [y == x]  reject delta }`
#[derive(Clone, Debug)]
pub struct PurposeDecl {
    /// The name.
    pub name: Ident,
    /// What is to happen.
    pub pattern: WayDecl,
    /// What must not happen on the way.
    pub rejects: Vec<RejectDecl>,
    /// Whether it has its closing brace.
    pub closed: bool,
}

/// `reject !error(_)`
#[derive(Clone, Debug)]
pub struct RejectDecl {
    /// What is rejected; anything but one event is an error.
    pub event: WayDecl,
    /// All of it.
    pub span: Span,
}

/// A pattern of a purpose, or a part of one.
#[derive(Clone, Debug)]
pub struct WayDecl {
    /// What it is.
    pub kind: WayKind,
    /// Where.
    pub span: Span,
}

/// The kinds of patterns of a purpose.
#[derive(Clone, Debug)]
pub enum WayKind {
    /// One step.
    Event(EventDecl),
    /// `at Process.Location [condition]`
    At(PathDecl, GuardDecl),
    /// `a; b`
    Sequence(Vec<WayDecl>),
    /// `a | b`
    Choice(Vec<WayDecl>),
    /// `a*`, `a+`, `a{1..3}`
    Repeat(Box<WayDecl>, RepeatDecl),
    /// `(a)`
    Group(Box<WayDecl>),
    /// `..`
    Anything,
    /// Something that could not be read; already reported.
    Error,
}

/// One step of a purpose.
#[derive(Clone, Debug)]
pub struct EventDecl {
    /// What happens.
    pub kind: EventKind,
    /// `[condition]`
    pub condition: GuardDecl,
    /// All but the condition.
    pub label: Span,
}

/// What happens in a step of a purpose.
#[derive(Clone, Debug)]
pub enum EventKind {
    /// `?gate(x)`, `!gate(_)`
    Gate(LabelDecl),
    /// `delta`
    Delta,
    /// `any`
    Any,
    /// `take switch`
    Take(PathDecl),
}

/// `name` or `Process.name`
#[derive(Clone, Debug)]
pub struct PathDecl {
    /// The process, if given.
    pub owner: Option<Ident>,
    /// The name.
    pub name: Ident,
    /// All of it.
    pub span: Span,
}

/// How often something happens.
#[derive(Clone, Debug)]
pub struct RepeatDecl {
    /// How often at least.
    pub least: CountDecl,
    /// How often at most; `None` is without end.
    pub most: Option<CountDecl>,
    /// `*`, `+`, or the braces.
    pub span: Span,
}

/// A number of times.
#[derive(Clone, Debug)]
pub struct CountDecl {
    /// The number; `None` if it is too large.
    pub value: Option<u32>,
    /// Where.
    pub span: Span,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// An integer literal, as written.
    Int(String),
    /// A decimal literal, as written.
    Real(String),
    /// A string literal.
    Str(String),
    /// `true` or `false`
    Bool(bool),
    /// A name: variable, parameter, constant or constructor.
    Name(String),
    /// `f(a, b)`: a function or a constructor.
    Call(Ident, Vec<Expr>),
    /// `Point { x: 1, y: 2 }`
    Record(Ident, Vec<FieldInit>),
    /// `p with { x: 1, [i].y: 2 }`
    With(Box<Expr>, Vec<PathInit>),
    /// `p.x`
    Field(Box<Expr>, Ident),
    /// `s[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `[a, b]`
    Seq(Vec<Expr>),
    /// `{a, b}`; `{}` is also the empty map.
    Set(Vec<Expr>),
    /// `{a: 1, b: 2}`
    Map(Vec<(Expr, Expr)>),
    /// `sum(x in c: e)`
    Each(Box<EachExpr>),
    /// `x is A`
    Is(Box<Expr>, Ident),
    /// `!a`
    Not(Box<Expr>),
    /// `-a`
    Neg(Box<Expr>),
    /// Operators of one precedence in a row: `a + b - c`, `1 <= p <= 10`.
    Chain(Box<Expr>, Vec<(BinOp, Span, Expr)>),
    /// `if a then b else if c then d else e`
    If(Vec<(Expr, Expr)>, Box<Expr>),
    /// `let a = 1 in let b = 2 in e`
    Let(Vec<(Ident, Expr)>, Box<Expr>),
    /// `match e { A(x) => …, _ => … }`
    Match(Box<Expr>, Vec<MatchArm>),
    /// `(e)`
    Paren(Box<Expr>),
    /// Something that could not be read; already reported.
    Error,
}

/// `x: e` in a record.
#[derive(Clone, Debug)]
pub struct FieldInit {
    /// The field.
    pub name: Ident,
    /// The value.
    pub value: Expr,
}

/// `x: e`, `[i].y: e` after `with`.
#[derive(Clone, Debug)]
pub struct PathInit {
    /// The part that changes.
    pub path: Vec<PathStep>,
    /// The value.
    pub value: Expr,
}

/// One step to a part of a value.
#[derive(Clone, Debug)]
pub enum PathStep {
    /// `.f`
    Field(Ident),
    /// `[e]`, with its brackets
    Item(Expr, Span),
}

impl PathStep {
    /// Where it is.
    pub fn span(&self) -> Span {
        match self {
            PathStep::Field(name) => name.span,
            PathStep::Item(_, span) => *span,
        }
    }
}

/// `sum(x in c: e)`, `fold(x in c, acc = start: e)`
#[derive(Clone, Debug)]
pub struct EachExpr {
    /// What is asked: `sum`.
    pub name: Ident,
    /// The names of an item, or of a key and a value.
    pub names: Vec<Ident>,
    /// The collection, or the first number of a range.
    pub over: Expr,
    /// The last number of a range.
    pub to: Option<Expr>,
    /// The name of what a fold carries on, and its start.
    pub acc: Option<(Ident, Expr)>,
    /// What is asked of each item.
    pub body: Expr,
}

/// `pattern => e`
#[derive(Clone, Debug)]
pub struct MatchArm {
    /// What it matches.
    pub pattern: Pattern,
    /// The result.
    pub body: Expr,
}

/// A pattern of a match arm.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// What it is.
    pub kind: PatternKind,
    /// Where.
    pub span: Span,
}

/// The kinds of patterns.
#[derive(Clone, Debug)]
pub enum PatternKind {
    /// `_`
    Wildcard,
    /// `A` or `A(x, _)`; `None` for `_`.
    Constructor(Ident, Vec<(Option<Ident>, Span)>),
    /// A literal.
    Literal(Box<Expr>),
    /// Something that could not be read; already reported.
    Error,
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinOp {
    /// `implies`
    Implies,
    /// `||`
    Or,
    /// `&&`
    And,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `++`
    Concat,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Quot,
    /// `div`
    Div,
    /// `mod`
    Mod,
}

impl BinOp {
    /// Binding strength; operators of one strength form a chain.
    pub fn level(self) -> u8 {
        match self {
            BinOp::Implies => 1,
            BinOp::Or => 2,
            BinOp::And => 3,
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => 4,
            BinOp::Concat => 5,
            BinOp::Add | BinOp::Sub => 6,
            BinOp::Mul | BinOp::Quot | BinOp::Div | BinOp::Mod => 7,
        }
    }

    /// How it is written.
    pub fn text(self) -> &'static str {
        match self {
            BinOp::Implies => "implies",
            BinOp::Or => "||",
            BinOp::And => "&&",
            BinOp::Eq => "==",
            BinOp::Ne => "!=",
            BinOp::Lt => "<",
            BinOp::Le => "<=",
            BinOp::Gt => ">",
            BinOp::Ge => ">=",
            BinOp::Concat => "++",
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::Quot => "/",
            BinOp::Div => "div",
            BinOp::Mod => "mod",
        }
    }
}
