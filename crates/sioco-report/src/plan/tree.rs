//! A purpose as lines of steps; where it branches, as a tree.

use sioco_model::model::{Label, Model};
use sioco_model::print;
use sioco_plan::Purpose;
use sioco_plan::case::{Case, Spot, asks};
use sioco_plan::walker::Walker;
use sioco_plan::want::Want;
use sioco_symbolic::Step;

use super::Page;
use super::steps::{self, ANOTHER_START, Word};
use crate::explore::count;

/// How far purposes are from the margin.
const MARGIN: &str = "   ";

/// Where all branches but one are this short, that one goes on below them: a tree that leans to one side would leave
/// the page.
const SHORT: usize = 3;
/// And if that one is at least this long: a shorter one fits beside them.
const LONG: usize = 8;

/// A purpose may have at most this many steps to be drawn for its lines to be counted. Of a larger one no more is drawn
/// than is seen, and what is hidden is counted in steps: to draw all of it takes time for nothing.
const COUNTED: usize = 4_000;

/// The steps of a purpose, at most so many lines as the page allows.
pub(super) fn tree(model: &Model, purpose: &Purpose, case: &Case, walker: &mut Walker<'_>, page: Page) -> String {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); purpose.nodes.len()];
    for (i, node) in purpose.nodes.iter().enumerate() {
        if let Some(parent) = node.parent {
            children[parent].push(i);
        }
    }
    // Parents stand before their children.
    let mut heights = vec![0; purpose.nodes.len()];
    for (i, node) in purpose.nodes.iter().enumerate().rev() {
        if let Some(parent) = node.parent {
            heights[parent] = heights[parent].max(heights[i] + 1);
        }
    }
    let twins = twins(model, purpose, &children);
    let all = purpose.nodes.iter().filter(|node| node.leg.is_some()).count();
    // One more than is shown, and another: a line that only says that one more was left out helps nobody.
    let most = if all > COUNTED { page.lines.saturating_add(2) } else { usize::MAX };
    let mut drawing = Drawing { model, purpose, case, walker, page, children, heights, twins, lines: Vec::new(), most };
    drawing.chain(0, MARGIN, MARGIN);
    let Drawing { mut lines, .. } = drawing;
    let hidden = lines.len().saturating_sub(page.lines);
    if hidden > 1 {
        lines.truncate(page.lines);
        let shown: usize = lines.iter().map(|(_, steps)| steps).sum();
        let hidden = if all > COUNTED { count(all - shown, "more step") } else { count(hidden, "more line") };
        lines.push((format!("{MARGIN}… and {hidden}; `--all` shows them"), 0));
    }
    lines.iter().map(|(line, _)| format!("{line}\n")).collect()
}

/// The nodes whose step looks from outside like that of a sibling.
fn twins(model: &Model, purpose: &Purpose, children: &[Vec<usize>]) -> Vec<bool> {
    let label = |n: usize| {
        let switch = purpose.nodes[n].leg.as_ref()?.step.switches().next()?;
        Some(model.switches[switch].label).filter(|l| matches!(l, Label::Gate(_)))
    };
    let mut found = vec![false; purpose.nodes.len()];
    for siblings in children.iter().filter(|c| c.len() > 1) {
        for &n in siblings {
            found[n] = label(n).is_some() && siblings.iter().any(|m| *m != n && label(*m) == label(n));
        }
    }
    found
}

/// What is asked for, as it was written if it was.
fn asked(model: &Model, walker: &mut Walker<'_>, want: &Want) -> Option<String> {
    match want {
        Want::Written { purpose, condition, negated: false, .. } => {
            Some(print::condition(model, model.purposes.get(*purpose)?, *condition))
        }
        _ => asks(walker, want),
    }
}

/// Several conditions as one.
fn together(mut conditions: Vec<String>) -> String {
    if conditions.len() > 1 {
        for text in conditions.iter_mut().filter(|t| is_weak(t)) {
            *text = format!("({text})");
        }
    }
    conditions.join(" && ")
}

/// Whether a condition would fall apart, or swallow what follows, beside `&&`. A bracket too many does no harm.
fn is_weak(text: &str) -> bool {
    let mut depth = 0usize;
    let mut before = ' ';
    for c in text.chars() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '|' if depth == 0 && before == '|' => return true,
            _ => {}
        }
        before = c;
    }
    ["if ", "exists "].iter().any(|word| text.starts_with(word) || text.contains(&format!(" {word}")))
}

struct Drawing<'a, 'w, 'm> {
    model: &'a Model,
    purpose: &'a Purpose,
    case: &'a Case,
    walker: &'w mut Walker<'m>,
    page: Page,
    children: Vec<Vec<usize>>,
    /// How many steps there are below each node at most.
    heights: Vec<usize>,
    twins: Vec<bool>,
    /// The lines, each with the number of its steps.
    lines: Vec<(String, usize)>,
    /// With so many lines, no more are drawn.
    most: usize,
}

