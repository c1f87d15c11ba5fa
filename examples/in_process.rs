//! Tests a Rust agent in its own process against a recording.
//!
//!     cargo run --example in_process
//!
//! The agent below tracks parcels. It asks the carrier once and never again, and knows orders by their number only.
//! The recorded one did more, so the example names the cases that differ and says how.

use std::sync::Arc;
use std::time::Duration;

use taketwo::case::EvalCaseParser;
use taketwo::evaluate::{EvalContext, EvaluationOutcome, EvaluationRules, evaluate};
use taketwo::recording::{Json, Recordings};
use taketwo::replay::target::InProcess;
use taketwo::replay::{BindingRules, ExperimentRunner, Failure, Reply, RunPlan, Stopper, ToolRequest, Tools};

/// Your agent: from an input and tools to a reply. Each of its tool calls goes through `tools`.
async fn agent(input: Json, tools: Tools) -> Result<Reply, Failure> {
    let text = input.shown().into_owned();
    let Some(number) = text.split(|c: char| !c.is_ascii_digit()).find(|piece| piece.len() == 4) else {
        return Ok(Reply::text("Which order?"));
    };
    let order = match call(&tools, "get_order", "order_id", number).await {
        Ok(order) => order,
        Err(problem) => return Ok(Reply::text(&problem)),
    };
    let Some(parcel) = order.member("tracking").filter(|parcel| !parcel.is_null()) else {
        return Ok(Reply::text("There is no parcel yet."));
    };
    let said = match call(&tools, "track_parcel", "tracking", &parcel.shown()).await {
        Ok(found) => found.member("state").map_or_else(String::new, |state| state.shown().into_owned()),
        Err(problem) => problem,
    };
    Ok(Reply::text(&format!("Your parcel: {said}")))
}

async fn call(tools: &Tools, tool: &'static str, key: &str, value: &str) -> Result<Json, String> {
    let arguments = Json::of(&serde_json::json!({ key: value }));
    tools.call(ToolRequest::new(tool, arguments)).await.map_err(|error| error.to_string())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The cases: what was asked, and what a run is held to.
    let parser = EvalCaseParser::default();
    let mut cases = Vec::new();
    for row in Recordings::open(&["recordings/quickstart.jsonl"])?.rows()? {
        let case = parser.parse(cases.len() as u64, row.map_err(|reject| reject.to_string())?)?;
        if case.recorded.scenario.as_deref() == Some("tracking") {
            cases.push(case);
        }
    }

    // The run: four cases at a time, tool calls answered from the recording.
    let plan = RunPlan {
        lanes: 4,
        repeats: 1,
        deadline: Duration::from_secs(30),
        rules: Arc::new(BindingRules::default()),
        live_tools: None,
    };
    let runner = ExperimentRunner::new(Arc::new(InProcess::new("my agent", agent)), plan);
    let rules = EvaluationRules::default();
    let judge = move |case: &_, attempt| {
        let results = evaluate(&EvalContext::new(case, &attempt, &rules));
        let failed = results.into_iter().filter(|result| result.outcome == EvaluationOutcome::Failed);
        (case.index, case.id.clone(), failed.map(|result| format!("{}: {}", result.label, result.detail)).collect())
    };
    let (out, mut judged) = tokio::sync::mpsc::channel(16);
    let (_stopper, stop) = Stopper::new();
    tokio::spawn(async move { runner.run(cases.into_iter(), |_| false, judge, out, stop).await });

    // The differences, in the order of the recording.
    let mut all: Vec<(u64, _, Vec<String>)> = Vec::new();
    while let Some(one) = judged.recv().await {
        all.push(one);
    }
    all.sort_by_key(|(index, ..)| *index);
    for (_, id, differences) in &all {
        println!("{id:<16} {}", if differences.is_empty() { "same".to_owned() } else { differences.join("; ") });
    }
    Ok(())
}
