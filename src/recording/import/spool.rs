//! Pieces of traces, kept in a temporary file until all files were read.
//!
//! Memory holds where they stand: some 24 bytes a piece and 80 a trace.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::super::keys::{Keys, text_key};
use super::super::placed::{PlacedFiles, Span, Spool};
use super::assembly::outermost_first;
use super::lone::LoneCalls;
use super::observation::Observation;

/// The pieces that came so far.
#[derive(Debug)]
pub(super) struct TraceSpool {
    kept: Spool,
    pieces: Vec<Kept>,
    keys: Keys,
    traces: Vec<Trace>,
    sessions: Keys,
    lone: LoneCalls,
    files: Vec<Arc<Path>>,
}

/// Where a piece stands, and the one of its trace that came before it.
#[derive(Clone, Copy, Debug)]
struct Kept {
    span: Span,
    previous: u32,
}

/// What is known of a trace without reading it.
#[derive(Clone, Copy, Debug)]
struct Trace {
    last: u32,
    /// The session that the outermost piece names, and when that began.
    session: Option<(i128, u32)>,
    started: i128,
}

const NONE: u32 = u32::MAX;

impl TraceSpool {
    pub(super) fn new() -> Self {
        Self {
            kept: Spool::new(0),
            pieces: Vec::new(),
            keys: Keys::default(),
            traces: Vec::new(),
            sessions: Keys::default(),
            lone: LoneCalls::default(),
            files: Vec::new(),
        }
    }

    /// Keeps a piece.
    ///
    /// # Errors
    /// When the temporary file cannot be written.
    pub(super) fn keep(&mut self, piece: &Observation) -> io::Result<()> {
        if self.files.last() != Some(&piece.file) {
            self.files.push(Arc::clone(&piece.file));
        }
        let written = serde_json::to_vec(&(self.files.len() - 1, piece))?;
        let span = self.kept.keep(&written)?;
        let number = u32::try_from(self.pieces.len()).ok().filter(|number| *number != NONE);
        let number = number.ok_or_else(|| io::Error::other("there are more than four billion pieces of traces"))?;
        let started = outermost_first(piece);
        let named = piece.session.as_deref().map(|session| self.session(session));
        // What names no session may go on with something all the same. A session that is named later outranks it.
        let lone = self.lone.conversation(piece);
        let lone = lone.map(|number| (i128::MAX, self.session(&format!("\u{0}{number}"))));
        let session = named.map(|session| (started, session)).or(lone);
        let known = self.keys.insert(text_key(&piece.trace));
        let previous = match known {
            Ok(_) => {
                self.traces.push(Trace { last: number, session, started });
                NONE
            }
            Err(trace) => {
                let trace = &mut self.traces[trace];
                trace.session = trace.session.into_iter().chain(session).min_by_key(|(started, _)| *started);
                trace.started = trace.started.min(started);
                std::mem::replace(&mut trace.last, number)
            }
        };
        self.pieces.push(Kept { span, previous });
        Ok(())
    }

    fn session(&mut self, session: &str) -> u32 {
        let (Ok(number) | Err(number)) = self.sessions.insert(text_key(session));
        number as u32
    }

    /// The traces, those of one session together: sessions in the order in which they first appeared, the traces of
    /// each in the order in which they started.
    ///
    /// # Errors
    /// When the temporary file cannot be finished.
    pub(super) fn sessions(self) -> io::Result<impl Iterator<Item = io::Result<Vec<Vec<Observation>>>>> {
        let mut placed = PlacedFiles::new();
        self.kept.add_to(&mut placed)?;
        let groups = grouped(&self.traces);
        let (traces, pieces, files) = (self.traces, self.pieces, self.files);
        Ok(groups.into_iter().map(move |group| {
            let trace = |number: &u32| read(&placed, &pieces, &files, traces[*number as usize].last);
            group.iter().map(trace).collect()
        }))
    }
}

