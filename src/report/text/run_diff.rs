//! The difference of two runs, for a person at a terminal.

use rust_decimal::Decimal;

use super::figures::Rest;
use super::{TextOptions, sequences, short};
use crate::report::Verdict;
use crate::report::paper::{BAD, DIM, GOOD, Indent, OPEN, Paper, Piece, STRONG, columns, left, plain, right, styled};
use crate::report::run_comparison::{ComparedRun, RunComparison, Sameness};
use crate::report::visible::{cut, visible};
use crate::report::words::{amount, counted, grouped, percent};
use crate::verdict::{CallChange, CaseChange, CaseChangeKind, CaseVerdict, GroupChange, GroupKey, SpendChange, Trend};

/// How many kinds of difference are shown.
const GROUPS: usize = 10;
/// How many sorts of cases are shown of each way to change.
const SORTS: usize = 5;
/// How many cases of a sort are named.
const NAMED: usize = 5;
/// What shows all.
const MORE: &str = "the same command with --all";

/// The difference of two runs as it is written.
pub(in crate::report) struct RunDiffText<'a> {
    comparison: &'a RunComparison,
    rest: Rest<'a>,
    paper: Paper,
}

impl<'a> RunDiffText<'a> {
    pub(in crate::report) fn new(comparison: &'a RunComparison, options: TextOptions) -> Self {
        Self { comparison, rest: options.rest(MORE), paper: Paper::new(options.width) }
    }

    /// All of it, with ANSI styles.
    pub(in crate::report) fn into_text(mut self) -> String {
        let difference = &self.comparison.difference;
        self.headline();
        self.reservations();
        self.verdicts();
        self.groups();
        sequences::table(&mut self.paper, &difference.sequences, difference.traffic, self.rest);
        self.spend();
        for kind in CaseChangeKind::ALL {
            self.cases(kind);
        }
        self.alone();
        self.paper.into_text()
    }

    fn line(&mut self, indent: Indent, pieces: &[Piece]) {
        self.paper.write(indent, pieces);
    }

    fn title(&mut self, title: impl Into<String>) {
        self.paper.gap();
        self.line(Indent(0, 2), &[styled(STRONG, title)]);
    }

    fn headline(&mut self) {
        let line = self.comparison.headline();
        let (word, rest) = line.split_once(": ").unwrap_or((&line, ""));
        let style = match self.comparison.sameness() {
            Sameness::Same => GOOD,
            Sameness::Different => BAD,
            Sameness::NotProven => OPEN,
        };
        self.line(Indent(0, 2), &[styled(style.bold(), word), styled(STRONG, format!(": {rest}."))]);
        if let Some(ways) = self.comparison.ways() {
            self.line(Indent(2, 4), &[plain(ways)]);
        }
        for (which, run) in [("first ", &self.comparison.before), ("second", &self.comparison.after)] {
            self.line(Indent(2, 10), &[plain(format!("{which}  ")), styled(DIM, run_line(run))]);
        }
    }

    fn reservations(&mut self) {
        let (reservations, settings) = (self.comparison.reservations(), &self.comparison.settings);
        if reservations.is_empty() && settings.is_empty() {
            return;
        }
        self.title("What makes them hard to compare");
        for said in reservations {
            self.line(Indent(2, 4), &[styled(OPEN, visible(&said))]);
        }
        for it in settings {
            let shown =
                |value: &str| if value.is_empty() { "none".into() } else { cut(&visible(value), 300).into_owned() };
            let said = format!("{}: first {}, second {}", it.setting, shown(&it.before), shown(&it.after));
            self.line(Indent(4, 6), &[styled(DIM, said)]);
        }
    }

