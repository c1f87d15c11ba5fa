//! What changed, what it cost, and whether that may pass.

use crate::report::Report;
use crate::report::paper::{BAD, DIM, GOOD, Indent, OPEN, Paper, STRONG, columns, left, plain, right, styled};
use crate::report::spend;
use crate::report::tally::Tally;
use crate::report::visible::{cut, visible};
use crate::report::words::{counted, grouped, percent};
use crate::verdict::{DifferenceGroup, GateState};

/// How many kinds of difference are shown.
const GROUPS: usize = 10;
/// How many remarks are shown.
const REMARKS: usize = 12;

/// How much of long lists is shown.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rest<'a> {
    /// The beginning of each; this command shows all.
    IsShownBy(&'a str),
    /// All.
    IsShown,
}

impl Rest<'_> {
    pub(super) fn most(self, beginning: usize) -> usize {
        match self {
            Rest::IsShownBy(_) => beginning,
            Rest::IsShown => usize::MAX,
        }
    }

    /// What is said of the kinds of difference that are not shown.
    fn of_groups(self, groups: usize, ungrouped: u64) -> Option<String> {
        let more = groups.saturating_sub(self.most(GROUPS)) as u64;
        let kinds = (more > 0).then(|| counted(more, "more kind"));
        let others = (ungrouped > 0).then(|| format!("{} of still other kinds", counted(ungrouped, "difference")));
        let named: Vec<String> = kinds.into_iter().chain(others).collect();
        let command = match self {
            Rest::IsShownBy(command) if more > 0 => format!(": {command}"),
            _ => String::new(),
        };
        (!named.is_empty()).then(|| format!("and {}{command}", named.join(" and ")))
    }
}

/// Differences by tool, path and kind.
pub(super) fn changes(paper: &mut Paper, report: &Report<'_>, tally: &Tally, rest: Rest<'_>) {
    let groups = &report.summary.groups;
    if groups.is_empty() {
        return;
    }
    paper.gap();
    // On wide paper the figures stay near what they belong to.
    let name = paper.width().saturating_sub(26).min(64);
    let title =
        format!("{}{}{}{}", left("What changed", name), right("times", 7), right("cases", 8), right("traffic", 10));
    paper.write(Indent(0, 2), &[styled(STRONG, title)]);
    let most = rest.most(GROUPS);
    for group in groups.iter().take(most) {
        change(paper, group, report.summary.traffic, name);
    }
    if let Some(said) = rest.of_groups(groups.len(), report.summary.ungrouped) {
        paper.write(Indent(2, 4), &[styled(DIM, said)]);
    }
    for path in tally.volatile_paths().iter().take(most) {
        let said = format!(
            "{} of {} {}, in {}: ",
            visible(&path.path),
            visible(&path.tool),
            path.hint,
            counted(path.cases, "case")
        );
        paper.write(Indent(2, 4), &[styled(OPEN, said), plain(path.rule.clone())]);
    }
}

fn change(paper: &mut Paper, group: &DifferenceGroup, traffic: f64, name: usize) {
    let path = group.path.as_deref().map(|path| format!(" {}", visible(path))).unwrap_or_default();
    let gated = if group.gated { "" } else { " (not gated)" };
    let rule = group.rule.as_deref().map(|rule| format!(" [rule: {}]", visible(rule))).unwrap_or_default();
    let what = format!("{}{path}: {}{rule}{gated}", visible(&group.subject), visible(&group.kind));
    let figures = format!(
        "{}{}{}",
        right(&grouped(group.count), 7),
        right(&grouped(group.cases), 8),
        right(&percent(group.traffic, traffic), 10)
    );
    let style = if group.gated { BAD } else { DIM };
    // Figures stand at the end of the last line of the name.
    if columns(&what) + 2 < name {
        paper.write(Indent(2, 4), &[styled(style, left(&what, name - 2)), plain(figures)]);
    } else {
        paper.write(Indent(2, 4), &[styled(style, what)]);
        paper.write(Indent(2, 4), &[plain(format!("{}{figures}", " ".repeat(name - 2)))]);
    }
    let example = match &group.detail {
        Some(detail) => format!("{}: {}", cut(&visible(&group.example), 80), cut(&visible(detail), 200)),
        None => cut(&visible(&group.example), 80).into_owned(),
    };
    paper.write(Indent(6, 8), &[styled(DIM, example)]);
}

