//! Cutting the values of some lists out of JSON as it streams by: the spans out of a document of any size, or out of the
//! documents on its lines.

use std::io::BufRead;

/// The longest value that is cut out; what is longer is turned away.
const MAX_VALUE: usize = 64 << 20;
/// How deep documents may be.
const DEPTH: usize = 200;

/// The lists whose values are wanted, each by the last keys of the way to it, from the outside to the inside; several
/// spellings of a key are separated by `|`.
pub(in super::super) type Ways = &'static [&'static [&'static str]];

/// A value that was cut out.
#[derive(Debug, PartialEq, Eq)]
pub(in super::super) struct Cut {
    /// Which of the ways it stands on.
    pub(in super::super) way: usize,
    /// Where it starts, in bytes.
    pub(in super::super) offset: u64,
    pub(in super::super) bytes: Vec<u8>,
}

/// Why nothing could be cut out.
#[derive(Debug)]
pub(in super::super) enum Broken {
    /// The text cannot be read.
    Unreadable(std::io::Error),
    /// The text ends within a value.
    Torn { offset: u64 },
    /// The text goes on with another document before this one is closed.
    Unclosed { offset: u64 },
    /// A value is too long, or too deep.
    TooLarge { offset: u64 },
}

/// Walks through the text.
pub(in super::super) struct Cutter {
    text: Box<dyn BufRead + Send>,
    ways: Ways,
    offset: u64,
    /// The keys of the lists and objects that are open; empty for the items of a list.
    open: Vec<Open>,
    /// The last key that was read.
    key: Vec<u8>,
    state: State,
    cut: Option<Cutting>,
    /// Whether the last byte outside of texts ended a line.
    line_ended: bool,
    ended: bool,
}

#[derive(Debug)]
struct Open {
    key: Vec<u8>,
    is_list: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Between,
    Text,
    Escape,
}

struct Cutting {
    cut: Cut,
    /// How many were open outside of it.
    depth: usize,
}

impl Cutter {
    pub(in super::super) fn new(text: Box<dyn BufRead + Send>, ways: Ways) -> Self {
        let (open, key) = (Vec::new(), Vec::new());
        Self { text, ways, offset: 0, open, key, state: State::Between, cut: None, line_ended: false, ended: false }
    }

    /// Which way leads to the items of the list that is open now.
    fn way(&self) -> Option<usize> {
        self.open.last().filter(|open| open.is_list)?;
        let keys: Vec<&[u8]> = self.open.iter().map(|open| open.key.as_slice()).filter(|key| !key.is_empty()).collect();
        self.ways.iter().position(|way| {
            way.len() <= keys.len()
                && way
                    .iter()
                    .rev()
                    .zip(keys.iter().rev())
                    .all(|(names, key)| names.split('|').any(|name| name.as_bytes() == *key))
        })
    }

    /// Takes the next byte. What it completes is given back.
    fn take(&mut self, byte: u8) -> Option<Result<Cut, Broken>> {
        if let Some(cutting) = &mut self.cut {
            cutting.cut.bytes.push(byte);
        }
        match self.state {
            State::Escape => self.state = State::Text,
            State::Text => match byte {
                b'\\' => self.state = State::Escape,
                b'"' => self.state = State::Between,
                // No text of JSON holds the end of a line: the one before it was broken off.
                b'\n' => return Some(Err(self.restart())),
                _ if self.cut.is_none() && self.key.len() < 64 => self.key.push(byte),
                _ => {}
            },
            State::Between => return self.between(byte),
        }
        None
    }

    fn between(&mut self, byte: u8) -> Option<Result<Cut, Broken>> {
        match byte {
            b'"' => {
                self.state = State::Text;
                if self.cut.is_none() {
                    self.key.clear();
                }
            }
            b'{' | b'[' => {
                // Another document starts on a new line while one is open: lines of JSON have one each.
                if byte == b'{' && self.line_ended && !self.open.is_empty() && self.starts_document() {
                    let broken = self.restart();
                    self.line_ended = false;
                    self.open.push(Open { key: Vec::new(), is_list: false });
                    return Some(Err(broken));
                }
                if self.open.len() >= DEPTH {
                    self.ended = true;
                    return Some(Err(Broken::TooLarge { offset: self.offset }));
                }
                if self.cut.is_none()
                    && byte == b'{'
                    && let Some(way) = self.way()
                {
                    let cut = Cut { way, offset: self.offset, bytes: vec![byte] };
                    self.cut = Some(Cutting { cut, depth: self.open.len() });
                }
                let key = if self.cut.is_none() && self.open.last().is_some_and(|open| !open.is_list) {
                    std::mem::take(&mut self.key)
                } else {
                    Vec::new()
                };
                self.open.push(Open { key, is_list: byte == b'[' });
            }
            b'}' | b']' => {
                self.open.pop();
                if self.cut.as_ref().is_some_and(|cutting| cutting.depth >= self.open.len()) {
                    return self.cut.take().map(|cutting| Ok(cutting.cut));
                }
            }
            _ => {}
        }
        self.line_ended = byte == b'\n' || (self.line_ended && byte.is_ascii_whitespace());
        None
    }

    /// Whether what is to be read now is the key of a document.
    fn starts_document(&mut self) -> bool {
        let Ok(next) = self.text.fill_buf() else { return false };
        let next = next.get(1..).unwrap_or_default();
        self.ways.iter().any(|way| {
            way[0].split('|').any(|name| next.strip_prefix(b"\"").is_some_and(|next| next.starts_with(name.as_bytes())))
        })
    }

    fn restart(&mut self) -> Broken {
        let offset = self.cut.take().map_or(self.offset, |cutting| cutting.cut.offset);
        self.open.clear();
        self.state = State::Between;
        Broken::Unclosed { offset }
    }
}

impl Iterator for Cutter {
    type Item = Result<Cut, Broken>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            let (byte, plain) = match self.text.fill_buf() {
                Ok([]) => {
                    self.ended = true;
                    let is_open = !self.open.is_empty() || self.state != State::Between;
                    return is_open.then_some(Err(Broken::Torn { offset: self.offset }));
                }
                Ok(chunk) => (chunk[0], if self.state == State::Text { plain_run(chunk) } else { 0 }),
                Err(error) => {
                    self.ended = true;
                    return Some(Err(Broken::Unreadable(error)));
                }
            };
            if plain > 0 {
                self.pass(plain);
                continue;
            }
            let found = self.take(byte);
            self.text.consume(1);
            self.offset += 1;
            if found.is_some() {
                return found;
            }
            if self.cut.as_ref().is_some_and(|cutting| cutting.cut.bytes.len() > MAX_VALUE) {
                self.ended = true;
                return Some(Err(Broken::TooLarge { offset: self.offset }));
            }
        }
        None
    }
}

