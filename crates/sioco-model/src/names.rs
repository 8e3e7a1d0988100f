//! Names that were probably meant.

/// The name that was probably meant: the nearest of the candidates, if it is near enough and no other is as near.
///
/// Near is a Damerau-Levenshtein distance of at most a third of the length, or equality up to case.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let length = name.chars().count();
    let limit = (length / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    let mut tie = false;
    for c in candidates {
        if c == name || c.is_empty() || c.len().abs_diff(name.len()) > 4 * limit {
            continue;
        }
        let near = if c.eq_ignore_ascii_case(name) { 0 } else { distance(name, c) };
        if near > limit || near >= c.chars().count() {
            continue;
        }
        match best {
            Some((d, other)) if near > d || (near == d && other == c) => {}
            Some((d, _)) if near == d => tie = true,
            _ => (best, tie) = (Some((near, c)), false),
        }
    }
    best.filter(|_| !tie).map(|(_, c)| c.to_string())
}

/// Edits (insert, delete, replace, swap of neighbours) that turn one text into the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > 3 || a.len() > 64 || b.len() > 64 {
        return usize::MAX;
    }
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let replace = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replace.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions_are_near_or_absent() {
        let names = ["amount", "balance", "done", "x"];
        assert_eq!(did_you_mean("amuont", names), Some("amount".into()));
        assert_eq!(did_you_mean("Balance", names), Some("balance".into()));
        assert_eq!(did_you_mean("dune", names), Some("done".into()));
        assert_eq!(did_you_mean("withdraw", names), None);
        assert_eq!(did_you_mean("y", names), None);
        // One of three equally near names is a guess nobody should make.
        assert_eq!(did_you_mean("l3", ["l0", "l1", "l2"]), None);
        assert_eq!(did_you_mean("l3", ["l0", "L3", "l2"]), Some("L3".into()));
    }
}
