//! Reports of evaluations with the Akka TestKit: what the agent did in each turn stands beside the verdicts.

use jiff::SignedDuration;

use super::super::interaction::{Interaction, ModelCall, ModelCalls, Tokens, ToolCall, ToolName};
use super::super::json::{Json, Kind};
use super::super::wire::RowFault;
use super::arguments::set_arguments;
use super::conversation::Conversation;
use super::dialogue::{structured, words};
use super::fields::{count, first_member, items, member, milliseconds, text};
use super::format::{Conversations, Format, Grain, NotThisFormat, Reader, Sign, SourceText};
use super::opening::Opening;
use super::values::{document, keys, no_interaction, place_in_list, refused};

pub(super) const FORMAT: Format = Format {
    name: "akka",
    about: "reports of the Akka TestKit's evaluations (`akka-eval-report`, JSON)",
    grain: Grain::Turn,
    sign,
    reader: Reader::Conversations(read),
};

fn sign(opening: &Opening) -> Option<Sign> {
    let is_report = opening.value("format") == Some("akka-eval-report");
    is_report.then(|| Sign::Sure("its format is akka-eval-report".into()))
}

fn read(source: SourceText) -> Result<Conversations, NotThisFormat> {
    let file = source.file.clone();
    let report = document(source)?;
    let runs = if count(&report, "runs").is_some_and(|runs| runs > 1) { Runs::Several } else { Runs::One };
    let name = text(&report, "name");
    // The first versions kept what happened with the cases.
    let turns = [items(&report, "turns"), items(&report, "cases")].into_iter().find(|turns| !turns.is_empty());
    let Some(turns) = turns else {
        return Err(NotThisFormat {
            problem: format!("it has no \"turns\"; its fields are {}", keys(&report)),
            help: Some("a report lies in target/eval-reports and has the format akka-eval-report".into()),
        });
    };
    Ok(Box::new(turns.into_iter().enumerate().map(move |(index, turn)| {
        let at = place_in_list(index, &turn);
        let found = conversation(&turn, runs, name.as_deref());
        found.map(|conversation| (at, conversation)).map_err(|fault| refused(&file, at, fault, &turn))
    })))
}

/// How often each case was run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Runs {
    One,
    Several,
}

fn conversation(turn: &Json, runs: Runs, name: Option<&str>) -> Result<Conversation, RowFault> {
    let id = text(turn, "id").ok_or(RowFault::Missing("id"))?;
    let evidence = member(turn, "interaction")
        .ok_or_else(|| no_interaction("the report keeps no evidence of this turn: it has no \"interaction\""))?;
    let input = [member(&evidence, "input"), member(&evidence, "userMessage")].into_iter().find_map(words);
    let mut it = Interaction::new(input.ok_or(RowFault::Missing("input"))?);
    it.output = first_member(&evidence, &["reply", "finalModelText"]).and_then(|reply| words(Some(reply)));
    it.tool_calls =
        member(&evidence, "toolCalls").and_then(|calls| calls.items()).map(|calls| calls.iter().map(call).collect());
    let models = member(&evidence, "modelCalls").and_then(|calls| calls.items());
    it.model_calls = models.map(|calls| ModelCalls::List(calls.iter().map(model_call).collect()));
    it.latency_ms = duration(&evidence, "latency");
    it.scenario = name.map(str::to_owned);
    it.failure = items(turn, "results").iter().find_map(failure);
    it.extra.push(("akka".into(), origin(turn)));
    let run = text(turn, "run").filter(|_| runs == Runs::Several);
    Ok(Conversation::of_one(Some(run.map_or_else(|| id.clone(), |run| format!("{id}#{run}"))), it))
}

fn call(call: &Json) -> ToolCall {
    let name = text(call, "name").filter(|name| !name.trim().is_empty()).unwrap_or_else(|| "(no name)".into());
    let mut told = ToolCall::new(ToolName::new(name), None);
    set_arguments(&mut told, member(call, "arguments"));
    told.error = member(call, "error").map(|error| error.compact());
    told.result = member(call, "result").map(structured).filter(|_| told.error.is_none());
    told
}

