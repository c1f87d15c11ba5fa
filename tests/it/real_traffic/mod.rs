//! Real interactions out of the recordings in `shared/corpus`, whatever their format, made ready to be compared.
//!
//! These readers exist to get real tool calls in front of the comparison. They are no importers: they take the calls
//! and what came back, little else, and count what they cannot read.

mod cassettes;
mod conversation;
mod imported;
mod parts;
mod tau_parquet;
mod telemetry;

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::OnceLock;

use taketwo::recording::{CaseId, Interaction, Json, ToolCall};

use crate::corpus::{files, shared};
use imported::imported;

/// All that the readers found, in an order that never changes.
pub struct Traffic {
    /// Each has an id of its own, and tells its tool calls, be they none.
    pub interactions: Vec<Interaction>,
    /// What came of each source, in the order they were read.
    pub sources: Vec<(&'static str, Count)>,
}

/// What came of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub files: usize,
    pub interactions: usize,
    pub with_calls: usize,
    pub calls: usize,
    /// Files and rows that are no interaction, or none that a reader here understands.
    pub skipped: usize,
}

/// A reader of some files below a folder.
struct Reader {
    source: &'static str,
    /// Endings of the files it reads.
    ends: &'static [&'static str],
    read: fn(&Path, &mut Found),
}

/// In this order: of one conversation in two wrappings the first counts.
const READERS: &[Reader] = &[
    Reader { source: "tau2-bench", ends: &["json"], read: |file, found| imported("tau2", file, found) },
    Reader { source: "derived-parquet", ends: &["zstd.parquet"], read: tau_parquet::simulations },
    Reader { source: "tau-bench", ends: &["json"], read: |file, found| imported("tau", file, found) },
    Reader { source: "bfcl", ends: &["_result.json"], read: |file, found| imported("bfcl", file, found) },
    Reader { source: "vcr-pydantic-ai", ends: &["yaml"], read: cassettes::cassette },
    Reader { source: "vcr-openllmetry", ends: &["yaml"], read: cassettes::cassette },
    Reader { source: "vcr-openinference", ends: &["yaml"], read: cassettes::cassette },
    Reader { source: "vcr-otel-contrib", ends: &["yaml"], read: cassettes::cassette },
    Reader { source: "langsmith-sdk", ends: &["yaml"], read: cassettes::cassette },
    Reader { source: "sse-vercel-ai", ends: &["json"], read: cassettes::body },
    Reader { source: "moatless", ends: &["json"], read: |file, found| imported("moatless", file, found) },
    Reader { source: "openclaw-sessions", ends: &["jsonl"], read: |file, found| imported("openclaw", file, found) },
    Reader { source: "claude-code-log", ends: &["jsonl"], read: |file, found| imported("claude-code", file, found) },
    Reader { source: "inspect", ends: &["json"], read: |file, found| imported("inspect", file, found) },
    Reader { source: "inspect_scout", ends: &["jsonl"], read: |file, found| imported("claude-code", file, found) },
    Reader { source: "swe-agent", ends: &["traj"], read: |file, found| imported("swe-agent", file, found) },
    Reader { source: "phoenix-client-atif", ends: &["json"], read: |file, found| imported("atif", file, found) },
    Reader { source: "agentevals-otlp", ends: &["json"], read: telemetry::spans },
];

/// Everything, or `None` where this machine has no corpus. The test then says so.
pub fn all() -> Option<&'static Traffic> {
    static TRAFFIC: OnceLock<Traffic> = OnceLock::new();
    let corpus = shared("corpus")?;
    Some(TRAFFIC.get_or_init(|| read_all(&corpus)))
}

fn read_all(corpus: &Path) -> Traffic {
    let mut traffic = Traffic { interactions: Vec::new(), sources: Vec::new() };
    let mut conversations = HashSet::new();
    for reader in READERS {
        let mut found = Found::default();
        for file in files(&corpus.join(reader.source), reader.ends) {
            found.file = file.strip_prefix(corpus).unwrap().display().to_string();
            found.count.files += 1;
            (reader.read)(&file, &mut found);
        }
        let mut count = found.count;
        for it in found.interactions {
            if it.session.as_ref().is_some_and(|session| !conversations.insert((session.clone(), it.turn))) {
                count.skipped += 1;
                continue;
            }
            let calls = it.tool_calls.as_ref().map_or(0, Vec::len);
            count.interactions += 1;
            count.with_calls += usize::from(calls > 0);
            count.calls += calls;
            traffic.interactions.push(it);
        }
        traffic.sources.push((reader.source, count));
    }
    traffic
}

impl Traffic {
    /// How many interactions have calls that no other has, to the letter.
    pub fn distinct(&self) -> usize {
        let mut seen = HashSet::new();
        let calls = self.interactions.iter().flat_map(|it| &it.tool_calls).filter(|calls| !calls.is_empty());
        calls.filter(|calls| seen.insert(letters(calls))).count()
    }
}

/// Does some work on all cores, each of which takes interactions from everywhere in the list.
pub fn on_all_cores<T: Send>(interactions: &[Interaction], work: fn(&[&Interaction]) -> T) -> Vec<T> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let part = |core| interactions.iter().skip(core).step_by(cores).collect::<Vec<_>>();
        let threads: Vec<_> = (0..cores).map(|core| scope.spawn(move || work(&part(core)))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Names and arguments of calls, to the letter.
fn letters(calls: &[ToolCall]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for call in calls {
        hasher.update(call.name.as_str().as_bytes());
        hasher.update(b"\0");
        hasher.update(call.arguments.as_ref().map_or("", Json::text).as_bytes());
        hasher.update(b"\0");
    }
    hasher.finalize()
}

/// What a reader finds.
#[derive(Default)]
struct Found {
    /// The file that is read now, in the corpus.
    file: String,
    interactions: Vec<Interaction>,
    count: Count,
    ids: HashMap<String, usize>,
}

impl Found {
    /// Takes an interaction; `place` tells it from the others of its file.
    fn add(&mut self, place: &str, mut it: Interaction) {
        let id = format!("{}#{place}", self.file);
        let uses = self.ids.entry(id.clone()).or_default();
        *uses += 1;
        it.id = Some(CaseId::new(if *uses > 1 { format!("{id}~{uses}") } else { id }));
        self.interactions.push(it);
    }

    /// Counts something that is no interaction, or none that is understood.
    fn skip(&mut self) {
        self.count.skipped += 1;
    }

    /// The JSON in a file; one that is none is skipped.
    fn json(&mut self, file: &Path) -> Option<Json> {
        let json = std::fs::read_to_string(file).ok().and_then(|text| Json::parse(text).ok());
        if json.is_none() {
            self.skip();
        }
        json
    }
}
