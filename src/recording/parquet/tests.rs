use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float32Array,
    Int32Array, Int64Array, LargeStringArray, ListArray, RecordBatch, StringArray, StringViewArray, StructArray,
    TimestampMicrosecondArray, UInt64Array,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field as Column};
use parquet::arrow::ArrowWriter;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

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

/// A file of another writer.
fn foreign(columns: &[(&str, ArrayRef)]) -> File {
    foreign_of_schema(columns, None)
}

fn foreign_of_schema(columns: &[(&str, ArrayRef)], version: Option<&str>) -> File {
    let batch = RecordBatch::try_from_iter(columns.iter().cloned()).unwrap();
    let pairs = version.map(|version| vec![KeyValue::new(SCHEMA_KEY.to_owned(), version.to_owned())]);
    let properties = WriterProperties::builder().set_key_value_metadata(pairs).build();
    let mut writer = ArrowWriter::try_new(tempfile::tempfile().unwrap(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

fn texts(texts: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(texts.to_vec()))
}

/// What is written of each row as JSONL.
fn lines(columns: &[(&str, ArrayRef)]) -> Vec<String> {
    read_back(foreign(columns)).into_iter().map(|row| wire::write(&row.unwrap().1)).collect()
}

fn refusal(file: File) -> String {
    match rows(Path::new("x.parquet").into(), file) {
        Err(fault) => fault.to_string(),
        Ok(_) => panic!("it was read"),
    }
}

#[test]
fn harmless_types_are_read_as_what_they_stand_for() {
    let columns: [(&str, ArrayRef); 11] = [
        ("id", Arc::new(Int64Array::from(vec![7]))),
        ("input", Arc::new(LargeStringArray::from(vec!["hi"]))),
        ("output", Arc::new(StringViewArray::from(vec!["there"]))),
        ("scenario", Arc::new(DictionaryArray::<Int8Type>::from_iter(["s"]))),
        ("agent", Arc::new(BinaryArray::from(vec![&b"a"[..]]))),
        ("model_calls", Arc::new(Int32Array::from(vec![2]))),
        ("tokens", Arc::new(UInt64Array::from(vec![u64::MAX]))),
        ("latency_ms", Arc::new(Float32Array::from(vec![0.1]))),
        ("cost", Arc::new(Decimal128Array::from(vec![110]).with_precision_and_scale(10, 2).unwrap())),
        ("recorded_at", Arc::new(TimestampMicrosecondArray::from(vec![1_767_323_045_600_000]).with_timezone("UTC"))),
        ("truncated", Arc::new(BooleanArray::from(vec![false]))),
    ];
    let row = read_back(foreign(&columns)).pop().unwrap().unwrap().1;
    assert_eq!(row.id.as_ref().unwrap().as_str(), "7");
    assert_eq!(row.tokens.total, Some(u64::MAX));
    assert_eq!(row.latency_ms, Some(0.1));
    assert_eq!(row.cost.unwrap().to_string(), "1.10");
    assert_eq!(row.recorded_at.as_deref(), Some("2026-01-02T03:04:05.6Z"));
    assert_eq!((row.scenario.as_deref(), row.agent.as_deref()), (Some("s"), Some("a")));
    assert_eq!((row.output.unwrap().text(), row.truncated), ("\"there\"", Some(false)));
}

#[test]
fn plain_text_of_other_writers_is_a_text_and_json_is_json() {
    let input = texts(&["where is it", "{\"a\":1}", "12", "null", "[1", "\"q\""]);
    let inputs: Vec<_> = lines(&[("input", input)]);
    let wanted = [r#""where is it""#, r#"{"a":1}"#, r#""12""#, r#""null""#, r#""[1""#, r#""q""#];
    assert_eq!(inputs, wanted.map(|input| format!("{{\"input\":{input}}}")));
}

#[test]
fn in_a_file_of_ours_text_that_is_no_json_is_turned_away_with_its_row() {
    let mut rows = read_back(foreign_of_schema(&[("input", texts(&["1", "oops"]))], Some("1")));
    let reject = rows.pop().unwrap().unwrap_err();
    assert!(reject.to_string().starts_with("x.parquet, row group 1, row 2: \"input\" is no JSON"), "{reject}");
    assert_eq!(String::from_utf8(reject.raw).unwrap(), r#"{"input":"oops"}"#);
    assert!(rows.pop().unwrap().is_ok());
}

#[test]
fn columns_of_other_names_are_kept() {
    let odd = StructArray::from(vec![(
        Arc::new(Column::new("a", DataType::Int32, true)),
        Arc::new(Int32Array::from(vec![Some(1), None])) as ArrayRef,
    )]);
    let columns: [(&str, ArrayRef); 4] = [
        ("input", texts(&["x", "y"])),
        ("tier", Arc::new(StringArray::from(vec![Some("gold"), None]))),
        ("day", Arc::new(Date32Array::from(vec![20_000, 20_001]))),
        ("odd", Arc::new(odd)),
    ];
    assert_eq!(
        lines(&columns),
        [
            r#"{"input":"x","tier":"gold","day":"2024-10-04","odd":{"a":1}}"#,
            r#"{"input":"y","day":"2024-10-05","odd":{"a":null}}"#
        ]
    );
}

fn calls(columns: Vec<(&str, ArrayRef)>) -> ArrayRef {
    let parts: Vec<_> = columns
        .into_iter()
        .map(|(name, column)| (Arc::new(Column::new(name, column.data_type().clone(), true)), column))
        .collect();
    let calls = StructArray::from(parts);
    let item = Arc::new(Column::new("item", calls.data_type().clone(), true));
    Arc::new(ListArray::new(item, OffsetBuffer::from_lengths([calls.len()]), Arc::new(calls), None))
}

#[test]
fn calls_of_other_writers_are_read_as_structs_or_as_json() {
    let structs = calls(vec![
        ("name", texts(&["t", "u"])),
        ("arguments", Arc::new(StringArray::from(vec![Some("{\"a\":1}"), None]))),
        ("step", Arc::new(Int32Array::from(vec![3, 3]))),
        ("colour", texts(&["red", "blue"])),
    ]);
    let by_struct = lines(&[("input", texts(&["x"])), ("tool_calls", structs)]);
    let wanted = r#"[{"name":"t","arguments":{"a":1},"step":3,"colour":"red"},{"name":"u","step":3,"colour":"blue"}]"#;
    assert_eq!(by_struct, [format!("{{\"input\":\"x\",\"toolCalls\":{wanted}}}")]);
    assert_eq!(lines(&[("input", texts(&["x"])), ("tool_calls", texts(&[wanted]))]), by_struct);
}

#[test]
fn a_file_that_is_no_recording_is_refused_with_what_it_has() {
    let x = || ("input", texts(&["x"]));
    let number: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    assert_eq!(
        refusal(foreign(&[("question", texts(&["x"])), ("n", number.clone())])),
        "it has no column \"input\"; its columns are question, n"
    );
    assert_eq!(
        refusal(foreign(&[x(), ("latency_ms", texts(&["1"]))])),
        "the column \"latency_ms\" is text, it should be a number (DOUBLE)"
    );
    assert_eq!(
        refusal(foreign(&[x(), ("output", number.clone())])),
        "the column \"output\" is Int64, it should be JSON as text (UTF8)"
    );
    assert_eq!(
        refusal(foreign(&[x(), ("tool_calls", calls(vec![("tool", texts(&["t"]))]))])),
        "the column \"tool_calls\" holds structs without a \"name\"; they have tool"
    );
    assert_eq!(
        refusal(foreign(&[x(), ("tool_calls", calls(vec![("name", texts(&["t"])), ("result", number)]))])),
        "the column \"tool_calls.result\" is Int64, it should be JSON as text (UTF8)"
    );
    assert!(
        refusal(foreign_of_schema(&[x()], Some("2"))).contains("of version \"2\", this taketwo knows versions up to 1")
    );
    assert!(refusal(tempfile::tempfile().unwrap()).contains("too small"));
}

#[test]
fn bytes_that_are_no_text_are_turned_away() {
    let input: ArrayRef = Arc::new(BinaryArray::from(vec![&b"a\xFF"[..], b"b"]));
    let rows = read_back(foreign(&[("input", input)]));
    assert!(rows[0].as_ref().unwrap_err().to_string().contains("the bytes are no UTF-8 text"));
    assert_eq!(rows[1].as_ref().unwrap().1.input.text(), "\"b\"");
}

#[test]
fn a_count_that_makes_no_sense_is_doubted_and_kept() {
    let columns: [(&str, ArrayRef); 3] = [
        ("input", texts(&["x"])),
        ("model_calls", Arc::new(Int64Array::from(vec![-1]))),
        ("latency_ms", Arc::new(Float32Array::from(vec![f32::NAN]))),
    ];
    let row = read_back(foreign(&columns)).pop().unwrap().unwrap().1;
    assert_eq!((row.model_calls.as_ref(), row.latency_ms, row.doubts.len()), (None, None, 2));
    assert_eq!(wire::write(&row), r#"{"input":"x","modelCalls":-1,"latencyMs":"NaN"}"#);
}

#[test]
fn a_lost_row_group_is_counted_by_its_rows_and_the_others_are_read() {
    let many: Vec<_> = (0..70_000).map(|n| interaction(&format!("{{\"input\":{n}}}"))).collect();
    let mut file = written(&many);
    let plan = plan::Plan::new(&file).unwrap();
    let first = plan.metadata.metadata().row_group(0).column(1).data_page_offset() as u64;
    std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(first)).unwrap();
    std::io::Write::write_all(&mut file, &[0xFF; 64]).unwrap();
    let rows = read_back(file);
    let lost = rows[0].as_ref().unwrap_err();
    assert_eq!((lost.rows(), lost.place.to_string().as_str()), (65_536, "x.parquet, row group 1, row 1"));
    assert_eq!(rows[1].as_ref().unwrap().0, super::super::At::Row { group: 2, number: 65_537 });
    assert_eq!(rows.len() - 1, 70_000 - 65_536);
}
