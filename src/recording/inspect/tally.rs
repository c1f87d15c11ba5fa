//! Counting by name in bounded memory.

use std::collections::HashMap;

use super::super::keys::text_key;

/// How many names are told apart.
const NAMES: usize = 10_000;
/// How much of a name is kept.
const LENGTH: usize = 200;

/// What was counted under each name. Names beyond a bound are not told apart, but known to be there.
#[derive(Clone, Debug)]
pub(super) struct Tally<T> {
    named: HashMap<u128, (String, T)>,
    /// How often a name came that there was no place for.
    pub(super) beyond: u64,
}

impl<T> Default for Tally<T> {
    fn default() -> Self {
        Self { named: HashMap::new(), beyond: 0 }
    }
}

impl<T: Default> Tally<T> {
    /// What is counted under this name.
    pub(super) fn of(&mut self, name: &str) -> Option<&mut T> {
        let key = text_key(name);
        if self.named.len() == NAMES && !self.named.contains_key(&key) {
            self.beyond += 1;
            return None;
        }
        let (_, counted) = self.named.entry(key).or_insert_with(|| (shortened(name), T::default()));
        Some(counted)
    }

    /// How many names there are, those beyond the bound left out.
    pub(super) fn len(&self) -> usize {
        self.named.len()
    }

    /// The names with the most first, equal ones by name.
    pub(super) fn by<K: Ord>(&self, most: impl Fn(&T) -> K) -> Vec<(&str, &T)> {
        let mut named: Vec<_> = self.named.values().map(|(name, counted)| (name.as_str(), counted)).collect();
        named.sort_by(|a, b| most(b.1).cmp(&most(a.1)).then_with(|| a.0.cmp(b.0)));
        named
    }
}

fn shortened(name: &str) -> String {
    match name.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_beyond_the_bound_are_counted_but_not_told_apart() {
        let mut tally: Tally<u64> = Tally::default();
        for n in 0..NAMES + 5 {
            tally.of(&n.to_string()).into_iter().for_each(|count| *count += 1);
        }
        *tally.of("3").unwrap() += 1;
        assert_eq!((tally.len(), tally.beyond), (NAMES, 5));
        assert_eq!(tally.by(|count| *count)[0], ("3", &2));
    }
}