/// How many rules are named that let something pass.
const RULES: usize = 5;

/// What rules let pass: nothing is looked away from without being said.
pub(super) fn excused(paper: &mut Paper, report: &Report<'_>, rest: Rest<'_>) {
    let mut all: Vec<_> = report.summary.excused.iter().collect();
    if all.is_empty() {
        return;
    }
    all.sort_by_key(|by| std::cmp::Reverse(by.count));
    paper.gap();
    let mut head = "Rules   ";
    for by in all.iter().take(rest.most(RULES)) {
        let said = format!(" let {} pass, in {}: ", counted(by.count, "difference"), counted(by.attempts, "attempt"));
        paper.write(Indent(0, 11), &[styled(STRONG, head), plain(said), styled(DIM, visible(&by.rule))]);
        head = "        ";
    }
    if let (more @ 1.., Rest::IsShownBy(command)) = (all.len().saturating_sub(RULES), rest) {
        paper.write(Indent(9, 11), &[styled(DIM, format!("and {more} more: {command}"))]);
    }
}

/// What was spent.
pub(super) fn spend(paper: &mut Paper, report: &Report<'_>, tally: &Tally) {
    let (rows, unknown) = spend::rows(report.summary, tally);
    if rows.is_empty() && unknown.is_empty() {
        return;
    }
    paper.gap();
    let head = if rows.is_empty() { "Spend    " } else { "  " };
    if !rows.is_empty() {
        let title =
            format!("{}{}{}{}", left("Spend", 15), right("recorded", 13), right("seen", 13), right("factor", 9));
        paper.write(Indent(0, 2), &[styled(STRONG, title)]);
    }
    for row in rows {
        let figures = format!(
            "{}{}{}{}",
            left(row.name, 13),
            right(&row.recorded, 13),
            right(&row.seen, 13),
            right(&row.factor, 9)
        );
        let note = if row.note.is_empty() { String::new() } else { format!("  {}", row.note) };
        if columns(&figures) + columns(&note) + 2 <= paper.width() {
            paper.write(Indent(2, 4), &[plain(figures), styled(DIM, note)]);
        } else {
            paper.write(Indent(2, 4), &[plain(figures)]);
            paper.write(Indent(6, 8), &[styled(DIM, row.note)]);
        }
    }
    if !unknown.is_empty() {
        let said = format!("not known: {}", unknown.join(", "));
        paper.write(Indent(0, 4), &[styled(STRONG, head), styled(DIM, said)]);
    }
}

/// How the calls of the run were answered.
pub(super) fn stubs(paper: &mut Paper, tally: &Tally) {
    let ledger = &tally.ledger;
    if ledger.asked == 0 && ledger.unused == 0 {
        return;
    }
    let faithful = ledger.exact + ledger.by_policy + ledger.repeated + ledger.r#static;
    let mut said = match ledger.asked {
        0 => " no call asked".to_owned(),
        asked => {
            let share = percent(faithful as f64, asked as f64);
            format!(" {} asked, {share} answered as recorded", counted(asked, "call"))
        }
    };
    let parts = [
        (ledger.missed, "without a recording"),
        (ledger.exhausted, "more often than recorded"),
        (ledger.unanswerable, "whose result was not recorded"),
        (ledger.nearest, "answered from the nearest recording"),
        (ledger.live, "answered by the real tool"),
    ];
    for (count, what) in parts.into_iter().filter(|part| part.0 > 0) {
        said.push_str(&format!(", {} {what}", grouped(count)));
    }
    if ledger.unused > 0 {
        said.push_str(&format!("; {} not asked for", counted(ledger.unused, "recorded call")));
    }
    paper.gap();
    paper.write(Indent(0, 9), &[styled(STRONG, "Stubs   "), plain(said)]);
}

