//! Inputs that tell polynomials apart: as many as there are monomials, such that the matrix of the monomials' values is
//! not singular (S2 lemma 1; `theory`, section 7: DistDeg). Where the path condition leaves fewer, those that there are.

use sioco_model::number::Rational;
use sioco_solve::values::{Choice, NoValues};
use sioco_solve::{Reason, Witness};
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

/// What came of looking for points.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Sought {
    /// A solver left open whether there are more.
    pub open: Option<Reason>,
}

/// Adds points until they determine every polynomial of a space on the path that the walk is on. `known` are the values of
/// points that are there already.
pub(crate) fn determine(
    walk: &mut Walk<'_>,
    space: &Space,
    known: &[&Witness],
    choice: &mut dyn FnMut() -> Choice,
    found: &mut Vec<Point>,
) -> Sought {
    let monomials = space.monomials();
    let mut sought = Sought::default();
    loop {
        let all = known.iter().copied().chain(found.iter().map(|p| &p.witness));
        let rows: Vec<Vec<Rational>> =
            all.filter_map(|w| monomials.iter().map(|m| evaluate(m, w)).collect::<Option<Vec<_>>>()).collect();
        let before = found.len();
        sought.open = None;
        for zero in null_space(rows, monomials.len()) {
            match another(walk, &monomials, &zero, choice()) {
                Ok(Some(point)) => {
                    found.push(point);
                    break;
                }
                // It is zero wherever the path leads: nobody can tell, and nobody needs to.
                Ok(None) => {}
                Err(reason) => sought.open = Some(reason),
            }
        }
        if found.len() == before {
            return sought;
        }
    }
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

/// A basis of the vectors that are orthogonal to all rows, by exact elimination.
fn null_space(mut rows: Vec<Vec<Rational>>, columns: usize) -> Vec<Vec<Rational>> {
    let mut pivots: Vec<usize> = Vec::new();
    for column in 0..columns {
        let Some(at) = (pivots.len()..rows.len()).find(|r| !rows[*r][column].is_zero()) else { continue };
        rows.swap(pivots.len(), at);
        let pivot = pivots.len();
        let factor = Rational::ONE / &rows[pivot][column];
        rows[pivot].iter_mut().for_each(|x| *x *= &factor);
        let own = rows[pivot].clone();
        for (r, row) in rows.iter_mut().enumerate() {
            if r == pivot || row[column].is_zero() {
                continue;
            }
            let factor = row[column].clone();
            row.iter_mut().zip(&own).for_each(|(x, y)| *x -= &factor * y);
        }
        pivots.push(column);
    }
    let free = (0..columns).filter(|c| !pivots.contains(c));
    let of = |free: usize| {
        let mut vector = vec![Rational::ZERO; columns];
        vector[free] = Rational::ONE;
        for (r, column) in pivots.iter().enumerate() {
            vector[*column] = -rows[r][free].clone();
        }
        vector
    };
    free.map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: &[i64]) -> Vec<Rational> {
        values.iter().map(|v| Rational::from(*v)).collect()
    }

    #[test]
    fn vectors_of_the_null_space_are_orthogonal_to_all_rows() {
        let rows = vec![row(&[1, 2, 3, 4]), row(&[2, 4, 6, 9]), row(&[3, 6, 9, 13])];
        let space = null_space(rows.clone(), 4);
        assert_eq!(space.len(), 2);
        for vector in &space {
            for row in &rows {
                let product = row.iter().zip(vector).fold(Rational::ZERO, |sum, (a, b)| sum + a * b);
                assert!(product.is_zero(), "{row:?} {vector:?}");
            }
        }
        assert!(null_space(vec![row(&[1, 1]), row(&[1, 2])], 2).is_empty());
        assert_eq!(null_space(Vec::new(), 3).len(), 3);
    }
}
