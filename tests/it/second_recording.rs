//! A second recording stands in for the run, whatever its file looks like, and must not change meanwhile.

use std::io::Write;

use taketwo::recording::{Recordings, SourceError};
use taketwo::replay::target::{PairBy, RecordedTarget};

use crate::program::{Folder, run};

const ROWS: [&str; 3] = [
    r#"{"id":"a","input":"one","output":"1","toolCalls":[{"name":"get","arguments":{"n":1},"result":1}]}"#,
    r#"{"id":"b","input":"two","output":"2","toolCalls":[{"name":"get","arguments":{"n":2},"result":"zwei \u00e4"}]}"#,
    r#"{"id":"c","input":"three","output":"3","toolCalls":[]}"#,
];

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The rows in every form that a file can have, under its name.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let plain = ROWS.join("\n") + "\n";
    vec![
        ("bom.jsonl", format!("\u{feff}{plain}").into_bytes()),
        ("crlf.jsonl", plain.replace('\n', "\r\n").into_bytes()),
        ("blank.jsonl", format!("\n \n{}", plain.replace('\n', "\n\r\n  ")).into_bytes()),
        ("no-end.jsonl", plain.trim_end().as_bytes().to_vec()),
        ("packed.jsonl.gz", gzip(plain.as_bytes())),
        ("packed.jsonl.zst", zstd::encode_all(plain.as_bytes(), 3).unwrap()),
        ("list.json", format!("[{}]", ROWS.join(",\n")).into_bytes()),
        ("plain.jsonl", plain.into_bytes()),
    ]
}

#[test]
fn it_is_read_again_in_whatever_form_it_comes() {
    let folder = Folder::new();
    let first = folder.file("first.jsonl", ROWS.join("\n"));
    for (name, bytes) in files() {
        let second = folder.file(name, bytes);
        let ran = run(&["diff", &first, &second, "--exit-code"]);
        assert_eq!(ran.code, 0, "{name}: {}{}", ran.out, ran.err);
        assert!(ran.out.starts_with("SAME: 3 pairs compared"), "{name}: {}", ran.out);
    }
}

#[test]
fn several_files_together_are_read_again_each_at_its_place() {
    let folder = Folder::new();
    let first = folder.file("first.jsonl", ROWS.join("\n"));
    folder.file("second/1.jsonl", ROWS[2]);
    folder.file("second/2.jsonl.gz", gzip(ROWS[1].as_bytes()));
    folder.file("second/3.jsonl", ROWS[0]);
    for pair_by in ["id", "input"] {
        let ran = run(&["diff", &first, &folder.at("second"), "--pair-by", pair_by, "--exit-code"]);
        assert!(ran.code == 0 && ran.out.starts_with("SAME: 3 pairs"), "{pair_by}: {}{}", ran.out, ran.err);
    }
}

#[test]
fn a_row_after_a_line_that_was_too_long_to_read_is_found_at_its_place() {
    let folder = Folder::new();
    let second = folder.at("second.jsonl");
    let mut file = std::io::BufWriter::new(std::fs::File::create(&second).unwrap());
    file.write_all(&vec![b' '; taketwo::recording::MAX_LINE as usize + 10]).unwrap();
    file.write_all(b"\n").unwrap();
    file.write_all(ROWS.join("\n").as_bytes()).unwrap();
    file.into_inner().unwrap();
    let first = folder.file("first.jsonl", ROWS.join("\n"));
    let ran = run(&["diff", &first, &second, "--max-rejects", "1", "--exit-code"]);
    assert!(ran.code == 0 && ran.out.starts_with("SAME: 3 pairs"), "{}{}", ran.out, ran.err);
}

#[test]
fn rows_that_were_turned_away_at_first_are_turned_away_again() {
    let folder = Folder::new();
    let again = ROWS[0].replace("one", "one more").replace("\"n\":1", "\"n\":9");
    let rows = [ROWS[0], "{\"id\":", &again, ROWS[1], "", ROWS[2]].join("\n");
    let path = folder.file("rows.jsonl", rows);
    let target = format!("recorded:{path}");
    let report = folder.at("report.json");
    let runs = folder.at("runs");
    let ran = run(&["run", &path, "--target", &target, "--max-rejects", "2", "--runs", &runs, "--repeat", "2"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    run(&["report", "last", "--runs", &runs, "--json", "-o", &report]);
    let report: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(report).unwrap()).unwrap();
    let cases: Vec<_> = report["cases"].as_array().unwrap().iter().map(|case| &case["id"]).collect();
    assert_eq!(cases, ["a", "b", "c"]);
    assert_eq!((&report["facts"]["rejected"], &report["summary"]["attempts"]), (&2.into(), &6.into()));
}

#[test]
fn a_file_that_is_written_between_two_looks_is_refused() {
    let folder = Folder::new();
    let path = folder.file("rows.jsonl", ROWS.join("\n") + "\n");
    let recordings = Recordings::open(&[&path]).unwrap();
    let target = RecordedTarget::open(&path, &recordings, PairBy::Id).unwrap();
    let mut rows = recordings.rows().unwrap();
    let first = rows.next().unwrap().unwrap();
    assert_eq!(rows.by_ref().filter(Result::is_ok).count(), 2);
    let look = rows.look();
    assert_eq!(recordings.look_again(&look).unwrap().count(), 3);
    let found = target.find(&first.id, 0, &first.interaction).unwrap().unwrap();
    assert_eq!(found, first.interaction);

    std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"input\":\"late\"}\n").unwrap();
    assert!(matches!(recordings.look_again(&look), Err(SourceError::Changed { .. })));
    let error = target.find(&first.id, 0, &first.interaction).unwrap_err();
    assert!(error.to_string().contains("was changed while it was in use"), "{error}");
}
