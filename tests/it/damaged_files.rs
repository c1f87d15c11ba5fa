//! Whatever happened to a file, no row of it is lost without a word, and nothing crashes.

use std::io::Write;

use crate::corpus::shared;
use crate::program::{Folder, ran, run, taketwo};

const GOOD: &str = "{\"id\":\"a\",\"input\":\"one\"}\n{\"id\":\"b\",\"input\":\"two\"}\n";

/// The lines that a conversion of the file to standard output gives.
fn lines(path: &str) -> (i32, Vec<String>, String) {
    let ran = run(&["convert", path, "-"]);
    (ran.code, ran.out.lines().map(str::to_owned).collect(), ran.err)
}

#[track_caller]
fn reads_as_good(name: &str, bytes: impl AsRef<[u8]>) {
    let folder = Folder::new();
    let (code, lines, err) = lines(&folder.file(name, bytes));
    assert_eq!((code, lines.join("\n") + "\n"), (0, GOOD.to_owned()), "{err}");
}

/// The one row that is turned away, at its place, with its reason; the rows around it are read.
#[track_caller]
fn turns_away(bytes: impl AsRef<[u8]>, good: usize, place: &str, reason: &str) {
    let folder = Folder::new();
    let path = folder.file("x.jsonl", bytes);
    let refused = run(&["convert", &path, "-"]);
    assert_eq!((refused.code, refused.out.as_str()), (2, ""), "nothing is written: {}", refused.err);
    let line = refused.err.lines().next().unwrap_or_default();
    assert!(line.starts_with(&format!("{path}{place}: ")) && line.contains(reason), "{}", refused.err);
    let allowed = run(&["convert", "--max-rejects", "1", &path, "-"]);
    assert_eq!((allowed.code, allowed.out.lines().count()), (0, good), "{}", allowed.err);
}

#[test]
fn how_the_lines_are_written_does_not_matter() {
    reads_as_good("plain.jsonl", GOOD);
    reads_as_good("bom.jsonl", format!("\u{feff}{GOOD}"));
    reads_as_good("crlf.jsonl", GOOD.replace('\n', "\r\n"));
    reads_as_good("blank.jsonl", format!("\n  \n{}\n\n", GOOD.replace('\n', "\n\r\n")));
    reads_as_good("no-end.jsonl", GOOD.trim_end());
    reads_as_good("spaces.jsonl", format!("  {}", GOOD.replace('\n', "  \n\t")));
}

#[test]
fn a_list_and_pretty_printed_objects_are_read() {
    reads_as_good("list.json", format!("[{}]", GOOD.trim_end().replace('\n', ",\n ")));
    reads_as_good(
        "pretty.json",
        "{\n \"id\": \"a\",\n \"input\": \"one\"\n}\n{\n \"id\": \"b\",\n \"input\": \"two\"\n}",
    );
    reads_as_good("blank-before.json", format!("\n\n [{}]", GOOD.trim_end().replace('\n', ",")));
}

