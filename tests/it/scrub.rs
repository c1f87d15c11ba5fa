//! Secrets and personal data go out of recordings, and a replay of what is left still matches.

use std::collections::BTreeMap;

use taketwo::recording::{Json, Recordings, wire};
use taketwo::scrub::{ScrubKey, ScrubRules, Scrubber};

use crate::corpus::{documents, shared};
use crate::program::{Folder, Ran, ran, run, taketwo};
use crate::replaying::has;

const KEY: &str = "a key that is long enough for a test";

/// Two customers, one of them in two rows, with a secret in every place that a recording has.
const TRAFFIC: &str = r#"{"id":"r1","input":"I am jane.doe@corp.com, my card is 4539 5787 6362 1486. Where is order 4539578763621486?","output":"Mailed jane.doe@corp.com.","toolCalls":[{"name":"find_customer","arguments":{"email":"Jane.Doe@corp.com"},"result":{"id":4711,"first_name":"Jane","phone":"+49 170 1234567","cards":[{"number":4539578763621486}]}},{"name":"send_mail","arguments":"{\"to\":\"jane.doe@corp.com\",\"body\":\"Dear Jane\"}","result":null}],"history":[{"role":"user","content":"password=hunter2x9"}],"session":"jane.doe@corp.com","weight":2.50,"x-note":"IBAN DE89 3704 0044 0532 0130 00"}
{"id":"r2","input":"hello","output":"Hello.","toolCalls":[],"latencyMs":900.0,"uuid":"550e8400-e29b-41d4-a716-446655440000"}
{"id":"r3","input":{"from":"jane.doe@corp.com","joe@corp.com":1},"toolCalls":[{"name":"find_customer","arguments":{"email":"joe@corp.com"},"error":"no customer joe@corp.com"}]}
"#;

const SECRETS: &[&str] = &[
    "jane.doe@corp.com",
    "Jane",
    "joe@corp.com",
    "4539 5787 6362 1486",
    "\"number\":4539578763621486",
    "170 1234567",
    "hunter2x9",
    "3704 0044 0532",
];

fn scrub(arguments: &[&str]) -> Ran {
    ran(taketwo(&[&["scrub"], arguments].concat()).env("TAKETWO_SCRUB_KEY", KEY))
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap()
}

fn assert_no_secret(text: &str) {
    for secret in SECRETS {
        assert!(!text.contains(secret), "{secret} is in {text}");
    }
}

/// What does not depend on the folder of the test.
fn said(ran: &Ran, folder: &Folder) -> String {
    format!("{}{}exit {}", ran.out, ran.err, ran.code).replace(folder.path().to_str().unwrap(), "FOLDER")
}

#[test]
fn secrets_go_and_the_report_tells_what_was_where() {
    let folder = Folder::new();
    let (traffic, out) = (folder.file("traffic.jsonl", TRAFFIC), folder.at("out.jsonl"));
    let ran = scrub(&[&traffic, "-o", &out]);
    insta::assert_snapshot!("report", said(&ran, &folder));
    assert_no_secret(&read(&out));
    assert_no_secret(&said(&ran, &folder));
    // The second row holds nothing, and is as `convert` writes it.
    let converted = folder.at("converted.jsonl");
    assert_eq!(run(&["convert", &traffic, &converted]).code, 0);
    assert_eq!(read(&out).lines().nth(1), read(&converted).lines().nth(1));
    assert!(read(&out).contains("order 4539578763621486") && read(&out).contains("\"weight\":2.50"));
}

#[test]
fn equal_values_stay_equal_over_rows_files_and_formats() {
    let folder = Folder::new();
    let traffic = folder.file("traffic.jsonl", TRAFFIC);
    let key = folder.file("scrub.key", format!("{KEY}\n"));
    let (lines, packed, table) = (folder.at("a.jsonl"), folder.at("b.jsonl.zst"), folder.at("c.parquet"));
    assert_eq!(scrub(&[&traffic, "-o", &lines]).code, 0);
    assert_eq!(run(&["scrub", &traffic, "-o", &packed, "--key-file", &key]).code, 0);
    assert_eq!(scrub(&[&packed, &lines, "-o", &folder.at("twice.jsonl")]).code, 2, "ids stand twice");
    assert_eq!(scrub(&[&traffic, "-o", &table]).code, 0);
    let rows = |path: &str| -> Vec<String> {
        let rows = Recordings::open(&[path]).unwrap().rows().unwrap();
        rows.map(|row| wire::write(&row.unwrap().interaction)).collect()
    };
    assert_eq!(rows(&lines), rows(&packed));
    assert_eq!(rows(&lines), rows(&table));
    let email = Json::parse(rows(&lines)[2].clone()).unwrap().member("input").unwrap().member("from").unwrap();
    let email = email.as_str().unwrap().into_owned();
    let first = &rows(&lines)[0];
    assert_eq!(first.matches(&email).count(), 5, "input, output, session, both calls: {first}");
}

