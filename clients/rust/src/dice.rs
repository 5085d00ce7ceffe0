use std::hash::{BuildHasher, Hasher, RandomState};

/// A small generator (SplitMix64), enough to choose among equals; seeded anew in every process.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// A generator that gives the same for the same seed.
    pub fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `count`, which is not 0.
    pub fn below(&mut self, count: usize) -> usize {
        (((self.next() >> 32) * count as u64) >> 32) as usize
    }

    /// One of these, if there are any.
    pub fn pick<'a, T>(&mut self, things: &'a [T]) -> Option<&'a T> {
        if things.is_empty() { None } else { things.get(self.below(things.len())) }
    }

    /// A number from 0 to 1.
    pub(crate) fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

impl Default for Dice {
    fn default() -> Self {
        Self(RandomState::new().build_hasher().finish()) // std's own source of randomness
    }
}

#[cfg(test)]
mod tests {
    use super::Dice;

    #[test]
    fn gives_every_number_below() {
        let mut dice = Dice::seeded(7);
        let mut seen = [0; 5];
        for _ in 0..500 {
            seen[dice.below(5)] += 1;
        }
        assert!(seen.iter().all(|&count| count > 50), "{seen:?}");
        assert_eq!(dice.pick::<i32>(&[]), None);
        assert!((0.0..1.0).contains(&dice.share()));
    }
}
