//! Reports say what happened, in few words, and break nothing that reads them.

use taketwo::report::{self, TextOptions};
use taketwo::verdict::EvalCaseResults;

use crate::sample_runs::{self, SampleRun};

/// The text with and without its styles.
fn text(run: &SampleRun, options: TextOptions) -> (String, String) {
    let styled = report::text(&run.report(), &mut run.cases.iter().cloned(), &options);
    let plain = anstream::adapter::strip_str(&styled).to_string();
    (styled, plain)
}

fn plain(run: &SampleRun) -> String {
    text(run, TextOptions::default()).1
}

fn json(run: &SampleRun) -> String {
    let mut out = Vec::new();
    report::json(&run.report(), &mut run.cases.iter().cloned(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn junit(run: &SampleRun) -> String {
    let mut out = Vec::new();
    report::junit(&run.report(), &mut run.cases.iter().cloned(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn markdown(run: &SampleRun, limit: usize) -> String {
    report::markdown(&run.report(), &mut run.cases.iter().cloned(), limit)
}

/// Every member of the value has a place in the schema. The schema itself allows others, for later versions.
pub fn assert_named(root: &serde_json::Value, schema: &serde_json::Value, value: &serde_json::Value, path: &str) {
    if let Some(reference) = schema.get("$ref").and_then(serde_json::Value::as_str) {
        return assert_named(root, root.pointer(&reference[1..]).unwrap(), value, path);
    }
    match value {
        serde_json::Value::Object(members) => {
            for (key, member) in members {
                let named = schema.pointer(&format!("/properties/{}", key.replace('/', "~1")));
                let named = named.or_else(|| schema.get("additionalProperties")).filter(|named| named.is_object());
                let named = named.unwrap_or_else(|| panic!("{path}.{key} is not in the schema"));
                assert_named(root, named, member, &format!("{path}.{key}"));
            }
        }
        serde_json::Value::Array(items) => {
            for item in items {
                let of = schema.get("items").unwrap_or_else(|| panic!("{path}[] is not in the schema"));
                assert_named(root, of, item, &format!("{path}[]"));
            }
        }
        _ => {}
    }
}

mod text_report {
    use super::*;

    #[test]
    fn says_what_happened() {
        for (name, run) in sample_runs::all() {
            insta::assert_snapshot!(format!("text-{name}"), plain(&run));
        }
    }

    #[test]
    fn fits_on_one_screen_when_everything_passed() {
        assert!(plain(&sample_runs::all_passed()).lines().count() <= 24);
    }

    #[test]
    fn fits_its_width_whatever_stands_in_it() {
        for (name, run) in sample_runs::all() {
            for width in [60, 80, 120] {
                let (_, plain) = text(&run, TextOptions { width, limit: usize::MAX });
                for line in plain.lines() {
                    let columns: usize = unicode_width::UnicodeWidthStr::width(line);
                    assert!(columns <= width, "{name} at {width}: {line}");
                }
            }
        }
    }

    #[test]
    fn lets_nothing_through_to_the_terminal() {
        let is_harmless = |c: char| c == '\n' || !(c.is_control() || matches!(c, '\u{202e}' | '\u{ffff}'));
        let (styled, plain) = text(&sample_runs::weird(), TextOptions::default());
        assert!(plain.chars().all(is_harmless));
        // Of escapes there are none but those that set a style.
        for escape in styled.split('\u{1b}').skip(1) {
            let end = escape.find('m').unwrap();
            assert!(escape[1..end].chars().all(|c| c.is_ascii_digit() || c == ';'), "{escape:?}");
        }
    }

    #[test]
    fn sets_off_what_changed_within_a_call() {
        let (styled, _) = text(&sample_runs::failures(), TextOptions::default());
        let changed = styled.lines().find(|line| line.contains("999.0") && line.contains('+')).unwrap();
        assert!(changed.contains("\u{1b}[1m\u{1b}[4m\u{1b}[32m999.0"), "{changed:?}");
    }

    #[test]
    fn shows_each_case_when_asked_and_else_one_of_a_sort() {
        let run = sample_runs::failures();
        let (_, short) = text(&run, TextOptions { limit: 2, ..TextOptions::default() });
        assert!(short.contains("7 more of other sorts"), "{short}");
        assert!(!short.contains("payment-retry  failed"));
        let (_, whole) = text(&run, TextOptions { limit: usize::MAX, ..TextOptions::default() });
        for id in ["tracking-5", "tracking-6", "tracking-7", "complaint"] {
            assert!(whole.contains(&format!("{id}  failed")), "{id}");
        }
    }

    #[test]
    fn lists_every_kind_of_difference_when_asked_and_else_names_the_command() {
        let run = sample_runs::failures();
        let (_, short) = text(&run, TextOptions::default());
        assert!(short.contains("and 9 more kinds: taketwo report 20261130-203000123-1a2b --all"), "{short}");
        let (_, whole) = text(&run, TextOptions { limit: usize::MAX, ..TextOptions::default() });
        assert!(!whole.contains("more kind"), "{whole}");
        for group in &run.report().summary.groups {
            assert!(whole.contains(&format!("{}: {}", group.path.as_ref().unwrap_or(&group.subject), group.kind)));
        }
    }

    #[test]
    fn ends_with_the_verdict_when_it_is_longer_than_a_screen() {
        for (name, run) in sample_runs::all() {
            let text = plain(&run);
            let verdict = text.split("\n\n").next().unwrap();
            let is_long = text.lines().count() > 24;
            assert_eq!(text.trim_end().ends_with(verdict), is_long, "{name}: {text}");
        }
    }

    #[test]
    fn suggests_to_leave_out_only_what_looks_made_anew() {
        let text = plain(&sample_runs::failures());
        let rules: Vec<&str> = text.lines().filter(|line| line.contains("--ignore")).map(str::trim).collect();
        assert_eq!(rules, ["--ignore 'track:$.request_id'", "would be answered with: --ignore 'track:$.request_id'"]);
        // What is the same is said once.
        assert_eq!(text.matches("no recording answers 2 calls of track").count(), 1, "{text}");
    }

    #[test]
    fn says_nothing_of_order_where_a_tool_is_missing() {
        assert!(!plain(&sample_runs::failures()).contains("no counterpart"));
        let shown = report::case_text(
            &sample_runs::failures().report(),
            sample_runs::failures().cases[0].clone(),
            &TextOptions::default(),
        );
        assert!(!shown.contains("no counterpart"), "{shown}");
    }

    /// Sentences on evidence, line breaks taken out.
    fn unbroken(run: &SampleRun) -> String {
        plain(run).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn does_not_blame_recordings_that_no_attempt_was_held_to() {
        let text = unbroken(&sample_runs::never_replied());
        assert!(text.contains("no attempt came so far as to be held to its recording"), "{text}");
        assert!(!text.contains("no recording tells"), "{text}");
        // One attempt that came so far says nothing of the recordings of the others.
        let mut rows: Vec<_> = sample_runs::target_failures().rows().cloned().collect();
        rows[5].recorded.cost = Some("0.5".parse().unwrap());
        let text = unbroken(&SampleRun::new(sample_runs::manifest(10), rows, &[]));
        assert!(text.contains("cost-budget had no evidence: no attempt came so far whose recording tells its cost"));
    }

    #[test]
    fn says_whose_silence_it_is_and_what_helps() {
        let text = unbroken(&sample_runs::unrecorded_calls());
        assert!(text.contains("tools had no evidence: no recording tells its tool calls (`toolCalls`), but the run"));
        assert!(!text.contains("have the target give"), "{text}");
        let remedy = "have the target give `tokens`, or leave the check out: --skip token-budget";
        let text = unbroken(&sample_runs::inconclusive());
        assert!(text.contains(&format!("token-budget had no evidence: the run does not tell it; {remedy}")), "{text}");
        // A check that saw something in a few cases.
        let mut rows: Vec<_> = sample_runs::inconclusive().rows().cloned().collect();
        rows.push(sample_runs::passed(6, "tells"));
        let text = unbroken(&SampleRun::new(sample_runs::manifest(7), rows, &[]));
        let known = "token-budget could not be judged in silent-0: the run does not tell its total tokens";
        assert!(text.contains(&format!("{known}; {remedy}")), "{text}");
    }

    #[test]
    fn two_recordings_are_told_as_pairs_without_stubs() {
        let run = sample_runs::second_recording();
        let shown = report::diff_text(&run.report(), &mut run.cases.iter().cloned(), &TextOptions::default());
        let shown = anstream::adapter::strip_str(&shown).to_string();
        assert!(!shown.contains("Failed") && !shown.contains("no recording answers"), "{shown}");
        insta::assert_snapshot!("diff", shown);
        let alone = SampleRun::new(sample_runs::manifest(1), vec![run.cases[0].attempts[0].clone()], &[]);
        let shown = report::diff_text(&alone.report(), &mut alone.cases.iter().cloned(), &TextOptions::default());
        assert!(anstream::adapter::strip_str(&shown).to_string().starts_with("DIFFERENT: 1 of 1 pair differs."));
    }

    #[test]
    fn shows_one_case_in_full() {
        let mut run = sample_runs::failures();
        // A run keeps only the beginning of long calls, and says so.
        run.cases[0].attempts[0].calls[2].recorded.as_mut().unwrap().push('…');
        for (name, at) in [("cut", 0), ("moved", 1), ("failed", 2), ("over-budget", 4), ("passed", 8)] {
            let shown = report::case_text(&run.report(), run.cases[at].clone(), &TextOptions::default());
            insta::assert_snapshot!(format!("case-{name}"), anstream::adapter::strip_str(&shown));
        }
    }
}

mod json_report {
    use std::cell::Cell;

    use serde_json::Value;
    use taketwo::report::ReportDocument;

    use super::*;

    #[test]
    fn is_small_and_says_all() {
        insta::assert_snapshot!("json-repeated", json(&sample_runs::repeated()));
        insta::assert_snapshot!("json-empty", json(&sample_runs::empty()));
    }

    #[test]
    fn is_read_back_as_it_was() {
        for (name, run) in sample_runs::all() {
            let text = json(&run);
            let document: ReportDocument = serde_json::from_str(&text).unwrap();
            let again: Value = serde_json::to_value(&document).unwrap();
            assert_eq!(again, serde_json::from_str::<Value>(&text).unwrap(), "{name}");
            assert_eq!(document.cases.len(), run.cases.len());
        }
    }

    #[test]
    fn follows_its_schema_and_the_schema_names_every_field() {
        let schema: Value = serde_json::from_str(include_str!("../../schemas/report-v1.schema.json")).unwrap();
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        for (name, run) in sample_runs::all() {
            let report: Value = serde_json::from_str(&json(&run)).unwrap();
            let errors: Vec<String> =
                validator.iter_errors(&report).map(|error| format!("{} {error}", error.instance_path())).collect();
            assert!(errors.is_empty(), "{name}: {errors:#?}");
            assert_named(&schema, &schema, &report, "$");
        }
    }

    #[test]
    fn two_runs_over_the_same_evidence_differ_in_ids_and_times_alone() {
        let (one, mut other) = (sample_runs::failures(), sample_runs::failures());
        other.manifest.id = taketwo::store::RunId::parse("20261201-000000000-ffff").unwrap();
        other.manifest.started_at = "2026-12-01T00:00:00.000Z".into();
        other.manifest.finished_at = None;
        other.outcome.wall_ms = None;
        let without = |run: &SampleRun| {
            let mut report: Value = serde_json::from_str(&json(run)).unwrap();
            for name in ["id", "startedAt", "finishedAt", "wallMs"] {
                report["run"][name] = Value::Null;
            }
            report
        };
        assert_ne!(json(&one), json(&other));
        assert_eq!(without(&one), without(&other));
    }

    #[test]
    fn a_case_that_passed_is_a_short_line() {
        let run = sample_runs::all_passed();
        let text = json(&run);
        let line = text.lines().find(|line| line.contains("\"order-17\"")).unwrap();
        assert!(line.len() < 100, "{line}");
    }

    #[test]
    fn holds_one_case_at_a_time() {
        struct Counting<'a>(&'a Cell<u64>);
        impl std::io::Write for Counting<'_> {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                self.0.set(self.0.get() + bytes.len() as u64);
                Ok(bytes.len())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let run = sample_runs::all_passed();
        let written = Cell::new(0);
        // Each case is asked for when the one before it was written.
        let mut cases = (0..100_000).map(|index| {
            assert!(written.get() >= index * 50, "{} bytes before case {index}", written.get());
            EvalCaseResults::new(vec![sample_runs::passed(index, "x")]).unwrap()
        });
        report::json(&run.report(), &mut cases, &mut Counting(&written)).unwrap();
        assert!(written.get() < 100_000 * 100, "{} bytes for 100,000 cases that passed", written.get());
    }

    #[test]
    fn holds_no_content_that_was_not_to_be_kept() {
        let mut run = sample_runs::failures();
        run.manifest.content = taketwo::store::Content::Omit;
        // The rows still have content; the reports leave it out all the same.
        for text in [plain(&run), json(&run), junit(&run), markdown(&run, report::MARKDOWN_LIMIT)] {
            for content in ["82.13", "999.0", "anna@example.org", "I have done it", "being sorry", "PX-205-938"] {
                assert!(!text.contains(content), "{content} in {text}");
            }
        }
    }
}

mod junit_report {
    use super::*;

    #[test]
    fn says_what_happened() {
        for (name, run) in sample_runs::all() {
            insta::assert_snapshot!(format!("junit-{name}"), junit(&run));
        }
    }

    /// The rules of the schema of Jenkins' xUnit plugin (junit-10): elements, their order and their attributes.
    #[test]
    fn follows_the_schema_of_jenkins() {
        for (name, run) in sample_runs::all() {
            let text = junit(&run);
            let is_character =
                |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
            assert!(text.chars().all(is_character), "{name}");
            let mut open: Vec<String> = Vec::new();
            for tag in tags(&text) {
                match tag {
                    Tag::Close(element) => assert_eq!(open.pop(), Some(element), "{name}"),
                    Tag::Open { element, attributes, is_closed } => {
                        let parent = open.last().map_or("", String::as_str);
                        let (parents, allowed, required) = rule(&element);
                        assert!(parents.contains(&parent), "{name}: <{element}> in <{parent}>");
                        for (attribute, value) in &attributes {
                            assert!(allowed.contains(&attribute.as_str()), "{name}: {element} {attribute}={value}");
                        }
                        for attribute in required {
                            assert!(
                                attributes.iter().any(|(name, _)| name == attribute),
                                "{name}: {element} lacks {attribute}"
                            );
                        }
                        if !is_closed {
                            open.push(element);
                        }
                    }
                }
            }
            assert!(open.is_empty(), "{name}");
        }
    }

    /// Where an element may stand, the attributes that it may have, and those that it must have.
    fn rule(element: &str) -> (&[&str], &[&str], &[&str]) {
        match element {
            "testsuites" => (&[""], &["name", "time", "tests", "failures", "errors"], &[]),
            "testsuite" => (
                &["testsuites"],
                &["name", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname", "id"],
                &["name", "tests", "failures", "errors"],
            ),
            "properties" => (&["testsuite"], &[], &[]),
            "property" => (&["properties"], &["name", "value"], &["name", "value"]),
            "testcase" => (&["testsuite"], &["name", "time", "classname", "group"], &["name"]),
            "failure" | "error" | "skipped" => (&["testcase"], &["type", "message"], &[]),
            other => panic!("<{other}> is not in the schema"),
        }
    }

    enum Tag {
        Open { element: String, attributes: Vec<(String, String)>, is_closed: bool },
        Close(String),
    }

    /// The tags of a document. A `<` or `&` that is none of markup fails.
    fn tags(text: &str) -> Vec<Tag> {
        let body = text.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>").unwrap();
        let mut tags = Vec::new();
        for part in body.split('<').skip(1) {
            let (tag, after) = part.split_once('>').expect("a tag ends");
            assert!(!after.contains("]]>") && entities_are_known(after), "{after}");
            if let Some(element) = tag.strip_prefix('/') {
                tags.push(Tag::Close(element.trim().to_owned()));
                continue;
            }
            let is_closed = tag.ends_with('/');
            let tag = tag.trim_end_matches('/');
            let (element, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
            let mut attributes = Vec::new();
            while let Some((attribute, value)) = rest.split_once("=\"") {
                let (value, later) = value.split_once('"').unwrap();
                assert!(entities_are_known(value), "{value}");
                attributes.push((attribute.trim().to_owned(), value.to_owned()));
                rest = later;
            }
            assert!(rest.trim().is_empty(), "{rest}");
            tags.push(Tag::Open { element: element.to_owned(), attributes, is_closed });
        }
        tags
    }

    fn entities_are_known(text: &str) -> bool {
        let known = |part: &str| {
            let (name, _) = part.split_once(';').unwrap_or((part, ""));
            matches!(name, "lt" | "gt" | "amp" | "quot" | "apos") || name.starts_with('#')
        };
        text.split('&').skip(1).all(known)
    }

    #[test]
    fn counts_agree_with_the_cases() {
        let text = junit(&sample_runs::target_failures());
        assert!(text.contains(r#"tests="10""#) && text.contains(r#"errors="7""#) && text.contains(r#"skipped="1""#));
        assert_eq!(text.matches("<error ").count(), 7);
        let text = junit(&sample_runs::failures());
        assert_eq!(text.matches("<failure ").count(), 9);
        assert_eq!(text.matches("<testsuite ").count(), 2, "one for each scenario");
    }
}

mod markdown_report {
    use super::*;

    #[test]
    fn says_what_happened() {
        for (name, run) in sample_runs::all() {
            insta::assert_snapshot!(format!("markdown-{name}"), markdown(&run, report::MARKDOWN_LIMIT));
        }
    }

    #[test]
    fn shows_one_case_alone() {
        let run = sample_runs::failures();
        for (name, at) in [("moved", 1), ("failed", 2), ("passed", 8)] {
            let page = report::markdown_case(&run.report(), run.cases[at].clone(), report::MARKDOWN_LIMIT);
            assert!(!page.contains("omitted") && !page.starts_with("<!-- taketwo -->"), "{page}");
            insta::assert_snapshot!(format!("markdown-case-{name}"), page);
        }
    }

    #[test]
    fn one_case_is_never_longer_than_asked_and_its_fences_are_closed() {
        for (name, run) in sample_runs::all() {
            for (case, limit) in run.cases.iter().flat_map(|case| [(case, 1_500), (case, 60_000)]) {
                let page = report::markdown_case(&run.report(), case.clone(), limit);
                assert!(page.len() <= limit, "{name}: {} > {limit}", page.len());
                let fences = page.lines().filter(|line| line.starts_with("```")).count();
                assert_eq!(fences % 2, 0, "{name}: {page}");
            }
        }
        let run = sample_runs::failures();
        let page = report::markdown_case(&run.report(), run.cases[2].clone(), 1_500);
        assert!(page.contains("lines omitted."), "{page}");
    }

    #[test]
    fn is_never_longer_than_asked_and_says_what_is_left_out() {
        for (name, run) in sample_runs::all() {
            for limit in [2_000, 3_000, 5_000, 60_000] {
                let page = markdown(&run, limit);
                assert!(page.len() <= limit, "{name}: {} > {limit}", page.len());
                assert!(page.starts_with("<!-- taketwo -->\n"));
                assert_eq!(page.matches("<details>").count(), page.matches("</details>").count());
            }
        }
        let page = markdown(&sample_runs::failures(), 3_000);
        assert!(page.contains("failed cases omitted."), "{page}");
        assert!(!markdown(&sample_runs::failures(), 60_000).contains("omitted"));
    }

    #[test]
    fn names_nobody_and_lets_no_markup_in() {
        let page = markdown(&sample_runs::weird(), 60_000);
        let outside_of_fences: String = page.split("`````").step_by(2).collect();
        assert!(!outside_of_fences.contains("@you") && !outside_of_fences.contains("<script>"), "{page}");
    }
}
