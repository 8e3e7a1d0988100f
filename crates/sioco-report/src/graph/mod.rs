//! Pictures of a checked model: [`svg`] laid out here, and [`dot`] and [`mermaid`] for other programs to lay out.
//!
//! Each process instance is one panel. An input that is answered at once is one edge, as it is one line of the model;
//! switches of one kind between the same two locations share an edge and stack their labels.
//!
//! A function gives the words on an edge, so that a caller can say more than the model does (how often a switch was
//! taken, say). Every element that is drawn for a switch carries its name: `data-switch` in SVG, a comment in DOT.

mod chart;
mod dot;
mod label;
mod layout;
mod mermaid;
mod svg;

use sioco_model::visible::{escape, is_hidden};
use sioco_model::{Model, ProcessId, SwitchId, print};

pub use dot::dot;
pub use mermaid::mermaid;
pub use svg::svg;

/// What stands at an edge for one switch; empty parts are left out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SwitchText {
    /// Gate or channel with its arguments, such as `?inX(p)`.
    pub label: String,
    /// The guard, without its brackets.
    pub guard: String,
    /// The update.
    pub update: String,
}

/// What is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PictureOptions {
    /// Whether switches are shown with the names that the model gives them.
    pub show_names: bool,
    /// Whether the variables of a process stand above its picture.
    pub show_variables: bool,
    /// Whether the kinds of edges are explained; SVG only.
    pub show_legend: bool,
    /// Style rules added to those of an SVG, for example `[data-switch="tell"] { opacity: .3 }`.
    pub css: String,
    /// The only process instance to show; all, if there is none.
    pub only: Option<ProcessId>,
}

impl Default for PictureOptions {
    fn default() -> Self {
        PictureOptions { show_names: true, show_variables: true, show_legend: true, css: String::new(), only: None }
    }
}

/// The texts of the switches as the language writes them.
pub fn default_text(model: &Model) -> impl Fn(SwitchId) -> SwitchText + '_ {
    |switch| SwitchText {
        label: print::label(model, switch),
        guard: print::guard(model, switch),
        update: print::update(model, switch),
    }
}

/// Text for XML and for the labels of DOT, which are like HTML.
fn escape_xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' => out.push('\n'),
            // These two may not occur in XML, not even escaped.
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if is_hidden(c) => escape(c, &mut out),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;
