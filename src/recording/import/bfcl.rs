//! Results of models in the Berkeley Function Calling Leaderboard: an answer a line.
//!
//! What the model was asked stands in the data of the leaderboard and not in its results, so the id stands for it.

use super::super::interaction::{Doubt, ModelCall, Tokens};
use super::super::json::{Json, Kind};
use super::super::wire::RowFault;
use super::conversation::Conversation;
use super::dialogue::{Answer, Asked, Dialogue, words};
use super::fields::{as_count, member, text};
use super::format::{Format, Grain, Reader, Sign};
use super::opening::Opening;
use super::python;
use super::values::{keys, no_interaction, one_each};

pub(super) const FORMAT: Format = Format {
    name: "bfcl",
    about: "results of the Berkeley Function Calling Leaderboard (JSON lines)",
    grain: Grain::Session,
    sign,
    reader: Reader::Conversations(|source| Ok(one_each(source, conversation))),
};

fn sign(opening: &Opening) -> Option<Sign> {
    let is_named = opening.is_named("_result.json") || opening.is_named("_result.jsonl");
    let is_result = opening.has("id") && opening.has("result") && (opening.has("input_token_count") || is_named);
    is_result.then(|| Sign::Sure("it has results of the Berkeley Function Calling Leaderboard".into()))
}

fn conversation(line: &Json) -> Result<Conversation, RowFault> {
    let id = text(line, "id");
    let (Some(id), Some(result)) = (id, member(line, "result")) else {
        let what = match (member(line, "ground_truth"), member(line, "question"), member(line, "accuracy")) {
            (Some(_), _, _) => "it holds accepted answers and no result of a model",
            (_, Some(_), _) => "it holds questions and no result of a model",
            (_, _, Some(_)) => "it holds scores and no result of a model",
            _ => "a result has \"id\" and \"result\"",
        };
        return Err(no_interaction(format!("{what}; the fields here are {}", keys(line))));
    };
    let mut dialogue = Dialogue::default();
    let spent = Spent::of(line);
    for (number, turn) in turns(&result).iter().enumerate() {
        dialogue.user(question(&id, number), None);
        for (step, answered) in turn.iter().enumerate() {
            let (words, calls) = said(answered);
            let model_call = Some(spent.call(number, step));
            dialogue.answer(Answer { words, calls, model_call, doubt: None });
        }
        if let Some(error) = text(line, "traceback") {
            dialogue.failed(error.lines().last().unwrap_or_default());
        }
    }
    let mut turns = dialogue.finish(None)?;
    if let Some(turn) = turns.first_mut() {
        turn.it.doubts.push(Doubt {
            path: "input".into(),
            problem: "results do not tell the question: the id stands for it".into(),
        });
    }
    let scenario = id.rsplit_once('_').map(|(kind, _)| kind.to_owned());
    turns.iter_mut().for_each(|turn| turn.it.scenario.clone_from(&scenario));
    Ok(Conversation { id: Some(id), session: None, turns, paid: None })
}

fn question(id: &str, turn: usize) -> Json {
    Json::string(&if turn == 0 { id.to_owned() } else { format!("{id}, turn {}", turn + 1) })
}

/// The turns of a result, each a list of steps. A result of one turn is its only step.
fn turns(result: &Json) -> Vec<Vec<Json>> {
    let items = result.items().unwrap_or_default();
    if !items.iter().any(|turn| turn.kind() == Kind::Array) {
        return vec![vec![result.clone()]];
    }
    items.iter().map(|turn| turn.items().unwrap_or_else(|| vec![turn.clone()])).collect()
}

/// The words and calls of a step: `[{"name": "{\"x\": 1}"}]`, `{"name": {...}}`, or the text `[name(x=1)]`.
fn said(step: &Json) -> (Option<Json>, Vec<Asked>) {
    match step.kind() {
        Kind::Array => {
            let parts: Vec<_> = step.items().unwrap_or_default().iter().map(said).collect();
            let (words, calls): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
            (words.into_iter().flatten().next_back(), calls.into_iter().flatten().collect())
        }
        Kind::Object => {
            let call = |(name, arguments): (std::borrow::Cow<'_, str>, Json)| Asked {
                name: name.into_owned(),
                arguments: Some(arguments),
                ..Asked::default()
            };
            (None, step.members().unwrap_or_default().into_iter().map(call).collect())
        }
        _ => match step.as_str().and_then(|text| python::calls(&text)) {
            Some(calls) => {
                let asked = |(name, arguments)| Asked { name, arguments: Some(arguments), ..Asked::default() };
                (None, calls.into_iter().map(asked).collect())
            }
            None => (words(Some(step.clone())), Vec::new()),
        },
    }
}

