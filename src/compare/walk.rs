//! The walk through two values side by side, to the places where they differ.

use super::band::within;
use super::canonical::{Loose, Value};
use super::common_part::common_part;
use super::hint;
use super::how::How;
use super::path::{Path, PathStep};
use super::text::Text;

/// At how many places two values differ.
#[must_use]
pub(super) fn count_differences(expected: &Value, seen: &Value) -> usize {
    let mut count = 0;
    walk(expected, seen, &mut Path::root(), &mut |_, _, _| count += 1);
    count
}

/// Whether there are none.
pub(super) fn is_accepted(expected: &Value, seen: &Value) -> bool {
    expected == seen || ((expected.is_loose() || seen.is_loose()) && count_differences(expected, seen) == 0)
}

/// Is shown a place that differs, and what is there on both sides; one of them is `Some`.
pub(super) type Found<'a> = dyn FnMut(&Path, Option<&Value>, Option<&Value>) + 'a;

/// Shows each place that differs, the outer before the inner, in the order of keys and places.
pub(super) fn walk(expected: &Value, seen: &Value, path: &mut Path, found: &mut Found<'_>) {
    match (expected, seen) {
        (Value::Loose(a), Value::Loose(b)) => {
            if !(a.rule == b.rule && allows(a, b)) {
                walk(&a.value, &b.value, path, found);
            }
        }
        (Value::Loose(a), b) => walk(&a.value, b, path, found),
        (a, Value::Loose(b)) => walk(a, &b.value, path, found),
        (Value::Referred(a), Value::Referred(b)) => {
            if !a.agrees(b) {
                found(path, Some(expected), Some(seen));
            }
        }
        // Where one side does not tell where a value came from, it is the value that counts.
        (Value::Referred(a), b) => walk(&a.value, b, path, found),
        (a, Value::Referred(b)) => walk(a, &b.value, path, found),
        (Value::Object(a), Value::Object(b)) => walk_objects(a, b, path, found),
        (Value::Array(a), Value::Array(b)) => walk_arrays(a, b, path, found),
        (Value::Unordered(a), Value::Unordered(b)) => walk_unordered(a, b, path, found),
        (Value::Embedded(a), Value::Embedded(b)) => walk(a, b, path, found),
        (a, b) => {
            if a != b {
                found(path, Some(a), Some(b));
            }
        }
    }
}

/// Whether a rule that is no equivalence lets both values pass for one.
fn allows(a: &Loose, b: &Loose) -> bool {
    match a.rule.how() {
        How::Tolerance(band) => match (&a.value, &b.value) {
            (Value::Number(a), Value::Number(b)) => band.holds(a, b),
            _ => false,
        },
        How::Window(window) => match (a.value.nanoseconds(), b.value.nanoseconds()) {
            (Some(a), Some(b)) => within(*window, &a, &b),
            _ => false,
        },
        How::SortedBy(_) => match (&a.value, &b.value) {
            (Value::Array(a), Value::Array(b)) => a.len() == b.len() && pass_in_some_order(a, b),
            _ => false,
        },
        _ => false,
    }
}

/// Whether the items of two lists pass for one another one by one, in whatever order.
fn pass_in_some_order(a: &[Value], b: &[Value]) -> bool {
    let sorted = |items: &[Value]| {
        let mut items = items.to_vec();
        items.sort();
        items
    };
    let mut all = true;
    walk_unordered(&sorted(a), &sorted(b), &mut Path::root(), &mut |_, _, _| all = false);
    all
}

/// Whether a value may as well be absent.
fn may_be_absent(value: &Value) -> bool {
    matches!(value, Value::Loose(loose) if matches!(loose.rule.how(), How::Optional) || may_be_absent(&loose.value))
}

fn walk_objects(a: &[(Text, Value)], b: &[(Text, Value)], path: &mut Path, found: &mut Found<'_>) {
    let (mut left, mut right) = (a.iter().peekable(), b.iter().peekable());
    loop {
        let order = match (left.peek(), right.peek()) {
            (None, None) => return,
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some((a, _)), Some((b, _))) => a.cmp(b),
        };
        let gone = if order.is_le() { left.next() } else { None };
        let came = if order.is_ge() { right.next() } else { None };
        let Some((key, _)) = gone.or(came) else { return };
        path.push(PathStep::Key(key.lossy().into_owned()));
        one_side_or_both(gone.map(|(_, value)| value), came.map(|(_, value)| value), path, found);
        path.pop();
    }
}