#[test]
fn packed_files_are_known_by_their_content() {
    reads_as_good("a.jsonl.gz", gzip(GOOD.as_bytes()));
    reads_as_good("named-otherwise.jsonl", gzip(GOOD.as_bytes()));
    reads_as_good("a.jsonl.zst", zstd::encode_all(GOOD.as_bytes(), 3).unwrap());
    let two_members: Vec<u8> = GOOD.lines().flat_map(|line| gzip(format!("{line}\n").as_bytes())).collect();
    reads_as_good("joined.jsonl.gz", two_members);
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn line_separators_inside_a_text_end_no_line() {
    let folder = Folder::new();
    let line = "{\"input\":\"a\u{2028}b\u{2029}c\u{85}d\"}";
    let (code, lines, _) = lines(&folder.file("x.jsonl", format!("{line}\n")));
    assert_eq!((code, lines), (0, vec![line.to_owned()]));
}

#[test]
fn a_torn_last_line_is_a_warning_and_no_corruption() {
    for torn in [&b"{\"id\":\"c\",\"inp"[..], b"{\"input\":\"\xC3", b"{\"input\":\"x\0\0\0\0", b"\0\0\0\0"] {
        let folder = Folder::new();
        let path = folder.file("x.jsonl", [GOOD.as_bytes(), torn].concat());
        let (code, lines, err) = lines(&path);
        assert_eq!((code, lines.len()), (0, 2), "{err}");
        assert!(err.starts_with(&format!("warning: {path}:3: the last line is cut off")), "{err}");
    }
}

#[test]
fn a_bad_line_is_named_with_its_place_and_the_others_are_read() {
    turns_away(format!("{GOOD}{{\"id\":\"c\", \"input\": oops}}\n{{\"input\":\"d\"}}\n"), 3, ":3:21", "unexpected 'o'");
    turns_away(format!("{GOOD}{{\"input\":\"c\",\"latencyMs\":NaN}}\n"), 2, ":3:26", "NaN is not JSON");
    turns_away(format!("{GOOD}{{\"input\":\"c\",\"cost\":-Infinity}}\n"), 2, ":3:21", "-Infinity is not JSON");
    turns_away(
        format!("{GOOD}{{\"input\":\"é\",\"tags\":7}}\n"),
        2,
        ":3:21",
        "\"tags\" should be a list, this is a number",
    );
    turns_away(
        format!("{GOOD}{{\"input\":\"c\",\"toolCalls\":[{{\"name\":\"t\"}},{{\"name\":{{}}}}]}}\n"),
        2,
        ":3:48",
        "\"toolCalls[1].name\" should be a text, this is an object",
    );
    turns_away(format!("{GOOD}{{\"id\":\"c\"}}\n"), 2, ":3", "no \"input\"");
    turns_away(format!("{GOOD}[1,2]\n"), 2, ":3", "an interaction is an object, this is a list");
    turns_away(format!("{GOOD}{{\"input\":\"c\"}} x\n"), 2, ":3:15", "something follows the JSON value");
    turns_away([GOOD.as_bytes(), b"{\"input\":\"a\0b\"}\n"].concat(), 2, ":3:12", "a bare control character in a text");
    turns_away([GOOD.as_bytes(), b"{\"input\":\"\xFF\"}\n"].concat(), 2, ":3:11", "not UTF-8 text: byte 0xFF");
}

#[test]
fn the_place_counts_blank_lines_and_a_mark_at_the_start() {
    turns_away(
        "\u{feff}\n\n{\"input\":\"a\"}\r\n\r\n{\"input\":\r\n",
        1,
        ":5:10",
        "the JSON ends in the middle of a value",
    );
}

#[test]
fn one_id_twice_is_refused_with_both_places() {
    turns_away(format!("{GOOD}{{\"id\":\"a\",\"input\":\"c\"}}\n"), 2, ":3", "the id \"a\" was used before, at ");
}

#[test]
fn one_key_twice_is_refused_however_it_is_written() {
    let line = r#"{"input":"c","toolCalls":[{"name":"t","arguments":{"id":1,"\u0069d":2}}]}"#;
    turns_away(format!("{GOOD}{line}\n"), 2, ":3:59", "the key \"id\" stands twice in $.toolCalls[0].arguments");
}

#[test]
fn a_lone_surrogate_survives() {
    let folder = Folder::new();
    let line = r#"{"input":"a\ud800b","x":{"\udfff":"\ud83d\ude00"},"\ud800":1,"\udc00":2}"#;
    let (code, lines, err) = lines(&folder.file("x.jsonl", format!("{line}\n")));
    assert_eq!((code, lines), (0, vec![line.to_owned()]), "{err}");
}

#[test]
fn deep_nesting_is_read_and_a_bomb_is_named() {
    let deep = |levels: usize| format!("{{\"input\":{}{}}}\n", "[".repeat(levels), "]".repeat(levels));
    let folder = Folder::new();
    let (code, lines, err) = lines(&folder.file("x.jsonl", deep(200)));
    assert_eq!((code, lines.join("\n") + "\n"), (0, deep(200)), "{err}");
    turns_away(format!("{GOOD}{}{{\"input\":\"d\"}}\n", deep(100_000)), 3, ":3:521", "nested deeper than 512 levels");
}

#[test]
fn another_encoding_is_named() {
    for (mark, bytes) in [
        (&b"\xFF\xFE"[..], u16::to_le_bytes as fn(u16) -> [u8; 2]),
        (b"\xFE\xFF", u16::to_be_bytes),
        (b"", u16::to_le_bytes),
    ] {
        let folder = Folder::new();
        let text: Vec<u8> = mark.iter().copied().chain(GOOD.encode_utf16().flat_map(bytes)).collect();
        let (code, _, err) = lines(&folder.file("x.jsonl", text));
        assert_eq!(code, 2);
        assert!(err.contains("the file is UTF-16, not UTF-8"), "{err}");
    }
}

#[test]
fn of_a_cut_off_archive_the_rows_before_the_cut_are_read() {
    let many: String =
        (0..20_000).map(|n| format!("{{\"id\":\"{n}\",\"input\":\"question {}\"}}\n", n * 7919)).collect();
    for (name, packed) in
        [("x.jsonl.gz", gzip(many.as_bytes())), ("x.jsonl.zst", zstd::encode_all(many.as_bytes(), 3).unwrap())]
    {
        let folder = Folder::new();
        let path = folder.file(name, &packed[..packed.len() / 2]);
        let refused = run(&["convert", &path, "-"]);
        assert_eq!((refused.code, refused.out.as_str()), (2, ""));
        assert!(refused.err.contains("the rest of the file cannot be read"), "{}", refused.err);
        let allowed = run(&["convert", "--max-rejects", "1", &path, "-"]);
        let read = allowed.out.lines().count();
        assert!(allowed.code == 0 && read > 1000 && many.starts_with(&allowed.out), "{read} rows, {}", allowed.err);
    }
}

#[test]
fn nothing_to_read_is_never_a_success() {
    let folder = Folder::new();
    for (name, bytes) in
        [("empty.jsonl", ""), ("mark.jsonl", "\u{feff}"), ("blank.jsonl", "\n \n"), ("list.json", "[]")]
    {
        let path = folder.file(name, bytes);
        for verb in
            [&["inspect", &path][..], &["convert", &path, "-"], &["convert", "--max-rejects", "100%", &path, "-"]]
        {
            let ran = run(verb);
            assert_eq!(ran.code, 2, "{verb:?}");
            assert!(ran.err.contains("there is no interaction"), "{verb:?}: {}", ran.err);
        }
    }
    let missing = run(&["inspect", &folder.at("emty.jsonl")]);
    assert_eq!(missing.code, 2);
    assert!(
        missing.err.contains("there is no file or folder") && missing.err.contains("did you mean"),
        "{}",
        missing.err
    );
}

#[test]
fn files_folders_patterns_and_standard_input_are_read_together() {
    let folder = Folder::new();
    folder.file("in/monday/traffic.jsonl", "{\"input\":1}\n{\"input\":2}\n");
    folder.file("in/tuesday/traffic.jsonl.gz", gzip(b"{\"input\":3}\n"));
    folder.file("in/notes.txt", "not read");
    folder.file("in/.hidden.jsonl", "not read");
    let more = folder.file("more.ndjson", "{\"input\":4}\n");
    let all = ran(taketwo(&["convert", &folder.at("in"), &more, "-", "-"]).write_stdin("{\"input\":5}\n"));
    assert_eq!(all.out, "{\"input\":1}\n{\"input\":2}\n{\"input\":3}\n{\"input\":4}\n{\"input\":5}\n", "{}", all.err);
    let by_pattern = run(&["convert", &folder.at("in/*/*.jsonl*"), "-"]);
    assert_eq!(by_pattern.out.lines().count(), 3, "{}", by_pattern.err);
    let none = run(&["convert", &folder.at("in/*/*.parquet"), "-"]);
    assert!(none.code == 2 && none.err.contains("holds no recording"), "{}", none.err);
}

#[test]
fn the_budget_for_rejects_decides() {
    let folder = Folder::new();
    let bad = "oops\n".repeat(3);
    let path = folder.file("x.jsonl", format!("{GOOD}{bad}"));
    for (budget, code) in [("2", 2), ("3", 0), ("59%", 2), ("60%", 0)] {
        let ran = run(&["convert", "--max-rejects", budget, &path, "-"]);
        assert_eq!(ran.code, code, "{budget}: {}", ran.err);
    }
    let usage = run(&["convert", "--max-rejects", "lots", &path, "-"]);
    assert!(
        usage.code == 2 && usage.err.contains("neither a count such as 10 nor a share such as 1%"),
        "{}",
        usage.err
    );
}

#[test]
fn all_bad_rows_are_listed_at_once_and_kept_in_the_quarantine() {
    let folder = Folder::new();
    let path = folder.file("x.jsonl", format!("{GOOD}{}", "oops\n".repeat(60)));
    let quarantine = folder.at("bad.jsonl");
    let ran = run(&["convert", "--quarantine", &quarantine, &path, &folder.at("out.jsonl")]);
    assert_eq!(ran.code, 2);
    assert_eq!(ran.err.lines().filter(|line| line.starts_with(&path)).count(), 50);
    assert!(ran.err.contains("and 10 more") && ran.err.contains("60 of 62 rows"), "{}", ran.err);
    assert!(!std::path::Path::new(&folder.at("out.jsonl")).exists(), "over budget nothing is written");
    let kept = std::fs::read_to_string(&quarantine).unwrap();
    assert_eq!(kept.lines().count(), 60);
    let first: serde_json::Value = serde_json::from_str(kept.lines().next().unwrap()).unwrap();
    assert_eq!((&first["line"], &first["offset"], &first["raw"]), (&3.into(), &(GOOD.len()).into(), &"oops".into()));
    assert_eq!((&first["file"], &first["torn"]), (&path.as_str().into(), &false.into()));
}

#[test]
fn inspect_prints_what_it_read_also_over_budget() {
    let folder = Folder::new();
    let ran = run(&["inspect", &folder.file("x.jsonl", format!("{GOOD}oops\n"))]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.out.starts_with("2 interactions in 1 file") && ran.out.contains("1 row was turned away"),
        "{}",
        ran.out
    );
}

#[test]
fn a_huge_line_is_read() {
    let folder = Folder::new();
    let huge = format!("{{\"id\":\"big\",\"input\":\"{}\"}}\n", "x".repeat(50_000_000));
    let path = folder.file("x.jsonl", format!("{GOOD}{huge}{{\"input\":\"c\"}}\n"));
    let ran = run(&["convert", &path, &folder.at("y.parquet")]);
    assert!(ran.code == 0 && ran.err.starts_with("4 interactions"), "{}", ran.err);
    let back = run(&["convert", &folder.at("y.parquet"), "-"]);
    assert_eq!(back.out.lines().map(str::len).collect::<Vec<_>>(), [24, 24, huge.len() - 1, 13]);
}

/// What must be said of each file of the probes: exit code, interactions read, a part of what is said.
const PROBES: [(&str, i32, usize, &str); 15] = [
    ("00-good.jsonl", 0, 5, "5 interactions"),
    ("01-malformed-middle.jsonl", 2, 5, "01-malformed-middle.jsonl:3:26: unexpected 'o'"),
    ("02-truncated-last.jsonl", 0, 5, "02-truncated-last.jsonl:6: the last line is cut off"),
    ("03-bom.jsonl", 0, 5, "5 interactions"),
    ("04-crlf.jsonl", 0, 5, "5 interactions"),
    ("07-empty.jsonl", 2, 0, "there is no interaction"),
    ("08-only-bom.jsonl", 2, 0, "there is no interaction"),
    ("09-dup-ids.jsonl", 2, 5, "09-dup-ids.jsonl:6: the id \"case-2\" was used before, at "),
    ("11-nan-inf.jsonl", 2, 0, "11-nan-inf.jsonl:1:90: NaN is not JSON"),
    ("13-utf16.jsonl", 2, 0, "the file is UTF-16"),
    ("14-array.json", 0, 5, "5 interactions"),
    ("15-pretty.json", 0, 1, "1 interaction,"),
    ("16-missing-fields.jsonl", 2, 2, "16-missing-fields.jsonl:1: no \"input\""),
    ("18-u2028.jsonl", 0, 2, "2 interactions"),
    ("24-deep-array.jsonl", 2, 2, "24-deep-array.jsonl:2:564: nested deeper than 512 levels"),
];

#[test]
fn every_probe_gets_the_answer_it_must_get() {
    let Some(folder) = shared("probes/raw") else { return };
    let listed = std::fs::read_to_string(folder.join("../raw.jsonl")).unwrap();
    for line in listed.lines().filter(|line| !line.contains("25-50mb-line")) {
        let file: serde_json::Value = serde_json::from_str(line).unwrap();
        let name = file["file"].as_str().unwrap().trim_start_matches("raw/");
        let (_, code, read, said) =
            PROBES.iter().find(|probe| probe.0 == name).unwrap_or_else(|| panic!("{name} is new"));
        let path = folder.join(name);
        let (strict, lines, err) = lines(path.to_str().unwrap());
        assert_eq!(strict, *code, "{name}: {err}");
        assert!(err.contains(said), "{name}: {err}");
        assert_eq!(lines.len(), if *code == 0 { *read } else { 0 }, "{name}");
        let lenient = run(&["convert", "--max-rejects", "100%", path.to_str().unwrap(), "-"]);
        assert_eq!(lenient.out.lines().count(), *read, "{name}: {}", lenient.err);
    }
}
