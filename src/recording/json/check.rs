//! One pass over a JSON text that finds what a recording must not hold, with the place and the reason.

use std::fmt;
use std::ops::Range;

use super::marks::Marks;
use super::scan::plain_run;
use super::text::decode_string;

/// How deep lists and objects may be nested, the outermost counted as 1. Real traces reach 38; a deeper line is a
/// bomb or a bug, and reading it would cost the stack.
pub const MAX_DEPTH: usize = 512;

/// What is wrong in a JSON text, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct Fault {
    /// Byte offset in the text.
    pub offset: usize,
    /// What is wrong there.
    pub kind: FaultKind,
}

/// The kinds of fault.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// The text ends in the middle of a value.
    UnexpectedEnd,
    /// A character that cannot stand here.
    Unexpected {
        /// The character met.
        found: char,
        /// What could have stood here.
        wanted: &'static str,
    },
    /// `NaN`, `Infinity` or `-Infinity`, which Python writes by default and JSON does not have.
    NotANumber(&'static str),
    /// A number that JSON does not allow, such as `01` or `1.`.
    BadNumber,
    /// An escape that JSON does not have, or a bare control character in a text.
    BadString,
    /// More than [`MAX_DEPTH`] levels.
    TooDeep,
    /// One object has this key twice; which value counts is anyone's guess.
    DuplicateKey {
        /// The key.
        key: String,
        /// The path of the object, as `$.toolCalls[0].arguments`.
        object: String,
    },
    /// Something follows the value.
    Trailing,
    /// The bytes are no UTF-8 text.
    NotUtf8,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultKind::UnexpectedEnd => f.write_str("the JSON ends in the middle of a value"),
            FaultKind::Unexpected { found, wanted } => {
                write!(f, "unexpected {found:?}, {wanted} should stand here")
            }
            FaultKind::NotANumber(word) => {
                write!(f, "{word} is not JSON (Python writes it; use null, or json.dumps(allow_nan=False))")
            }
            FaultKind::BadNumber => f.write_str("not a JSON number"),
            FaultKind::BadString => f.write_str("a bad escape or a bare control character in a text"),
            FaultKind::TooDeep => write!(f, "nested deeper than {MAX_DEPTH} levels"),
            FaultKind::DuplicateKey { key, object } => write!(f, "the key {key:?} stands twice in {object}"),
            FaultKind::Trailing => f.write_str("something follows the JSON value"),
            FaultKind::NotUtf8 => f.write_str("the bytes are no UTF-8 text"),
        }
    }
}

/// Checks that `text` is one JSON value and returns where it stands in it (without the white space around it).
///
/// # Errors
/// The first [`Fault`].
pub fn check(text: &str) -> Result<Range<usize>, Fault> {
    check_and_mark(text).map(|(span, _)| span)
}

/// The same, and notes where the larger lists and objects stand, so that who reads the text can step over them.
pub(super) fn check_and_mark(text: &str) -> Result<(Range<usize>, Marks), Fault> {
    let (open, keys) = (Vec::with_capacity(FEW_KEYS), Vec::with_capacity(2 * FEW_KEYS));
    let marks = Marks::for_text(text.len());
    let mut checker = Checker { text, bytes: text.as_bytes(), at: 0, open, keys, marks };
    checker.white();
    let from = checker.at;
    checker.value()?;
    let to = checker.at;
    checker.white();
    if checker.at < text.len() {
        return Err(checker.fault(FaultKind::Trailing));
    }
    Ok((from..to, checker.marks))
}

/// A list or object that is not closed yet.
struct Open {
    /// Where it starts.
    from: usize,
    inside: Inside,
}

enum Inside {
    /// Items passed so far.
    List(usize),
    /// Where this object's keys start in `Checker::keys`.
    Object(usize),
}

struct Checker<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    open: Vec<Open>,
    keys: Vec<Key>,
    marks: Marks,
}