/// The numbers of the traces that belong together.
fn grouped(traces: &[Trace]) -> Vec<Vec<u32>> {
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut of_session = std::collections::HashMap::new();
    for (number, trace) in traces.iter().enumerate() {
        let number = number as u32;
        let session = trace.session.map(|(_, session)| session);
        let known = session.and_then(|session| of_session.get(&session).copied());
        match known {
            Some(group) => {
                let group: &mut Vec<u32> = &mut groups[group];
                group.push(number);
            }
            None => {
                of_session.extend(session.map(|session| (session, groups.len())));
                groups.push(vec![number]);
            }
        }
    }
    for group in &mut groups {
        group.sort_by_key(|number| (traces[*number as usize].started, *number));
    }
    groups
}

/// The pieces of a trace, in the order in which they came.
fn read(placed: &PlacedFiles, pieces: &[Kept], files: &[Arc<Path>], last: u32) -> io::Result<Vec<Observation>> {
    let mut trace = Vec::new();
    let mut next = last;
    while let Some(kept) = pieces.get(next as usize) {
        let written = placed.read(kept.span)?;
        let (file, mut piece): (usize, Observation) = serde_json::from_slice(&written)?;
        piece.file = Arc::clone(&files[file]);
        trace.push(piece);
        next = kept.previous;
    }
    trace.reverse();
    Ok(trace)
}

#[cfg(test)]
mod tests {
    use super::super::super::interaction::{Doubt, ModelCall, Tokens};
    use super::super::super::json::Json;
    use super::super::super::place::At;
    use super::super::dialogue::{Asked, Outcome};
    use super::super::message::Message;
    use super::super::observation::ObservationKind;
    use super::*;

    fn piece(file: &str, trace: &str, second: i64, session: Option<&str>) -> Observation {
        Observation {
            file: Path::new(file).into(),
            at: At::Line { number: 1, offset: 0 },
            trace: trace.into(),
            id: format!("{trace}-{second}"),
            parent: None,
            kind: ObservationKind::Other,
            name: "x".into(),
            started: jiff::Timestamp::new(second, 5).ok(),
            ended: None,
            session: session.map(str::to_owned),
            input: Vec::new(),
            output: Vec::new(),
            error: None,
            doubts: Vec::new(),
            extra: Vec::new(),
        }
    }

    fn read_back(pieces: &[Observation]) -> Vec<Vec<Vec<Observation>>> {
        let mut spool = TraceSpool::new();
        for piece in pieces {
            spool.keep(piece).unwrap();
        }
        spool.sessions().unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn traces_come_back_by_session_in_the_order_they_started() {
        let pieces = [
            piece("f", "late", 9, None),
            piece("f", "alone", 1, None),
            piece("g", "early", 2, Some("s")),
            piece("g", "late", 8, Some("s")),
        ];
        let sessions = read_back(&pieces);
        let ids = |traces: &Vec<Vec<Observation>>| -> Vec<String> {
            traces.iter().flatten().map(|piece| piece.id.clone()).collect()
        };
        assert_eq!(
            sessions.iter().map(ids).collect::<Vec<_>>(),
            [vec!["early-2", "late-9", "late-8"], vec!["alone-1"]]
        );
        assert_eq!(sessions[0][1][1].file, pieces[3].file);
    }

    #[test]
    fn a_piece_comes_back_as_it_was() {
        let mut piece = piece("f", "t", 1, Some("s"));
        let tokens = Tokens { input: Some(1), cache_read: Some(0), ..Tokens::default() };
        let call =
            ModelCall { tokens, latency_ms: Some(0.1), extra: vec![("k".into(), Json::null())], ..Default::default() };
        piece.kind = ObservationKind::Model(call);
        let calls = vec![Asked { name: "n".into(), arguments: Json::parse("{\"a\":1.50}").ok(), ..Asked::default() }];
        piece.input = vec![Message::User { content: Json::string("\u{1}é"), at: piece.started }];
        piece.output = vec![Message::Assistant { words: None, calls }];
        piece.error = Some(Json::string("e"));
        piece.doubts = vec![Doubt { path: "p".into(), problem: "q".into() }];
        piece.extra = vec![("x".into(), Json::parse("[1e400]").unwrap())];
        let mut tool = piece.clone();
        let outcome = Some(Outcome::Error(Json::string("no")));
        tool.kind = ObservationKind::Tool { id: None, arguments: Some(Json::string("{}")), outcome };
        let back = read_back(&[piece.clone(), tool.clone()]);
        assert_eq!(format!("{:?}", back[0][0]), format!("{:?}", [piece, tool]));
    }
}
