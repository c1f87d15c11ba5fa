//! The system under test hands out other ids than it did in production.

use std::collections::{BTreeMap, BTreeSet};

use taketwo::compare::{Change, How, PathStep, Policy, Rule};
use taketwo::recording::{Json, Kind, ToolCall, wire};

use super::dice::Dice;
use super::expected::Expected;
use super::findings::Finding;
use super::subject::{Edited, Subject};
use super::tree::{Tree, arguments, with_arguments};

/// Every id that a result hands out and a later call uses is another one, in results and in arguments alike. Without a
/// rule that says where these arguments come from, each of them differs, and nothing else does.
pub fn reissue_ids(subject: &Subject<'_>, dice: &mut Dice) -> Option<Edited> {
    let reissued = Reissued::of(subject, dice)?;
    let differs = reissued.used.into_iter().map(|used| used.differs()).collect();
    Some(Edited { run: reissued.run, expected: Expected::exactly(differs), policy: None })
}

/// The same, with a `reference` rule for each of these arguments: then nothing differs.
pub fn reissue_ids_by_reference(subject: &Subject<'_>, dice: &mut Dice) -> Option<Edited> {
    let reissued = Reissued::of(subject, dice)?;
    let policy = reissued.rules(subject);
    Some(Edited { run: reissued.run, expected: Expected::nothing(), policy: policy.into() })
}

/// The same, and one argument is another id that was handed out before: it alone differs.
pub fn mix_up_ids(subject: &Subject<'_>, dice: &mut Dice) -> Option<Edited> {
    let mut reissued = Reissued::of(subject, dice)?;
    let policy = reissued.rules(subject);
    for at in dice.mixed((0..reissued.used.len()).collect()) {
        let used = reissued.used[at].clone();
        let known = reissued.ids.iter().filter(|(_, given)| given.step < subject.items[used.call].tag);
        let wrong: Vec<_> = known.filter(|(id, _)| !used.ids.contains(id)).collect();
        let Some((id, given)) = dice.pick(&wrong) else { continue };
        // With the ids of the recording it must be a call that was not recorded.
        let recorded = used.with(&subject.calls()[used.call], id).and_then(|call| subject.fresh(call));
        let made = used.with(&reissued.run[used.call], &given.new);
        if let (Some(_), Some(made)) = (recorded, made) {
            reissued.run[used.call] = made;
            let expected = Expected::exactly(vec![used.differs()]);
            return Some(Edited { run: reissued.run, expected, policy: policy.into() });
        }
    }
    None
}

/// An id that a result hands out.
struct Given {
    /// What it is in the run.
    new: String,
    /// The step after which it is known.
    step: usize,
}

/// A place in the arguments of a call that holds ids.
#[derive(Clone)]
struct Used {
    call: usize,
    path: Vec<PathStep>,
    /// The ids of the recording that stand there, as the whole value or as words of it.
    ids: Vec<String>,
}

impl Used {
    /// The call with another text in this place; `None` where no text stands there.
    fn with(&self, call: &ToolCall, text: &str) -> Option<ToolCall> {
        let mut tree = arguments(call)?;
        let target = tree.at(&self.path);
        let is_text = matches!(target, Tree::Leaf(json) if json.kind() == Kind::String);
        *target = Tree::Leaf(Json::string(text));
        is_text.then(|| with_arguments(call, &tree))
    }

    fn differs(self) -> Finding {
        Finding::Differs { recorded: self.call, seen: self.call, path: self.path, change: Change::Value }
    }
}

/// A run with other ids.
struct Reissued {
    run: Vec<ToolCall>,
    /// The ids of the recording.
    ids: BTreeMap<String, Given>,
    used: Vec<Used>,
}

impl Reissued {
    fn of(subject: &Subject<'_>, dice: &mut Dice) -> Option<Self> {
        let trees: Vec<Tree> = subject.calls().iter().map(arguments).collect::<Option<_>>()?;
        let everything = wire::write(subject.it);
        let mut ids: BTreeMap<String, Given> = BTreeMap::new();
        for (id, step) in handed_out(subject, &trees) {
            let is_fresh = |new: &String| !everything.contains(new.as_str()) && !ids.values().any(|id| id.new == *new);
            let new = std::iter::repeat_with(|| other_id(&id, dice)).take(100).find(is_fresh)?;
            ids.insert(id, Given { new, step });
        }
        let (mut used, mut run) = (Vec::new(), Vec::new());
        for (at, (call, mut tree)) in subject.calls().iter().zip(trees).enumerate() {
            let places = replace_in(&mut tree, &ids);
            used.extend(places.into_iter().map(|(path, ids)| Used { call: at, path, ids }));
            let result = call.result.as_ref().map(|result| {
                let mut result = Tree::read(result);
                replace_in(&mut result, &ids);
                result.json()
            });
            run.push(ToolCall { result, ..with_arguments(call, &tree) });
        }
        (!used.is_empty()).then_some(Self { run, ids, used })
    }

