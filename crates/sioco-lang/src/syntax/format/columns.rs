//! Aligning the parts of switches on adjacent lines.

use super::MAX_WIDTH;

/// Name, label, guard, update, answers and target.
pub(super) const CELLS: usize = 6;

/// A cell that is this many characters wider than the others is not aligned with them: one long guard would otherwise
/// push the targets of all switches off the page.
const MAX_EXCESS: usize = 40;

/// The column at which each cell of each row starts. A width of zero is a cell that is not there.
///
/// A row leaves the alignment, and goes on with single spaces, after a cell that is more than [`MAX_EXCESS`] wider than
/// the median of its column, and where padding would make the row longer than [`MAX_WIDTH`].
pub(super) fn columns(rows: &[[usize; CELLS]], indent: usize) -> Vec<[usize; CELLS]> {
    let mut starts = vec![[0; CELLS]; rows.len()];
    // Where the next cell may start, and whether it is aligned, for each row.
    let mut next: Vec<usize> = vec![indent; rows.len()];
    let mut aligned = vec![true; rows.len()];
    let mut column = indent;
    let mut widths = Vec::with_capacity(rows.len());
    for cell in 0..CELLS {
        widths.clear();
        for (i, row) in rows.iter().enumerate() {
            if aligned[i] {
                widths.push(row[cell]);
            }
            if row[cell] > 0 {
                starts[i][cell] = if aligned[i] { column } else { next[i] };
                next[i] = starts[i][cell] + row[cell] + 1;
            }
        }
        if widths.is_empty() {
            continue;
        }
        let middle = (widths.len() - 1) / 2;
        let limit = *widths.select_nth_unstable(middle).1 + MAX_EXCESS;
        let widest = widths.iter().copied().filter(|w| *w <= limit).max().unwrap_or(0);
        if widest > 0 {
            column += widest + 1;
        }
        for (i, row) in rows.iter().enumerate() {
            let rest: usize = row[cell + 1..].iter().filter(|w| **w > 0).map(|w| w + 1).sum();
            let too_long = column > next[i] && (column + rest).saturating_sub(1) > MAX_WIDTH;
            aligned[i] &= row[cell] <= limit && !too_long;
        }
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_a_column_start_together() {
        let rows = [[4, 7, 0, 12, 0, 5], [7, 5, 8, 0, 0, 5], [0, 1, 0, 0, 0, 5]];
        let expected = [[4, 12, 0, 29, 0, 42], [4, 12, 20, 0, 0, 42], [0, 12, 0, 0, 0, 42]];
        assert_eq!(columns(&rows, 4), expected);
    }

    #[test]
    fn a_much_wider_cell_is_not_followed() {
        let rows = [[0, 5, 50, 0, 0, 5], [0, 5, 0, 0, 0, 5], [0, 9, 3, 0, 0, 5]];
        let expected = [[0, 4, 14, 0, 0, 65], [0, 4, 0, 0, 0, 18], [0, 4, 14, 0, 0, 18]];
        assert_eq!(columns(&rows, 4), expected);
        // One that is narrow among wide ones follows them.
        let rows = [[0, 5, 50, 0, 0, 5], [0, 5, 0, 0, 0, 5], [0, 5, 50, 0, 0, 5]];
        assert_eq!(columns(&rows, 4)[1][5], 4 + 6 + 51);
    }

    #[test]
    fn no_row_is_padded_beyond_the_limit() {
        let rows = [[0, 60, 0, 0, 0, 5], [0, 40, 40, 0, 0, 5], [0, 30, 0, 0, 0, 5]];
        let expected = [[0, 4, 0, 0, 0, 65], [0, 4, 45, 0, 0, 86], [0, 4, 0, 0, 0, 65]];
        assert_eq!(columns(&rows, 4), expected);
        // To the last column, but no farther.
        let rows = [[0, 60, 0, 0, 0, 5], [0, 40, 39, 0, 0, 5]];
        assert_eq!(columns(&rows, 4)[1], [0, 4, 65, 0, 0, 105]);
        let rows = [[0, 60, 0, 0, 0, 5], [0, 40, 40, 0, 0, 5]];
        assert_eq!(columns(&rows, 4)[1], [0, 4, 45, 0, 0, 86]);
    }
}