/// A key of an object that is not closed yet.
struct Key {
    /// With its quotes.
    span: Range<usize>,
    spelling: Spelling,
}

/// How a text is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spelling {
    /// As it reads.
    Plain,
    /// With escapes, so that it can be written in other ways too.
    Escaped,
}

/// Up to so many keys are compared with each other on the spot; more are sorted.
const FEW_KEYS: usize = 16;

impl Checker<'_> {
    fn fault(&self, kind: FaultKind) -> Fault {
        Fault { offset: self.at, kind }
    }

    fn unexpected(&self, wanted: &'static str) -> Fault {
        match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            Some(found) => self.fault(FaultKind::Unexpected { found, wanted }),
            None => self.fault(FaultKind::UnexpectedEnd),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn white(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Passes one value. A loop with a stack of its own: a nesting bomb must not use up the thread's.
    fn value(&mut self) -> Result<(), Fault> {
        loop {
            self.white();
            let opened = match self.peek() {
                Some(b'{') => self.enter(Inside::Object(self.keys.len()))?,
                Some(b'[') => self.enter(Inside::List(0))?,
                _ => {
                    self.scalar()?;
                    false
                }
            };
            // An empty container closes at once; after any value, containers may close one after another.
            let more = (opened && self.first_in_container()?) || self.next_in_container()?;
            if !more {
                return Ok(());
            }
        }
    }

    fn enter(&mut self, inside: Inside) -> Result<bool, Fault> {
        if self.open.len() == MAX_DEPTH {
            return Err(self.fault(FaultKind::TooDeep));
        }
        self.open.push(Open { from: self.at, inside });
        self.marks.open(self.at);
        self.at += 1;
        Ok(true)
    }

    /// Passes the end of the innermost container.
    fn leave(&mut self) {
        self.at += 1;
        if let Some(container) = self.open.pop() {
            self.marks.close(container.from..self.at);
        }
    }

    /// Just inside a container: true when a value follows, false when it closed empty.
    fn first_in_container(&mut self) -> Result<bool, Fault> {
        self.white();
        match (self.open.last().map(|container| &container.inside), self.peek()) {
            (Some(Inside::Object(_)), Some(b'}')) | (Some(Inside::List(_)), Some(b']')) => {
                self.leave();
                Ok(false)
            }
            (Some(Inside::Object(_)), _) => self.key().map(|()| true),
            _ => Ok(true),
        }
    }

    /// After a value: true when another follows in its container, false when the outermost value is complete.
    fn next_in_container(&mut self) -> Result<bool, Fault> {
        loop {
            let Some(container) = self.open.last_mut() else { return Ok(false) };
            let (is_object, keys_from) = match &mut container.inside {
                Inside::List(items) => {
                    *items += 1;
                    (false, 0)
                }
                Inside::Object(keys_from) => (true, *keys_from),
            };
            self.white();
            match self.peek() {
                Some(b',') => {
                    self.at += 1;
                    if is_object {
                        self.white();
                        self.key()?;
                    }
                    return Ok(true);
                }
                Some(b'}') if is_object => {
                    self.no_key_twice(keys_from)?;
                    self.keys.truncate(keys_from);
                }
                Some(b']') if !is_object => {}
                _ => return Err(self.unexpected(if is_object { "`,` or `}`" } else { "`,` or `]`" })),
            }
            self.leave();
        }
    }

    fn key(&mut self) -> Result<(), Fault> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("a key in quotes"));
        }
        let from = self.at;
        let spelling = self.string()?;
        self.keys.push(Key { span: from..self.at, spelling });
        self.white();
        if self.peek() != Some(b':') {
            return Err(self.unexpected("`:`"));
        }
        self.at += 1;
        Ok(())
    }

    fn scalar(&mut self) -> Result<(), Fault> {
        match self.peek() {
            Some(b'"') => self.string().map(drop),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            Some(b'n') => self.word("null"),
            Some(b'N') if self.starts("NaN") => Err(self.fault(FaultKind::NotANumber("NaN"))),
            Some(b'I') if self.starts("Infinity") => Err(self.fault(FaultKind::NotANumber("Infinity"))),
            _ => Err(self.unexpected("a value")),
        }
    }

    fn starts(&self, word: &str) -> bool {
        self.bytes[self.at..].starts_with(word.as_bytes())
    }

    fn word(&mut self, word: &'static str) -> Result<(), Fault> {
        if self.starts(word) {
            self.at += word.len();
            return Ok(());
        }
        if word.as_bytes().starts_with(&self.bytes[self.at..]) {
            self.at = self.bytes.len();
        }
        Err(self.unexpected("a value"))
    }

    fn number(&mut self) -> Result<(), Fault> {
        if self.starts("-Infinity") {
            return Err(self.fault(FaultKind::NotANumber("-Infinity")));
        }
        let from = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let whole = self.digits();
        let mut good = whole > 0 && !(whole > 1 && self.bytes[self.at - whole] == b'0');
        if self.peek() == Some(b'.') {
            self.at += 1;
            good &= self.digits() > 0;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            good &= self.digits() > 0;
        }
        if good {
            return Ok(());
        }
        if self.at == self.bytes.len() {
            return Err(self.fault(FaultKind::UnexpectedEnd));
        }
        self.at = from;
        Err(self.fault(FaultKind::BadNumber))
    }

    fn digits(&mut self) -> usize {
        let from = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - from
    }

    fn string(&mut self) -> Result<Spelling, Fault> {
        let mut spelling = Spelling::Plain;
        self.at += 1;
        loop {
            self.at += plain_run(&self.bytes[self.at..]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(spelling);
                }
                Some(b'\\') => {
                    spelling = Spelling::Escaped;
                    self.escape()?;
                }
                Some(_) => return Err(self.fault(FaultKind::BadString)),
                None => return Err(self.fault(FaultKind::UnexpectedEnd)),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Fault> {
        match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => {
                let hex = &self.bytes[self.at + 2..self.bytes.len().min(self.at + 6)];
                if !hex.iter().all(u8::is_ascii_hexdigit) {
                    return Err(self.fault(FaultKind::BadString));
                }
                if hex.len() < 4 {
                    return Err(self.fault(FaultKind::UnexpectedEnd));
                }
                self.at += 6;
            }
            Some(_) => return Err(self.fault(FaultKind::BadString)),
            None => return Err(self.fault(FaultKind::UnexpectedEnd)),
        }
        Ok(())
    }

    /// Keys are compared by what they say: `"a"` and `"\u0061"` are one key.
    fn no_key_twice(&self, keys_from: usize) -> Result<(), Fault> {
        let keys = &self.keys[keys_from..];
        if keys.len() <= FEW_KEYS && keys.iter().all(|key| key.spelling == Spelling::Plain) {
            let text = |key: &Key| &self.bytes[key.span.clone()];
            let twice =
                keys.iter().enumerate().any(|(at, key)| keys[..at].iter().any(|other| text(other) == text(key)));
            if !twice {
                return Ok(());
            }
        }
        self.find_key_twice(keys)
    }

    fn find_key_twice(&self, keys: &[Key]) -> Result<(), Fault> {
        let said = |key: &Key| (decode_string(&self.text[key.span.clone()]), key.span.start);
        let mut named: Vec<_> = keys.iter().map(said).collect();
        named.sort_by(|(a, at), (b, bt)| a.order_bytes().cmp(b.order_bytes()).then(at.cmp(bt)));
        let twice = named.windows(2).filter(|pair| pair[0].0.order_bytes() == pair[1].0.order_bytes());
        match twice.min_by_key(|pair| pair[1].1) {
            None => Ok(()),
            Some(pair) => Err(Fault {
                offset: pair[1].1,
                kind: FaultKind::DuplicateKey { key: pair[1].0.clone().into_lossy().into_owned(), object: self.path() },
            }),
        }
    }

    /// The path of the innermost open container.
    fn path(&self) -> String {
        let mut path = String::from("$");
        for (depth, container) in self.open.iter().enumerate() {
            if depth + 1 == self.open.len() {
                break;
            }
            match container.inside {
                Inside::List(index) => path.push_str(&format!("[{index}]")),
                Inside::Object(_) => {
                    // The key that is being read is the last one this object has pushed.
                    let until = self.open[depth + 1..].iter().find_map(|inner| match inner.inside {
                        Inside::Object(from) => Some(from),
                        Inside::List(_) => None,
                    });
                    let last = until.unwrap_or(self.keys.len());
                    let name = last.checked_sub(1).and_then(|index| self.keys.get(index));
                    let name = name.map(|key| decode_string(&self.text[key.span.clone()]).into_lossy());
                    path.push('.');
                    path.push_str(&name.unwrap_or_default());
                }
            }
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> Fault {
        check(text).unwrap_err()
    }

    #[test]
    fn good_json_passes() {
        for text in
            ["null", " [ ] ", "{}", "-0.5e+10", r#"{"a":[{"b":[]},{}],"c":"\ud800"}"#, "[1,[2,[3]]]", "\"\u{2028}\""]
        {
            assert!(check(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn bad_json_is_placed_and_named() {
        let unexpected = fault(r#"{"id":"x", "input": oops}"#);
        assert_eq!((unexpected.offset, unexpected.to_string().contains("'o'")), (20, true));
        assert_eq!(fault(r#"{"a": NaN}"#).kind, FaultKind::NotANumber("NaN"));
        assert_eq!(fault("[-Infinity]").kind, FaultKind::NotANumber("-Infinity"));
        assert_eq!(fault("[01]").kind, FaultKind::BadNumber);
        assert_eq!(fault("[1.]").kind, FaultKind::BadNumber);
        assert_eq!(fault("\"a\nb\"").kind, FaultKind::BadString);
        assert_eq!(fault(r#""\x""#).kind, FaultKind::BadString);
        assert_eq!(fault("{} {}").kind, FaultKind::Trailing);
        assert_eq!(fault("[1,]").kind, FaultKind::Unexpected { found: ']', wanted: "a value" });
    }

    #[test]
    fn a_torn_text_says_that_it_ends() {
        for text in ["", "{\"a\"", "[1", "\"abc", "\"ab\\", "\"\\u00", "tru", "-", "1.", "{\"a\":", "{"] {
            assert_eq!(fault(text).kind, FaultKind::UnexpectedEnd, "{text}");
        }
    }

    #[test]
    fn a_key_twice_is_named_with_its_object() {
        let twice = fault(r#"{"toolCalls":[{},{"arguments":{"id":1,"x":[{}],"\u0069d":2}}]}"#);
        assert_eq!(twice.kind, FaultKind::DuplicateKey { key: "id".into(), object: "$.toolCalls[1].arguments".into() });
    }

    #[test]
    fn a_key_twice_is_found_among_few_and_among_many() {
        for others in [0, 1, FEW_KEYS, 100] {
            let others: String = (0..others).map(|n| format!(r#""k{n}":{n},"#)).collect();
            assert!(check(&format!(r#"{{{others}"a":1,"A":2,"\u0062":3}}"#)).is_ok());
            for again in ["a", r"\u0061"] {
                let twice = fault(&format!(r#"{{{others}"a":1,"{again}":2}}"#));
                assert_eq!(twice.kind, FaultKind::DuplicateKey { key: "a".into(), object: "$".into() });
                assert_eq!(twice.offset, others.len() + 7);
            }
        }
    }

    #[test]
    fn depth_is_bounded() {
        let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert!(check(&deep(MAX_DEPTH)).is_ok());
        assert_eq!(fault(&deep(MAX_DEPTH + 1)).kind, FaultKind::TooDeep);
        assert_eq!(fault(&"[".repeat(1_000_000)).kind, FaultKind::TooDeep);
    }
}
