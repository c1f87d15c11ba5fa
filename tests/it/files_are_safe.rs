//! No verb writes over what it reads, and what cannot be written is found out before anything is spent.

use crate::program::{Folder, run};

const LINE: &str = "{\"id\":\"a\",\"input\":\"x\",\"output\":\"y\",\"toolCalls\":[]}\n";

#[test]
fn no_output_is_one_of_the_inputs() {
    let folder = Folder::new();
    let (a, b) = (folder.file("a.jsonl", LINE), folder.file("b.jsonl", LINE));
    let recorded = format!("recorded:{b}");
    let run_with = ["run", &a, "--target", &recorded];
    for (verb, written) in [
        (&run_with[..], ["--record", &a]),
        (&run_with[..], ["--record", &b]),
        (&run_with[..], ["--quarantine", &a]),
        (&run_with[..], ["--quarantine", &b]),
        (&["check", &a, "--target", &recorded][..], ["--quarantine", &a]),
        (&["diff", &a, &b][..], ["--quarantine", &b]),
        (&["inspect", &a][..], ["--quarantine", &a]),
    ] {
        let ran = run(&[verb, &written[..]].concat());
        assert_eq!(ran.code, 2, "{verb:?} {written:?}");
        assert!(ran.err.contains("is one of the recordings to be read"), "{}", ran.err);
        assert_eq!(std::fs::read_to_string(&a).unwrap(), LINE);
        assert_eq!(std::fs::read_to_string(&b).unwrap(), LINE);
    }
}

#[test]
fn a_recording_that_cannot_be_written_is_refused_before_the_run() {
    let folder = Folder::new();
    let (a, runs) = (folder.file("a.jsonl", LINE), folder.at("runs"));
    for record in [folder.at("none.such"), folder.at("nowhere/b.jsonl"), folder.at("")] {
        let ran = run(&["run", &a, "--target", "sample:v1", "--runs", &runs, "--record", &record]);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
        assert!(!std::path::Path::new(&runs).exists(), "a run was made");
    }
}

#[cfg(unix)]
#[test]
fn links_that_lead_back_are_followed_once_and_links_to_nothing_are_named() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new();
    folder.file("d/a.jsonl", LINE);
    symlink(".", folder.at("d/again")).unwrap();
    symlink("../d", folder.at("d/back")).unwrap();
    let ran = run(&["inspect", &folder.at("d")]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("1 interaction in 1 file"), "{}", ran.out);
    symlink("nowhere", folder.at("c.jsonl")).unwrap();
    let ran = run(&["inspect", &folder.at("c.jsonl")]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("a link to a file that is not there"), "{}", ran.err);
}
