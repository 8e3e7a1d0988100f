//! Whether a space stands between two tokens of a line.

use crate::syntax::lexer::Tok;

/// What the kinds of tokens do not tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Role {
    /// Nothing special.
    #[default]
    Plain,
    /// The `[` of a guard, not of an index.
    Guard,
    /// The `<` or `>` of `Seq<T>`, `Set<T>` or `Map<K, V>`, not a comparison.
    Angle,
    /// The `;` of a purpose, not of an answer.
    Then,
    /// The `..` of a purpose, not of a range.
    Anything,
    /// The `*`, `+` or `{1..3}` of a purpose.
    Repeat,
    /// The `{` or `}` of a set or map.
    Literal,
}

/// Whether an expression may end with the token.
fn ends_operand(tok: Tok) -> bool {
    matches!(
        tok,
        Tok::Ident
            | Tok::Int
            | Tok::Real
            | Tok::Str
            | Tok::True
            | Tok::False
            | Tok::RParen
            | Tok::RBracket
            | Tok::RBrace
    )
}

/// Whether a space stands between two tokens; `before` is the token before them.
pub(super) fn space(before: Option<Tok>, left: (Tok, Role), right: (Tok, Role)) -> bool {
    let glued_right = match left.0 {
        Tok::LParen | Tok::LBracket | Tok::Dot | Tok::Bang | Tok::Question => true,
        Tok::Less => left.1 == Role::Angle,
        Tok::Minus => !before.is_some_and(ends_operand),
        Tok::LBrace => right.0 == Tok::RBrace || matches!(left.1, Role::Repeat | Role::Literal),
        // After an open end, as in `Int in 0.. = 5`, the range is over.
        Tok::DotDot if left.1 == Role::Anything => false,
        Tok::DotDot => matches!(right.0, Tok::Int | Tok::Real | Tok::Minus | Tok::LParen | Tok::Ident),
        _ => false,
    };
    let glued_left = match right.0 {
        Tok::RParen | Tok::RBracket | Tok::Comma | Tok::Colon => true,
        // Of a path after `with {`.
        Tok::Dot => !matches!(left.0, Tok::LBrace | Tok::Comma),
        Tok::RBrace => matches!(right.1, Role::Literal | Role::Repeat),
        _ if right.1 == Role::Repeat => true,
        Tok::Semi => right.1 == Role::Then,
        Tok::DotDot => left.0 != Tok::In && right.1 != Role::Anything,
        Tok::Less | Tok::Greater => right.1 == Role::Angle,
        Tok::LParen => left.0 == Tok::Ident,
        Tok::LBracket => right.1 != Role::Guard && ends_operand(left.0),
        _ => false,
    };
    !(glued_right || glued_left)
}