    fn verdicts(&mut self) {
        let verdicts = &self.comparison.difference.verdicts;
        let (before, after) = (verdicts.before, verdicts.after);
        let rows = [
            ("passed", before.passed, after.passed),
            ("failed", before.failed, after.failed),
            ("varied", before.varied, after.varied),
            ("undecided", before.undecided, after.undecided),
            ("no result", before.no_result, after.no_result),
        ];
        if self.comparison.difference.cases == 0 {
            return;
        }
        self.title(format!("{}{}{}", left("Cases", 15), right("first", 13), right("second", 13)));
        for (name, was, is) in rows.into_iter().filter(|(_, was, is)| was + is > 0) {
            let figures = format!("{}{}{}", left(name, 13), right(&grouped(was), 13), right(&grouped(is), 13));
            self.line(Indent(2, 4), &[plain(figures)]);
        }
    }

    fn groups(&mut self) {
        let difference = &self.comparison.difference;
        if difference.groups.is_empty() {
            return;
        }
        // On wide paper the figures stay near what they belong to.
        let name = self.paper.width().saturating_sub(26).min(64);
        self.title(format!(
            "{}{}{}{}",
            left("Differences from the recordings", name),
            right("first", 7),
            right("second", 9),
            right("traffic", 10)
        ));
        for group in difference.groups.iter().take(self.rest.most(GROUPS)) {
            self.group(group, name);
        }
        let more = difference.groups.len().saturating_sub(self.rest.most(GROUPS));
        if more > 0 {
            self.line(Indent(2, 4), &[styled(DIM, format!("and {}: {MORE}", counted(more as u64, "more kind")))]);
        }
        if difference.ungrouped > 0 {
            let said = format!("and {} of still other kinds", counted(difference.ungrouped, "difference"));
            self.line(Indent(2, 4), &[styled(DIM, said)]);
        }
    }

    fn group(&mut self, group: &GroupChange, name: usize) {
        let (mark, style) = match group.trend {
            Trend::Appeared => ("+ ", BAD),
            Trend::Grew => ("  ", BAD),
            Trend::Shrank => ("  ", GOOD),
            Trend::Vanished => ("- ", GOOD),
        };
        let times = match group.before.cases == group.after.cases {
            true => format!(" ({} -> {} times)", grouped(group.before.count), grouped(group.after.count)),
            false => String::new(),
        };
        let gated = if group.gated { "" } else { " (not gated)" };
        let what = format!("{mark}{}{times}{gated}", kind(&group.key));
        let traffic = match group.trend {
            Trend::Appeared | Trend::Grew => group.after.traffic,
            Trend::Shrank | Trend::Vanished => group.before.traffic,
        };
        let cases = |cases: u64| if cases == 0 { ".".to_owned() } else { grouped(cases) };
        let figures = format!(
            "{}{}{}",
            right(&cases(group.before.cases), 7),
            right(&cases(group.after.cases), 9),
            right(&percent(traffic, self.comparison.difference.traffic), 10)
        );
        let style = if group.gated { style } else { DIM };
        // Figures stand at the end of the last line of the name.
        if columns(&what) + 2 < name {
            self.line(Indent(2, 4), &[styled(style, left(&what, name - 2)), plain(figures)]);
        } else {
            self.line(Indent(2, 4), &[styled(style, what)]);
            self.line(Indent(2, 4), &[plain(format!("{}{figures}", " ".repeat(name - 2)))]);
        }
        let example = match &group.detail {
            Some(detail) => format!("{}: {}", cut(&visible(&group.example), 80), cut(&visible(detail), 200)),
            None => cut(&visible(&group.example), 80).into_owned(),
        };
        self.line(Indent(6, 8), &[styled(DIM, example)]);
    }

