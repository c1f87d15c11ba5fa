//! Values as Python writes them with `repr`: `{'city': 'Paris', 'exact': True}`.

use super::super::json::Json;

/// The value of a Python literal of dicts, lists, tuples, texts, numbers, `True`, `False` and `None`, as JSON. `None`
/// where the text is anything else, or could be read in two ways.
pub(super) fn literal(text: &str) -> Option<Json> {
    let mut reader = Reader { rest: text.trim(), json: String::with_capacity(text.len()), depth: 0 };
    reader.value()?;
    if reader.rest.trim().is_empty() { Json::parse(reader.json).ok() } else { None }
}

/// The calls in a list of calls as Python writes them: `[weather(city='Paris', days=[1, 2]), now()]`. `None` where the text is
/// anything else, or has arguments without names.
pub(super) fn calls(text: &str) -> Option<Vec<(String, Json)>> {
    let mut reader = Reader { rest: text.trim(), json: String::new(), depth: 0 };
    let mut calls = Vec::new();
    reader.take('[').then_some(())?;
    while !reader.take(']') {
        calls.push(reader.call()?);
        if !reader.take(',') {
            reader.take(']').then_some(())?;
            break;
        }
    }
    reader.rest.trim().is_empty().then_some(calls)
}

/// As deep as Python literals are read.
const DEPTH: u32 = 100;

struct Reader<'a> {
    rest: &'a str,
    json: String,
    depth: u32,
}

impl Reader<'_> {
    fn value(&mut self) -> Option<()> {
        self.rest = self.rest.trim_start();
        match self.rest.chars().next()? {
            '{' => self.container('}', '{'),
            '[' => self.container(']', '['),
            '(' => self.container(')', '['),
            quote @ ('\'' | '"') => self.text(quote),
            _ => self.word(),
        }
    }

    fn container(&mut self, end: char, open: char) -> Option<()> {
        self.depth += 1;
        if self.depth > DEPTH {
            return None;
        }
        self.take(self.rest.chars().next()?);
        self.json.push(open);
        let mut parts = 0;
        while !self.take(end) {
            if parts > 0 {
                self.json.push(',');
            }
            if open == '{' {
                self.key()?;
            }
            self.value()?;
            parts += 1;
            if !self.take(',') {
                // `(x)` is no tuple but the value itself.
                if end == ')' && parts == 1 {
                    return None;
                }
                self.take(end).then_some(())?;
                break;
            }
        }
        self.json.push(if open == '{' { '}' } else { ']' });
        self.depth -= 1;
        Some(())
    }

    /// `name(key=value, ...)`
    fn call(&mut self) -> Option<(String, Json)> {
        let name = self.name()?.to_owned();
        self.take('(').then_some(())?;
        self.json = "{".into();
        while !self.take(')') {
            if self.json.len() > 1 {
                self.json.push(',');
            }
            let key = Json::string(self.name()?);
            self.json.push_str(key.text());
            self.take('=').then(|| self.json.push(':'))?;
            self.value()?;
            if !self.take(',') {
                self.take(')').then_some(())?;
                break;
            }
        }
        self.json.push('}');
        Some((name, Json::parse(std::mem::take(&mut self.json)).ok()?))
    }

    /// A name with dots.
    fn name(&mut self) -> Option<&str> {
        self.rest = self.rest.trim_start();
        let is_in_name = |character: char| character.is_alphanumeric() || matches!(character, '_' | '.');
        let (name, rest) =
            self.rest.split_at(self.rest.find(|character| !is_in_name(character)).unwrap_or(self.rest.len()));
        self.rest = rest;
        name.starts_with(|first: char| first.is_alphabetic() || first == '_').then_some(name)
    }

    /// A key, which JSON has as text only.
    fn key(&mut self) -> Option<()> {
        self.rest = self.rest.trim_start();
        let quote = self.rest.chars().next().filter(|first| matches!(first, '\'' | '"'))?;
        self.text(quote)?;
        self.take(':').then(|| self.json.push(':'))
    }

    /// Passes a character that may have white space before it.
    fn take(&mut self, wanted: char) -> bool {
        let next = self.rest.trim_start().strip_prefix(wanted);
        self.rest = next.unwrap_or(self.rest);
        next.is_some()
    }

    fn text(&mut self, quote: char) -> Option<()> {
        let mut content = String::new();
        let mut characters = self.rest.char_indices().skip(1);
        let end = loop {
            match characters.next()? {
                (at, character) if character == quote => break at + 1,
                (_, '\\') => content.push(escaped(&mut characters)?),
                (_, '\n') => return None,
                (_, character) => content.push(character),
            }
        };
        self.json.push_str(Json::string(&content).text());
        self.rest = &self.rest[end..];
        Some(())
    }

    fn word(&mut self) -> Option<()> {
        let ends = |character: char| matches!(character, ',' | '}' | ']' | ')' | ':') || character.is_whitespace();
        let (word, rest) = self.rest.split_at(self.rest.find(ends).unwrap_or(self.rest.len()));
        let json = match word {
            "True" => "true",
            "False" => "false",
            "None" => "null",
            // Whether this is a number is seen when the whole is read as JSON.
            number if number.starts_with(|first: char| first == '-' || first.is_ascii_digit()) => number,
            _ => return None,
        };
        self.json.push_str(json);
        self.rest = rest;
        Some(())
    }
}

