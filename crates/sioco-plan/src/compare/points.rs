//! Inputs that tell polynomials apart: as many as there are monomials, such that the matrix of the monomials' values is
//! not singular (S2 lemma 1; T-G5: DistDeg). If the path condition leaves fewer inputs, all of these.

use sioco_model::number::Rational;
use sioco_solve::values::{Choice, NoValues};
use sioco_solve::{Limits, Reason, Witness};
use sioco_symbolic::Solved;
use sioco_symbolic::path::Possible;

use super::polynomial::{self, Monomial, Space, evaluate};
use super::walk::{Move, Walk};

/// Values for a path.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub solved: Solved,
    pub witness: Witness,
}

/// Adds points until they determine every polynomial of a space on the path that the walk is on. `known` are the values of
/// points that are there already. Says why there may be too few, if a solver left that open or there was no time.
pub(crate) fn determine(
    walk: &mut Walk<'_>,
    space: &Space,
    known: &[&Witness],
    limits: &Limits,
    choice: &mut dyn FnMut() -> Choice,
    found: &mut Vec<Point>,
) -> Option<Reason> {
    let monomials = space.monomials();
    let row = |w: &Witness| monomials.iter().map(|m| evaluate(m, w)).collect::<Option<Vec<Rational>>>();
    let mut matrix = Matrix::new(monomials.len());
    let known = known.iter().copied().chain(found.iter().map(|p| &p.witness));
    known.filter_map(row).for_each(|row| matrix.add(row));
    // Each column without a pivot is a polynomial that is zero at all points so far. It is asked about once: one that is
    // zero wherever the path leads stays so, since nobody can tell, and nobody needs to.
    let mut open: Vec<(usize, Reason)> = Vec::new();
    for column in 0..monomials.len() {
        while !matrix.has_pivot(column) {
            if limits.cancelled() {
                return Some(Reason::Cancelled);
            }
            match another(walk, &monomials, &matrix.zero(column), choice()) {
                Ok(Some(point)) => {
                    row(&point.witness).into_iter().for_each(|row| matrix.add(row));
                    found.push(point);
                }
                Ok(None) => break,
                Err(reason) => {
                    open.push((column, reason));
                    break;
                }
            }
        }
    }
    open.into_iter().find(|(column, _)| !matrix.has_pivot(*column)).map(|(_, reason)| reason)
}

/// A point where a polynomial is not zero.
fn another(
    walk: &mut Walk<'_>,
    monomials: &[Monomial],
    coefficients: &[Rational],
    choice: Choice,
) -> Result<Option<Point>, Reason> {
    let constant = monomials.iter().zip(coefficients).all(|(m, c)| m.is_empty() || c.is_zero());
    if constant {
        return solve(walk, choice);
    }
    let value = polynomial::term(&mut walk.path, monomials, coefficients);
    let differs = walk.path.build(|pool, sorts| {
        let sort = pool.sort(value);
        let zero = pool.constant(sorts.default_value(sort), sort);
        let same = pool.eq(sorts, value, zero);
        pool.not(sorts, same)
    });
    if walk.make(Move::Where(differs)) == Possible::No {
        return Ok(None);
    }
    let found = solve(walk, choice);
    walk.back();
    found
}

/// Values for the path that the walk is on.
pub(crate) fn solve(walk: &mut Walk<'_>, choice: Choice) -> Result<Option<Point>, Reason> {
    match walk.path.witness_with(choice) {
        Ok((solved, witness)) => Ok(Some(Point { solved, witness })),
        Err(NoValues::Impossible) => Ok(None),
        Err(NoValues::Unknown(reason)) => Err(reason),
    }
}

/// The rows so far, by exact elimination: each has a column of its own, in which it is one and all others are zero.
struct Matrix {
    rows: Vec<Vec<Rational>>,
    /// The row that each column is the own one of.
    pivots: Vec<Option<usize>>,
}

impl Matrix {
    fn new(columns: usize) -> Self {
        Matrix { rows: Vec::new(), pivots: vec![None; columns] }
    }

    fn has_pivot(&self, column: usize) -> bool {
        self.pivots[column].is_some()
    }

    fn add(&mut self, mut row: Vec<Rational>) {
        let subtract = |from: &mut [Rational], row: &[Rational], factor: &Rational| {
            from.iter_mut().zip(row).filter(|(_, y)| !y.is_zero()).for_each(|(x, y)| *x -= factor * y);
        };
        for (column, pivot) in self.pivots.iter().enumerate() {
            if let Some(own) = pivot.filter(|_| !row[column].is_zero()) {
                let factor = row[column].clone();
                subtract(&mut row, &self.rows[own], &factor);
            }
        }
        let Some(column) = row.iter().position(|x| !x.is_zero()) else { return };
        let factor = Rational::ONE / &row[column];
        row.iter_mut().filter(|x| !x.is_zero()).for_each(|x| *x *= &factor);
        for other in self.rows.iter_mut().filter(|other| !other[column].is_zero()) {
            let factor = other[column].clone();
            subtract(other, &row, &factor);
        }
        self.pivots[column] = Some(self.rows.len());
        self.rows.push(row);
    }

    /// The vector that is orthogonal to all rows and, of the columns that are no own ones, has only this one.
    fn zero(&self, free: usize) -> Vec<Rational> {
        let of = |(column, pivot): (usize, &Option<usize>)| match pivot {
            Some(own) => -self.rows[*own][free].clone(),
            None if column == free => Rational::ONE,
            None => Rational::ZERO,
        };
        self.pivots.iter().enumerate().map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: &[i64]) -> Vec<Rational> {
        values.iter().map(|v| Rational::from(*v)).collect()
    }

    fn matrix(rows: &[Vec<Rational>], columns: usize) -> Matrix {
        let mut matrix = Matrix::new(columns);
        rows.iter().for_each(|row| matrix.add(row.clone()));
        matrix
    }

    #[test]
    fn vectors_of_the_null_space_are_orthogonal_to_all_rows() {
        let rows = [row(&[1, 2, 3, 4]), row(&[2, 4, 6, 9]), row(&[3, 6, 9, 13]), row(&[0, 0, 0, 5])];
        let matrix = matrix(&rows, 4);
        let free: Vec<usize> = (0..4).filter(|c| !matrix.has_pivot(*c)).collect();
        assert_eq!(free, [1, 2]);
        for column in free {
            let vector = matrix.zero(column);
            assert_eq!(vector[column], Rational::ONE);
            for row in &rows {
                let product = row.iter().zip(&vector).fold(Rational::ZERO, |sum, (a, b)| sum + a * b);
                assert!(product.is_zero(), "{row:?} {vector:?}");
            }
        }
    }

    #[test]
    fn rows_that_tell_everything_leave_no_column() {
        let full = matrix(&[row(&[1, 1]), row(&[1, 2])], 2);
        assert!((0..2).all(|c| full.has_pivot(c)));
        let empty = matrix(&[], 3);
        assert!((0..3).all(|c| !empty.has_pivot(c)) && empty.zero(1) == row(&[0, 1, 0]));
    }
}
