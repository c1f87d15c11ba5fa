//! Calls made ready to be compared.

use std::cell::OnceCell;
use std::rc::Rc;

use super::arguments::{Arguments, CallKey};
use super::canonical::Value;
use super::policy::Policy;
use super::reference::{Label, Origins};
use crate::recording::ToolCall;

/// A call made ready to be compared. Its canonical arguments are read when they are first needed: most calls are
/// equal to their counterpart to the letter.
#[derive(Debug)]
pub struct PreparedCall<'a> {
    /// The call.
    pub call: &'a ToolCall,
    policy: &'a Policy,
    place: usize,
    origins: Option<Rc<Origins>>,
    arguments: OnceCell<Arguments>,
    key: OnceCell<CallKey>,
    leaves: OnceCell<Leaves>,
}

impl<'a> PreparedCall<'a> {
    /// Its arguments under the policy.
    pub fn arguments(&self) -> &Arguments {
        self.arguments.get_or_init(|| self.read_by(self))
    }

    /// Its arguments as another tool's rules read them: what a renamed call is compared by.
    pub(super) fn read_by(&self, other: &PreparedCall<'_>) -> Arguments {
        let rules = self.policy.tool(&other.call.name);
        Arguments::read_after(self.call.arguments.as_ref(), &rules, self.origins.as_deref(), self.place)
    }

    /// What it is looked up and paired by.
    pub fn key(&self) -> CallKey {
        *self.key.get_or_init(|| CallKey::of(&self.call.name, self.arguments()))
    }

    /// The policy it is read under.
    pub(super) fn policy(&self) -> &'a Policy {
        self.policy
    }

    /// Whether values of it are known by where they came from.
    pub(super) fn has_origins(&self) -> bool {
        self.origins.is_some()
    }

    /// Whether both are the same call to the letter, which no policy can tell apart.
    pub(super) fn is_letter_equal(&self, other: &Self) -> bool {
        self.call.name == other.call.name && self.call.arguments == other.call.arguments
    }

    /// The single values in its arguments.
    pub(super) fn leaves(&self) -> &Leaves {
        self.leaves.get_or_init(|| Leaves::of(self.arguments()))
    }

    /// The same call, the calls that its values came out of named anew.
    pub(super) fn relabelled(&self, label: &impl Fn(usize) -> Label) -> Self {
        let mut arguments = self.arguments().clone();
        arguments.relabel(label);
        Self {
            call: self.call,
            policy: self.policy,
            place: self.place,
            origins: self.origins.clone(),
            arguments: OnceCell::from(arguments),
            key: OnceCell::new(),
            leaves: OnceCell::new(),
        }
    }
}

/// Makes calls ready to be compared: all calls of an interaction, in their order.
#[must_use]
pub fn prepare<'a>(calls: &'a [ToolCall], policy: &'a Policy) -> Vec<PreparedCall<'a>> {
    let origins = policy.has_references().then(|| {
        let mut origins = Origins::default();
        for (at, call) in calls.iter().enumerate() {
            if let Some(result) = &call.result {
                origins.add(at, at as Label, result);
            }
        }
        Rc::new(origins)
    });
    let ready = |(place, call)| PreparedCall {
        call,
        policy,
        place,
        origins: origins.clone(),
        arguments: OnceCell::new(),
        key: OnceCell::new(),
        leaves: OnceCell::new(),
    };
    calls.iter().enumerate().map(ready).collect()
}

/// The single values in a call's arguments, each by its path and value, in one order.
#[derive(Clone, Debug, Default)]
pub(super) struct Leaves(Vec<(u64, u64)>);

impl Leaves {
    fn of(arguments: &Arguments) -> Self {
        let mut leaves = Vec::new();
        match arguments.value() {
            Some(value) => gather(value, PATH_SEED, &mut leaves),
            None => leaves.push((PATH_SEED, short_hash(|feed| arguments.feed(&mut |bytes| feed(bytes))))),
        }
        leaves.sort_unstable();
        Self(leaves)
    }

    /// Whether there are none, so that they say nothing of the call.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The share of single values that differ, from 0 (equal) to 1: the Jaccard distance, which is a metric.
    pub(super) fn unlikeness(&self, other: &Self) -> f64 {
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut common = 0;
        while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
            match a.cmp(b) {
                std::cmp::Ordering::Less => {
                    left.next();
                }
                std::cmp::Ordering::Greater => {
                    right.next();
                }
                std::cmp::Ordering::Equal => {
                    common += 1;
                    left.next();
                    right.next();
                }
            }
        }
        match self.0.len() + other.0.len() - common {
            0 => 0.0,
            all => 1.0 - common as f64 / all as f64,
        }
    }
}

const PATH_SEED: u64 = 0xcbf2_9ce4_8422_2325;

/// A path's hash, one step longer (FNV-1a).
fn step(path: u64, bytes: &[u8]) -> u64 {
    bytes.iter().chain(&[0xff]).fold(path, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

fn short_hash(feed: impl FnOnce(&mut dyn FnMut(&[u8]))) -> u64 {
    let mut hash = PATH_SEED;
    feed(&mut |bytes| hash = step(hash, bytes));
    hash
}

fn gather(value: &Value, path: u64, leaves: &mut Vec<(u64, u64)>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            members.iter().for_each(|(key, value)| gather(value, step(path, key.bytes()), leaves));
        }
        Value::Array(items) if !items.is_empty() => {
            items.iter().enumerate().for_each(|(at, item)| gather(item, step(path, &at.to_le_bytes()), leaves));
        }
        Value::Unordered(items) if !items.is_empty() => {
            items.iter().for_each(|item| gather(item, step(path, b"[*]"), leaves));
        }
        Value::Embedded(value) => gather(value, step(path, b"\""), leaves),
        // An empty call has no leaves; any other empty value is one.
        Value::Object(_) if path == PATH_SEED => {}
        value => leaves.push((path, short_hash(|feed| value.feed(&mut |bytes| feed(bytes))))),
    }
}
