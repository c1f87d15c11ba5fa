//! Choices that fall the same way on every run.

/// A source of choices with a seed of its own.
pub struct Dice(u64);

impl Dice {
    /// Seeds it by what the choice is for.
    pub fn of(what: &str, which: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(what.as_bytes());
        hasher.update(b"\0");
        hasher.update(which.as_bytes());
        let mut seed = [0; 8];
        seed.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
        Self(u64::from_le_bytes(seed))
    }

    /// A number below another, which is not 0.
    pub fn below(&mut self, limit: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }

    /// Whether a coin shows heads.
    pub fn heads(&mut self) -> bool {
        self.below(2) == 0
    }

    /// One of some things; `None` where there are none.
    pub fn pick<'a, T>(&mut self, things: &'a [T]) -> Option<&'a T> {
        (!things.is_empty()).then(|| &things[self.below(things.len())])
    }

    /// The things in some order.
    pub fn mixed<T>(&mut self, mut things: Vec<T>) -> Vec<T> {
        for at in (1..things.len()).rev() {
            things.swap(at, self.below(at + 1));
        }
        things
    }
}