    fn spend(&mut self) {
        let known: Vec<&SpendChange> = self.comparison.difference.spend.iter().filter(|sum| sum.known > 0).collect();
        if known.is_empty() {
            return;
        }
        self.title(format!("{}{}{}{}", left("Spend", 15), right("first", 13), right("second", 13), right("factor", 9)));
        for sum in known {
            let unit = if sum.name == "latencyMs" { " ms" } else { "" };
            let shown = |value: Decimal| match sum.name.as_str() {
                "latencyMs" => amount(value.round()) + unit,
                _ => amount(value),
            };
            let figures = format!(
                "{}{}{}{}",
                left(spend_name(&sum.name), 13),
                right(&shown(sum.before), 13),
                right(&shown(sum.after), 13),
                right(&factor(sum), 9)
            );
            let note = match sum.known < sum.of {
                true => format!("  a floor: known for {} of {}", grouped(sum.known), grouped(sum.of)),
                false => String::new(),
            };
            if columns(&figures) + columns(&note) + 2 <= self.paper.width() {
                self.line(Indent(2, 4), &[plain(figures), styled(DIM, note)]);
            } else {
                self.line(Indent(2, 4), &[plain(figures)]);
                self.line(Indent(6, 8), &[styled(DIM, note.trim_start())]);
            }
        }
    }

    fn cases(&mut self, kind: CaseChangeKind) {
        let changes: Vec<&CaseChange> =
            self.comparison.difference.changes.iter().filter(|change| change.kind == kind).collect();
        if changes.is_empty() {
            return;
        }
        let (title, style) = match kind {
            CaseChangeKind::NewlyFailing => ("Fail now", BAD),
            CaseChangeKind::NewlyPassing => ("Pass now", GOOD),
            CaseChangeKind::OtherVerdict => ("Have another verdict", OPEN),
            CaseChangeKind::OtherDifferences => ("Differ otherwise from their recordings", OPEN),
            CaseChangeKind::OtherDetails => ("Call other tools, or with other values", OPEN),
        };
        self.title(format!("{title}: {}", counted(changes.len() as u64, "case")));
        let sorts = sorted_out(&changes);
        for sort in sorts.iter().take(self.rest.most(SORTS)) {
            self.sort(sort, style);
        }
        if let (more @ 1.., Rest::IsShownBy(_)) = (sorts.len().saturating_sub(SORTS), self.rest) {
            let others: usize = sorts.iter().skip(SORTS).map(Vec::len).sum();
            let said =
                format!("and {} of {}: {MORE}", counted(others as u64, "case"), counted(more as u64, "other sort"));
            self.line(Indent(2, 4), &[styled(DIM, said)]);
        }
    }

    /// Cases that changed alike: their names, then what they have in common.
    fn sort(&mut self, sort: &[&CaseChange], style: anstyle::Style) {
        let Some(first) = sort.first() else { return };
        let most = self.rest.most(NAMED);
        let ids: Vec<String> =
            sort.iter().take(most).map(|change| cut(&visible(change.id.as_str()), 80).into_owned()).collect();
        let more = sort.len().saturating_sub(most);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let verdicts = match (first.kind, first.before, first.after) {
            (CaseChangeKind::NewlyFailing, CaseVerdict::Passed, CaseVerdict::Failed)
            | (CaseChangeKind::NewlyPassing, CaseVerdict::Failed, CaseVerdict::Passed) => String::new(),
            (_, was, is) if was == is => format!("   {}", is.as_str()),
            (_, was, is) => format!("   {} -> {}", was.as_str(), is.as_str()),
        };
        self.line(Indent(2, 4), &[styled(style, ids.join(", ")), plain(more), styled(DIM, verdicts)]);
        for (mark, keys) in [("+", &first.new), ("-", &first.gone)] {
            for key in keys {
                self.line(Indent(6, 8), &[styled(DIM, format!("{mark} {}", kind(key)))]);
            }
        }
        if let Some(detail) = &first.detail {
            self.line(Indent(6, 8), &[styled(DIM, called_otherwise(detail))]);
        }
    }

