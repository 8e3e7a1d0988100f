//! Random numbers that are the same on every machine.

use crate::number::{self, BigInt};

/// The SplitMix64 generator (Steele, Lea and Flood, 2014): small, and good enough to choose values.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, uniformly; zero for `n == 0`.
    pub fn below(&mut self, n: u64) -> u64 {
        // The high half of the product is uniform up to a bias of n / 2^64.
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u64
    }

    /// The same for integers of any size.
    pub fn whole(&mut self, lo: &BigInt, hi: &BigInt) -> BigInt {
        if let (Ok(lo), Ok(hi)) = (i64::try_from(lo), i64::try_from(hi)) {
            return self.between(lo, hi).into();
        }
        let width = hi - lo + BigInt::ONE;
        if width <= BigInt::ONE {
            return lo.clone();
        }
        // At least 64 bits more than the width has: the high part of the product is uniform up to a bias of 2^-64.
        let words = number::bit_len(&width) / 64 + 2;
        let bytes: Vec<u8> = (0..words).flat_map(|_| self.bits().to_le_bytes()).collect();
        let part = number::from_le_bytes(&bytes);
        lo + ((part * width) >> (64 * words))
    }

    /// A number from `lo` to `hi`, both inclusive, uniformly; `lo` if the interval is empty.
    pub fn between(&mut self, lo: i64, hi: i64) -> i64 {
        let width = (i128::from(hi) - i128::from(lo) + 1).max(1);
        match u64::try_from(width) {
            Ok(width) => (i128::from(lo) + i128::from(self.below(width))) as i64,
            Err(_) => self.bits() as i64,
        }
    }
}
