//! The judgement: the narrowest way of comparing that accepts all that was seen to vary, or why there is none.

use super::ladder::{by_shape, ladder};
use super::places::Place;
use crate::compare::How;

/// How much must be seen before anything is proposed.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// At least so many pairs of calls differ at a place.
    pub min_support: u64,
    /// At least this share of the pairs, from 0 to 1.
    pub min_share: f64,
    /// What becomes of rules that look away from a place.
    pub last_resort: LastResort,
}

/// What becomes of `ignore` rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LastResort {
    /// They are commented out.
    #[default]
    CommentedOut,
    /// They are proposed like others.
    Proposed,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { min_support: 3, min_share: 0.5, last_resort: LastResort::default() }
    }
}

/// What is made of a place.
#[derive(Clone, Debug)]
pub(super) enum Ruling {
    /// Ways of comparing that together accept what varies.
    Rules(Chosen),
    /// It varies, and nothing is proposed.
    None(WhyNot),
    /// It does not vary, as far as is known.
    Steady,
}

/// Ways of comparing, and why these.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    pub(super) hows: Vec<How>,
    pub(super) standing: Standing,
    pub(super) why: String,
}

/// Whether a rule stands in the suite or is commented out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    Proposed,
    CommentedOut(Doubt),
}

/// Why a rule is commented out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doubt {
    ShapeAlone,
    Words,
    Numbers,
    Days,
    AbsentMeansWord,
    LooksAway,
    NeverCounted,
    MayBeReference,
}

impl Doubt {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Doubt::ShapeAlone => "as nothing was repeated here and the values may mean something",
            Doubt::Words => "as the values are words and the rule would hide what they say",
            Doubt::Numbers => "as the values may be amounts and the rule would hide which",
            Doubt::Days => "as a day more or less may mean something",
            Doubt::AbsentMeansWord => "as only the tool knows whether leaving it out means the same",
            Doubt::LooksAway => "as it looks away from the place altogether",
            Doubt::MayBeReference => {
                "as the recorded values came out of earlier results: `reference` may be meant, which a run cannot show"
            }
            Doubt::NeverCounted => "as the recordings of the run are gone, and with them how often it did not differ",
        }
    }
}

/// Why a place that varies gets no rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WhyNot {
    TooFew,
    TooRare,
    Said,
    AFewValues,
    Items,
    NotAccepted,
}

/// What was tried before and did not hold.
pub(super) type IsBanned<'a> = &'a dyn Fn(&[How]) -> bool;

/// Judges a place.
pub(super) fn judge(path: &str, place: &Place, bounds: &Bounds, is_banned: IsBanned<'_>) -> Ruling {
    let Place { look, contrast } = place;
    if contrast.varied < bounds.min_support {
        // What was compared often enough and hardly ever differs needs no rule, whatever it looks like.
        let is_known = contrast.pairs >= bounds.min_support;
        return match by_shape(look, bounds).filter(|chosen| !is_known && !is_banned(&chosen.hows)) {
            Some(chosen) => Ruling::Rules(chosen),
            None if contrast.varied > 0 => Ruling::None(WhyNot::TooFew),
            None => Ruling::Steady,
        };
    }
    if !contrast.is_partial && (contrast.varied as f64) < bounds.min_share * contrast.pairs as f64 {
        return Ruling::None(WhyNot::TooRare);
    }
    let ladder = match ladder(path, place, bounds) {
        Ok(ladder) => ladder,
        Err(why) => return Ruling::None(why),
    };
    match ladder.into_iter().find(|chosen| !is_banned(&chosen.hows)) {
        Some(chosen) if contrast.is_partial && chosen.standing == Standing::Proposed => {
            Ruling::Rules(Chosen { standing: Standing::CommentedOut(Doubt::NeverCounted), ..chosen })
        }
        Some(chosen) => Ruling::Rules(chosen),
        None => Ruling::None(WhyNot::NotAccepted),
    }
}

#[cfg(test)]
mod tests {
    use super::super::apart::Clocks;
    use super::super::contrast::{Around, Equivalences, Origin, Sighting};
    use super::super::said::Said;
    use super::super::side::Side;
    use super::*;
    use crate::recording::{Interaction, Json};