/// A count of 0 means that it was not reported.
fn model_call(call: &Json) -> ModelCall {
    let tokens = |key: &str| count(call, key).filter(|tokens| *tokens > 0);
    let (input, output) = (tokens("inputTokens"), tokens("outputTokens"));
    ModelCall {
        model: text(call, "model"),
        tokens: Tokens { input, output, ..Tokens::default() },
        latency_ms: duration(call, "duration"),
        finish_reason: items(call, "finishReasons").first().map(|reason| reason.shown().into_owned()),
        ..ModelCall::default()
    }
}

/// A length of time as `PT1.5S`, or in milliseconds; one of zero was not measured.
fn duration(json: &Json, key: &str) -> Option<f64> {
    let written = member(json, key).filter(|value| value.kind() == Kind::String);
    let written = written.and_then(|value| value.shown().parse::<SignedDuration>().ok());
    let told = written.map(|length| length.as_secs_f64() * 1000.0);
    let told = told.or_else(|| milliseconds(json, &format!("{key}Ms"), 1.0)).or_else(|| milliseconds(json, key, 1.0));
    told.filter(|length| *length > 0.0)
}

/// Why the agent or what it was set up with broke.
fn failure(result: &Json) -> Option<String> {
    let label = ["label", "evaluator"].into_iter().find_map(|key| text(result, key))?;
    let is_broken =
        matches!(label.as_str(), "target" | "setup") && text(result, "verdict").is_some_and(|it| it == "FAIL");
    is_broken.then(|| text(result, "detail").unwrap_or(label))
}

/// What has no field of its own.
fn origin(turn: &Json) -> Json {
    let kept = ["run", "passed"].into_iter();
    let parts: Vec<_> = kept.filter_map(|key| Some(format!("\"{key}\":{}", member(turn, key)?.text()))).collect();
    Json::trusted(format!("{{{}}}", parts.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imported(more: &str, turns: &str) -> Vec<Result<Interaction, String>> {
        let report = format!(
            r#"{{"format":"akka-eval-report","formatVersion":1,"name":"Orders.lookup",{more}"turns":[{turns}]}}"#
        );
        let found = read(SourceText::of("r.json", report)).map_err(|error| error.problem).unwrap();
        found
            .map(|found| match found {
                Ok((_, conversation)) => Ok(conversation.interactions(Grain::Turn).pop().unwrap()),
                Err(reject) => Err(reject.reason.to_string()),
            })
            .collect()
    }

    #[test]
    fn a_turn_of_a_report_is_an_interaction() {
        let turn = r#"{"id":"c1","run":2,"passed":false,"results":[{"evaluator":"tools","verdict":"FAIL","detail":"missing"}],
            "interaction":{"input":"where is 7","reply":"on its way","latency":"PT1.5S","toolCalls":[
            {"name":"find","arguments":{"id":7},"result":"{\"state\":\"sent\"}"},{"name":"mail","arguments":{},"error":"refused"}],
            "modelCalls":[{"model":"m","inputTokens":5,"outputTokens":0,"finishReasons":["stop"],"duration":"PT0.2S"}]}}"#;
        let it = imported("\"runs\":3,", turn).pop().unwrap().unwrap();
        let calls = it.tool_calls.as_ref().unwrap();
        assert_eq!(calls[0].result.as_ref().unwrap().text(), r#"{"state":"sent"}"#);
        assert_eq!((calls[1].error.as_ref().unwrap().text(), calls[1].step), ("\"refused\"", None));
        assert_eq!((it.id.unwrap().as_str(), it.latency_ms, it.failure), ("c1#2", Some(1500.0), None));
        assert_eq!((it.tokens.input, it.tokens.output), (Some(5), None), "a count of 0 was not reported");
    }

    #[test]
    fn a_turn_without_evidence_and_one_that_broke_say_so() {
        let broken = r#"{"id":"c","run":1,"results":[{"evaluator":"target","verdict":"FAIL","detail":"boom"}],"interaction":{"input":"x","latency":"PT0S"}}"#;
        let found = imported("", &format!(r#"{broken},{{"id":"d","run":1}}"#));
        let it = found[0].as_ref().unwrap();
        assert_eq!((it.failure.as_deref(), it.latency_ms, it.tool_calls.as_ref()), (Some("boom"), None, None));
        assert!(found[1].as_ref().unwrap_err().contains("keeps no evidence"));
    }
}