/// How many bytes of a text can be passed at once.
fn plain_run(chunk: &[u8]) -> usize {
    chunk.iter().position(|byte| matches!(byte, b'"' | b'\\' | b'\n')).unwrap_or(chunk.len())
}

impl Cutter {
    /// Passes bytes within a text.
    fn pass(&mut self, count: usize) {
        if let Ok(chunk) = self.text.fill_buf() {
            let chunk = &chunk[..count.min(chunk.len())];
            match &mut self.cut {
                Some(cutting) => cutting.cut.bytes.extend_from_slice(chunk),
                None => self.key.extend(chunk.iter().take(64_usize.saturating_sub(self.key.len()))),
            }
        }
        self.text.consume(count);
        self.offset += count as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAYS: Ways = &[&["rs|batches", "spans"], &["logs"]];

    fn cut(text: &str) -> Vec<Result<(usize, u64, String), String>> {
        let text = std::io::BufReader::with_capacity(61, std::io::Cursor::new(text.to_owned()));
        let cutter = Cutter::new(Box::new(text), WAYS);
        cutter
            .map(|found| match found {
                Ok(cut) => Ok((cut.way, cut.offset, String::from_utf8(cut.bytes).unwrap())),
                Err(broken) => Err(format!("{broken:?}")),
            })
            .collect()
    }

    #[test]
    fn values_are_cut_out_of_documents_and_lines() {
        let document = r#"{"rs":[{"spans":[ {"a":"}]\""}, {"spans":[{}]}],"x":[{"y":1}]}],"logs":[{"b":1}]}"#;
        let found = cut(document);
        let texts: Vec<_> =
            found.iter().map(|found| found.as_ref().unwrap()).map(|(way, _, text)| (*way, text)).collect();
        let wanted = [r#"{"a":"}]\""}"#, r#"{"spans":[{}]}"#, r#"{"b":1}"#].map(str::to_owned);
        assert_eq!(texts, [(0, &wanted[0]), (0, &wanted[1]), (1, &wanted[2])]);
        assert_eq!(found[0].as_ref().unwrap().1, 18);
        let lines = "{\"batches\":[{\"spans\":[{}]}]}\n\n{\"batches\":[{\"spans\":[{}]}]}\n";
        assert_eq!(cut(lines).len(), 2);
    }

    #[test]
    fn after_a_line_that_breaks_off_the_next_is_read() {
        let whole = "{\"rs\":[{\"spans\":[{\"a\":1}]}]}";
        // Broken off in a text, between texts, and at the end of all.
        let broken = format!("{}\n{whole}\n{}\n{whole}\n{}", &whole[..20], &whole[..18], &whole[..23]);
        let found = cut(&broken);
        let shown: Vec<bool> = found.iter().map(Result::is_ok).collect();
        assert_eq!(shown, [false, true, false, true, false], "{found:?}");
        assert!(found[4].as_ref().is_err_and(|broken| broken.starts_with("Torn")), "{found:?}");
    }

    #[test]
    fn nothing_that_is_no_json_does_harm() {
        for text in ["", "]]}}", "{\"rs\":[[[[", "\"", "{\"logs\":[1,\"x\",null]}", &"[".repeat(1000)] {
            assert!(cut(text).iter().all(Result::is_err), "{text}");
        }
    }
}