    /// What a place varied by: both sides of each pair, what came from where, what was said.
    struct Seen<'a> {
        pairs: &'a [(&'a str, &'a str)],
        origin: Origin,
        said: &'a str,
        equal: u64,
    }

    impl<'a> Seen<'a> {
        fn of(pairs: &'a [(&'a str, &'a str)]) -> Self {
            Self { pairs, origin: Origin::Elsewhere, said: "hello", equal: 0 }
        }

        /// The place; `-` is nothing.
        fn place(&self) -> Place {
            let (mut place, equivalences) = (Place::default(), Equivalences::new());
            let said = Said::of(&Interaction::new(Json::string(self.said)));
            for (at, (expected, seen)) in (0..).zip(self.pairs) {
                let around =
                    Around { said: [Some(&said), None], clocks: Clocks::default(), interactions: [2 * at, 2 * at + 1] };
                let side = |text: &'a str| Side::read(Some(text).filter(|text| *text != "-"));
                let (expected, seen) = (side(expected), side(seen));
                let changes_type = match (expected.json(), seen.json()) {
                    (Some(a), Some(b)) => a.kind() != b.kind(),
                    _ => false,
                };
                place.contrast.add_pair();
                place.contrast.add_varied(at);
                let sighting = Sighting { expected, seen, changes_type, origin: self.origin, around: &around };
                place.contrast.add(&sighting, &equivalences);
            }
            (0..self.equal).for_each(|_| place.contrast.add_pair());
            place
        }

        fn told(&self) -> String {
            told(&judge("$.v", &self.place(), &Bounds::default(), &|_| false))
        }
    }

    fn told(ruling: &Ruling) -> String {
        match ruling {
            Ruling::Steady => "steady".into(),
            Ruling::None(why) => format!("none: {why:?}"),
            Ruling::Rules(chosen) => {
                let hows: Vec<String> = chosen.hows.iter().map(ToString::to_string).collect();
                let mark = if chosen.standing == Standing::Proposed { "" } else { "#" };
                format!("{mark}{}", hows.join(" and "))
            }
        }
    }

    #[test]
    fn the_narrowest_rule_that_accepts_everything_is_chosen() {
        let table: [(&[(&str, &str)], &str); 17] = [
            (&[("\"Rome\"", "\"ROME\""), ("\"Oslo\"", "\"oslo\""), ("\"a\"", "\"A\"")], "caseless"),
            (&[("\"a\"", "\"a \""), ("\"b\"", "\" b\""), ("\"c\"", "\"c\\n\"")], "trim"),
            (&[("\"A\"", "\"a \""), ("\"b\"", "\" b\""), ("\"c\"", "\"C\"")], "trim and caseless"),
            (&[("[1,2]", "[2,1]"), ("[3,4]", "[4,3]"), ("[5,6]", "[6,5]")], "bag"),
            (&[("[1,2]", "[2,1]"), ("[3,4]", "[4,3,3]"), ("[5,6]", "[6,5]")], "set"),
            (&[("null", "-"), ("-", "null"), ("null", "-")], "null-is-absent"),
            (&[("10", "-"), ("-", "10"), ("10", "-")], "default(10)"),
            (&[("[]", "-"), ("-", "[]"), ("[]", "-")], "default([])"),
            (&[("\"open\"", "-"), ("-", "\"open\""), ("-", "\"open\"")], "#default(\"open\")"),
            (&[("1", "-"), ("-", "2"), ("3", "-")], "optional"),
            (&[("\"A\"", "\"a\""), ("\"B\"", "\"b\""), ("\"c\"", "-")], "#caseless and default(\"c\")"),
            (&[("\"A\"", "\"a\""), ("\"B\"", "\"b\""), ("9", "-")], "caseless and default(9)"),
            (&[("1.01", "1.02"), ("2.5", "2.51"), ("99", "99.1")], "tolerance(1%)"),
            (
                &[("\"ord_1\"", "\"ord_12\""), ("\"ord_7\"", "\"ord_8\""), ("\"ord_3\"", "\"ord_4\"")],
                "regex(^ord_[0-9]+$)",
            ),
            (&[("123456", "234567"), ("345678", "456789"), ("111111", "222222")], "type"),
            (&[("3", "4"), ("17", "5"), ("9", "8")], "#type"),
            (&[("3", "\"4\""), ("17", "5"), ("9", "8")], "#ignore"),
        ];
        for (pairs, wanted) in table {
            assert_eq!(Seen::of(pairs).told(), wanted, "{pairs:?}");
        }
    }

    #[test]
    fn times_get_a_window_or_where_that_is_too_wide_a_pattern() {
        let near = [
            ("\"2026-01-01T00:00:00Z\"", "\"2026-01-01T00:03:00Z\""),
            ("\"2026-01-02T00:00:00Z\"", "\"2026-01-02T00:01:00Z\""),
            ("\"2026-01-03T00:00:00Z\"", "\"2026-01-03T00:04:30Z\""),
        ];
        assert_eq!(Seen::of(&near).told(), "window(5m)");
        let far = near.map(|(expected, _)| (expected, "\"2026-06-01T00:00:00Z\""));
        assert!(Seen::of(&far).told().starts_with("regex(^[0-9]{4}-"), "{}", Seen::of(&far).told());
        let days = [
            ("\"2026-01-01\"", "\"2026-01-02\""),
            ("\"2026-02-01\"", "\"2026-02-02\""),
            ("\"2026-03-01\"", "\"2026-03-02\""),
        ];
        assert_eq!(Seen::of(&days).told(), "#window(24h)");
        let epochs = [("1767225600", "1767225610"), ("1767225700", "1767225710"), ("1767225800", "1767225830")];
        assert_eq!(Seen::of(&epochs).told(), "window(30s)");
    }

    #[test]
    fn what_came_out_of_one_place_is_known_by_that() {
        let ids = [("\"ord_1\"", "\"ord_12\""), ("\"ord_7\"", "\"ord_8\""), ("\"ord_3\"", "\"ord_4\"")];
        assert_eq!(Seen { origin: Origin::OnePlace, ..Seen::of(&ids) }.told(), "reference");
        let held = Seen { origin: Origin::OnePlace, said: "pay ord_1 and ord_7", ..Seen::of(&ids) };
        assert_eq!(held.told(), "none: Said");
        // What did not hold is left out, and the next narrow rule is taken.
        let place = Seen { origin: Origin::OnePlace, ..Seen::of(&ids) }.place();
        let next = judge("$.v", &place, &Bounds::default(), &|hows| matches!(hows, [How::Reference]));
        assert_eq!(told(&next), "regex(^ord_[0-9]+$)");
        assert_eq!(told(&judge("$.v", &place, &Bounds::default(), &|_| true)), "none: NotAccepted");
    }

    #[test]
    fn what_may_mean_something_gets_no_rule() {
        let status = [("\"open\"", "\"closed\""), ("\"closed\"", "\"open\""), ("\"open\"", "\"closed\"")];
        assert_eq!(Seen::of(&status).told(), "none: AFewValues");
        let flags = [("true", "false"), ("false", "true"), ("true", "false")];
        assert_eq!(Seen::of(&flags).told(), "none: AFewValues");
        let said = Seen { said: "Refund order ord_1 please", ..Seen::of(&[("\"ord_1\"", "\"ord_2\""); 3]) };
        assert_eq!(said.told(), "none: Said");
        let dropped = Seen { said: "at most 10, please", ..Seen::of(&[("10", "-"); 3]) };
        assert_eq!(dropped.told(), "none: Said");
        assert_eq!(Seen::of(&[("1", "2"), ("3", "4")]).told(), "none: TooFew");
        let ids = [("\"ord_1\"", "\"ord_12\""), ("\"ord_7\"", "\"ord_8\""), ("\"ord_3\"", "\"ord_4\"")];
        assert_eq!(Seen { equal: 4, ..Seen::of(&ids) }.told(), "none: TooRare");
        assert!(Seen { equal: 3, ..Seen::of(&ids) }.told().starts_with("regex"));
    }

    #[test]
    fn ignoring_is_proposed_only_where_it_is_asked_for() {
        let place = Seen::of(&[("3", "\"4\""), ("17", "5"), ("9", "8")]).place();
        let bounds = Bounds { last_resort: LastResort::Proposed, ..Bounds::default() };
        assert_eq!(told(&judge("$.v", &place, &bounds, &|_| false)), "ignore");
    }

    #[test]
    fn items_that_come_and_go_get_no_rule() {
        let place = Seen::of(&[("1", "-"), ("-", "2"), ("3", "-")]).place();
        assert_eq!(told(&judge("$.v[*]", &place, &Bounds::default(), &|_| false)), "none: Items");
        assert_eq!(told(&judge("$[\"a]\"]", &place, &Bounds::default(), &|_| false)), "optional");
    }
}