#[test]
fn what_was_scrubbed_is_clean_and_stays_as_it_is() {
    let folder = Folder::new();
    let traffic = folder.file("traffic.jsonl", TRAFFIC);
    let (once, twice) = (folder.at("once.jsonl"), folder.at("twice.jsonl"));
    assert_eq!(scrub(&[&traffic, "--check"]).code, 1);
    assert_eq!(scrub(&[&traffic, "-o", &once]).code, 0);
    let check = scrub(&[&once, "--check"]);
    assert_eq!((check.code, check.out.as_str()), (0, "CLEAN: 3 interactions in 1 file, nothing was found.\n"));
    // Another key makes no difference to what was scrubbed.
    assert_eq!(run(&["scrub", &once, "-o", &twice]).code, 0);
    assert_eq!(read(&once), read(&twice));
}

#[test]
fn a_report_in_json_is_what_its_schema_says() {
    let folder = Folder::new();
    let traffic = folder.file("traffic.jsonl", TRAFFIC);
    let schema = include_str!("../../schemas/scrub-v1.schema.json");
    let schema = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    for arguments in [["--check", "--json"].as_slice(), &["-o", "-", "--json"]] {
        let ran = scrub(&[&[traffic.as_str()], arguments].concat());
        // With the recording on standard output the report is on the other.
        let text = if arguments[0] == "-o" { ran.err.lines().next().unwrap().to_owned() } else { ran.out };
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        let faults: Vec<_> = schema.iter_errors(&report).map(|fault| fault.to_string()).collect();
        assert!(faults.is_empty(), "{faults:?}: {report}");
        assert_eq!((report["format"].as_str(), report["withFindings"].as_u64()), (Some("taketwo.scrub"), Some(2)));
        assert_no_secret(&text);
    }
}

#[test]
fn without_a_key_pseudonyms_match_no_others_and_that_is_said() {
    let folder = Folder::new();
    let traffic = folder.file("traffic.jsonl", TRAFFIC);
    let (one, other) = (folder.at("one.jsonl"), folder.at("other.jsonl"));
    let without = |out: &str| ran(taketwo(&["scrub", &traffic, "-o", out]).env_remove("TAKETWO_SCRUB_KEY"));
    let said = without(&one).err;
    assert!(said.contains("warning: a random key was made"), "{said}");
    assert_eq!(without(&other).code, 0);
    assert_ne!(read(&one), read(&other));
}

#[test]
fn what_cannot_be_done_is_refused_and_nothing_is_written() {
    let folder = Folder::new();
    let traffic = folder.file("traffic.jsonl", TRAFFIC);
    let out = folder.at("out.jsonl");
    let bad = folder.file("bad.toml", "off = [\"mail\"]");
    let misspelt = folder.file("misspelt.toml", "[scrub]\nfeild = []");
    let short = folder.file("short.key", "secret");
    for (arguments, says) in [
        (vec!["--rules", bad.as_str(), "-o", &out], "the kinds are key, token"),
        (vec!["--rules", &misspelt, "-o", &out], "unknown field"),
        (vec!["--key-file", &short, "-o", &out], "16 are the least"),
        (vec!["--key-file", "nowhere.key", "-o", &out], "cannot read the key file"),
        (vec!["-o", &traffic, "--force"], "is one of the recordings to be read"),
        (vec![], "--out"),
    ] {
        let ran = scrub(&[vec![traffic.as_str()], arguments].concat());
        assert!(ran.code == 2 && ran.err.contains(says), "{}", ran.err);
        assert!(!std::path::Path::new(&out).exists());
    }
    let empty = folder.file("empty.jsonl", "");
    assert_eq!(scrub(&[&empty, "--check"]).code, 2, "nothing was looked at, so nothing is clean");
}