    /// A `reference` rule for each place that holds ids.
    fn rules(&self, subject: &Subject<'_>) -> Policy {
        let rule = |used: &Used| {
            let tool = glob::Pattern::escape(subject.calls()[used.call].name.as_str());
            Rule::new(&tool, &rule_path(&used.path), How::Reference).unwrap()
        };
        Policy::new(self.used.iter().map(rule).collect())
    }
}

/// The path as a rule writes it.
fn rule_path(path: &[PathStep]) -> String {
    let step = |step: &PathStep| match step {
        PathStep::Key(key) => format!("[\"{key}\"]"),
        _ => "[*]".to_owned(),
    };
    format!("${}", path.iter().map(step).collect::<String>())
}

/// Ids that stand in a result and in arguments of a later step, and in no arguments before, nor in what was asked; each
/// with the step that got it.
fn handed_out(subject: &Subject<'_>, trees: &[Tree]) -> BTreeMap<String, usize> {
    let input = subject.it.input.shown();
    let mut before: BTreeSet<String> = BTreeSet::new();
    let mut given: BTreeMap<String, usize> = BTreeMap::new();
    let mut found = BTreeMap::new();
    let mut waiting: Vec<(String, usize)> = Vec::new();
    let mut step = None;
    for (item, tree) in subject.items.iter().zip(trees) {
        // What a call of a step gives back is known to the next step only.
        if step.replace(item.tag) != Some(item.tag) {
            let new = waiting.drain(..).filter(|(id, _)| !before.contains(id) && !input.contains(id.as_str()));
            for (id, step) in new {
                given.entry(id).or_insert(step);
            }
        }
        for id in ids_in(tree, usize::MAX) {
            if let Some(step) = given.get(&id) {
                found.insert(id, *step);
            } else {
                before.insert(id);
            }
        }
        let results = item.call.result.iter().flat_map(|result| ids_in(&Tree::read(result), SHORT));
        waiting.extend(results.map(|id| (id, item.tag)));
    }
    found
}

/// In texts up to this length, each word of a result that looks like an id is one.
const SHORT: usize = 300;

/// The values in a tree that look like ids, and the words that do in texts that are not too long.
fn ids_in(tree: &Tree, longest: usize) -> Vec<String> {
    let mut tree = tree.clone();
    let places = tree.places();
    let mut found = Vec::new();
    for place in places {
        let Tree::Leaf(json) = tree.at(&place) else { continue };
        let text = json.shown();
        match json.kind() {
            Kind::String if text.len() <= longest => {
                found.extend(words(&text).filter(|word| is_id(word)).map(str::to_owned))
            }
            Kind::Number if is_long_number(&text) => found.push(text.into_owned()),
            _ => {}
        }
    }
    found
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_of_word(c)).filter(|word| !word.is_empty())
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

/// Whether a word looks like an id: it has a digit in it, and is no date and no short number.
fn is_id(word: &str) -> bool {
    let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    let dashes = word.bytes().take(10).filter(|byte| *byte == b'-').count();
    word.is_ascii() && has_digit && (4..=40).contains(&word.len()) && !(word.len() >= 10 && dashes == 2)
}

fn is_long_number(number: &str) -> bool {
    number.len() >= 5 && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// An id of the same form: other digits for digits, other letters for letters.
fn other_id(id: &str, dice: &mut Dice) -> String {
    let mut other = |first: char, count: usize| char::from(first as u8 + dice.below(count) as u8);
    let form = |(at, letter): (usize, char)| match letter {
        // A number must not begin with a zero.
        '0'..='9' if at == 0 => other('1', 9),
        '0'..='9' => other('0', 10),
        'a'..='z' => other('a', 26),
        'A'..='Z' => other('A', 26),
        mark => mark,
    };
    id.chars().enumerate().map(form).collect()
}

/// Puts the other ids in the place of those that are a value or a word of one. Gives the paths, with the ids that
/// stood there.
fn replace_in(tree: &mut Tree, ids: &BTreeMap<String, Given>) -> Vec<(Vec<PathStep>, Vec<String>)> {
    let mut replaced = Vec::new();
    for place in tree.places() {
        let target = tree.at(&place);
        let Tree::Leaf(json) = target else { continue };
        let (is_text, text) = (json.kind() == Kind::String, json.shown().into_owned());
        let there: Vec<String> = words(&text).filter(|word| ids.contains_key(*word)).map(str::to_owned).collect();
        if there.is_empty() {
            continue;
        }
        let new: String = text
            .split_inclusive(|c: char| !is_of_word(c))
            .map(|part| {
                let word = part.trim_end_matches(|c: char| !is_of_word(c));
                ids.get(word).map_or(part.to_owned(), |given| format!("{}{}", given.new, &part[word.len()..]))
            })
            .collect();
        *target = Tree::Leaf(if is_text { Json::string(&new) } else { Json::parse(new).unwrap() });
        replaced.push((place, there));
    }
    replaced
}
