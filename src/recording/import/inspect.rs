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
