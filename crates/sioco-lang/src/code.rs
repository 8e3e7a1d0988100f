//! The codes of all diagnostics, each with its explanation in `codes/CODE.md`.
//!
//! The explanation has a heading, some words, and examples: fenced blocks tagged `sts wrong` (must give the code)
//! and `sts right` (must be clean). They run as tests, are shown by `sioco explain`, and make up the reference page.

use std::fmt;

use crate::diagnostic::Severity;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:ident;)*) => {
        /// The kind of a diagnostic.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $($(#[$doc])* $name,)* }

        impl Code {
            /// All codes, in order.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// The short form, such as `N001`.
            pub fn short(self) -> &'static str {
                match self { $(Code::$name => stringify!($code),)* }
            }

            /// The explanation, in Markdown.
            pub fn explanation(self) -> &'static str {
                match self { $(Code::$name => include_str!(concat!("codes/", stringify!($code), ".md")),)* }
            }
        }
    };
}

codes! {
    /// A file cannot be read.
    Unreadable = F001;
    /// A file is not UTF-8.
    NotUtf8 = F002;
    /// A file is not a text.
    Binary = F003;
    /// A file is too large.
    TooLarge = F004;
    /// Files import each other in a circle.
    ImportCycle = F005;
    /// An import leaves the project root.
    ImportOutsideRoot = F006;

    /// Something else was expected here.
    UnexpectedToken = P001;
    /// A character that the language does not use.
    UnexpectedCharacter = P002;
    /// A string without its closing quote.
    UnterminatedString = P003;
    /// An escape in a string that does not exist.
    BadEscape = P004;
    /// Brackets or operators nested too deep.
    TooDeep = P005;
    /// A comparison chain in two directions.
    MixedChain = P006;
    /// Too many errors in one file.
    TooManyErrors = P007;

    /// A name that nothing declares.
    UnknownName = N001;
    /// A type that nothing declares.
    UnknownType = N002;
    /// A gate or channel that nothing declares.
    UnknownGate = N003;
    /// A location that the process does not have.
    UnknownLocation = N004;
    /// A function that nothing declares.
    UnknownFunction = N005;
    /// A field that the type does not have.
    UnknownField = N006;
    /// A constructor that nothing declares.
    UnknownConstructor = N007;
    /// A process that nothing declares.
    UnknownProcess = N008;
    /// The same name declared twice.
    Duplicate = N009;
    /// A parameter with the name of something that it would hide.
    Shadowing = N010;
    /// A name with a fixed meaning, used for something else.
    Reserved = N011;
    /// A switch that the system does not have.
    UnknownSwitch = N012;
    /// A name that has no value on some ways through a purpose.
    NotBound = N013;
    /// A name that several processes have.
    Ambiguous = N014;

    /// A value of one type where another is expected.
    TypeMismatch = T001;
    /// A guard that is not a Bool.
    GuardNotBool = T002;
    /// Too many or too few arguments.
    Arity = T003;
    /// An operator applied to types it is not for.
    OperatorType = T004;
    /// A match that forgets a case.
    NotExhaustive = T005;
    /// A match arm that can never be taken.
    UnreachableArm = T006;
    /// A value that is not known before the model runs, where one is needed.
    NotConstant = T007;
    /// A constant value outside of its range.
    OutOfRange = T008;
    /// A range without any value.
    EmptyRange = T009;
    /// A type that contains itself.
    RecursiveType = T010;
    /// A function that calls itself.
    RecursiveFunction = T011;
    /// An empty sequence whose item type cannot be known.
    UnknownItemType = T012;
    /// An expression that grows too large when functions are expanded.
    TooLargeTerm = T013;
    /// A constant expression without a value.
    UndefinedConstant = T014;
    /// A tolerance where there can be none.
    BadTolerance = T015;
    /// A regular expression that is none, or stands for too much.
    BadPattern = T016;
    /// A map that is written with one key twice.
    DuplicateKey = T017;

    /// A file without anything to run.
    NothingToRun = M001;
    /// A process without an initial location.
    NoInitial = M002;
    /// A process with two initial locations.
    TwoInitials = M003;
    /// A gate used in the wrong direction, or a channel used as a gate.
    WrongDirection = M004;
    /// An update of something that is not a variable of the process.
    UpdateTarget = M005;
    /// A variable assigned twice in one update.
    AssignedTwice = M006;
    /// An input parameter that is not a plain name.
    InputBinder = M007;
    /// An `else` where it has no meaning.
    BadElse = M008;
    /// An answer that is not an output, or to something that is not an input.
    BadAnswer = M009;
    /// A variable without an initial value.
    NoInitialValue = M010;
    /// A channel without a partner on the other side.
    NoPartner = M011;
    /// Several systems, and none was chosen.
    WhichSystem = M012;
    /// A free choice where none is possible.
    BadAny = M013;
    /// A repetition that cannot happen, or has nothing to repeat.
    BadRepetition = M014;
    /// A reject that is not one event.
    BadReject = M015;

    /// A variable that nothing reads.
    UnusedVariable = W001;
    /// A parameter that nothing reads.
    UnusedParameter = W002;
    /// A constant, function, type or process that nothing uses.
    UnusedItem = W003;
    /// A gate or channel that no switch uses.
    UnusedGate = W004;
    /// A location that no path leads to.
    UnreachableLocation = W005;
    /// A guard that is never true.
    NeverEnabled = W006;
    /// An `else` that is the rest of nothing.
    LoneElse = W007;
    /// A purpose that is fulfilled at once.
    HoldsAtOnce = W008;
    /// A `..` that adds nothing.
    NeedlessAnything = W009;
    /// A character that does not show as what it is.
    HiddenCharacter = W010;
    /// Something that can be written shorter.
    LongWay = W011;
}

impl Code {
    /// Whether problems of this kind are errors or warnings.
    pub fn severity(self) -> Severity {
        if self.short().starts_with('W') { Severity::Warning } else { Severity::Error }
    }

    /// The code with a short form, `sioco::` before it or not, in any case.
    pub fn parse(text: &str) -> Option<Code> {
        let text = text.strip_prefix("sioco::").unwrap_or(text);
        Code::ALL.iter().copied().find(|c| c.short().eq_ignore_ascii_case(text))
    }

    /// The heading of the explanation.
    pub fn title(self) -> &'static str {
        let first = self.explanation().lines().next().unwrap_or_default();
        first.trim_start_matches('#').trim()
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sioco::{}", self.short())
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.short())
    }
}
