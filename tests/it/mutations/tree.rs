//! The arguments of a call as a tree that can be edited, every untouched part spelled as it was.

use taketwo::compare::PathStep;
use taketwo::recording::{Json, Kind, ToolCall};

/// A value and what is in it.
#[derive(Clone, Debug)]
pub enum Tree {
    /// A text, a number, `true`, `false` or `null`.
    Leaf(Json),
    List(Vec<Tree>),
    Object(Vec<(String, Tree)>),
    /// A text that holds a list or an object.
    Embedded(Box<Tree>),
}

impl Tree {
    pub fn read(json: &Json) -> Self {
        match json.kind() {
            Kind::Array => Tree::List(json.items().unwrap().iter().map(Tree::read).collect()),
            Kind::Object => {
                let members = json.members().unwrap();
                Tree::Object(members.into_iter().map(|(key, value)| (key.into_owned(), Tree::read(&value))).collect())
            }
            Kind::String => match held(json) {
                Some(inner) => Tree::Embedded(Box::new(Tree::read(&inner))),
                None => Tree::Leaf(json.clone()),
            },
            _ => Tree::Leaf(json.clone()),
        }
    }

    /// As compact JSON.
    pub fn text(&self) -> String {
        match self {
            Tree::Leaf(json) => json.text().to_owned(),
            Tree::List(items) => format!("[{}]", items.iter().map(Tree::text).collect::<Vec<_>>().join(",")),
            Tree::Object(members) => {
                let member = |(key, value): &(String, Tree)| format!("{}:{}", Json::string(key).text(), value.text());
                format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(","))
            }
            Tree::Embedded(inner) => Json::string(&inner.text()).text().to_owned(),
        }
    }

    pub fn json(&self) -> Json {
        Json::parse(self.text()).unwrap()
    }

    /// The paths of all values in it, itself left out, outermost first.
    pub fn places(&self) -> Vec<Vec<PathStep>> {
        let mut found = Vec::new();
        self.visit(&mut Vec::new(), &mut found);
        found
    }

    fn visit(&self, path: &mut Vec<PathStep>, found: &mut Vec<Vec<PathStep>>) {
        let mut enter = |step: PathStep, inner: &Tree| {
            path.push(step);
            found.push(path.clone());
            inner.visit(path, found);
            path.pop();
        };
        match self {
            Tree::Leaf(_) => {}
            Tree::Embedded(inner) => inner.visit(path, found),
            Tree::List(items) => items.iter().enumerate().for_each(|(at, item)| enter(PathStep::Index(at), item)),
            Tree::Object(members) => {
                members.iter().for_each(|(key, value)| enter(PathStep::Key(key.clone()), value));
            }
        }
    }

    /// What stands at a path that is there.
    pub fn at(&mut self, path: &[PathStep]) -> &mut Tree {
        let Some((step, below)) = path.split_first() else { return self };
        match (self, step) {
            (Tree::Embedded(inner), _) => inner.at(path),
            (Tree::List(items), PathStep::Index(at)) => items[*at].at(below),
            (Tree::Object(members), PathStep::Key(key)) => {
                members.iter_mut().find(|(name, _)| name == key).unwrap().1.at(below)
            }
            (other, step) => panic!("{step:?} leads nowhere in {other:?}"),
        }
    }

    /// The list or object that it is, or that it holds as a text.
    pub fn container(&mut self) -> &mut Tree {
        match self {
            Tree::Embedded(inner) => inner.container(),
            other => other,
        }
    }
}

/// The list or object that a text holds.
pub fn held(text: &Json) -> Option<Json> {
    let inner = Json::parse(text.as_str()?.as_ref()).ok()?;
    matches!(inner.kind(), Kind::Array | Kind::Object).then_some(inner)
}

/// The arguments of a call; `None` where they are no object and no text of one.
pub fn arguments(call: &ToolCall) -> Option<Tree> {
    let none = || Some(Tree::Object(Vec::new()));
    let Some(json) = &call.arguments else { return none() };
    let content = json.as_str();
    match json.kind() {
        Kind::Null => none(),
        Kind::Object => Some(Tree::read(json)),
        Kind::String if content.as_ref().is_some_and(|text| matches!(text.trim(), "" | "null")) => none(),
        Kind::String => held(json).filter(|inner| inner.kind() == Kind::Object).map(|inner| Tree::read(&inner)),
        _ => None,
    }
}

/// The call with other arguments, written as it had them: as a text or as an object.
pub fn with_arguments(call: &ToolCall, arguments: &Tree) -> ToolCall {
    let is_text = call.arguments.as_ref().is_some_and(|json| json.kind() == Kind::String);
    let json = if is_text { Json::string(&arguments.text()) } else { arguments.json() };
    ToolCall { arguments: Some(json), ..call.clone() }
}
