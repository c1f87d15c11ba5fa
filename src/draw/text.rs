//! What was drawn, for a person: 80 columns, the summary first.

use std::fmt;

use super::report::{Drawn, DrawnKind};
use super::shape::KindsBy;
use crate::recording::inspect::{cut, wrapped};
use crate::recording::{Json, counted, grouped};

/// How many of the largest kinds are shown, of the rarest, and of the strata.
const LARGEST: usize = 10;
const RAREST: usize = 5;
const STRATA: usize = 12;
/// How wide the names of strata are.
const STRATUM: usize = 44;
/// How wide those of kinds are.
const KIND: usize = 52;
/// From so many interactions on it is worth a word that hardly two are of one kind.
const MANY: u64 = 20;

impl fmt::Display for Drawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.summary(f)?;
        self.strata(f)?;
        self.kinds(f)
    }
}

impl Drawn {
    fn summary(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let read = counted(self.interactions, "interaction");
        let kinds = counted(self.different_kinds, "kind");
        wrapped(f, 0, &format!("{} of {read} drawn from {kinds}, seed {}", grouped(self.cases), self.seed))?;
        wrapped(f, 2, &format!("their weights add up to {}, as the traffic does", amount(&self.weight)))?;
        if self.rejected > 0 {
            let rows = if self.rejected == 1 { "row was" } else { "rows were" };
            wrapped(f, 2, &format!("{} {rows} turned away and stand for nothing", grouped(self.rejected)))?;
        }
        if self.kinds_by == KindsBy::Sequence
            && self.interactions >= MANY
            && self.different_kinds * 2 > self.interactions
        {
            wrapped(f, 2, "most kinds have a single interaction; --kinds tools tells fewer apart")?;
        }
        if self.kinds_with_a_case == self.different_kinds {
            return wrapped(f, 2, "every kind has a case");
        }
        let without = counted(self.different_kinds - self.kinds_with_a_case, "kind");
        let (spread, whose) = (share(&self.spread_traffic, &self.traffic), self.spread_over());
        wrapped(f, 2, &format!("{without} with {spread} of the traffic have no case; {whose} stand for them"))?;
        wrapped(f, 2, &format!("--cases {} would give each kind one", self.different_kinds))
    }

    /// Who stands for the kinds without a case.
    fn spread_over(&self) -> &'static str {
        let has_empty = self.strata.iter().any(|stratum| stratum.cases == 0);
        match (self.strata.len(), has_empty) {
            (1, _) => "the others",
            (_, false) => "the others of their stratum",
            (_, true) => "the others of their stratum, or all where it has none,",
        }
    }

    fn strata(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.strata.len() < 2 {
            return Ok(());
        }
        let by = self.by.iter().map(ToString::to_string).collect::<Vec<_>>().join(" / ");
        let title = cut(&format!("By {by}"), STRATUM - 1);
        writeln!(f, "\n{title:<STRATUM$}{:>10}{:>8}{:>8}{:>9}", "recorded", "kinds", "drawn", "traffic")?;
        for stratum in self.strata.iter().take(STRATA) {
            let name = cut(&stratum.stratum, STRATUM - 3);
            let (rows, kinds, cases) = (grouped(stratum.interactions), grouped(stratum.kinds), grouped(stratum.cases));
            let traffic = share(&stratum.traffic, &self.traffic);
            writeln!(f, "  {name:<width$}{rows:>10}{kinds:>8}{cases:>8}{traffic:>9}", width = STRATUM - 2)?;
        }
        match self.strata.len().saturating_sub(STRATA) {
            0 => Ok(()),
            more => writeln!(f, "  and {} more", grouped(more as u64)),
        }
    }

    fn kinds(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = |f: &mut fmt::Formatter<'_>, title| {
            writeln!(f, "\n{title:<KIND$}{:>10}{:>8}{:>9}", "recorded", "drawn", "traffic")
        };
        let all = self.kinds.len();
        if all <= LARGEST + RAREST {
            title(f, "Kinds")?;
            return self.kinds.iter().try_for_each(|kind| self.kind(f, kind));
        }
        title(f, "Largest kinds")?;
        self.kinds.iter().take(LARGEST).try_for_each(|kind| self.kind(f, kind))?;
        title(f, "Rarest kinds")?;
        self.kinds.iter().skip(all - RAREST).try_for_each(|kind| self.kind(f, kind))?;
        let between = self.different_kinds - (LARGEST + RAREST) as u64;
        writeln!(f, "  and {} between them (--json lists them)", grouped(between))
    }

    fn kind(&self, f: &mut fmt::Formatter<'_>, kind: &DrawnKind) -> fmt::Result {
        let name = if self.strata.len() < 2 { kind.kind.clone() } else { format!("{}: {}", kind.stratum, kind.kind) };
        let name = middle_out(&name, KIND - 3);
        let (rows, cases, traffic) =
            (grouped(kind.interactions), grouped(kind.cases), share(&kind.traffic, &self.traffic));
        writeln!(f, "  {name:<width$}{rows:>10}{cases:>8}{traffic:>9}", width = KIND - 2)
    }
}

/// A text of at most so many characters. Long sequences often begin alike, so the middle is what goes.
fn middle_out(text: &str, width: usize) -> String {
    let shown: Vec<char> = cut(text, usize::MAX).chars().collect();
    if shown.len() <= width {
        return shown.into_iter().collect();
    }
    let end = (width - 1) / 2;
    let (start, end) = (&shown[..width - 1 - end], &shown[shown.len() - end..]);
    start.iter().chain(&['…']).chain(end).collect()
}

/// An amount with the digits before its point in threes.
fn amount(number: &Json) -> String {
    let (whole, fraction) = number.text().split_once('.').unwrap_or((number.text(), ""));
    let whole = whole.parse::<u128>().map_or_else(|_| whole.to_owned(), grouped);
    if fraction.is_empty() { whole } else { format!("{whole}.{fraction}") }
}

/// A share in percent. What is not all is never shown as all, nor what is something as nothing.
fn share(part: &Json, whole: &Json) -> String {
    let number = |json: &Json| json.text().parse::<f64>().unwrap_or_default();
    let (part, whole) = (number(part), number(whole));
    if part == 0.0 || whole == 0.0 {
        return "0 %".into();
    }
    if part == whole {
        return "100 %".into();
    }
    let percent = part * 100.0 / whole;
    if percent < 0.1 { "< 0.1 %".into() } else { format!("{:.1} %", percent.min(99.9)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_never_rounded_to_all_or_nothing() {
        let share = |part: f64, whole: f64| share(&Json::of(&part), &Json::of(&whole));
        assert_eq!(
            [share(0.0, 5.0), share(5.0, 5.0), share(1.0, 1e6), share(999_999.0, 1e6), share(1.0, 3.0)],
            ["0 %", "100 %", "< 0.1 %", "99.9 %", "33.3 %"]
        );
    }

    #[test]
    fn of_a_long_name_both_ends_are_seen() {
        assert_eq!(
            [middle_out("abcdefgh", 5), middle_out("abcde", 5), middle_out("a\nb", 9)],
            ["ab…gh", "abcde", "a\\u{a}b"]
        );
    }

    #[test]
    fn an_amount_keeps_its_fraction() {
        let amount = |text: &str| amount(&Json::parse(text).unwrap());
        assert_eq!((amount("1234.50"), amount("999")), ("1,234.50".into(), "999".into()));
    }
}
