//! A run on disk loses nothing that was measured, is written by one process alone, and is told again as it was.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use taketwo::replay::AttemptKey;
use taketwo::store::{RunFolder, RunId, RunManifest, StoreError};
use taketwo::verdict::AttemptRow;

use crate::sample_runs::{self, SampleRun};

/// Where runs are kept, for one test.
struct Runs(tempfile::TempDir);

impl Runs {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn root(&self) -> PathBuf {
        self.0.path().join(".taketwo/runs")
    }

    /// Writes a run down, as the verb `run` does.
    fn keep(&self, run: &SampleRun) -> RunFolder {
        let mut folder = RunFolder::create(&self.root(), run.manifest.clone()).unwrap();
        let rows: Vec<AttemptRow> = run.rows().cloned().collect();
        folder.journal().unwrap().append(&rows).unwrap();
        folder.finish(run.manifest.facts.clone(), run.outcome.clone()).unwrap();
        folder
    }

    fn taketwo(&self, arguments: &[&str]) -> assert_cmd::assert::Assert {
        Command::new(env!("CARGO_BIN_EXE_taketwo")).current_dir(self.0.path()).args(arguments).assert()
    }
}

fn output(assert: &assert_cmd::assert::Assert) -> (String, String) {
    let output = assert.get_output();
    (String::from_utf8(output.stdout.clone()).unwrap(), String::from_utf8(output.stderr.clone()).unwrap())
}

fn journal(folder: &RunFolder) -> PathBuf {
    folder.path().join("journal.jsonl")
}

fn add(path: &Path, text: &str) {
    OpenOptions::new().append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
}

fn key(index: u64, number: u32) -> AttemptKey {
    AttemptKey { index, number }
}

#[test]
fn rows_are_read_back_as_they_were_in_the_order_of_cases() {
    for (name, run) in sample_runs::all() {
        let runs = Runs::new();
        let folder = RunFolder::create(&runs.root(), run.manifest.clone()).unwrap();
        let mut writer = folder.journal().unwrap();
        // Lanes end in any order.
        let rows: Vec<AttemptRow> = run.rows().cloned().collect();
        for row in rows.iter().rev() {
            writer.append(std::slice::from_ref(row)).unwrap();
        }
        let index = folder.index().unwrap();
        let again: Vec<_> = index.cases().map(Result::unwrap).collect();
        assert_eq!(again, run.cases, "{name}");
        assert!(rows.iter().all(|row| index.contains(row.key())));
        assert!(!index.contains(key(99, 1)) && index.len() == rows.len());
    }
}

proptest::proptest! {
    #[test]
    fn numbers_are_read_back_to_the_last_digit(weight: f64, latency in 0.0..1e9_f64, score in 0.0..=1.0_f64) {
        proptest::prop_assume!(weight.is_finite());
        let mut row = sample_runs::passed(0, "x");
        (row.weight, row.seen.latency_ms, row.results[0].score) = (weight, Some(latency), Some(score));
        let again: AttemptRow = serde_json::from_str(&serde_json::to_string(&row).unwrap()).unwrap();
        proptest::prop_assert_eq!(again, row);
    }
}

#[test]
fn a_torn_last_line_is_cut_off_and_its_attempt_is_made_again() {
    let runs = Runs::new();
    let folder = runs.keep(&sample_runs::all_passed());
    let whole = fs::read(journal(&folder)).unwrap();
    let line = whole.split(|byte| *byte == b'\n').nth(7).unwrap().to_vec();
    for torn in [&line[..1], &line[..line.len() / 2], &line[..]] {
        fs::write(journal(&folder), [&whole[..], torn].concat()).unwrap();
        let index = folder.index().unwrap();
        assert!(index.is_torn());
        assert_eq!(index.len(), 40);
        let mut writer = folder.journal().unwrap();
        writer.append(&[sample_runs::passed(40, "after")]).unwrap();
        drop(writer);
        let index = folder.index().unwrap();
        assert!(!index.is_torn() && index.contains(key(40, 1)) && index.len() == 41);
        assert_eq!(fs::read(journal(&folder)).unwrap()[..whole.len()], whole[..]);
    }
}

#[test]
fn of_two_rows_for_one_attempt_the_first_counts() {
    let runs = Runs::new();
    let folder = runs.keep(&sample_runs::all_passed());
    let second = AttemptRow { weight: 5.0, ..sample_runs::passed(3, "order-03") };
    folder.journal().unwrap().append(&[second]).unwrap();
    let index = folder.index().unwrap();
    assert_eq!(index.len(), 40);
    assert_eq!(index.cases().nth(3).unwrap().unwrap().attempts[0].weight, 1.0);
}