/// What model calls took, in lists that are nested as the result is.
struct Spent {
    input: Option<Json>,
    output: Option<Json>,
    latency: Option<Json>,
}

impl Spent {
    fn of(line: &Json) -> Self {
        let [input, output, latency] =
            ["input_token_count", "output_token_count", "latency"].map(|key| member(line, key));
        Self { input, output, latency }
    }

    fn call(&self, turn: usize, step: usize) -> ModelCall {
        let at = |told: &Option<Json>| -> Option<Json> {
            let told = told.as_ref()?;
            let within = |json: &Json, number: usize| json.items()?.into_iter().nth(number);
            if told.kind() == Kind::Array { within(&within(told, turn)?, step) } else { Some(told.clone()) }
        };
        // A count of 0 of what a model read or wrote is none.
        let tokens = |told: &Option<Json>| as_count(&at(told)?).filter(|count| *count > 0);
        let seconds = at(&self.latency).and_then(|latency| latency.shown().parse::<f64>().ok());
        ModelCall {
            tokens: Tokens { input: tokens(&self.input), output: tokens(&self.output), ..Tokens::default() },
            latency_ms: seconds
                .map(|seconds| seconds * 1000.0)
                .filter(|latency| latency.is_finite() && *latency >= 0.0),
            ..ModelCall::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::interaction::Interaction;
    use super::super::format::SourceText;
    use super::*;

    fn imported(line: &str) -> Result<Interaction, String> {
        let found = one_each(SourceText::of("x_result.json", line), conversation).next().unwrap();
        found.map(|(_, it)| it.interactions(Grain::Session).pop().unwrap()).map_err(|reject| reject.reason.to_string())
    }

    fn told(it: &Interaction) -> Vec<(String, String, Option<i64>)> {
        let calls = it.tool_calls.as_ref().unwrap().iter();
        calls
            .map(|call| (call.name.to_string(), call.arguments.as_ref().unwrap().text().to_owned(), call.step))
            .collect()
    }

    #[test]
    fn calls_are_read_in_all_their_spellings() {
        let call = |step| vec![("a.b".to_owned(), r#"{"x":[1,null],"y":"z"}"#.to_owned(), Some(step))];
        for result in [
            r#"[{"a.b":"{\"x\": [1, null], \"y\": \"z\"}"}]"#,
            r#"[{"a.b":{"x":[1,null],"y":"z"}}]"#,
            r#""[a.b(x=[1, None], y='z')]""#,
            r#"[[["[a.b(x=[1, None], y='z')]"]]]"#,
        ] {
            let it = imported(&format!(r#"{{"id":"multi_turn_1","result":{result}}}"#)).unwrap();
            assert_eq!(told(&it), call(1), "{result}");
        }
        let it = imported(r#"{"id":"x_1","result":"I cannot."}"#).unwrap();
        assert_eq!((it.output.unwrap().text(), it.tool_calls.as_deref()), ("\"I cannot.\"", Some([].as_slice())));
    }

    #[test]
    fn several_turns_have_steps_with_their_tokens() {
        let it = imported(
            r#"{"id":"multi_turn_base_0","result":[[[{"f":"{}"}],"done"],["bye"]],"input_token_count":[[5,6],[7]],
            "output_token_count":[[1,1],[1]],"latency":[[0.5,0.25],[1.0]]}"#
                .replace('\n', "")
                .as_str(),
        )
        .unwrap();
        assert_eq!((it.tokens.input, it.tokens.output, it.model_calls.unwrap().count()), (Some(18), Some(3), 3));
        assert_eq!((it.output.unwrap().text(), it.scenario.as_deref()), ("\"bye\"", Some("multi_turn_base")));
    }

    #[test]
    fn questions_and_scores_are_no_results() {
        assert!(imported(r#"{"id":"1","ground_truth":[]}"#).unwrap_err().contains("accepted answers"));
        assert!(imported(r#"{"accuracy":0.5}"#).unwrap_err().contains("scores"));
    }
}
