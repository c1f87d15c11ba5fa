//! Logs of Inspect: one JSON document, or a ZIP archive with a document a sample.

mod archive;
mod attachments;
mod events;
mod sample;

use super::super::json::{Json, Kind};
use super::super::place::At;
use super::super::wire::RowFault;
use super::fields::{below, count, items, member, text};
use super::format::{Conversations, Format, Grain, NotThisFormat, Reader, Sign, SourceText};
use super::opening::Opening;
use super::values::{document, keys, place_in_list, refused};

use archive::Archive;

pub(super) const FORMAT: Format = Format {
    name: "inspect",
    about: "logs of Inspect (.eval and .json)",
    grain: Grain::Session,
    sign,
    reader: Reader::Conversations(read),
};

/// What ZIP archives start with.
const ZIP: &[u8] = b"PK\x03\x04";

fn sign(opening: &Opening) -> Option<Sign> {
    let is_log = opening.has("eval.task") && opening.has("eval.model");
    let is_archive = opening.bytes().starts_with(ZIP)
        && (opening.is_named(".eval") || opening.bytes().windows(9).take(256).any(|name| name == b"_journal/"));
    (is_log || is_archive).then(|| Sign::Sure("it is a log of Inspect".into()))
}

fn read(mut source: SourceText) -> Result<Conversations, NotThisFormat> {
    let begin = source.text.fill_buf().map_err(|error| NotThisFormat::new(format!("it cannot be read: {error}")))?;
    if begin.starts_with(ZIP) { read_archive(source) } else { read_document(source) }
}

fn read_document(source: SourceText) -> Result<Conversations, NotThisFormat> {
    let file = source.file.clone();
    let log = document(source)?;
    let Some(run) = Run::read(&log) else {
        return Err(NotThisFormat::new(format!("a log of Inspect has \"eval\"; the fields here are {}", keys(&log))));
    };
    let samples = items(&log, "samples");
    if samples.is_empty() {
        return Err(no_samples(text(&log, "status").as_deref()));
    }
    Ok(Box::new(samples.into_iter().enumerate().map(move |(index, sample)| {
        let at = place_in_list(index, &sample);
        let conversation = sample::conversation(&run, &sample);
        conversation.map(|conversation| (at, conversation)).map_err(|fault| refused(&file, at, fault, &sample))
    })))
}

fn read_archive(source: SourceText) -> Result<Conversations, NotThisFormat> {
    let file = source.file.clone();
    let archived = |problem: String| NotThisFormat {
        problem,
        help: Some("a .eval file of Inspect is a ZIP archive with header.json and samples/".into()),
    };
    let mut archive = Archive::open(&source).map_err(archived)?;
    let head = archive.head().map_err(archived)?;
    let Some(run) = Run::read(&head) else { return Err(archived("its header has no \"eval\"".into())) };
    if archive.samples() == 0 {
        return Err(no_samples(text(&head, "status").as_deref()));
    }
    Ok(Box::new((0..archive.samples()).map(move |index| {
        let at = At::Value { number: index as u64 + 1, offset: 0 };
        let sample = archive.sample(index).map_err(|problem| {
            refused(&file, at, RowFault::NoInteraction(problem), &Json::string(archive.name(index)))
        })?;
        let conversation = sample::conversation(&run, &sample);
        conversation.map(|conversation| (at, conversation)).map_err(|fault| refused(&file, at, fault, &sample))
    })))
}

fn no_samples(status: Option<&str>) -> NotThisFormat {
    let status = status.map(|status| format!(" (its status is {status})")).unwrap_or_default();
    NotThisFormat {
        problem: format!("this log has no samples{status}"),
        help: Some("a run that was stopped early, or with --no-log-samples, keeps none; leave the file out".into()),
    }
}

/// What all samples of a log share.
struct Run {
    task: Option<String>,
    solver: Option<String>,
    run: Option<String>,
    created: Option<String>,
    epochs: Epochs,
}

/// How often each sample was run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Epochs {
    One,
    Several,
}

