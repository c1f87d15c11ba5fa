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

/// Up to this many cells the best pairing of items with leeway is worth its cubic time.
const ASSIGNABLE: usize = 100 * 100;

/// Takes out items that rules let pass for one another, as many pairs of them as there can be.
fn take_out_accepted(gone: &mut Vec<&Value>, came: &mut Vec<&Value>) {
    if !gone.iter().any(|item| item.is_loose()) || came.is_empty() || gone.len() * came.len() > ASSIGNABLE {
        return;
    }
    let size = gone.len().max(came.len());
    let fits = pathfinding::prelude::Matrix::from_fn(size, size, |(row, column)| {
        i64::from(matches!((gone.get(row), came.get(column)), (Some(a), Some(b)) if is_accepted(a, b)))
    });
    let (_, columns) = pathfinding::prelude::kuhn_munkres(&fits);
    let pairs: Vec<(usize, usize)> =
        columns.into_iter().enumerate().filter(|(row, column)| fits[(*row, *column)] == 1).collect();
    let keep = |items: &mut Vec<&Value>, out: &dyn Fn(usize) -> bool| {
        let mut at = 0;
        items.retain(|_| {
            at += 1;
            !out(at - 1)
        });
    };
    keep(gone, &|at| pairs.iter().any(|pair| pair.0 == at));
    keep(came, &|at| pairs.iter().any(|pair| pair.1 == at));
}

fn one_side_or_both(expected: Option<&Value>, seen: Option<&Value>, path: &mut Path, found: &mut Found<'_>) {
    match (expected, seen) {
        (Some(expected), Some(seen)) => walk(expected, seen, path, found),
        (Some(value), None) | (None, Some(value)) if may_be_absent(value) => {}
        (expected, seen) => found(path, expected, seen),
    }
}
