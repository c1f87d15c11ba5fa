//! Many keys in little memory.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// Distinct keys, numbered from 0 in the order in which they came: some 27 bytes a key.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keys {
    keys: Vec<u128>,
    numbers: HashTable<Number>,
}

/// The number of a key in five bytes: a table of a trillion keys has other troubles.
#[derive(Clone, Copy, Debug)]
struct Number([u8; 5]);

impl Number {
    fn of(number: usize) -> Self {
        let bytes = (number as u64).to_le_bytes();
        Self([bytes[0], bytes[1], bytes[2], bytes[3], bytes[4]])
    }

    fn get(self) -> usize {
        let Self([a, b, c, d, e]) = self;
        u64::from_le_bytes([a, b, c, d, e, 0, 0, 0]) as usize
    }
}

impl Keys {
    /// Takes in a key and gives its number, or as an error the number of the equal key that came before.
    pub(crate) fn insert(&mut self, key: u128) -> Result<usize, usize> {
        let Self { keys, numbers } = self;
        let is_equal = |number: &Number| keys[number.get()] == key;
        match numbers.entry(hash(key), is_equal, |number| hash(keys[number.get()])) {
            Entry::Occupied(known) => Err(known.get().get()),
            Entry::Vacant(free) => {
                let number = keys.len();
                free.insert(Number::of(number));
                keys.push(key);
                Ok(number)
            }
        }
    }

    /// The number of a key, if it is known.
    pub(crate) fn find(&self, key: u128) -> Option<usize> {
        let found = self.numbers.find(hash(key), |number| self.keys[number.get()] == key);
        found.map(|number| number.get())
    }
}

/// A key is the half of a good hash, so a part of it is one too.
fn hash(key: u128) -> u64 {
    key as u64
}

/// 128 bits that stand for a text, so that millions of texts need not be kept to tell whether two are equal.
pub(crate) fn text_key(text: &str) -> u128 {
    bytes_key(text.as_bytes())
}

/// The same for any bytes.
pub(crate) fn bytes_key(bytes: &[u8]) -> u128 {
    let hash = blake3::hash(bytes);
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.as_bytes()[..16]);
    u128::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_numbered_as_they_come_and_known_again() {
        let mut keys = Keys::default();
        let key = |number: u32| text_key(&number.to_string());
        for number in 0..10_000 {
            assert_eq!(keys.insert(key(number)), Ok(number as usize));
        }
        for number in (0..10_000).step_by(7) {
            assert_eq!(keys.insert(key(number)), Err(number as usize));
            assert_eq!(keys.find(key(number)), Some(number as usize));
        }
        assert_eq!(keys.find(key(10_000)), None);
    }

    #[test]
    fn keys_that_share_a_half_are_told_apart() {
        let mut keys = Keys::default();
        assert_eq!((keys.insert(1), keys.insert(1 | 1 << 64), keys.insert(1)), (Ok(0), Ok(1), Err(0)));
    }

    #[test]
    fn numbers_come_back_up_to_a_trillion() {
        for number in [0, 1, 255, 256, u32::MAX as usize, (1 << 40) - 1] {
            assert_eq!(Number::of(number).get(), number);
        }
    }
}
