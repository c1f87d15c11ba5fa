//! A list that a misbehaving program cannot make long.

/// The first of many things, and how many more there were.
#[derive(Clone, Debug)]
pub(super) struct Capped<T> {
    kept: Vec<T>,
    most: usize,
    left_out: u64,
}

impl<T> Capped<T> {
    /// An empty list that keeps at most so many.
    pub(super) fn new(most: usize) -> Self {
        Self { kept: Vec::new(), most, left_out: 0 }
    }

    pub(super) fn push(&mut self, item: T) {
        if self.kept.len() < self.most {
            self.kept.push(item);
        } else {
            self.left_out += 1;
        }
    }

    /// Empties it: what was kept, with one item more that tells how many were left out, where any were.
    pub(super) fn take(&mut self, rest: impl FnOnce(u64) -> T) -> Vec<T> {
        let mut kept = std::mem::take(&mut self.kept);
        if self.left_out > 0 {
            kept.push(rest(std::mem::take(&mut self.left_out)));
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_are_kept_and_the_rest_is_counted() {
        let mut list = Capped::new(2);
        (0..5).for_each(|n| list.push(n.to_string()));
        assert_eq!(list.take(|more| format!("and {more} more")), ["0", "1", "and 3 more"]);
        assert!(list.take(|_| unreachable!()).is_empty());
    }
}
