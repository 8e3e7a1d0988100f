//! A purpose as lines of steps; where it branches, as a tree.

use sioco_model::model::Model;
use sioco_plan::Purpose;
use sioco_plan::case::{Case, Spot, asks};
use sioco_plan::walker::Walker;

use super::Page;
use super::steps::{self, Word};

/// How far purposes are from the margin.
const MARGIN: &str = "   ";

/// The steps of a purpose, at most so many lines as the page allows.
pub(super) fn tree(model: &Model, purpose: &Purpose, case: &Case, walker: &mut Walker<'_>, page: Page) -> String {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); purpose.nodes.len()];
    for (i, node) in purpose.nodes.iter().enumerate() {
        if let Some(parent) = node.parent {
            children[parent].push(i);
        }
    }
    let mut drawing = Drawing { model, purpose, case, walker, page, children, lines: Vec::new() };
    drawing.chain(0, MARGIN, MARGIN);
    let Drawing { mut lines, .. } = drawing;
    let hidden = lines.len().saturating_sub(page.lines);
    // A line that only says that one more was left out helps nobody.
    if hidden > 1 {
        lines.truncate(page.lines);
        lines.push(format!("{MARGIN}… and {hidden} more lines; `--all` shows them"));
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

struct Drawing<'a, 'w, 'm> {
    model: &'a Model,
    purpose: &'a Purpose,
    case: &'a Case,
    walker: &'w mut Walker<'m>,
    page: Page,
    children: Vec<Vec<usize>>,
    lines: Vec<String>,
}

impl Drawing<'_, '_, '_> {
    /// Draws from a node on: the first line begins with one text, those below it with another.
    fn chain(&mut self, node: usize, first: &str, rest: &str) {
        let mut words = self.words(node);
        let mut at = node;
        let mut first = first.to_owned();
        loop {
            let others = self.spot(at).map(|s| steps::others(self.model, &s.others, s.cut)).unwrap_or_default();
            if !others.is_empty() {
                self.flush(&mut words, &mut first, rest);
                let style = self.page.style;
                self.lines.push(format!("{rest}{}", style.dim(format_args!("  inconclusive after: {others}"))));
            }
            match self.children[at][..] {
                [] => return self.flush(&mut words, &mut first, rest),
                [child] => {
                    at = child;
                    words.extend(self.words(child));
                }
                _ => break,
            }
        }
        self.flush(&mut words, &mut first, rest);
        let children = std::mem::take(&mut self.children[at]);
        for (i, child) in children.iter().enumerate() {
            if self.lines.len() > self.page.lines.saturating_mul(2) && self.page.lines < usize::MAX / 2 {
                // Nobody will see it; only how much there is.
                self.lines.push(String::new());
                continue;
            }
            let (one, below) = if i + 1 < children.len() { ("├ ", "│ ") } else { ("└ ", "  ") };
            self.chain(*child, &format!("{rest}{one}"), &format!("{rest}{below}"));
        }
        self.children[at] = children;
    }

    fn spot(&self, node: usize) -> Option<&Spot> {
        self.case.nodes.get(node)
    }

    fn words(&mut self, node: usize) -> Vec<Word> {
        let style = self.page.style;
        let n = &self.purpose.nodes[node];
        let mut words = Vec::new();
        if let Some(leg) = &n.leg {
            let values = self.spot(node).and_then(|s| s.values.as_deref());
            let mut word = steps::step(self.model, leg.step, values, style);
            let wants: Vec<String> = leg.wants.iter().filter_map(|w| asks(self.walker, w)).collect();
            let mut add = |more: Word| {
                word.text.push_str(&format!(" {}", more.text));
                word.width += 1 + more.width;
            };
            if !wants.is_empty() {
                add(Word::new(&format!("[{}]", wants.join(" && ")), str::to_owned));
            }
            if n.doubt.is_some() {
                add(Word::new("(perhaps)", |t| style.yellow(t)));
            }
            if self.case.nodes.get(node).is_some_and(|s| s.apart) {
                add(Word::new("(with other inputs)", |t| style.dim(t)));
            }
            words.push(word);
        }
        if n.accept {
            words.push(Word::new("accept", |t| style.green(t)));
        }
        words
    }

    /// Sets the words in lines.
    fn flush(&mut self, words: &mut Vec<Word>, first: &mut String, rest: &str) {
        let mut line = String::new();
        let mut width = 0;
        for word in words.drain(..) {
            let margin = first.chars().count();
            if width > 0 && margin + width + 2 + word.width > self.page.width {
                self.lines.push(format!("{first}{line}"));
                rest.clone_into(first);
                (line, width) = (String::new(), 0);
            }
            if width > 0 {
                line.push_str("  ");
                width += 2;
            }
            line.push_str(&word.text);
            width += word.width;
        }
        if width > 0 {
            self.lines.push(format!("{first}{line}"));
            rest.clone_into(first);
        }
    }
}