/// Lists in order: equal items are paired first, as many as their order allows, so that one that came in between does
/// not mark all that follow; what lies between them is compared place by place.
fn walk_arrays(a: &[Value], b: &[Value], path: &mut Path, found: &mut Found<'_>) {
    if a.len() == b.len() {
        let place_by_place = || a.iter().zip(b).all(|(a, b)| is_accepted(a, b));
        if place_by_place() {
            return;
        }
        if hint::lists(a, b).is_some() {
            return found(path, Some(&Value::Array(a.to_vec())), Some(&Value::Array(b.to_vec())));
        }
    }
    let hashes = |items: &[Value]| items.iter().map(Value::hash128).collect::<Vec<_>>();
    let mut paired = common_part(&hashes(a), &hashes(b));
    paired.push((a.len(), b.len()));
    let (mut left, mut right) = (0, 0);
    for (until_left, until_right) in paired {
        let (gone, came) = (&a[left..until_left], &b[right..until_right]);
        for at in 0..gone.len().max(came.len()) {
            let index = if at < gone.len() { left + at } else { right + at };
            path.push(PathStep::Index(index));
            one_side_or_both(gone.get(at), came.get(at), path, found);
            path.pop();
        }
        (left, right) = (until_left + 1, until_right + 1);
    }
}

/// Lists without order: what is left of both when equal items are taken out.
fn walk_unordered(a: &[Value], b: &[Value], path: &mut Path, found: &mut Found<'_>) {
    let (mut gone, mut came) = (Vec::new(), Vec::new());
    let (mut left, mut right) = (a.iter().peekable(), b.iter().peekable());
    // Both are sorted.
    loop {
        match (left.peek(), right.peek()) {
            (None, None) => break,
            (Some(x), Some(y)) if x == y => {
                left.next();
                right.next();
            }
            (Some(x), Some(y)) if x < y => gone.extend(left.next()),
            (Some(_), None) => gone.extend(left.next()),
            _ => came.extend(right.next()),
        }
    }
    take_out_accepted(&mut gone, &mut came);
    path.push(PathStep::Item);
    gone.iter().for_each(|item| found(path, Some(item), None));
    came.iter().for_each(|item| found(path, None, Some(item)));
    path.pop();
}

/// Up to so many pairs of items are tried; beyond that, each is paired with the first that it may stand for.
const TRIED: usize = 4_000_000;

/// Takes out items that rules let pass for one another, as many pairs of them as there can be.
fn take_out_accepted(gone: &mut Vec<&Value>, came: &mut Vec<&Value>) {
    if !gone.iter().any(|item| item.is_loose()) || came.is_empty() {
        return;
    }
    let mut partners = Partners { gone: gone.as_slice(), came: came.as_slice(), of_came: vec![None; came.len()] };
    let is_exact = gone.len() * came.len() <= TRIED;
    for (at, item) in gone.iter().enumerate() {
        let is_free = |partner: &usize| partners.of_came[*partner].is_none() && is_accepted(item, came[*partner]);
        match (0..came.len()).find(is_free) {
            Some(free) => partners.of_came[free] = Some(at),
            None if is_exact => partners.make_room(at),
            None => {}
        }
    }
    let of_came = partners.of_came;
    let mut is_left = of_came.iter().map(Option::is_none);
    came.retain(|_| is_left.next().unwrap_or(true));
    let mut is_left = vec![true; gone.len()];
    of_came.into_iter().flatten().for_each(|at| is_left[at] = false);
    let mut is_left = is_left.into_iter();
    gone.retain(|_| is_left.next().unwrap_or(true));
}

/// Which item stands for which.
struct Partners<'a> {
    gone: &'a [&'a Value],
    came: &'a [&'a Value],
    /// The item of `gone` that each of `came` stands for.
    of_came: Vec<Option<usize>>,
}

impl Partners<'_> {
    /// Finds a partner for an item by giving others another one, along the shortest chain of changes (Berge's augmenting
    /// path), if there is one.
    fn make_room(&mut self, item: usize) {
        let mut asked_by = vec![None; self.came.len()];
        let mut waiting = std::collections::VecDeque::from([item]);
        while let Some(at) = waiting.pop_front() {
            for partner in 0..self.came.len() {
                if asked_by[partner].is_some() || !is_accepted(self.gone[at], self.came[partner]) {
                    continue;
                }
                asked_by[partner] = Some(at);
                match self.of_came[partner] {
                    Some(holder) => waiting.push_back(holder),
                    None => return self.hand_on(partner, &asked_by),
                }
            }
        }
    }

    /// Gives a free partner to who asked for it, and the partner that it had before to who asked for that one.
    fn hand_on(&mut self, free: usize, asked_by: &[Option<usize>]) {
        let mut partner = Some(free);
        while let Some(at) = partner {
            let asker = asked_by[at];
            let had = self.of_came.iter().position(|holder| *holder == asker);
            self.of_came[at] = asker;
            partner = had;
        }
    }
}

fn one_side_or_both(expected: Option<&Value>, seen: Option<&Value>, path: &mut Path, found: &mut Found<'_>) {
    match (expected, seen) {
        (Some(expected), Some(seen)) => walk(expected, seen, path, found),
        (Some(value), None) | (None, Some(value)) if may_be_absent(value) => {}
        (expected, seen) => found(path, expected, seen),
    }
}