#[test]
fn damage_in_the_middle_is_no_torn_line() {
    let runs = Runs::new();
    let folder = runs.keep(&sample_runs::all_passed());
    let offset = fs::metadata(journal(&folder)).unwrap().len();
    add(&journal(&folder), "{\"index\":40,\"id\":\"x\n");
    let error = folder.index().unwrap_err();
    assert!(matches!(&error, StoreError::Journal { offset: at, .. } if *at == offset), "{error}");
    let (_, stderr) = output(&runs.taketwo(&["report"]).code(2));
    assert!(stderr.contains(&format!("byte {offset}")), "{stderr}");
}

#[test]
fn a_row_that_is_json_but_no_attempt_is_damage() {
    let runs = Runs::new();
    let folder = runs.keep(&sample_runs::all_passed());
    add(&journal(&folder), "{\"index\":40,\"attempt\":1}\n");
    let index = folder.index().unwrap();
    assert!(matches!(index.cases().last(), Some(Err(StoreError::Journal { .. }))));
}

#[test]
fn one_process_alone_writes_a_run() {
    let runs = Runs::new();
    let run = sample_runs::unfinished();
    let first = RunFolder::create(&runs.root(), run.manifest.clone()).unwrap();
    let resume = || RunFolder::resume("last", &runs.root(), &run.manifest);
    assert!(matches!(resume(), Err(StoreError::Locked { .. })));
    let reader = RunFolder::open("last", &runs.root()).unwrap();
    assert!(matches!(reader.journal(), Err(StoreError::Locked { .. })), "a reader cannot write");
    assert!(reader.index().is_ok(), "but it can read");
    drop(first);
    let second = resume().unwrap();
    assert!(matches!(resume(), Err(StoreError::Locked { .. })));
    drop(second);
    assert!(resume().is_ok());
}

#[test]
fn a_run_is_resumed_with_the_settings_it_was_made_with() {
    let runs = Runs::new();
    let run = sample_runs::all_passed();
    let folder = runs.keep(&run);
    let with = |change: fn(&mut RunManifest)| {
        let mut manifest = run.manifest.clone();
        change(&mut manifest);
        RunFolder::resume("last", &runs.root(), &manifest.with_settings_hash())
    };
    for change in [
        |manifest: &mut RunManifest| manifest.lanes = 64,
        |manifest: &mut RunManifest| manifest.id = RunId::fresh(),
        |manifest: &mut RunManifest| manifest.started_at = String::new(),
        |manifest: &mut RunManifest| manifest.gates.clear(),
        |manifest: &mut RunManifest| manifest.recordings = vec!["elsewhere/support.jsonl".into()],
    ] {
        assert!(with(change).is_ok());
    }
    let error = with(|manifest| {
        manifest.matching = "strict".into();
        manifest.target.version = None;
        manifest.recordings_hash = "0000".into();
    })
    .unwrap_err();
    insta::assert_snapshot!(error.to_string());
    let mut unnamed = run.manifest.clone();
    unnamed.settings_hash = "another".into();
    assert!(matches!(folder.check_resumable(&unnamed), Err(StoreError::OtherSettings { .. })));
}

#[test]
fn a_resumed_run_is_not_finished_until_it_ends_again() {
    let runs = Runs::new();
    let run = sample_runs::all_passed();
    runs.keep(&run);
    let resumed = RunFolder::resume("last", &runs.root(), &run.manifest).unwrap();
    drop(resumed);
    let folder = RunFolder::open("last", &runs.root()).unwrap();
    assert!(folder.outcome().is_none() && folder.manifest().finished_at.is_none());
    let (stdout, _) = output(&runs.taketwo(&["report", "--exit-code"]).code(3));
    assert!(stdout.starts_with("NOT PROVEN: nothing failed, but the run is not finished"), "{stdout}");
}

#[test]
fn a_run_is_found_by_folder_id_start_of_id_and_last() {
    let runs = Runs::new();
    let mut run = sample_runs::all_passed();
    runs.keep(&run);
    run.manifest.id = RunId::parse("20261201-080000000-00ff").unwrap();
    let later = runs.keep(&run);
    let open = |name: &str| RunFolder::open(name, &runs.root());
    for name in ["last", "20261201-080000000-00ff", "202612", later.path().to_str().unwrap()] {
        assert_eq!(open(name).unwrap().manifest().id, run.manifest.id, "{name}");
    }
    assert!(matches!(open("2026"), Err(StoreError::Ambiguous { found, .. }) if found.len() == 2));
    assert!(matches!(open("2025"), Err(StoreError::NoRun { known, .. }) if known[0] == "20261201-080000000-00ff"));
    assert!(matches!(open(""), Err(StoreError::NoRun { .. })));
    assert!(matches!(RunFolder::open("last", Path::new("nowhere")), Err(StoreError::NoRun { .. })));
}

#[test]
fn two_runs_of_one_name_get_two_folders() {
    let runs = Runs::new();
    let run = sample_runs::all_passed();
    let (one, other) = (runs.keep(&run), runs.keep(&run));
    assert_ne!(one.path(), other.path());
    assert_eq!(other.path().file_name().unwrap().to_str().unwrap(), other.manifest().id.as_str());
}

