//! A program under test, or one that does the work of tools, is served as docs/protocol.md says.

use std::sync::Arc;
use std::time::Duration;

use futures_core::future::BoxFuture;
use taketwo::recording::{Json, ToolError};
use taketwo::replay::target::{CommandLine, CommandTools};
use taketwo::replay::{BindingRules, FailureKind, MissPolicy, RunPlan, Stopper, ToolProgram, ToolRequest};

use crate::replaying::{
    NeverAnswers, THREE, assert_nothing_left, command, has, mark, plan, python, run, run_until, runtime,
};

#[test]
fn a_program_that_serves_one_attempt_and_exits_is_started_for_each() {
    if !has("python3") {
        return;
    }
    let script = r#"import json,sys
print('{"type":"hello","protocol":1,"name":"once","version":"1"}',flush=True)
sys.stdin.readline()
turn=json.loads(sys.stdin.readline())
print(json.dumps({"type":"reply","attempt":turn["attempt"],"output":turn["input"]}),flush=True)
"#;
    let program = python(script);
    let mark = mark();
    let run = run(Arc::new(command(&format!("python3 {} {mark}", program.path().display()))), &THREE, plan(1));
    assert_eq!(
        [run.output("before"), run.output("bad"), run.output("after")],
        ["hello", "trouble, so die", "hello again"]
    );
    assert_eq!(run.strays, []);
    assert_nothing_left(&mark);
}

const TWO_ORDERS: &str = r#"{"id":"orders","input":"Where is my order 1002, and what is your return policy?","toolCalls":[
    {"name":"get_order","arguments":{"order_id":"1002"},"step":1,"result":{"id":"1002", "status":"delivered", "total":"46.45","tracking":"PX-205-938"}},
    {"name":"read_article","arguments":{"topic":"returns"},"step":1,"result":{"text":"Within 30 days. Write \"Return\" on it \u2014 za\u017c\u00f3\u0142\u0107."}},
    {"name":"track_parcel","arguments":{"tracking":"PX-205-938"},"step":2,"error":{"type":"unavailable","message":"503 busy"}},
    {"name":"track_parcel","arguments":{"tracking":"PX-205-938"},"step":3,"result":{"state":"delivered","eta":null}}]}"#;

#[test]
fn agents_in_three_languages_answer_a_recording_alike() {
    let lines =
        [TWO_ORDERS, r#"{"id":"miss","input":"order 1001","toolCalls":[]}"#, r#"{"id":"hello","input":"hello"}"#];
    let agents = [
        ("python3", "python3 examples/python/support_agent.py"),
        ("node", "node examples/node/support_agent.mjs"),
        ("sh", "sh examples/shell/support_agent.sh"),
    ];
    let mut runs = Vec::new();
    for (program, line) in agents.into_iter().filter(|(program, _)| has(program)) {
        let mark = mark();
        let run = run(
            Arc::new(command(&format!("{line} {mark}"))),
            &lines,
            RunPlan { deadline: Duration::from_secs(20), ..plan(2) },
        );
        assert_nothing_left(&mark);
        let seen: Vec<_> = run
            .attempts
            .iter()
            .map(|(id, attempt)| {
                let calls: Vec<_> =
                    attempt.seen.tool_calls.iter().flatten().map(taketwo::recording::wire::write_call).collect();
                (id.clone(), run.output(id), calls, attempt.seen.tokens, attempt.seen.model_calls.clone())
            })
            .collect();
        assert_eq!(run.attempt("orders").ledger.fidelity(), 1.0, "{program}: {:?}", run.attempt("orders").ledger);
        assert!(run.output("orders").contains("zażółć"), "{program}: {}", run.output("orders"));
        runs.push((program, seen));
    }
    for pair in runs.windows(2) {
        assert_eq!(pair[0].1, pair[1].1, "{} and {}", pair[0].0, pair[1].0);
    }
}

/// Tools that answer only when two calls are in flight.
struct TwoAtOnce(tokio::sync::Barrier);

impl ToolProgram for TwoAtOnce {
    fn begin<'a>(&'a self, _attempt: &'a str) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async { Ok(()) })
    }

    fn call<'a>(&'a self, _attempt: &'a str, request: &'a ToolRequest) -> BoxFuture<'a, Result<Json, ToolError>> {
        Box::pin(async move {
            self.0.wait().await;
            let result = match request.name.as_str() {
                "get_order" => r#"{"status":"shipped","total":"1.00"}"#,
                _ => r#"{"text":"Within 30 days."}"#,
            };
            Ok(Json::parse(result).unwrap())
        })
    }
}

