//! How the calls of a run correspond to the recorded ones: who is whose counterpart, and what of it differs.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use super::alignment::{Alignment, Excuse, Extra, ExtraKind, Missing, MissingKind, Order, Pair, PairKind};
use super::arguments::{Arguments, CallKey};
use super::difference::{Change, Difference};
use super::hint::Hint;
use super::matching::Matching;
use super::order::{broken_edges, out_of_order};
use super::pairing::{Agents, OfEqual, partners};
use super::policy::ToolRules;
use super::prepared::PreparedCall;
use super::reference::Label;
use crate::recording::ToolName;

/// Pairs the calls of a run with the recorded ones and says how they differ.
#[must_use]
pub fn align(recorded: &[PreparedCall<'_>], seen: &[PreparedCall<'_>], matching: Matching) -> Alignment {
    let agents = Agents::told_by(recorded, seen);
    let traced = recorded.iter().chain(seen).any(PreparedCall::has_origins);
    if !traced && recorded.len() == seen.len() && recorded.iter().zip(seen).all(|(a, b)| agents.are_letter_equal(a, b))
    {
        let same = |at| Pair { recorded: at, seen: at, kind: PairKind::Same, order: Order::Kept, excused: Vec::new() };
        return Alignment { pairs: (0..seen.len()).map(same).collect(), ..Alignment::default() };
    }
    if traced {
        let (recorded, seen, partner) = traced_partners(recorded, seen, agents);
        return describe(&recorded, &seen, &partner, matching, agents);
    }
    let described = |way| describe(recorded, seen, &partners(recorded, seen, agents, way), matching, agents);
    let first = described(OfEqual::InCommon);
    if first.pairs.iter().all(|pair| pair.order == Order::Kept) {
        return first;
    }
    // Of calls that are equal in several steps, the common part may have taken those that stand crosswise.
    let others = [OfEqual::ByRank, OfEqual::InCommonWithinSteps].into_iter().map(described);
    others.fold(first, |best, other| if burden(&other) < burden(&best) { other } else { best })
}

/// How much an alignment has to say: calls without a counterpart, then pairs that differ, then moves.
fn burden(alignment: &Alignment) -> (usize, usize, usize) {
    let count = |holds: fn(&Pair) -> bool| alignment.pairs.iter().filter(|pair| holds(pair)).count();
    (
        alignment.missing.len() + alignment.extra.len(),
        count(|pair| pair.kind != PairKind::Same),
        count(|pair| pair.order == Order::Moved),
    )
}

/// How often calls are paired anew: as often as a value can go from result to argument to result.
const ROUNDS: usize = 8;

