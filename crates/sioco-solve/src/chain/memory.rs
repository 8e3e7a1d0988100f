//! What was found out before, as long as there is room for it.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// Answers by what was asked. When there are too many, all of them are forgotten: what is needed will be found out again.
pub(super) struct Memory<K, V> {
    known: FxHashMap<K, V>,
    most: usize,
}

impl<K: Eq + Hash, V> Memory<K, V> {
    /// With room for so many answers.
    pub fn new(most: usize) -> Self {
        Memory { known: FxHashMap::default(), most }
    }

    /// What is known.
    pub fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: std::borrow::Borrow<Q>,
    {
        self.known.get(key)
    }

    /// Remembers an answer.
    pub fn put(&mut self, key: K, value: V) {
        if self.known.len() >= self.most {
            self.known.clear();
        }
        self.known.insert(key, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_for_so_many() {
        let mut memory: Memory<u32, u32> = Memory::new(3);
        (0..3).for_each(|n| memory.put(n, 10 * n));
        assert!((0..3).all(|n| memory.get(&n) == Some(&(10 * n))));
        memory.put(3, 30);
        assert_eq!((memory.get(&3), memory.known.len()), (Some(&30), 1));
        (4..100).for_each(|n| memory.put(n, n));
        assert!(memory.known.len() <= 3 && memory.get(&99) == Some(&99));
    }
}
