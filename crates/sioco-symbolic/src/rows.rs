//! A long row of small things, in blocks: it grows without moving what is there, and what was built elsewhere can be
//! put at its end without copying it.

use std::ops::{Index, IndexMut};

/// This many things are in a block: a power of two, so that a place is found by shifts, and small enough that the
/// allocator keeps blocks at hand.
const BLOCK: usize = 2048;

/// See the [module](self). All blocks but the last are full.
#[derive(Clone, Debug)]
pub(crate) struct Rows<T> {
    blocks: Vec<Vec<T>>,
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Rows { blocks: Vec::new() }
    }
}

impl<T> Rows<T> {
    pub fn len(&self) -> usize {
        match self.blocks.last() {
            Some(last) => (self.blocks.len() - 1) * BLOCK + last.len(),
            None => 0,
        }
    }

    pub fn push(&mut self, item: T) {
        match self.blocks.last_mut() {
            Some(last) if last.len() < BLOCK => last.push(item),
            // The first block may stay small.
            None => self.blocks.push(vec![item]),
            Some(_) => {
                let mut block = Vec::with_capacity(BLOCK);
                block.push(item);
                self.blocks.push(block);
            }
        }
    }

    /// The bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.blocks.iter().map(|b| b.capacity() * size_of::<T>()).sum()
    }
}

impl<T: Clone> Rows<T> {
    /// The end of a row, from the beginning of its last block on, to build on.
    pub fn end_of(row: &Rows<T>) -> Self {
        let mut blocks = Vec::new();
        if let Some(last) = row.blocks.last().filter(|b| b.len() < BLOCK) {
            let mut block = Vec::with_capacity(if row.blocks.len() > 1 { BLOCK } else { last.len() });
            block.extend_from_slice(last);
            blocks.push(block);
        }
        Rows { blocks }
    }

    /// Where in a row its [end](Self::end_of) begins.
    pub fn start_of_end(&self) -> usize {
        self.len() / BLOCK * BLOCK
    }

    /// Puts what became of the [end](Self::end_of) in its place.
    pub fn set_end(&mut self, end: Rows<T>) {
        self.blocks.truncate(self.len() / BLOCK);
        self.blocks.extend(end.blocks);
    }
}

impl<T> Index<usize> for Rows<T> {
    type Output = T;

    fn index(&self, i: usize) -> &T {
        &self.blocks[i / BLOCK][i % BLOCK]
    }
}

impl<T> IndexMut<usize> for Rows<T> {
    fn index_mut(&mut self, i: usize) -> &mut T {
        &mut self.blocks[i / BLOCK][i % BLOCK]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_as_if_pushed() {
        for (before, more) in [(0, 3), (1, 0), (5, BLOCK), (BLOCK, 1), (BLOCK, 0), (3 * BLOCK - 1, 2 * BLOCK + 2)] {
            let mut row = Rows::default();
            (0..before).for_each(|i| row.push(i));
            let (mut end, start) = (Rows::end_of(&row), row.start_of_end());
            assert_eq!(start + end.len(), before);
            (before..before + more).for_each(|i| end.push(i));
            row.set_end(end);
            assert_eq!(row.len(), before + more);
            assert!((0..row.len()).all(|i| row[i] == i), "{before}, {more}");
            row.push(before + more);
            assert_eq!(row[before + more], before + more);
        }
    }
}