impl Drawing<'_, '_, '_> {
    /// Draws from a node on: the first line begins with one text, those below it with another.
    fn chain(&mut self, node: usize, first: &str, rest: &str) {
        let mut words = self.words(node);
        let mut at = node;
        let mut first = first.to_owned();
        loop {
            let children = std::mem::take(&mut self.children[at]);
            if self.lines.len() >= self.most {
                return;
            }
            if let Some(spot) = self.spot(at) {
                let followed: Vec<Step> =
                    children.iter().filter_map(|c| Some(self.purpose.nodes[*c].leg.as_ref()?.step)).collect();
                let others = steps::others(self.model, &spot.others, spot.cut, &followed);
                if !others.is_empty() {
                    self.flush(&mut words, &mut first, rest);
                    let style = self.page.style;
                    let others = style.dim(format_args!("  also allowed here (inconclusive): {others}"));
                    self.lines.push((format!("{rest}{others}"), 0));
                }
            }
            let stem = match children[..] {
                [] => return self.flush(&mut words, &mut first, rest),
                [child] => Some(child),
                _ => {
                    self.flush(&mut words, &mut first, rest);
                    let stem = self.stem(&children);
                    let branches: Vec<usize> = children.into_iter().filter(|c| Some(*c) != stem).collect();
                    self.branches(&branches, rest, stem.is_some());
                    stem
                }
            };
            let Some(child) = stem else { return };
            at = child;
            words.extend(self.words(child));
        }
    }

    /// The one branch that is long where all others are short.
    fn stem(&self, children: &[usize]) -> Option<usize> {
        let longest = children.iter().copied().max_by_key(|c| self.heights[*c])?;
        let others_short = children.iter().all(|c| *c == longest || self.heights[*c] <= SHORT);
        (self.heights[longest] >= LONG && others_short).then_some(longest)
    }

    fn branches(&mut self, branches: &[usize], rest: &str, goes_on: bool) {
        for (i, child) in branches.iter().enumerate() {
            let (one, below) = if goes_on || i + 1 < branches.len() { ("├ ", "│ ") } else { ("└ ", "  ") };
            self.chain(*child, &format!("{rest}{one}"), &format!("{rest}{below}"));
        }
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
            let mut wants: Vec<String> = Vec::new();
            for want in leg.wants.iter().filter_map(|w| asked(self.model, self.walker, w)) {
                // Several guards may have the same condition.
                if !wants.contains(&want) {
                    wants.push(want);
                }
            }
            let mut add = |more: Word| {
                word.text.push_str(&format!(" {}", more.text));
                word.width += 1 + more.width;
            };
            if self.twins[node] {
                add(Word::new(&format!("by {}", leg.step.name(self.model)), |t| style.dim(t)));
            }
            if !wants.is_empty() {
                add(Word::new(&format!("[{}]", together(wants)), str::to_owned));
            }
            if n.doubt.is_some() {
                add(Word::new("(perhaps)", |t| style.yellow(t)));
            }
            // Said once for all that follows.
            let spots = &self.case.nodes;
            let new = |is: fn(&Spot) -> bool| {
                let here = |n: usize| spots.get(n).is_some_and(is);
                here(node) && !n.parent.is_some_and(here)
            };
            let others = [
                (new(|s| s.apart), "other inputs"),
                (new(|s| s.other_outputs), "other outputs"),
                (new(|s| s.another_start), ANOTHER_START),
            ];
            let others: Vec<&str> = others.into_iter().filter(|(is, _)| *is).map(|(_, text)| text).collect();
            if !others.is_empty() {
                add(Word::new(&format!("(with {})", others.join(" and ")), |t| style.dim(t)));
            }
            word.steps = 1;
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
        let (mut width, mut steps) = (0, 0);
        for word in words.drain(..) {
            let margin = first.chars().count();
            if width > 0 && margin + width + 2 + word.width > self.page.width {
                self.lines.push((format!("{first}{line}"), steps));
                rest.clone_into(first);
                (line, width, steps) = (String::new(), 0, 0);
            }
            if width > 0 {
                line.push_str("  ");
                width += 2;
            }
            line.push_str(&word.text);
            width += word.width;
            steps += word.steps;
        }
        if width > 0 {
            self.lines.push((format!("{first}{line}"), steps));
            rest.clone_into(first);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_conditions_keep_their_meaning() {
        for (conditions, text) in [
            (&["a", "b || c"][..], "a && (b || c)"),
            (&["b || c"], "b || c"),
            (&["(b || c) && d", "e"], "(b || c) && d && e"),
            (&["if a then b else c", "d"], "(if a then b else c) && d"),
            (&["a && if b then c else d", "e"], "(a && if b then c else d) && e"),
        ] {
            assert_eq!(together(conditions.iter().map(|c| (*c).to_owned()).collect()), text);
        }
    }
}
