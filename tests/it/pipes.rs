//! A reader that goes away is no error; a result that could not be written is never called a success.
#![cfg(target_os = "linux")]

use std::fs::OpenOptions;
use std::process::{Command, Stdio};

use crate::program::Folder;

const RECORDING: &str = "recordings/quickstart.jsonl";

/// Every verb that prints a result, with what it ends with when all is well.
fn verbs(runs: &str) -> Vec<(Vec<&str>, i32)> {
    let run = vec!["run", RECORDING, "--target", "sample:v2", "--runs", runs];
    vec![
        (run.clone(), 1),
        ([run, vec!["--json"]].concat(), 1),
        (vec!["report", "last", "--runs", runs], 0),
        (vec!["report", "last", "--runs", runs, "--format", "junit"], 0),
        (vec!["diff", RECORDING, RECORDING], 0),
        (vec!["check", RECORDING, "--target", "sample:v1"], 0),
        (vec!["check", RECORDING, "--target", "sample:v1", "--json"], 0),
        (vec!["inspect", RECORDING], 0),
        (vec!["inspect", RECORDING, "--json"], 0),
        (vec!["completions", "bash"], 0),
        (vec!["man"], 0),
        (vec!["--version"], 0),
        (vec!["run", "--help"], 0),
    ]
}

fn taketwo(arguments: &[&str], out: Stdio) -> std::process::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taketwo"));
    command.args(arguments).stdout(out).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap()
}

#[test]
fn a_full_disk_behind_standard_output_is_no_success() {
    let folder = Folder::new();
    for (arguments, _) in verbs(&folder.at("runs")) {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = taketwo(&arguments, full.into());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn a_reader_that_went_away_is_no_error() {
    let folder = Folder::new();
    for (arguments, code) in verbs(&folder.at("runs")) {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = taketwo(&arguments, writer.into());
        // Where the run is kept is worth a line; an error there is none.
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let other = said.lines().filter(|line| !line.starts_with("kept in ")).count();
        assert_eq!((output.status.code(), other), (Some(code), 0), "{arguments:?}: {said}");
    }
}