impl Run {
    fn read(head: &Json) -> Option<Self> {
        let eval = member(head, "eval").filter(|eval| eval.kind() == Kind::Object)?;
        let epochs = below(&eval, &["config"]).and_then(|config| count(&config, "epochs"));
        Some(Self {
            task: text(&eval, "task"),
            solver: text(&eval, "solver"),
            run: text(&eval, "run_id"),
            created: text(&eval, "created"),
            epochs: if epochs.is_some_and(|epochs| epochs > 1) { Epochs::Several } else { Epochs::One },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::interaction::Interaction;
    use super::*;

    fn imported(epochs: u32, samples: &str) -> Vec<Result<Interaction, String>> {
        let log = format!(
            r#"{{"status":"success","eval":{{"task":"t","model":"m","run_id":"r","solver":"s","config":{{"epochs":{epochs}}}}},"samples":[{samples}]}}"#
        );
        let found = read(SourceText::of("log.json", log)).map_err(|error| error.problem).unwrap();
        found
            .map(|found| match found {
                Ok((_, conversation)) => Ok(conversation.interactions(Grain::Session).pop().unwrap()),
                Err(reject) => Err(reject.reason.to_string()),
            })
            .collect()
    }

    fn model(span: &str, id: &str, words: &str, more: &str) -> String {
        let usage = r#"{"input_tokens":10,"output_tokens":2,"total_tokens":17,"input_tokens_cache_read":5}"#;
        format!(
            r#"{{"event":"model","span_id":"{span}","model":"m"{more},"output":{{"model":"m-1","time":0.5,"usage":{usage},
            "choices":[{{"stop_reason":"stop","message":{{"id":"{id}","role":"assistant","content":"{words}"}}}}]}}}}"#
        )
    }

    #[test]
    fn a_graders_call_is_not_the_agents() {
        let events = [
            r#"{"event":"span_begin","id":"a","type":"solvers","timestamp":"2026-01-01T00:00:00Z"}"#.to_owned(),
            model("a", "1", "yes", ""),
            r#"{"event":"span_end","id":"a","timestamp":"2026-01-01T00:00:02Z"}"#.to_owned(),
            r#"{"event":"span_begin","id":"b","type":"scorers"}"#.to_owned(),
            r#"{"event":"span_begin","id":"c","parent_id":"b","type":"scorer"}"#.to_owned(),
            model("c", "9", "GRADE: C", ""),
        ];
        let sample = format!(
            r#"{{"id":7,"epoch":2,"uuid":"u","input":"q","messages":[{{"role":"user","content":"q"}},{{"role":"assistant","id":"1","content":"yes"}}],
            "scores":{{"s":{{"value":"C"}}}},"events":[{}]}}"#,
            events.join(",")
        );
        let it = imported(2, &sample).pop().unwrap().unwrap();
        assert_eq!(
            (it.model_calls.as_ref().unwrap().count(), it.tokens.input, it.latency_ms),
            (1, Some(15), Some(2000.0))
        );
        assert_eq!(
            (it.id.unwrap().as_str(), it.session.as_deref(), it.agent.as_deref()),
            ("7#2", Some("u"), Some("s"))
        );
        assert_eq!(it.extra[0].1.member("scorerModelCalls").unwrap().text(), "1");
    }

    #[test]
    fn examples_of_a_sample_are_what_was_said_before() {
        let message = |role: &str, content: &str| format!(r#"{{"role":"{role}","content":"{content}"}}"#);
        let input = [message("user", "a"), message("assistant", "b"), message("user", "c")].join(",");
        let sample = format!(r#"{{"id":"x","input":[{input}],"messages":[{input},{}]}}"#, message("assistant", "d"));
        let it = imported(1, &sample).pop().unwrap().unwrap();
        assert_eq!(
            (it.input.text(), it.output.unwrap().text(), it.model_calls.unwrap().count()),
            ("\"c\"", "\"d\"", 1)
        );
        assert_eq!(it.history.unwrap().items().unwrap().len(), 2);
    }

    #[test]
    fn errors_limits_and_attachments_are_told() {
        let sample = r#"{"id":1,"input":"q","limit":{"type":"token"},"attachments":{"ab":"the long question"},"messages":[
            {"role":"user","content":"attachment://ab"},
            {"role":"assistant","content":[{"type":"reasoning","reasoning":"hm"},{"type":"text","text":"I look."}],
             "tool_calls":[{"id":"1","function":"bash","arguments":{"cmd":"x"},"parse_error":"no JSON"}]},
            {"role":"tool","tool_call_id":"1","function":"bash","content":"","error":{"type":"timeout","message":"late"}}]}"#;
        let it = imported(1, sample).pop().unwrap().unwrap();
        let call = &it.tool_calls.as_ref().unwrap()[0];
        assert_eq!((it.input.text(), it.failure.as_deref()), ("\"the long question\"", Some("limit: token")));
        assert_eq!(call.tool_error().unwrap().to_string(), "timeout: late");
        assert_eq!((it.output.unwrap().text(), it.doubts.len()), ("\"I look.\"", 1));
        let broken = imported(1, r#"{"id":1,"input":"q","messages":[],"error":{"message":"boom"}}"#);
        assert_eq!(broken[0].as_ref().unwrap_err(), "the sample ended before anything was said: boom");
    }

    #[test]
    fn an_answer_out_of_the_cache_has_no_latency() {
        let sample = |more: &str| {
            let event = model("a", "1", "yes", more);
            format!(
                r#"{{"id":1,"input":"q","messages":[{{"role":"user","content":"q"}},{{"role":"assistant","content":"yes"}}],"events":[{event}]}}"#
            )
        };
        for (more, latency) in [("", Some(500.0)), (r#","cache":"read""#, None)] {
            let it = imported(1, &sample(more)).pop().unwrap().unwrap();
            let Some(super::super::super::interaction::ModelCalls::List(calls)) = it.model_calls else { panic!() };
            assert_eq!(calls[0].latency_ms, latency, "found by its words");
        }
    }
}