#[test]
fn rows_that_cannot_be_read_are_told_of_and_do_not_leak() {
    let folder = Folder::new();
    let broken = "{\"id\":\"r9\",\"input\":\"jane.doe@corp.com\",}\n";
    let traffic = folder.file("traffic.jsonl", format!("{TRAFFIC}{broken}"));
    let (out, kept) = (folder.at("out.jsonl"), folder.at("rejects.jsonl"));
    let refused = scrub(&[&traffic, "-o", &out, "--quarantine", &kept]);
    assert_eq!(refused.code, 2);
    let ran = scrub(&[&traffic, "-o", &out, "--quarantine", &kept, "--max-rejects", "1"]);
    insta::assert_snapshot!(
        "rejects",
        said(&ran, &folder).lines().skip_while(|line| !line.contains(":4:")).collect::<Vec<_>>().join("\n")
    );
    assert_no_secret(&read(&kept));
    assert!(read(&kept).contains("@example.invalid"));
    let only_broken = folder.file("broken.jsonl", format!("{{\"input\":\"hi\"}}\n{broken}"));
    let check = scrub(&[&only_broken, "--check"]);
    assert!(check.code == 1 && check.out.contains("(a row that cannot be read)"), "a finding outranks: {}", check.out);
}

#[test]
fn rules_of_a_file_or_a_suite_decide() {
    let folder = Folder::new();
    let traffic = folder.file("traffic.jsonl", TRAFFIC);
    let rules = "off = [\"card\"]\nkeep = [\"joe@*\"]\nfields = [\"customer.id\"]\n[[pattern]]\nname = \"greeting\"\nregex = '^hel(lo)$'\n";
    let alone = folder.file("scrub.toml", rules);
    let table = folder.file("taketwo.toml", format!("[scrub]\n{}", rules.replace("[[pattern]]", "[[scrub.pattern]]")));
    let (one, other) = (folder.at("one.jsonl"), folder.at("other.jsonl"));
    assert_eq!(scrub(&[&traffic, "-o", &one, "--rules", &alone]).code, 0);
    assert_eq!(scrub(&[&traffic, "-o", &other, "--rules", &table]).code, 0);
    let text = read(&one);
    assert_eq!(text, read(&other));
    assert!(text.contains("4539 5787 6362 1486") && text.contains("joe@corp.com") && !text.contains("jane.doe@"));
    assert!(text.contains("\"input\":\"helscrubbed-"), "{text}");
}

/// An agent that knows its user: it calls with the real address, whatever it was told.
const AGENT: &str = r#"import json,sys
def say(**m): print(json.dumps(m),flush=True)
say(type="hello",protocol=1,name="agent",version="1")
for line in sys.stdin:
    m=json.loads(line)
    if m["type"]=="turn":
        a=m["attempt"]
        say(type="tool_call",attempt=a,call="c1",name="find_customer",arguments={"email":"JANE.DOE@corp.com","card":4539578763621486})
    elif m["type"]=="tool_result" and m["call"]=="c1" and "result" in m:
        found=m["result"]
        sys.stderr.write("found jane.doe@corp.com\n")
        # What came out of a result goes on as it is.
        say(type="tool_call",attempt=a,call="c2",name="send_mail",arguments={"to":found["email"],"name":found["first_name"]})
    elif m["type"] in ("tool_result","tool_error"):
        say(type="reply",attempt=a,output="Mailed jane.doe@corp.com.")
"#;

const RECORDED: &str = r#"{"id":"r1","input":"I am jane.doe@corp.com","output":"Mailed jane.doe@corp.com.","toolCalls":[{"name":"find_customer","arguments":{"card":4539578763621486,"email":"jane.doe@corp.com"},"result":{"email":"jane.doe@corp.com","first_name":"Jane"}},{"name":"send_mail","arguments":{"name":"Jane","to":"jane.doe@corp.com"},"result":"sent"}]}
"#;

