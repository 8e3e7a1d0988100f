//! The pages about the kinds of findings, for `sioco explain`. Their examples are tests.

use sioco_symbolic::analysis::Kind;

/// The page of a kind: a heading, what it means, an example that is wrong and one that is right.
pub fn page(kind: Kind) -> &'static str {
    match kind {
        Kind::ModelError => include_str!("kinds/model-error.md"),
        Kind::Deadlock => include_str!("kinds/deadlock.md"),
        Kind::UnsatisfiableOutput => include_str!("kinds/unsatisfiable-output.md"),
        Kind::Unreachable => include_str!("kinds/unreachable.md"),
        Kind::Nondeterminism => include_str!("kinds/nondeterminism.md"),
        Kind::Divergence => include_str!("kinds/divergence.md"),
        Kind::InputGap => include_str!("kinds/input-gap.md"),
    }
}

/// The heading of a page.
pub fn title(kind: Kind) -> &'static str {
    page(kind).lines().next().unwrap_or_default().trim_start_matches('#').trim()
}

/// How bad a finding of the kind is, where it is certain.
pub fn severity(kind: Kind) -> &'static str {
    match kind {
        Kind::ModelError | Kind::Deadlock | Kind::UnsatisfiableOutput | Kind::Unreachable => "error",
        Kind::Nondeterminism | Kind::Divergence => "warning",
        Kind::InputGap => "information",
    }
}

/// The kind with a name, however it is written.
pub fn parse(text: &str) -> Option<Kind> {
    let name = text.trim().to_lowercase().replace(['_', ' '], "-");
    Kind::ALL.into_iter().find(|kind| kind.name() == name)
}
