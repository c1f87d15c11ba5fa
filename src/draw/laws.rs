//! What holds for every drawing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;

use super::amount::Amount;
use super::census::Census;
use super::places::places;
use super::tickets::winners;
use super::wanted::{Size, Wanted};
use super::weights::weights;
use crate::recording::{At, CaseId, Json, Place, Row, wire};

/// Traffic of some scenarios, some tools that fail at times, and weights of all kinds.
fn traffic() -> impl Strategy<Value = Vec<Row>> {
    let call = prop_oneof![4 => Just(r#"{"name":"a"}"#), 2 => Just(r#"{"name":"b"}"#), 1 => Just(r#"{"name":"a","error":"no"}"#)];
    let weight = prop_oneof![
        4 => Just(String::new()),
        2 => (1..2000_u32).prop_map(|weight| format!(r#","weight":{weight}"#)),
        1 => (0..300_u32).prop_map(|weight| format!(r#","weight":{}"#, f64::from(weight) / 100.0)),
        1 => Just(r#","weight":0.3333333333333333"#.to_owned()),
    ];
    let row = (0..5_u8, vec(call, 0..4), weight).prop_map(|(scenario, calls, weight)| {
        format!(r#"{{"input":"x","scenario":"s{scenario}","toolCalls":[{}]{weight}}}"#, calls.join(","))
    });
    vec(row, 1..120).prop_map(|lines| {
        let row = |(number, line): (u64, String)| Row {
            place: Place { file: Path::new("x").into(), at: At::Line { number, offset: 0 } },
            id: CaseId::new(format!("case-{number}")),
            interaction: wire::read(&Json::parse(line).unwrap()).unwrap(),
        };
        (1..).zip(lines).map(row).collect()
    })
}

fn wanted() -> impl Strategy<Value = Wanted> {
    let size = prop_oneof![1 => Just(Size::EveryKind), 4 => (1..130_u64).prop_map(Size::Cases)];
    let per_kind = prop_oneof![3 => Just(None), 1 => (1..5_u64).prop_map(Some)];
    (size, per_kind, "[0-9]{1,3}").prop_map(|(size, per_kind, seed)| Wanted {
        size,
        per_kind,
        seed: seed.parse().unwrap(),
        ..Wanted::default()
    })
}

fn census(rows: &[Row], wanted: &Wanted) -> Census {
    let mut census = Census::new(wanted);
    rows.iter().for_each(|row| census.add(row).unwrap());
    census
}

/// Which cases were drawn, and what each stands for.
fn drawn(rows: &[Row], wanted: &Wanted) -> BTreeMap<CaseId, Amount> {
    let census = census(rows, wanted);
    let winners = winners(&census, &places(&census, wanted));
    let weights = weights(&census, &winners);
    let cases = winners.iter().flat_map(|(kind, winners)| winners.iter().zip(weights.of_cases(*kind, winners)));
    cases.map(|(winner, weight)| (rows[winner.row].id.clone(), weight)).collect()
}

fn sum<'a>(amounts: impl IntoIterator<Item = &'a Amount>) -> Amount {
    amounts.into_iter().try_fold(Amount::default(), |sum, amount| sum.plus(*amount)).unwrap()
}

fn own_weight(row: &Row) -> Amount {
    Amount::of_weight(row.interaction.traffic()).unwrap()
}

proptest! {
    #[test]
    fn weights_add_up_to_the_traffic(rows in traffic(), wanted in wanted()) {
        let traffic: Vec<Amount> = rows.iter().map(own_weight).collect();
        prop_assert_eq!(sum(drawn(&rows, &wanted).values()), sum(&traffic));
    }

    #[test]
    fn no_case_stands_for_less_than_itself(rows in traffic(), wanted in wanted()) {
        let drawn = drawn(&rows, &wanted);
        for row in rows.iter().filter(|row| drawn.contains_key(&row.id)) {
            prop_assert!(drawn[&row.id] >= own_weight(row));
        }
    }

    #[test]
    fn the_order_of_the_traffic_changes_nothing(
        (rows, shuffled) in traffic().prop_flat_map(|rows| (Just(rows.clone()), Just(rows).prop_shuffle())),
        wanted in wanted(),
    ) {
        prop_assert_eq!(drawn(&rows, &wanted), drawn(&shuffled, &wanted));
    }

    #[test]
    fn every_kind_has_a_case_before_any_has_two(rows in traffic(), wanted in wanted()) {
        let census = census(&rows, &wanted);
        let places = places(&census, &wanted);
        let most = wanted.per_kind.unwrap_or(u64::MAX);
        prop_assert!(places.iter().zip(&census.kinds).all(|(places, kind)| *places <= kind.interactions.min(most)));
        let has_two = places.iter().any(|places| *places > 1);
        prop_assert!(!has_two || places.iter().all(|places| *places > 0));
        if let (Size::Cases(cases), None) = (wanted.size, wanted.per_kind) {
            prop_assert_eq!(places.iter().sum::<u64>(), cases.min(rows.len() as u64));
        }
        if wanted.size == Size::EveryKind {
            prop_assert!(places.iter().all(|places| *places > 0));
        }
    }

    #[test]
    fn every_stratum_has_a_case_where_there_are_enough(rows in traffic(), wanted in wanted()) {
        let census = census(&rows, &wanted);
        let places = places(&census, &wanted);
        let strata: BTreeSet<u32> = census.kinds.iter().zip(&places).filter(|it| *it.1 > 0).map(|it| it.0.stratum).collect();
        prop_assert_eq!(strata.len() as u64, (census.strata.len() as u64).min(places.iter().sum()));
    }

    #[test]
    fn what_has_no_case_has_no_more_traffic_than_what_has_one(rows in traffic(), wanted in wanted()) {
        let census = census(&rows, &wanted);
        let places = places(&census, &wanted);
        let kinds = || census.kinds.iter().zip(&places);
        for (without, _) in kinds().filter(|(_, places)| **places == 0) {
            let mut others = kinds().filter(|(kind, places)| kind.stratum == without.stratum && **places > 0);
            prop_assert!(others.all(|(kind, _)| kind.traffic >= without.traffic));
        }
    }

    #[test]
    fn a_larger_suite_holds_the_smaller(rows in traffic(), small in 1..100_u64, more in 0..50_u64) {
        let of = |cases| drawn(&rows, &Wanted { size: Size::Cases(cases), ..Wanted::default() });
        let (small, large) = (of(small), of(small + more));
        prop_assert!(small.keys().all(|id| large.contains_key(id)));
    }

    #[test]
    fn where_all_are_drawn_each_stands_for_itself(rows in traffic()) {
        let drawn = drawn(&rows, &Wanted { size: Size::Cases(1000), ..Wanted::default() });
        prop_assert!(rows.iter().all(|row| drawn[&row.id] == own_weight(row)));
    }
}

#[test]
fn what_stands_for_more_traffic_is_drawn_more_often() {
    let line = |weight| format!(r#"{{"input":"x","toolCalls":[],"weight":{weight}}}"#);
    let row = |id: &str, weight| Row {
        place: Place { file: Path::new("x").into(), at: At::Line { number: 1, offset: 0 } },
        id: CaseId::new(id),
        interaction: wire::read(&Json::parse(line(weight)).unwrap()).unwrap(),
    };
    let rows = [row("light", 1), row("heavy", 9)];
    let is_heavy = |seed: u32| {
        let wanted = Wanted { seed: seed.to_string().parse().unwrap(), ..Wanted::default() };
        drawn(&rows, &wanted).contains_key(&CaseId::new("heavy"))
    };
    let heavy = (0..1000).filter(|seed| is_heavy(*seed)).count();
    // Nine times in ten, give or take three standard deviations.
    assert!((871..930).contains(&heavy), "{heavy}");
}
