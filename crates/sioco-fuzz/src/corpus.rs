//! The inputs that are worth to be changed further.

use crate::mutate::Rng;

/// Inputs to start from, and some that reached something new.
pub struct Corpus {
    /// All of them, those to start from first.
    pub inputs: Vec<Vec<u8>>,
    /// How many are there to start from: these stay.
    pub seeds: usize,
    /// How many bytes they are together, and how many they may be.
    size: usize,
    most: usize,
}

impl Corpus {
    /// Inputs to start from, and room for others: at most so many bytes in all.
    pub fn new(inputs: Vec<Vec<u8>>, most: usize) -> Corpus {
        let size = inputs.iter().map(Vec::len).sum();
        Corpus { seeds: inputs.len(), size, most, inputs }
    }

    /// Keeps an input. Without room for it, others go, whichever: a run may take hours, and its memory is that of the inputs.
    pub fn keep(&mut self, input: Vec<u8>, rng: &mut Rng) {
        self.size += input.len();
        self.inputs.push(input);
        while self.size > self.most && self.inputs.len() > self.seeds + 1 {
            let gone = self.seeds + rng.below(self.inputs.len() - 1 - self.seeds);
            self.size -= self.inputs.remove(gone).len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corpus_does_not_grow_without_end() {
        let (mut corpus, mut rng) = (Corpus::new(vec![vec![1; 10], vec![2; 10]], 1000), Rng::new(1));
        for i in 0..500 {
            corpus.keep(vec![3; i % 100], &mut rng);
            let size: usize = corpus.inputs.iter().map(Vec::len).sum();
            assert!(size <= 1000 && size == corpus.size, "{size} bytes, {} counted", corpus.size);
            assert_eq!(corpus.inputs.last().map(Vec::len), Some(i % 100), "the newest one stays");
            assert_eq!(corpus.inputs[..2], [vec![1; 10], vec![2; 10]], "and so do those to start from");
        }
        assert!(corpus.inputs.len() > 10, "{} are left", corpus.inputs.len());
    }
}
