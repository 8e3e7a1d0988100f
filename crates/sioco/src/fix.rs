//! Applying the certain mends of diagnostics to a text.

use sioco_lang::diagnostic::Fix;

/// The text with the fixes applied, and which of them were. One that overlaps an earlier one is left for another time.
pub fn apply(text: &str, fixes: &[&Fix]) -> (String, Vec<usize>) {
    let mut order: Vec<usize> = (0..fixes.len()).collect();
    order.sort_by_key(|i| (fixes[*i].span.start, fixes[*i].span.end, *i));
    let mut out = String::with_capacity(text.len());
    let mut applied = Vec::new();
    let mut done = 0;
    let mut last_start = None;
    for i in order {
        let range = fixes[i].span.range();
        // Two at one place could come in either order, so the second waits as well.
        if range.start < done || last_start == Some(range.start) || text.get(range.clone()).is_none() {
            continue;
        }
        out.push_str(&text[done..range.start]);
        out.push_str(&fixes[i].replacement);
        (done, last_start) = (range.end, Some(range.start));
        applied.push(i);
    }
    out.push_str(&text[done..]);
    (out, applied)
}

#[cfg(test)]
mod tests {
    use sioco_lang::source::{FileId, Span};

    use super::*;

    #[test]
    fn fixes_that_overlap_wait() {
        let fix = |start, end, replacement: &str| Fix {
            span: Span { file: FileId(0), start, end },
            replacement: replacement.to_owned(),
        };
        for (fixes, result, applied) in [
            (vec![fix(0, 1, "X"), fix(2, 3, "")], "Xb", vec![0, 1]),
            (vec![fix(2, 3, ""), fix(0, 1, "X")], "Xb", vec![1, 0]),
            (vec![fix(0, 2, "X"), fix(1, 3, "Y")], "Xc", vec![0]),
            (vec![fix(0, 1, "X"), fix(1, 2, "Y")], "XYc", vec![0, 1]),
            (vec![fix(1, 1, "X"), fix(1, 1, "Y")], "aXbc", vec![0]),
            (vec![fix(2, 9, "X")], "abc", vec![]),
            (vec![], "abc", vec![]),
        ] {
            let fixes: Vec<&Fix> = fixes.iter().collect();
            assert_eq!(apply("abc", &fixes), (result.to_owned(), applied), "{fixes:?}");
        }
    }
}