/// Partners where values are known by the calls that they came out of, which are known by their partners in turn: at
/// first such a call is known by its tool alone, then by its partner, until nothing changes any more.
fn traced_partners<'a>(
    recorded: &[PreparedCall<'a>],
    seen: &[PreparedCall<'a>],
    agents: Agents,
) -> (Vec<PreparedCall<'a>>, Vec<PreparedCall<'a>>, Vec<Option<usize>>) {
    let mut known: HashMap<&ToolName, Label> = HashMap::new();
    for call in recorded.iter().chain(seen) {
        let next = TOOL + known.len() as Label;
        known.entry(&call.call.name).or_insert(next);
    }
    let by_tool =
        |calls: &[PreparedCall<'_>]| -> Vec<Label> { calls.iter().map(|call| known[&call.call.name]).collect() };
    let (mut ours, mut theirs) = (by_tool(recorded), by_tool(seen));
    let mut before = None;
    for round in 0.. {
        let named = |calls: &[PreparedCall<'a>], labels: &[Label]| -> Vec<PreparedCall<'a>> {
            calls.iter().map(|call| call.relabelled(&|at| labels[at])).collect()
        };
        let (left, right) = (named(recorded, &ours), named(seen, &theirs));
        let partner = partners(&left, &right, agents, OfEqual::InCommon);
        // The first round knows tools alone; what it found must be looked at once more.
        if before.as_ref() == Some(&partner) || round == ROUNDS {
            return (left, right, partner);
        }
        ours = (0..recorded.len() as Label).collect();
        theirs = (0..seen.len() as Label).map(|at| ALONE + at).collect();
        for (at, to) in partner.iter().enumerate() {
            if let Some(to) = to {
                theirs[*to] = at as Label;
            }
        }
        before = Some(partner);
    }
    unreachable!("the rounds end above")
}

/// Labels of tools, and of calls of the run without a partner, begin here.
const TOOL: Label = 1 << 60;
const ALONE: Label = 1 << 40;

fn describe(
    recorded: &[PreparedCall<'_>],
    seen: &[PreparedCall<'_>],
    partner: &[Option<usize>],
    matching: Matching,
    agents: Agents,
) -> Alignment {
    let paired: Vec<(usize, usize)> = partner.iter().enumerate().filter_map(|(at, to)| to.map(|to| (at, to))).collect();
    let moved = out_of_order(&paired, recorded, seen, matching, agents);
    let edges = broken_edges(&paired, recorded);
    let mut pairs: Vec<Pair> = paired
        .iter()
        .zip(moved)
        .map(|(&(from, to), order)| {
            let (kind, excused) = compared(&recorded[from], &seen[to], agents);
            Pair { recorded: from, seen: to, kind, order, excused }
        })
        .collect();
    // A call that came before the one whose result it used is out of order, whatever its step says.
    if matching.heeds_steps() {
        let is_late = |pair: &Pair| edges.iter().any(|edge| edge.to == pair.recorded);
        let all_kept = pairs.iter().all(|pair| pair.order == Order::Kept);
        pairs.iter_mut().filter(|pair| all_kept && is_late(pair)).for_each(|pair| pair.order = Order::Moved);
    }
    mark_crossed(recorded, &mut pairs);
    let taken: HashSet<usize> = partner.iter().flatten().copied().collect();
    let missing = (0..recorded.len()).filter(|at| partner[*at].is_none());
    let mut extra = (0..seen.len()).filter(|at| !taken.contains(at)).peekable();
    // Most runs lack nothing, so the other side is looked through only for those that do.
    let lost: HashSet<&ToolName> = missing.clone().map(|at| &recorded[at].call.name).collect();
    let made = keys(seen, &lost, agents);
    let known = if extra.peek().is_some() {
        let came: HashSet<&ToolName> = extra.clone().map(|at| &seen[at].call.name).collect();
        Known::of(recorded, &came, agents)
    } else {
        Known::default()
    };
    let missing = missing.map(|at| Missing { recorded: at, kind: missing_kind(recorded, at, &made, agents) }).collect();
    let mut extra: Vec<Extra> = extra.map(|at| Extra { seen: at, kind: known.extra_kind(seen, at, agents) }).collect();
    mark_loops(recorded, seen, &mut extra, agents);
    Alignment { pairs, missing, extra, broken_edges: edges }
}

/// How two calls differ, and what of it rules let pass.
fn compared(recorded: &PreparedCall<'_>, seen: &PreparedCall<'_>, agents: Agents) -> (PairKind, Vec<Excuse>) {
    if agents.are_letter_equal(recorded, seen) && !recorded.has_origins() {
        return (PairKind::Same, Vec::new());
    }
    let rules = recorded.policy().tool(&recorded.call.name);
    let same_agent = agents.of(recorded) == agents.of(seen);
    let same_tool = recorded.call.name == seen.call.name;
    let mut differences = match same_tool {
        true => recorded.arguments().differences(seen.arguments()),
        false => recorded.arguments().differences(&seen.read_by(recorded)),
    };
    let mut excused = Vec::new();
    if !rules.is_empty() {
        let plain = |call: &PreparedCall<'_>| Arguments::read(call.call.arguments.as_ref(), &ToolRules::none());
        let plain = plain(recorded).differences(&plain(seen));
        for difference in &mut differences {
            difference.rules = rules.named(&difference.path);
            tell_what_counts_as_absent(difference, &plain);
        }
        excused = excuses(plain, &rules, &differences);
    }
    let kind = match (same_tool, same_agent, differences.is_empty()) {
        (true, true, true) => PairKind::Same,
        (true, true, false) => PairKind::Changed(differences),
        (true, false, _) => PairKind::Handed(differences),
        (false, ..) => PairKind::Renamed(differences),
    };
    (kind, excused)
}

/// A value that a rule takes for absent was there nevertheless, and the reader should see it.
fn tell_what_counts_as_absent(difference: &mut Difference, plain: &[Difference]) {
    let is_one_sided = matches!(difference.change, Change::Added | Change::Missing);
    let both = plain.iter().find(|it| it.path == difference.path && it.expected.is_some() && it.seen.is_some());
    if let Some(both) = both.filter(|_| is_one_sided) {
        let rules = std::mem::take(&mut difference.rules);
        *difference = Difference { rules, ..both.clone() };
    }
}

/// What differs without any rule and is none of the differences that are left under the rules.
fn excuses(plain: Vec<Difference>, rules: &ToolRules<'_>, left: &[Difference]) -> Vec<Excuse> {
    let left: HashSet<String> = left.iter().map(|difference| difference.path.general()).collect();
    plain
        .into_iter()
        .filter(|difference| !left.contains(&difference.path.general()))
        .map(|difference| Excuse { rules: rules.named(&difference.path), path: difference.path })
        .filter(|excuse| !excuse.rules.is_empty())
        .collect()
}

/// Marks values that were recorded in another call of the same tool that changed at the same place: they went to the
/// wrong call.
fn mark_crossed(recorded: &[PreparedCall<'_>], pairs: &mut [Pair]) {
    let changed = |pair: &Pair| matches!(pair.kind, PairKind::Changed(_));
    if pairs.iter().filter(|pair| changed(pair)).count() < 2 {
        return;
    }
    let mut gone: HashSet<(ToolName, String, String)> = HashSet::new();
    let place = |recorded: &PreparedCall<'_>, difference: &Difference, value: &str| {
        (recorded.call.name.clone(), difference.path.to_string(), value.to_owned())
    };
    for pair in pairs.iter() {
        if let PairKind::Changed(differences) = &pair.kind {
            for difference in differences {
                gone.extend(
                    difference.expected.as_deref().map(|value| place(&recorded[pair.recorded], difference, value)),
                );
            }
        }
    }
    for pair in pairs.iter_mut() {
        if let PairKind::Changed(differences) = &mut pair.kind {
            for difference in differences {
                let came = difference.seen.as_deref().map(|value| place(&recorded[pair.recorded], difference, value));
                if came.is_some_and(|came| gone.contains(&came)) {
                    (difference.hint, difference.remedy) = (Some(Hint::Crossed), None);
                }
            }
        }
    }
}

/// The keys of the calls of some tools.
fn keys(calls: &[PreparedCall<'_>], tools: &HashSet<&ToolName>, agents: Agents) -> HashSet<CallKey> {
    if tools.is_empty() {
        return HashSet::new();
    }
    calls.iter().filter(|call| tools.contains(&call.call.name)).map(|call| agents.key(call)).collect()
}

fn missing_kind(recorded: &[PreparedCall<'_>], at: usize, made: &HashSet<CallKey>, agents: Agents) -> MissingKind {
    let key = agents.key(&recorded[at]);
    let failed = |at: usize| recorded[at].call.error.is_some();
    let is_made = made.contains(&key);
    let next = recorded.get(at + 1).filter(|next| agents.key(next) == key);
    let before = at.checked_sub(1).filter(|before| agents.key(&recorded[*before]) == key);
    if is_made && ((next.is_some() && failed(at)) || before.is_some_and(failed)) {
        return MissingKind::RetryDropped;
    }
    if is_made { MissingKind::FewerTimes } else { MissingKind::Dropped }
}

/// What a recording knows of calls and tools.
#[derive(Default)]
struct Known<'a> {
    calls: HashSet<CallKey>,
    tools: HashSet<&'a ToolName>,
}

impl<'a> Known<'a> {
    fn of(recorded: &[PreparedCall<'a>], wanted: &HashSet<&ToolName>, agents: Agents) -> Self {
        Self { calls: keys(recorded, wanted, agents), tools: recorded.iter().map(|call| &call.call.name).collect() }
    }

    fn extra_kind(&self, seen: &[PreparedCall<'_>], at: usize, agents: Agents) -> ExtraKind {
        let key = agents.key(&seen[at]);
        let before = at.checked_sub(1).map(|before| &seen[before]);
        let after_failure = |before: &PreparedCall<'_>| before.call.error.is_some() && agents.key(before) == key;
        if self.calls.contains(&key) {
            if before.is_some_and(after_failure) { ExtraKind::Retried } else { ExtraKind::Repeated }
        } else if self.tools.contains(&seen[at].call.name) {
            ExtraKind::New
        } else {
            ExtraKind::UnknownTool
        }
    }
}

/// The longest series of calls that is looked for as going round.
const LONGEST_ROUND: usize = 8;

/// How often a series goes round before it is a loop.
const ROUNDS_OF_LOOP: usize = 3;

/// Marks extra calls that are part of a loop: a series of calls that is made three times or more, one right after
/// the other, though production did not make them so often.
fn mark_loops(recorded: &[PreparedCall<'_>], seen: &[PreparedCall<'_>], extra: &mut [Extra], agents: Agents) {
    if extra.len() < ROUNDS_OF_LOOP - 1 {
        return;
    }
    let keys: Vec<CallKey> = seen.iter().map(|call| agents.key(call)).collect();
    let mut looped = vec![false; keys.len()];
    for length in 1..=LONGEST_ROUND.min(keys.len() / ROUNDS_OF_LOOP) {
        let mut run = 0;
        for at in length..keys.len() {
            run = if keys[at] == keys[at - length] { run + 1 } else { 0 };
            match run.cmp(&(length * (ROUNDS_OF_LOOP - 1))) {
                Ordering::Less => {}
                Ordering::Equal => looped[at + 1 - run..=at].fill(true),
                Ordering::Greater => looped[at] = true,
            }
        }
    }
    let mut often: HashMap<CallKey, usize> = HashMap::new();
    recorded.iter().for_each(|call| *often.entry(agents.key(call)).or_default() += 1);
    let is_loop = |call: &Extra| looped[call.seen] && often.get(&keys[call.seen]).is_none_or(|n| *n < ROUNDS_OF_LOOP);
    for call in extra.iter_mut().filter(|call| call.kind != ExtraKind::Retried && is_loop(call)) {
        call.kind = ExtraKind::Looped;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Policy, prepare};
    use super::*;
    use crate::recording::{Json, ToolCall, ToolName};

    /// Calls written as `name`, `name=argument`, either with `@step`, `^agent`, or `!` where it failed.
    fn calls(text: &str) -> Vec<ToolCall> {
        text.split_whitespace()
            .map(|word| {
                let (word, error) = match word.strip_suffix('!') {
                    Some(word) => (word, Some(Json::string("failed"))),
                    None => (word, None),
                };
                let (word, agent) =
                    word.split_once('^').map_or((word, None), |(word, agent)| (word, Some(agent.into())));
                let (word, step) = word.split_once('@').map_or((word, None), |(word, step)| (word, step.parse().ok()));
                let (name, value) = word.split_once('=').unwrap_or((word, ""));
                let arguments =
                    (!value.is_empty()).then(|| Json::parse(format!("{{\"v\":\"{value}\",\"k\":1}}")).unwrap());
                ToolCall { step, agent, error, ..ToolCall::new(ToolName::new(name), arguments) }
            })
            .collect()
    }

    fn shown(recorded: &str, seen: &str) -> String {
        let (a, b, policy) = (calls(recorded), calls(seen), Policy::default());
        let alignment = align(&prepare(&a, &policy), &prepare(&b, &policy), Matching::PartialOrder);
        let mut words: Vec<String> = Vec::new();
        for pair in &alignment.pairs {
            let name = &a[pair.recorded].name;
            match &pair.kind {
                PairKind::Same => {}
                PairKind::Changed(_) => words.push(format!("changed {name}")),
                PairKind::Renamed(_) => words.push(format!("renamed {name}>{}", b[pair.seen].name)),
                PairKind::Handed(_) => words.push(format!("handed {name}")),
            }
            if pair.order == Order::Moved {
                words.push(format!("moved {name}"));
            }
        }
        words.extend(alignment.missing.iter().map(|m| format!("missing {} {:?}", a[m.recorded].name, m.kind)));
        words.extend(alignment.extra.iter().map(|e| format!("extra {} {:?}", b[e.seen].name, e.kind)));
        words.join(", ")
    }

    #[test]
    fn a_value_that_counts_as_absent_is_shown_where_another_stands() {
        let policy = Policy::new(vec!["default(\"x\") $.v".parse().unwrap()]);
        let (recorded, seen) = (calls("a=x"), calls("a=y"));
        let alignment = align(&prepare(&recorded, &policy), &prepare(&seen, &policy), Matching::PartialOrder);
        let PairKind::Changed(differences) = &alignment.pairs[0].kind else { panic!("{alignment:?}") };
        assert_eq!(differences[0].to_string(), "$.v: \"x\" -> \"y\"");
        assert_eq!(differences[0].rules, ["default(\"x\") *:$.v"]);
    }

    #[test]
    fn one_edit_is_named_and_nothing_else() {
        assert_eq!(shown("a b c", "a b c"), "");
        assert_eq!(shown("a b c", "a c"), "missing b Dropped");
        assert_eq!(shown("a b c", "x a b c"), "extra x UnknownTool");
        assert_eq!(shown("a b c", "a c b"), "moved b");
        assert_eq!(shown("a=1 b", "a=2 b"), "changed a");
        assert_eq!(shown("a refund=1", "a issue_refund=1"), "renamed refund>issue_refund");
        assert_eq!(shown("a b", "a b b"), "extra b Repeated");
        assert_eq!(shown("a b b", "a b"), "missing b FewerTimes");
    }

    #[test]
    fn calls_of_one_step_have_no_order() {
        assert_eq!(shown("a@1 b@1 c@2", "b@1 a@1 c@2"), "");
        assert_eq!(shown("a@1 b@1", "a@1 b@2"), "");
        assert_eq!(shown("a@1 b@2", "b@1 a@1"), "");
        assert_eq!(shown("a@1 b@2", "b@1 a@2"), "moved a");
        assert_eq!(shown("a@1 b@1 c@2", "c@1 b@2 a@2"), "moved c");
    }

    #[test]
    fn changed_calls_are_paired_without_a_crossing() {
        assert_eq!(shown("c=1 c=2 b=1 b=2", "b=3 b=4"), "changed b, changed b, missing c Dropped, missing c Dropped");
        assert_eq!(
            shown("b=1 b=2", "x=9 y=9 b=3 b=4"),
            "changed b, changed b, extra x UnknownTool, extra y UnknownTool"
        );
    }

    #[test]
    fn a_tool_that_both_sides_call_is_never_a_new_name() {
        assert_eq!(shown("get=1 cancel=1", "get=1 get=1"), "missing cancel Dropped, extra get Repeated");
        assert_eq!(shown("get=1 cancel=2", "get=1 stop=2"), "renamed cancel>stop");
    }

    #[test]
    fn equal_calls_are_paired_so_that_order_is_kept() {
        assert_eq!(shown("a b", "b a b"), "extra b Repeated");
        assert_eq!(shown("t=1 t=2", "t=2 t=1"), "moved t");
        assert_eq!(shown("t=1 t=2", "t=3 t=2"), "changed t");
    }

    #[test]
    fn a_failed_call_that_is_not_made_again_is_a_dropped_retry() {
        let mut a = calls("g=1 g=1");
        a[0].error = Some(Json::string("timeout"));
        let (b, policy) = (calls("g=1"), Policy::default());
        let alignment = align(&prepare(&a, &policy), &prepare(&b, &policy), Matching::PartialOrder);
        assert_eq!(alignment.missing[0].kind, MissingKind::RetryDropped);
    }

    #[test]
    fn a_thousand_calls_less_one_are_one_missing_call() {
        let many = |skip: usize| (0..1000).filter(|n| *n != skip).map(|n| format!("t={n} ")).collect::<String>();
        assert_eq!(shown(&many(5000), &many(400)), "missing t Dropped");
    }

    #[test]
    fn retries_and_loops_are_told_from_repeats() {
        assert_eq!(shown("get=1! get=1", "get=1"), "missing get RetryDropped");
        assert_eq!(shown("a get=1", "a get=1! get=1"), "extra get Retried");
        assert_eq!(shown("a b", "a b b"), "extra b Repeated");
        assert_eq!(shown("a b", "a b b b b"), "extra b Looped, extra b Looped, extra b Looped");
        assert_eq!(shown("a b", "a b a b a b"), "extra a Looped, extra b Looped, extra a Looped, extra b Looped");
    }

    #[test]
    fn a_call_belongs_to_the_agent_that_made_it() {
        assert_eq!(shown("a@1^x b@2^y", "b@1^y a@2^x"), "", "the calls of two agents have no order");
        assert_eq!(shown("a@1^x b@2^x", "b@1^x a@2^x"), "moved a");
        assert_eq!(shown("a=1^x b=1^y", "a=1^y b=1^y"), "handed a");
        assert_eq!(shown("a=1^x b=1^y", "a=1 b=1"), "", "a run that does not tell its agents");
    }

    /// Calls as JSON.
    fn wire(calls: &str) -> Vec<ToolCall> {
        let line = Json::parse(format!("{{\"input\":\"x\",\"toolCalls\":{calls}}}")).unwrap();
        crate::recording::wire::read(&line).unwrap().tool_calls.unwrap()
    }

    fn under(rule: &str, recorded: &[ToolCall], seen: &[ToolCall]) -> Alignment {
        let policy = Policy::new(vec![rule.parse().unwrap()]);
        align(&prepare(recorded, &policy), &prepare(seen, &policy), Matching::Strict)
    }

    fn orders(first: &str, second: &str) -> Vec<ToolCall> {
        wire(&format!(
            r#"[{{"name":"create","arguments":{{"item":"tea"}},"result":{{"id":"{first}"}}}},
            {{"name":"create","arguments":{{"item":"milk"}},"result":{{"id":"{second}"}}}},
            {{"name":"pay","arguments":{{"order":"{first}","cents":5}},"result":{{"receipt":"r-{first}"}}}},
            {{"name":"pay","arguments":{{"order":"{second}","cents":5}},"result":"ok"}},
            {{"name":"mail","arguments":{{"text":"paid: https://shop/r-{first}/view"}}}}]"#
        ))
    }

    #[test]
    fn an_id_that_was_given_anew_is_the_same_where_it_came_from_the_same_place() {
        let (old, new) = (orders("ord-1111", "ord-2222"), orders("ord-7777", "ord-8888"));
        assert!(under("reference $.*", &old, &new).holds(Matching::Strict));
        assert!(!under("reference $.order", &old, &new).holds(Matching::Strict), "the text of the mail has no rule");
        assert!(!under("reference $.other", &old, &new).holds(Matching::Strict));
        let excused = under("reference $.*", &old, &new).pairs.iter().map(|pair| pair.excused.len()).sum::<usize>();
        assert_eq!(excused, 3, "what was let pass is counted");
    }

    #[test]
    fn an_id_that_came_from_another_place_differs_even_if_it_is_the_same() {
        let old = orders("ord-1111", "ord-2222");
        let mut crossed = orders("ord-7777", "ord-8888");
        crossed[2].arguments = Json::parse(r#"{"order":"ord-8888","cents":5}"#).ok();
        let found = under("reference $.*", &old, &crossed);
        assert!(!found.holds(Matching::Unordered), "{found:?}");
        // The ids were given the other way round: each call has the old value, and the wrong one.
        let mut swapped = orders("ord-2222", "ord-1111");
        swapped[2].arguments = old[2].arguments.clone();
        swapped[3].arguments = old[3].arguments.clone();
        assert!(!under("reference $.order", &old, &swapped).holds(Matching::Strict));
        let told = &found.pairs.iter().find_map(|pair| match &pair.kind {
            PairKind::Changed(differences) => differences.first(),
            _ => None,
        });
        assert_eq!(told.unwrap().rules, ["reference *:$.*"]);
    }

    #[test]
    fn a_call_that_came_before_the_result_it_used_is_out_of_order() {
        let recorded = wire(
            r#"[{"name":"find","result":{"id":"ord-1111"},"step":1},
            {"name":"pay","arguments":{"id":"ord-1111"},"step":2}]"#,
        );
        let seen: Vec<ToolCall> =
            recorded.iter().rev().map(|call| ToolCall { step: Some(1), ..call.clone() }).collect();
        let policy = Policy::default();
        let found = align(&prepare(&recorded, &policy), &prepare(&seen, &policy), Matching::PartialOrder);
        assert_eq!(found.broken_edges, [super::super::Edge { from: 0, to: 1 }]);
        assert!(!found.holds(Matching::PartialOrder) && found.holds(Matching::Unordered));
    }

    #[test]
    fn arguments_that_went_to_the_wrong_call_are_told_so() {
        let calls = |a: &str, b: &str| {
            wire(&format!(
                r#"[{{"name":"t","arguments":{{"from":"a","to":"{a}"}}}},{{"name":"t","arguments":{{"from":"c","to":"{b}"}}}}]"#
            ))
        };
        let found = under("trim $.x", &calls("b", "d"), &calls("d", "b"));
        let hints = found.pairs.iter().filter_map(|pair| match &pair.kind {
            PairKind::Changed(differences) => differences[0].hint,
            _ => None,
        });
        assert_eq!(hints.collect::<Vec<_>>(), [Hint::Crossed, Hint::Crossed]);
    }
}
