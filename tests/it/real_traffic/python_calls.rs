//! Calls written as a Python list of calls: `[weather(city="Paris", days=[1, 2]), now()]`.

use taketwo::recording::{Json, ToolCall, ToolName};

/// The calls in a text; `None` where it is anything else, or has arguments without names.
pub fn python_calls(text: &str) -> Option<Vec<ToolCall>> {
    let mut reader = Reader { rest: text };
    let calls = reader.list('[', ']', Reader::call)?;
    reader.white();
    reader.rest.is_empty().then_some(calls)
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn white(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, mark: char) -> Option<()> {
        self.white();
        self.rest = self.rest.strip_prefix(mark)?;
        Some(())
    }

    /// Items between marks, with commas between them and maybe one at the end.
    fn list<T>(&mut self, open: char, close: char, item: fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        self.take(open)?;
        let mut items = Vec::new();
        while self.take(close).is_none() {
            items.push(item(self)?);
            self.white();
            if !self.rest.starts_with(close) {
                self.take(',')?;
            }
        }
        Some(items)
    }

    fn name(&mut self) -> Option<&'a str> {
        self.white();
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '.')).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        name.starts_with(|c: char| c.is_alphabetic() || c == '_').then_some(name)
    }

    fn call(&mut self) -> Option<ToolCall> {
        let name = self.name()?;
        let arguments = self.list('(', ')', Self::argument)?;
        let arguments = Json::parse(format!("{{{}}}", arguments.join(","))).ok()?;
        Some(ToolCall::new(ToolName::new(name), Some(arguments)))
    }

    /// `name=value` as a member of an object.
    fn argument(&mut self) -> Option<String> {
        let name = self.name()?;
        self.take('=')?;
        Some(format!("{}:{}", Json::string(name).text(), self.value()?))
    }

    /// `key: value` as a member of an object.
    fn member(&mut self) -> Option<String> {
        self.white();
        let key = self.text()?;
        self.take(':')?;
        Some(format!("{key}:{}", self.value()?))
    }

    /// A value as JSON.
    fn value(&mut self) -> Option<String> {
        self.white();
        let first = self.rest.chars().next()?;
        match first {
            '"' | '\'' => self.text(),
            '[' => Some(format!("[{}]", self.list('[', ']', Self::value)?.join(","))),
            '(' => Some(format!("[{}]", self.list('(', ')', Self::value)?.join(","))),
            '{' => Some(format!("{{{}}}", self.list('{', '}', Self::member)?.join(","))),
            '-' | '+' | '.' | '0'..='9' => self.number(),
            _ => Some(
                match self.name()? {
                    "True" | "true" => "true",
                    "False" | "false" => "false",
                    "None" | "null" => "null",
                    _ => return None,
                }
                .to_owned(),
            ),
        }
    }

    fn number(&mut self) -> Option<String> {
        let end =
            self.rest.find(|c: char| !matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E')).unwrap_or(self.rest.len());
        let (number, rest) = self.rest.split_at(end);
        self.rest = rest;
        Json::parse(number).ok().map(|number| number.text().to_owned())
    }

    fn text(&mut self) -> Option<String> {
        let quote = self.rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        let mut content = String::new();
        let mut letters = self.rest.char_indices().skip(1);
        while let Some((at, letter)) = letters.next() {
            match letter {
                '\\' => match letters.next()?.1 {
                    'n' => content.push('\n'),
                    't' => content.push('\t'),
                    other @ ('\\' | '"' | '\'') => content.push(other),
                    // Anything else stays as it is, as in Python.
                    other => content.extend(['\\', other]),
                },
                _ if letter == quote => {
                    self.rest = &self.rest[at + letter.len_utf8()..];
                    return Some(Json::string(&content).text().to_owned());
                }
                _ => content.push(letter),
            }
        }
        None
    }
}

#[test]
fn calls_of_python_are_read() {
    let calls = python_calls(r#"[a.b(x=1, y=-2.5, z='it\'s', l=[1, (2, 3)], d={"k": True, 'n': None}), c()]"#).unwrap();
    assert_eq!(calls[0].name.as_str(), "a.b");
    let arguments = calls[0].arguments.as_ref().unwrap().text();
    assert_eq!(arguments, r#"{"x":1,"y":-2.5,"z":"it's","l":[1,[2,3]],"d":{"k":true,"n":null}}"#);
    assert_eq!((calls[1].name.as_str(), calls[1].arguments.as_ref().unwrap().text()), ("c", "{}"));
    for none in ["[a(1)]", "[a(x=1)", "[a(x=b)]", "[words]", "a(x=1)"] {
        assert!(python_calls(none).is_none(), "{none}");
    }
}