    fn alone(&mut self) {
        let difference = &self.comparison.difference;
        if difference.only_before.is_empty() && difference.only_after.is_empty() {
            return;
        }
        self.title("Only in one run");
        for (which, ids) in [("first", &difference.only_before), ("second", &difference.only_after)] {
            if ids.is_empty() {
                continue;
            }
            let most = self.rest.most(NAMED);
            let named: Vec<String> =
                ids.iter().take(most).map(|id| cut(&visible(id.as_str()), 80).into_owned()).collect();
            let more = if ids.len() > most { ", ..." } else { "" };
            let said = format!("{} only in the {which}: {}{more}", grouped(ids.len() as u64), named.join(", "));
            self.line(Indent(2, 4), &[plain(said)]);
        }
    }
}

/// What a run was, and what it came to.
fn run_line(run: &ComparedRun) -> String {
    let verdict = match run.verdict {
        Some(Verdict::Passed) => "passed",
        Some(Verdict::Failed) => "failed",
        Some(Verdict::NotProven) => "not proven",
        Some(Verdict::Cancelled) => "cancelled",
        None => "not finished",
    };
    let version = run.target.version.as_deref().map(|version| format!(" {}", visible(version))).unwrap_or_default();
    let second = run.target_hash.as_deref().map(|hash| format!(" ({})", short(hash))).unwrap_or_default();
    let recordings: Vec<String> = run.recordings.iter().take(2).map(|path| visible(path).into_owned()).collect();
    let more = run.recordings.len().saturating_sub(2);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!(
        "{}: {verdict}, {}{version}{second} on {}{more} ({})",
        run.id,
        visible(&run.target.name),
        recordings.join(", "),
        short(&run.recordings_hash)
    )
}

/// What was called otherwise, in words.
fn called_otherwise(detail: &CallChange) -> String {
    let place = match (&detail.tool, &detail.path) {
        (Some(tool), Some(path)) => format!("{} {}: ", visible(tool.as_str()), visible(path)),
        (Some(tool), None) => format!("{}: ", visible(tool.as_str())),
        (None, _) => String::new(),
    };
    let shown =
        |side: &Option<String>| side.as_deref().map_or("nothing".into(), |it| cut(&visible(it), 200).into_owned());
    format!("{place}{} -> {}", shown(&detail.before), shown(&detail.after))
}

/// A kind of difference in words.
fn kind(key: &GroupKey) -> String {
    let path = key.path.as_deref().map(|path| format!(" {}", visible(path))).unwrap_or_default();
    let rule = key.rule.as_deref().map(|rule| format!(" [rule: {}]", visible(rule))).unwrap_or_default();
    format!("{}{path}: {}{rule}", visible(&key.subject), visible(&key.kind))
}

/// Cases that changed alike, together; the largest sort first, then as they come.
fn sorted_out<'a>(changes: &[&'a CaseChange]) -> Vec<Vec<&'a CaseChange>> {
    let mut sorts: Vec<Vec<&CaseChange>> = Vec::new();
    let mut known = std::collections::HashMap::new();
    for change in changes {
        let place = *known
            .entry((
                change.before,
                change.after,
                &change.new,
                &change.gone,
                change.detail.as_ref().map(|it| (&it.tool, &it.path)),
            ))
            .or_insert(sorts.len());
        match sorts.get_mut(place) {
            Some(sort) => sort.push(change),
            None => sorts.push(vec![change]),
        }
    }
    sorts.sort_by_key(|sort| std::cmp::Reverse(sort.len()));
    sorts
}

fn spend_name(name: &str) -> &str {
    match name {
        "toolCalls" => "tool calls",
        "modelCalls" => "model calls",
        "inputTokens" => "  input",
        "outputTokens" => "  output",
        "latencyMs" => "latency",
        name => name,
    }
}

/// By which factor the spend moved.
fn factor(sum: &SpendChange) -> String {
    let (was, is): (f64, f64) = (sum.before.try_into().unwrap_or(0.0), sum.after.try_into().unwrap_or(0.0));
    match was > 0.0 {
        true => format!("x {:.2}", is / was),
        false if is > 0.0 => "from 0".to_owned(),
        false => "-".to_owned(),
    }
}
