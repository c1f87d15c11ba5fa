//! Calls and what came back of them, told by the shape in which providers and agents write them.

use taketwo::recording::{Json, Kind};

/// A piece of a message.
pub enum Part {
    /// A model asks for a tool.
    Call { name: String, arguments: Option<Json>, id: Option<String> },
    /// A tool gave something back.
    Answer { id: Option<String>, name: Option<String>, outcome: Outcome },
}

/// What a tool gave back.
pub enum Outcome {
    Result(Json),
    Error(Json),
}

/// All parts of a message, a request, an answer, or a list of any of them, in order.
pub fn parts(json: &Json) -> Vec<Part> {
    let mut found = Vec::new();
    walk(json, &mut found);
    found
}

fn walk(json: &Json, found: &mut Vec<Part>) {
    match json.kind() {
        Kind::Array => json.items().unwrap().iter().for_each(|item| walk(item, found)),
        Kind::Object => {
            let object =
                Object(json.members().unwrap().into_iter().map(|(key, value)| (key.into_owned(), value)).collect());
            match call(&object).or_else(|| answer(&object)) {
                Some(part) => found.push(part),
                None => object.0.iter().for_each(|(_, value)| walk(value, found)),
            }
        }
        _ => {}
    }
}

struct Object(Vec<(String, Json)>);

impl Object {
    fn get(&self, key: &str) -> Option<&Json> {
        self.0.iter().find(|(name, value)| name == key && !value.is_null()).map(|(_, value)| value)
    }

    fn text(&self, keys: &[&str]) -> Option<String> {
        keys.iter().find_map(|key| self.get(key)?.as_str().map(|text| text.into_owned()))
    }

    /// The first of some members that is there.
    fn first(&self, keys: &[&str]) -> Option<Json> {
        keys.iter().find_map(|key| self.get(key).cloned())
    }

    fn inner(&self, keys: &[&str]) -> Option<Object> {
        let inner = self.first(keys)?;
        Some(Object(inner.members()?.into_iter().map(|(key, value)| (key.into_owned(), value)).collect()))
    }
}

const IDS: &[&str] = &["id", "call_id", "tool_call_id", "toolUseId"];
const ARGUMENTS: &[&str] = &["arguments", "input", "args"];

fn call(object: &Object) -> Option<Part> {
    let part = |name: String, of: &Object, id: Option<String>| Part::Call { name, arguments: of.first(ARGUMENTS), id };
    // Gemini and ADK, Bedrock: a member of this name holds the call.
    if let Some(inner) = object.inner(&["functionCall", "function_call", "toolUse"])
        && let Some(name) = inner.text(&["name"])
    {
        let id = inner.text(IDS);
        return Some(part(name, &inner, id));
    }
    // OpenAI's chat answers: a function beside an id; in a stream's end without arguments for none.
    if let Some(function) = object.inner(&["function"])
        && function.get("arguments").is_some()
        && let Some(name) = function.text(&["name"])
    {
        return Some(part(name, &function, object.text(IDS)));
    }
    // Anthropic, OpenClaw, OpenAI's responses: a type says so.
    let kind = object.text(&["type"]);
    if matches!(kind.as_deref(), Some("tool_use" | "toolCall" | "function_call" | "tool-call")) {
        let id = object.text(&["call_id"]).or_else(|| object.text(IDS));
        return Some(part(object.text(&["name", "toolName"])?, object, id));
    }
    // Inspect and ATIF: the name of a function beside arguments.
    if object.get("arguments").is_some() {
        return Some(part(object.text(&["function", "function_name"])?, object, object.text(IDS)));
    }
    None
}

fn answer(object: &Object) -> Option<Part> {
    if let Some(inner) = object.inner(&["functionResponse", "function_response", "toolResult"]) {
        let id = inner.text(IDS);
        return Some(Part::Answer { id, name: inner.text(&["name"]), outcome: outcome(&inner)? });
    }
    let is_answer =
        object.text(&["type"]).is_some_and(|kind| matches!(kind.as_str(), "tool_result" | "function_call_output"))
            || object.text(&["role"]).is_some_and(|role| matches!(role.as_str(), "tool" | "toolResult"))
            || object.get("source_call_id").is_some();
    if !is_answer {
        return None;
    }
    let id = object.text(&["tool_call_id", "tool_use_id", "call_id", "toolCallId", "source_call_id"]);
    Some(Part::Answer { id, name: object.text(&["name", "toolName"]), outcome: outcome(object)? })
}

/// What came back, read as an error where the format has a mark for it.
fn outcome(object: &Object) -> Option<Outcome> {
    if let Some(error) = object.get("error").filter(|error| error.kind() == Kind::Object) {
        return Some(Outcome::Error(error.clone()));
    }
    let content = structured(&object.first(&["content", "output", "response"])?);
    let flag = object.first(&["is_error", "isError", "error"]).is_some_and(|flag| flag.text() == "true");
    let status = object.text(&["status"]).is_some_and(|status| status == "error");
    Some(if flag || status { Outcome::Error(content) } else { Outcome::Result(content) })
}

/// A text that holds a JSON object or list is that object or list; a list of one text is that text.
pub fn structured(content: &Json) -> Json {
    let items = content.items().unwrap_or_default();
    if let [only] = items.as_slice()
        && only.member("type").is_some_and(|kind| kind.shown() == "text")
        && let Some(text) = only.member("text")
    {
        return structured(&text);
    }
    let parsed = content.as_str().and_then(|text| Json::parse(text.as_ref()).ok());
    parsed.filter(|json| matches!(json.kind(), Kind::Object | Kind::Array)).unwrap_or_else(|| content.clone())
}