#[test]
fn a_live_run_against_a_scrubbed_recording_matches() {
    if !has("python3") {
        return;
    }
    let folder = Folder::new();
    let raw = folder.file("raw.jsonl", RECORDED);
    let agent = folder.file("agent.py", AGENT);
    let scrubbed = folder.at("scrubbed.jsonl");
    assert_eq!(scrub(&[&raw, "-o", &scrubbed]).code, 0);
    let target = format!("command:python3 {agent}");
    let replay = |recording: &str, more: &[&str]| {
        let runs = folder.at("runs");
        let all =
            [&["run", recording, "--target", &target, "--runs", &runs, "--compare-output", "exact"], more].concat();
        ran(taketwo(&all).env("TAKETWO_SCRUB_KEY", KEY).current_dir(folder.path()))
    };
    let without = replay(&scrubbed, &[]);
    assert_eq!(without.code, 1, "the real address is not in the recording: {}", without.out);
    std::fs::remove_dir_all(folder.at("runs")).unwrap();
    // A recording that was not scrubbed is scrubbed on the way.
    for recording in [&scrubbed, &raw] {
        let seen = folder.at("seen.jsonl");
        let ran = replay(recording, &["--scrub", "--record", &seen, "--force"]);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        assert!(ran.out.contains("were scrubbed, with the key"), "{}", ran.out);
        assert_no_secret(&ran.out);
        assert_no_secret(&read(&seen));
        assert_eq!(read(&seen).matches("@example.invalid").count(), 5, "{}", read(&seen));
    }
    for entry in walk(std::path::Path::new(&folder.at("runs"))) {
        assert_no_secret(&read(entry.to_str().unwrap()));
    }
    // The suite says it too.
    folder.file("taketwo.toml", "[scrub]\n");
    assert_eq!(replay(&scrubbed, &[]).code, 0);
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[test]
fn a_run_that_scrubs_needs_the_key_of_the_recording() {
    let mut command = taketwo(&["check", "recordings/quickstart.jsonl", "--target", "sample:v1", "--scrub"]);
    let ran = ran(command.env_remove("TAKETWO_SCRUB_KEY").current_dir(env!("CARGO_MANIFEST_DIR")));
    assert!(ran.code == 2 && ran.err.contains("--key-file"), "{}", ran.err);
}

#[test]
fn a_recording_and_its_scrubbed_self_are_the_same_under_scrub() {
    let folder = Folder::new();
    let traffic = folder.file("traffic.jsonl", TRAFFIC);
    let scrubbed = folder.at("scrubbed.jsonl");
    assert_eq!(scrub(&[&traffic, "-o", &scrubbed]).code, 0);
    let (target, runs) = (format!("recorded:{scrubbed}"), folder.at("runs"));
    let arguments = ["run", &traffic, "--target", &target, "--runs", &runs, "--scrub", "--compare-output", "exact"];
    let ran = ran(taketwo(&arguments).env("TAKETWO_SCRUB_KEY", KEY));
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
}

#[test]
fn real_traffic_stays_json_and_is_clean_after_one_scrub() {
    let Some(corpus) = shared("corpus") else { return };
    let scrubber = Scrubber::new(&ScrubRules::default(), ScrubKey::new(KEY, "the test").unwrap()).unwrap();
    let (mut texts, mut changed) = (0_u32, BTreeMap::<String, u32>::new());
    for folder in ["tau-bench", "bfcl", "adk", "vcr-openllmetry", "langfuse", "claude-code-log"] {
        for path in walk(&corpus.join(folder)).into_iter().filter(|path| path.metadata().unwrap().len() < 1 << 20) {
            for document in documents(&path) {
                let before = Json::of(&document);
                let after = scrubber.json(&before);
                texts += 1;
                if before != after {
                    *changed.entry(folder.to_owned()).or_default() += 1;
                    assert!(Json::parse(after.text()).is_ok(), "{}", path.display());
                    assert_eq!(scrubber.json(&after), after, "{}", path.display());
                }
            }
        }
    }
    println!("of {texts} documents these were changed: {changed:?}");
    assert!(texts > 100, "{texts}");
}

#[test]
fn logs_of_programming_hold_no_cards_accounts_or_telephones() {
    let Some(corpus) = shared("corpus") else { return };
    let folder = Folder::new();
    let mut lines = String::new();
    for work in ["claude-code-log", "swe-agent", "moatless"] {
        let paths = walk(&corpus.join(work)).into_iter().filter(|path| path.metadata().unwrap().len() < 1 << 20);
        for document in paths.flat_map(|path| documents(&path)).filter(|document| !document.is_null()) {
            lines.push_str(&format!("{}\n", serde_json::json!({ "input": [document] })));
        }
    }
    let traffic = folder.file("traffic.jsonl", &lines);
    let report: serde_json::Value = serde_json::from_str(&scrub(&[&traffic, "--check", "--json"]).out).unwrap();
    let kinds: BTreeMap<&str, u64> =
        report["places"].as_array().unwrap().iter().fold(BTreeMap::new(), |mut kinds, place| {
            *kinds.entry(place["kind"].as_str().unwrap()).or_default() += place["count"].as_u64().unwrap();
            kinds
        });
    println!("{} bytes of programming: {kinds:?}", lines.len());
    for kind in ["card", "iban", "phone", "ssn", "private-key"] {
        assert_eq!(kinds.get(kind), None, "{kind}");
    }
}