/// The gates with their values, where they come from, and why they fell out as they did.
pub(super) fn gates(paper: &mut Paper, report: &Report<'_>) {
    let mut head = "Gates   ";
    if report.gates.is_empty() {
        paper.write(Indent(0, 9), &[styled(STRONG, head), styled(OPEN, " none")]);
    }
    for gate in report.gates {
        let (word, style) = match gate.state {
            GateState::Passed => ("passed", GOOD),
            GateState::NotProven => ("not proven", OPEN),
            GateState::Failed => ("failed", BAD),
        };
        let source = report.manifest.gates.iter().find(|asked| asked.gate == gate.gate);
        // What no gate may pass over has no source.
        let source = source.map_or("always".to_owned(), |asked| asked.source.to_string());
        let pieces = [
            styled(STRONG, head),
            plain(format!(" {} ", visible(&gate.gate))),
            styled(DIM, format!("({source}) ")),
            styled(style, word),
            plain(format!(": {}", visible(&gate.detail))),
        ];
        paper.write(Indent(0, 11), &pieces);
        head = "        ";
    }
}

/// How far the figures can be relied on.
pub(super) fn trust(paper: &mut Paper, report: &Report<'_>) {
    let trust = report.trust;
    let mut pieces = vec![styled(STRONG, "Trust   ")];
    if trust.trustworthy {
        pieces.push(plain(" trustworthy"));
        let mut parts = Vec::new();
        for (share, what) in [(trust.without_evidence, "without evidence"), (trust.undecided, "undecided")] {
            if share > 0.0 {
                parts.push(format!("{} of the attempts {what}", percent(share, 1.0)));
            }
        }
        if !parts.is_empty() {
            pieces.push(plain(format!(", {}", parts.join(", "))));
        }
    } else {
        // The reasons stand with the gates, as nothing passes without trust.
        pieces.push(styled(OPEN, " not trustworthy, see the gates"));
    }
    if let Some(bound) = trust.clean_sweep_bound {
        let clean = counted(report.summary.attempts_passed, "clean attempt");
        let show = if report.summary.attempts_passed == 1 { "shows" } else { "show" };
        pieces.push(plain(format!("; {clean} {show} a true pass rate of at least {}", floor_percent(bound))));
    }
    paper.write(Indent(0, 9), &pieces);
}

/// A bound from below in percent, rounded down.
fn floor_percent(bound: f64) -> String {
    format!("{:.1} %", (bound * 1000.0).floor() / 10.0)
}

/// What was lost, doubted, or is to be known besides.
pub(super) fn remarks(paper: &mut Paper, report: &Report<'_>, rest: Rest<'_>) {
    let (facts, summary) = (&report.manifest.facts, report.summary);
    let mut said = Vec::new();
    if facts.rejected > 0 {
        said.push(format!("{} could not be read", counted(facts.rejected, "row")));
    }
    if facts.torn > 0 {
        said.push(format!(
            "{} cut off",
            if facts.torn == 1 { "a last line was".into() } else { format!("{} last lines were", facts.torn) }
        ));
    }
    if summary.doubts > 0 {
        let first = summary.doubt.as_ref().map(|doubt| format!(", the first: {doubt}")).unwrap_or_default();
        let make = if summary.doubts == 1 { "makes no sense and counts" } else { "make no sense and count" };
        said.push(format!("{} {make} as unknown{first}", counted(summary.doubts, "value")));
    }
    if let Some(stray) = facts.strays.first() {
        let (attempt, what) = (visible(&stray.attempt), visible(&stray.what));
        let times = counted(facts.strays.len() as u64, "time");
        said.push(format!("the target acted for an attempt that was over {times}, first for {attempt}: {what}"));
    }
    said.extend(report.notes.iter().map(|note| visible(note).into_owned()));
    let mut head = "Notes   ";
    for remark in said.iter().take(rest.most(REMARKS)) {
        paper.write(Indent(0, 11), &[styled(STRONG, head), plain(format!(" {}", visible(remark)))]);
        head = "        ";
    }
    if let (more @ 1.., Rest::IsShownBy(command)) = (said.len().saturating_sub(REMARKS), rest) {
        paper.write(Indent(9, 11), &[styled(DIM, format!("and {more} more: {command}"))]);
    }
}