/// The character that an escape stands for, after its backslash.
fn escaped(characters: &mut impl Iterator<Item = (usize, char)>) -> Option<char> {
    let digits = match characters.next()?.1 {
        'n' => return Some('\n'),
        't' => return Some('\t'),
        'r' => return Some('\r'),
        same @ ('\\' | '\'' | '"') => return Some(same),
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => return None,
    };
    let code =
        (0..digits).try_fold(0_u32, |code, _| code.checked_mul(16)?.checked_add(characters.next()?.1.to_digit(16)?));
    char::from_u32(code?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_have_named_arguments() {
        let told = |text: &str| -> Option<Vec<(String, String)>> {
            Some(calls(text)?.into_iter().map(|(name, arguments)| (name, arguments.text().to_owned())).collect())
        };
        let two = told("[a.b(x=[1, None], y='it'), now()]").unwrap();
        assert_eq!(two, [("a.b".into(), r#"{"x":[1,null],"y":"it"}"#.into()), ("now".into(), "{}".into())]);
        assert_eq!(told("[]"), Some(vec![]));
        for other in ["a(x=1)", "[a(1)]", "[a(x=1)] and so on", "[a(x=b)]", "[a(x=1", "[1]", ""] {
            assert_eq!(told(other), None, "{other}");
        }
    }

    fn read(text: &str) -> Option<String> {
        literal(text).map(|json| json.text().to_owned())
    }

    #[test]
    fn what_python_writes_is_read_as_it_was_meant() {
        let written =
            r#"{'city': "L'Aquila", 'exact': True, 'near': None, 'at': (1, -2.5e3), 'q': ['\'', 'a\nb\xe9'], 'x': {}}"#;
        let json = r#"{"city":"L'Aquila","exact":true,"near":null,"at":[1,-2.5e3],"q":["'","a\nbé"],"x":{}}"#;
        assert_eq!(read(written).as_deref(), Some(json));
        assert_eq!(read(" ['a',] ").as_deref(), Some(r#"["a"]"#));
    }

    #[test]
    fn what_is_no_plain_literal_is_left_alone() {
        for text in
            ["", "{", "{'a'}", "{1: 2}", "{'a': f(1)}", "('a')", "{'a': 1} b", "nan", "{'a': 0x1F}", "{'a': 'b", "x=1"]
        {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read(&"[".repeat(100_000)), None);
        assert_eq!(read("{'a': 1, 'a': 2}"), None, "which of the two counts is anyone's guess");
    }
}