#[test]
fn several_calls_are_in_flight_at_once() {
    if !has("python3") {
        return;
    }
    let tools = Arc::new(TwoAtOnce(tokio::sync::Barrier::new(2)));
    let plan = RunPlan { live_tools: Some(tools), ..plan(1) };
    let lines = [r#"{"id":"a","input":"order 1002, and what is your return policy?"}"#];
    let run = run(Arc::new(command("python3 examples/python/support_agent.py")), &lines, plan);
    assert_eq!(run.output("a"), "Order 1002 is shipped, total 1.00. Within 30 days.");
    let calls = run.attempt("a").seen.tool_calls.as_ref().unwrap();
    assert_eq!([calls[0].name.as_str(), calls[1].name.as_str()], ["get_order", "read_article"]);
}

#[test]
fn earlier_turns_are_spoken_and_the_last_one_counts() {
    if !has("python3") {
        return;
    }
    let line = r#"{"id":"a","input":"Refund it, please","setup":{"replay":["order 1002"]},"toolCalls":[
        {"name":"get_order","arguments":{"order_id":"1002"},"result":{"status":"delivered","total":"46.45"}},
        {"name":"refund","arguments":{"order_id":"1002","amount":"46.45"},"result":{"amount":"46.45"}}]}"#;
    let run = run(Arc::new(command("python3 examples/python/support_agent.py")), &[line], plan(1));
    assert_eq!(run.output("a"), "Order 1002 is delivered, total 46.45. I refunded 46.45.");
    assert_eq!(run.attempt("a").seen.tool_calls.as_ref().unwrap().len(), 2, "the calls of the last turn alone");
}

#[test]
fn a_setup_reaches_the_target_and_a_broken_tool_fails() {
    if !has("python3") {
        return;
    }
    let lines = [
        r#"{"id":"fixture","input":"my orders, please","setup":{"fixture":"email","params":"ada.berg@example.com"},"toolCalls":[
            {"name":"search_orders","arguments":{"email":"ada.berg@example.com"},"result":{"orders":[]}}]}"#,
        r#"{"id":"broken","input":"order 1001","setup":{"failingTool":"get_order","message":"the database is down"},"toolCalls":[
            {"name":"get_order","arguments":{"order_id":"1001"},"result":{"status":"shipped"}}]}"#,
    ];
    let run = run(Arc::new(command("python3 examples/python/support_agent.py")), &lines, plan(1));
    assert_eq!(run.output("fixture"), "I found no orders for ada.berg@example.com.");
    assert_eq!(run.output("broken"), "I could not look up order 1001 (the database is down).");
}

#[test]
fn one_that_says_that_it_stopped_is_kept() {
    if !has("python3") {
        return;
    }
    let script = r#"import json,os,sys
def send(**message): print(json.dumps(message),flush=True)
send(type="hello",protocol=1,name="polite",version="1")
for line in sys.stdin:
    message=json.loads(line)
    if message["type"]=="cancel":
        send(type="failure",attempt=message["attempt"],message="stopped")
    if message["type"]=="turn" and "trouble" not in line:
        send(type="reply",attempt=message["attempt"],output=os.getpid())
"#;
    let program = python(script);
    let mark = mark();
    let run = run(Arc::new(command(&format!("python3 {} {mark}", program.path().display()))), &THREE, plan(1));
    assert_eq!(run.failure("bad").0, FailureKind::Deadline);
    assert_eq!(run.output("before"), run.output("after"), "one process serves all");
    assert_eq!(run.named("bad"), [""; 0]);
    assert_nothing_left(&mark);
}

