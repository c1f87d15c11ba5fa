//! The differences of an attempt, written on paper.

use anstyle::Style;

use super::explained::{Explained, Line, LineMark, Part, PartKind, explained};
use super::told::{AFTER, Finding, Told};
use super::{BODY, Detail, more};
use crate::report::paper::{BAD, DIM, GOOD, Indent, OPEN, PLAIN, Paper, Piece, plain, styled};
use crate::report::words;
use crate::verdict::AttemptRow;

/// How many lines show one difference.
pub(in crate::report) const SHOWN_LINES: usize = 12;
/// How many lines may show the differences of a case among others; then they are told in sentences.
const ALL_LINES: usize = 36;

/// Writes them, the first so many.
pub(super) fn write(paper: &mut Paper, row: &AttemptRow, detail: Detail, most: usize) {
    let told = Told::of(row);
    if let Some(first) = &told.first {
        paper.write(BODY, &[plain(first)]);
    }
    let mut list = List { indent: BODY, room: if detail == Detail::Full { usize::MAX } else { ALL_LINES } };
    for finding in told.own.iter().take(most) {
        let style = if finding.difference.gated { PLAIN } else { DIM };
        list.write(paper, finding, style);
    }
    let rest = most.saturating_sub(told.own.len());
    if rest > 0 && !told.after.is_empty() {
        paper.write(BODY, &[styled(DIM, AFTER)]);
    }
    list.indent = Indent(BODY.0 + 2, BODY.1 + 2);
    for finding in told.after.iter().take(rest) {
        list.write(paper, finding, DIM);
    }
    more(paper, told.count(), most, "differences");
}

/// A list of differences in the making.
struct List {
    indent: Indent,
    /// How many lines may still be taken to show one.
    room: usize,
}

impl List {
    fn write(&mut self, paper: &mut Paper, finding: &Finding<'_>, style: Style) {
        match Some(finding.difference).filter(|_| self.room > 0).and_then(explained) {
            None => paper.write(self.indent, &[styled(style, finding.sentence())]),
            Some(explained) => self.show(paper, &explained, style),
        }
        if let Some(rule) = &finding.rule {
            paper.write(self.inside(), &[styled(DIM, "would pass with: "), plain(rule)]);
        }
    }

    fn inside(&self) -> Indent {
        Indent(self.indent.0 + 2, self.indent.1 + 2)
    }

    fn show(&mut self, paper: &mut Paper, explained: &Explained, style: Style) {
        paper.write(self.indent, &[styled(style, explained.head.as_str())]);
        let mut inside = Paper::new(paper.width());
        for line in &explained.lines {
            inside.write(self.inside(), &pieces(line, style));
        }
        let text = inside.into_text();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let shown = if lines.len() > SHOWN_LINES + 1 { SHOWN_LINES } else { lines.len() };
        paper.add(&lines[..shown].concat());
        if let more @ 1.. = lines.len() - shown {
            paper.write(self.inside(), &[styled(DIM, left_out(more))]);
        }
        self.room = self.room.saturating_sub(shown);
    }
}

/// What is said of lines that are not shown.
pub(in crate::report) fn left_out(more: usize) -> String {
    format!("… {}: --json shows all", words::counted(more as u64, "more line"))
}

/// A line of a diff in its colours, or in none where the difference itself has none.
fn pieces(line: &Line, style: Style) -> Vec<Piece> {
    let style = match line.mark {
        _ if style == DIM => DIM,
        LineMark::Expected => BAD,
        LineMark::Seen => GOOD,
        LineMark::Changed => OPEN,
        LineMark::Same | LineMark::Folded => DIM,
    };
    let base = if line.mark == LineMark::Changed && style != DIM { PLAIN } else { style };
    let part = |part: &Part| match part.kind {
        PartKind::Plain => styled(base, part.text.as_str()),
        PartKind::SetOff => styled(base.bold().underline(), part.text.as_str()),
    };
    std::iter::once(styled(style, line.mark.drawn())).chain(line.parts.iter().map(part)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::Json;
    use crate::report::paper::columns;
    use crate::verdict::{CallDifference, DifferenceKind};

    fn changed(expected: &str, seen: &str) -> CallDifference {
        CallDifference {
            kind: DifferenceKind::Changed,
            tool: "note".into(),
            path: Some("$.text".into()),
            general_path: None,
            expected: Some(Json::string(expected).text().into()),
            seen: Some(Json::string(seen).text().into()),
            hint: None,
            recorded_call: Some(1),
            seen_call: Some(1),
            rule: None,
            remedy: None,
            downstream: false,
            gated: true,
        }
    }

    fn written(width: usize, differences: &[CallDifference]) -> String {
        let mut paper = Paper::new(width);
        let mut list = List { indent: BODY, room: ALL_LINES };
        Told::in_order(differences).own.iter().for_each(|finding| list.write(&mut paper, finding, PLAIN));
        anstream::adapter::strip_str(&paper.into_text()).to_string()
    }

    #[test]
    fn after_so_many_lines_differences_are_told_in_sentences() {
        let long = |word: &str| format!("{word} and what comes after it, which is the same in both").repeat(3);
        let differences = vec![changed(&long("old"), &long("new")); 20];
        let text = written(80, &differences);
        assert_eq!(text.matches("note $.text: changed\n").count(), 8, "{text}");
        assert_eq!(text.matches("note $.text: expected").count(), 12, "{text}");
    }

    proptest::proptest! {
        #[test]
        fn a_difference_fits_the_paper_and_takes_no_more_than_a_dozen_lines(
            width in 60_usize..140,
            expected in "[a-c日é👍\u{301}\u{200b}\n\t ,]{0,400}",
            seen in "[a-c日é👍\u{301}\u{200b}\n\t ,]{0,400}",
        ) {
            let text = written(width, &[changed(&expected, &seen)]);
            for line in text.lines() {
                proptest::prop_assert!(columns(line) <= width, "{line}");
                proptest::prop_assert!(!line.contains(|c: char| c.is_control() || c == '\u{200b}'), "{line:?}");
            }
            proptest::prop_assert!(text.lines().count() <= SHOWN_LINES + 3, "{text}");
        }
    }
}