#[test]
fn a_manifest_of_a_later_version_is_refused() {
    let runs = Runs::new();
    let folder = runs.keep(&sample_runs::all_passed());
    let path = folder.path().join("manifest.json");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("\"format\": \"taketwo-run\""));
    fs::write(&path, text.replace("\"version\": 1", "\"version\": 2")).unwrap();
    assert!(matches!(RunFolder::open("last", &runs.root()), Err(StoreError::Version { found: 2, .. })));
    fs::write(&path, text.replace("taketwo-run", "another")).unwrap();
    assert!(matches!(RunFolder::open("last", &runs.root()), Err(StoreError::Manifest { .. })));
}

#[test]
fn a_journal_read_back_gives_the_reports_of_the_run() {
    for (name, mut run) in sample_runs::all() {
        let runs = Runs::new();
        let folder = runs.keep(&run);
        run.manifest = folder.manifest().clone();
        taketwo::report::ReadBack::new(&folder).unwrap().write_all(&folder).unwrap();
        let styled = taketwo::report::text(&run.report(), &mut run.cases.iter().cloned(), &Default::default());
        let text = anstream::adapter::strip_str(&styled).to_string();
        assert_eq!(fs::read_to_string(folder.path().join("report.txt")).unwrap(), text, "{name}");
        let mut json = Vec::new();
        taketwo::report::json(&run.report(), &mut run.cases.iter().cloned(), &mut json).unwrap();
        assert_eq!(fs::read(folder.path().join("report.json")).unwrap(), json, "{name}");
        for (form, file) in
            [("text", "report.txt"), ("json", "report.json"), ("junit", "junit.xml"), ("markdown", "report.md")]
        {
            let (stdout, stderr) = output(&runs.taketwo(&["report", "last", "--format", form]).code(0));
            assert_eq!(stdout, fs::read_to_string(folder.path().join(file)).unwrap(), "{name} {form}");
            assert_eq!(stderr, "");
        }
    }
}

#[test]
fn the_verb_report_ends_with_the_exit_code_of_the_run_when_asked() {
    let runs = Runs::new();
    runs.keep(&sample_runs::failures());
    runs.taketwo(&["report"]).code(0);
    runs.taketwo(&["report", "--exit-code"]).code(1);
    runs.taketwo(&["report", "no-such-run"]).code(2);
}

#[test]
fn the_verb_report_shows_one_case_in_full() {
    let runs = Runs::new();
    runs.keep(&sample_runs::failures());
    let (stdout, _) = output(&runs.taketwo(&["report", "--case", "one-more-look"]).code(0));
    assert!(stdout.contains("one-more-look  passed") && stdout.contains("[not gated]"), "{stdout}");
    let (stdout, _) = output(&runs.taketwo(&["report", "--case", "one-more-look", "--json"]).code(0));
    let case: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(case["attempts"][0]["differences"][0]["kind"], "extra");
    let (_, stderr) = output(&runs.taketwo(&["report", "--case", "one-more-lock"]).code(2));
    assert!(stderr.contains("one-more-look"), "{stderr}");
}

#[test]
fn the_verb_report_writes_a_file_without_styles() {
    let runs = Runs::new();
    runs.keep(&sample_runs::failures());
    let (stdout, _) = output(&runs.taketwo(&["report", "-o", "out.txt"]).code(0));
    assert_eq!(stdout, "");
    let text = fs::read_to_string(runs.0.path().join("out.txt")).unwrap();
    assert!(text.starts_with("FAILED") && !text.contains('\u{1b}'));
}

#[test]
fn a_run_without_content_has_none_on_disk() {
    let runs = Runs::new();
    let folder = runs.keep(&sample_runs::omitted());
    taketwo::report::ReadBack::new(&folder).unwrap().write_all(&folder).unwrap();
    for file in fs::read_dir(folder.path()).unwrap() {
        let path = file.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        for content in ["82.13", "999.0", "anna@example.org", "I have done it", "being sorry", "PX-205-938"] {
            assert!(!text.contains(content), "{content} in {}", path.display());
        }
    }
}

#[test]
fn a_new_folder_of_runs_keeps_itself_out_of_git() {
    let runs = Runs::new();
    runs.keep(&sample_runs::all_passed());
    let path = runs.root().join(".gitignore");
    assert_eq!(fs::read_to_string(&path).unwrap(), "*\n");
    fs::remove_file(&path).unwrap();
    runs.keep(&sample_runs::all_passed());
    assert!(!path.exists(), "who took it away meant it");
}

#[test]
fn facts_of_the_end_are_kept() {
    let runs = Runs::new();
    let run = sample_runs::failures();
    runs.keep(&run);
    let folder = RunFolder::open("last", &runs.root()).unwrap();
    assert_eq!(folder.manifest().facts, run.manifest.facts);
    assert_eq!(folder.outcome(), Some(&run.outcome));
    assert_eq!(folder.not_passed().unwrap().len(), 9);
}
