use std::fs::File;
use std::path::Path;

use proptest::prelude::*;

use super::super::arbitrary;
use super::super::json::Json;
use super::super::wire;
use super::super::{Interaction, Row};
use super::*;

fn read_back(file: File) -> Vec<super::super::source::Read> {
    rows(Path::new("x.parquet").into(), file).unwrap().collect()
}

fn written(interactions: &[Interaction]) -> File {
    let mut writer = ParquetWriter::new(tempfile::tempfile().unwrap()).unwrap();
    for it in interactions {
        writer.write(it).unwrap();
    }
    writer.finish().unwrap()
}

fn through_parquet(it: &Interaction) -> Interaction {
    let mut rows = read_back(written(std::slice::from_ref(it)));
    assert_eq!(rows.len(), 1);
    rows.pop().unwrap().unwrap().1
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn every_interaction_comes_back_as_it_was(lines in proptest::collection::vec(arbitrary::line(), 1..5)) {
        let interactions: Vec<_> =
            lines.into_iter().filter_map(|line| wire::read(&Json::parse(line).unwrap()).ok()).collect();
        let rows = read_back(written(&interactions));
        prop_assert_eq!(rows.len(), interactions.len());
        for (row, was) in rows.into_iter().zip(interactions) {
            prop_assert_eq!(row.unwrap().1, was);
        }
    }
}

fn interaction(line: &str) -> Interaction {
    wire::read(&Json::parse(line).unwrap()).unwrap()
}

#[test]
fn no_list_is_not_an_empty_list() {
    let absent = through_parquet(&interaction(r#"{"input":"a"}"#));
    let empty = through_parquet(&interaction(r#"{"input":"a","toolCalls":[],"tags":[]}"#));
    assert_eq!((absent.tool_calls, absent.tags), (None, None));
    assert_eq!((empty.tool_calls, empty.tags), (Some(vec![]), Some(vec![])));
}

#[test]
fn a_doubt_comes_back() {
    let it = interaction(r#"{"input":"a","latencyMs":"fast","toolCalls":[{"name":"t","step":"x"}]}"#);
    assert_eq!(it.doubts.len(), 2);
    assert_eq!(through_parquet(&it).doubts, it.doubts);
}

#[test]
fn a_count_beyond_64_bits_with_sign_stays_exact() {
    let it = interaction(r#"{"input":"a","tokens":{"input":18446744073709551615},"modelCalls":9223372036854775808}"#);
    assert_eq!(through_parquet(&it), it);
}

#[test]
fn rows_are_counted_over_row_groups() {
    let many: Vec<_> = (0..70_000).map(|n| interaction(&format!("{{\"input\":{n}}}"))).collect();
    let rows = read_back(written(&many));
    let last = rows.last().unwrap().as_ref().unwrap();
    assert_eq!(last.0, super::super::At::Row { group: 2, number: 70_000 });
    assert_eq!(last.1.input.text(), "69999");
    assert_eq!(rows.len(), 70_000);
}

#[test]
fn a_row_is_its_name_where_it_has_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.parquet");
    std::io::copy(&mut rewound(written(&[interaction(r#"{"input":"a"}"#)])), &mut File::create(&path).unwrap())
        .unwrap();
    let recordings = super::super::Recordings::open(&[path.to_str().unwrap()]).unwrap();
    let rows: Vec<Row> = recordings.rows().unwrap().map(Result::unwrap).collect();
    assert_eq!(rows[0].id.as_str(), "replay-1");
}

fn rewound(mut file: File) -> File {
    std::io::Seek::rewind(&mut file).unwrap();
    file
}