#[test]
fn a_run_that_aborts_at_a_miss_keeps_a_target_that_says_that_it_stopped() {
    if !has("python3") {
        return;
    }
    let rules = BindingRules { on_miss: MissPolicy::Abort, ..BindingRules::default() };
    let plan = RunPlan { rules: Arc::new(rules), ..plan(1) };
    let lines = [r#"{"id":"miss","input":"order 1001","toolCalls":[]}"#, r#"{"id":"after","input":"hello"}"#];
    let run = run(Arc::new(command("python3 examples/python/support_agent.py")), &lines, plan);
    assert_eq!(run.failure("miss").0, FailureKind::Aborted);
    assert_eq!(run.named("miss"), [""; 0]);
    assert_eq!(run.output("after"), "Please tell me your order number or your e-mail address.");
}

#[test]
fn a_reply_before_the_answers_of_its_calls_counts_and_is_named() {
    if !has("python3") {
        return;
    }
    let script = r#"import json,sys
def send(**message): print(json.dumps(message),flush=True)
send(type="hello",protocol=1,name="hasty",version="1")
for line in sys.stdin:
    message=json.loads(line)
    if message["type"]=="turn":
        send(type="tool_call",attempt=message["attempt"],call="c1",name="slow")
        send(type="reply",attempt=message["attempt"],output="done",tokens={"input":-1,"output":2})
"#;
    let program = python(script);
    let plan = RunPlan { live_tools: Some(Arc::new(NeverAnswers)), ..plan(1) };
    let run =
        run(Arc::new(command(&format!("python3 {}", program.path().display()))), &[r#"{"id":"a","input":"x"}"#], plan);
    assert_eq!(run.output("a"), "done");
    assert_eq!(run.named("a"), ["it replied while 1 of its calls had no answer"]);
    let seen = &run.attempt("a").seen;
    assert_eq!((seen.tokens.input, seen.tokens.output, seen.doubts.len()), (None, Some(2), 1));
}

/// By hand: `cargo nextest run --run-ignored only -E 'test(five_hundred)' --no-capture`.
#[test]
#[ignore = "starts 512 processes and more"]
fn five_hundred_and_twelve_lanes_start_and_stop_cleanly() {
    let mark = mark();
    let began = std::time::Instant::now();
    let lines: Vec<String> = (0..1024).map(|n| format!(r#"{{"id":"{n}","input":"hello"}}"#)).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let plan = RunPlan { deadline: Duration::from_secs(120), ..plan(512) };
    let run = run(Arc::new(command(&format!("sh examples/shell/support_agent.sh {mark}"))), &lines, plan);
    for id in 0..1024 {
        assert_eq!(run.output(&id.to_string()), "Please tell me your order number or your e-mail address.");
    }
    assert_eq!(run.strays, []);
    assert_nothing_left(&mark);
    eprintln!("512 lanes, 1024 attempts: {:?}", began.elapsed());
}

#[test]
fn a_tool_program_answers_a_live_session() {
    if !has("python3") {
        return;
    }
    let (agent, desk) = (mark(), mark());
    let tools = live(&format!("python3 examples/tools/desk.py {desk}"));
    let plan = RunPlan { live_tools: Some(tools.clone()), deadline: Duration::from_secs(20), ..plan(2) };
    let lines = [
        r#"{"id":"a","input":"3 * 19.99"}"#,
        r#"{"id":"b","input":"Refund order 1002"}"#,
        r#"{"id":"c","input":"Refund order 1002"}"#,
    ];
    let target = Arc::new(command(&format!("python3 examples/python/support_agent.py {agent}")));
    let run = runtime().block_on(async {
        tools.check().await.unwrap();
        let run = run_until(target, &lines, plan, Stopper::new().1).await;
        tools.shut_down().await;
        run
    });
    assert_eq!(run.output("a"), "3 * 19.99 = 59.97.");
    assert_eq!(run.output("b"), run.output("c"), "each attempt begins with a clean sandbox");
    let calls = run.attempt("a").seen.tool_calls.as_ref().unwrap();
    assert_eq!(calls[0].result.as_ref().unwrap().text(), r#"{"value":"59.97"}"#);
    assert_nothing_left(&agent);
    assert_nothing_left(&desk);
}

#[test]
fn a_tool_program_that_fails_is_no_fault_of_the_target() {
    if !has("python3") {
        return;
    }
    let script = r#"import json,sys
print('{"type":"hello","protocol":1,"name":"tools","version":"1"}',flush=True)
for line in sys.stdin:
    call=json.loads(line)
    if call["type"]=="tool_call" and "1003" in line:
        sys.exit(4)
    if call["type"]=="tool_call" and "1004" not in line:
        print(json.dumps({"type":"tool_result","attempt":call["attempt"],"call":call["call"],"result":{}}),flush=True)
"#;
    let program = python(script);
    let mark = mark();
    let line = CommandLine::split(&format!("python3 {} {mark}", program.path().display())).unwrap();
    let tools = Arc::new(CommandTools::new(line).deadlines(Duration::from_secs(10), Duration::from_secs(1)));
    let plan = RunPlan { live_tools: Some(tools.clone()), deadline: Duration::from_secs(20), ..plan(1) };
    let lines = [
        r#"{"id":"good","input":"order 1001"}"#,
        r#"{"id":"dies","input":"order 1003"}"#,
        r#"{"id":"silent","input":"order 1004"}"#,
        r#"{"id":"after","input":"order 1005"}"#,
    ];
    let target = Arc::new(command("python3 examples/python/support_agent.py"));
    let run = runtime().block_on(async {
        let run = run_until(target, &lines, plan, Stopper::new().1).await;
        tools.shut_down().await;
        run
    });
    assert_eq!(run.failure("dies"), (FailureKind::Setup, "the tool program failed: it ended with exit code 4"));
    let silent = "the tool program failed: it did not answer a call of get_order in 1s";
    assert_eq!(run.failure("silent"), (FailureKind::Setup, silent));
    assert_eq!(run.output("good"), "Order 1001 is unknown, total unknown.");
    assert_eq!(run.output("after"), "Order 1005 is unknown, total unknown.");
    assert_nothing_left(&mark);
}

fn live(line: &str) -> Arc<CommandTools> {
    Arc::new(CommandTools::new(CommandLine::split(line).unwrap()))
}
