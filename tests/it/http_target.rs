//! A service under test gets one POST a turn and calls its tools at a URL of its attempt.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use taketwo::recording::{Json, wire};
use taketwo::replay::target::{HttpOptions, HttpTarget, UsagePaths};
use taketwo::replay::{FailureKind, RunPlan, Stopper, SystemUnderTest};

use crate::replaying::{Run, command, has, plan, run, run_until, runtime};

/// A service in this process: what it answers to a turn, given its headers and body.
async fn serve<F, Answering>(answer: F) -> String
where
    F: Fn(HeaderMap, Json) -> Answering + Clone + Send + Sync + 'static,
    Answering: Future<Output = (StatusCode, String)> + Send + 'static,
{
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/turn", listener.local_addr().unwrap());
    let turn = post(move |headers: HeaderMap, body: String| async move {
        let (status, body) = answer(headers, Json::parse(body).unwrap()).await;
        (status, [("content-type", "application/json")], body)
    });
    tokio::spawn(async move { axum::serve(listener, Router::new().route("/turn", turn)).await });
    url
}

/// Runs cases against a service in this process.
fn ask<F, Answering>(options: HttpOptions, plan: RunPlan, lines: &[&str], answer: F) -> Run
where
    F: Fn(HeaderMap, Json) -> Answering + Clone + Send + Sync + 'static,
    Answering: Future<Output = (StatusCode, String)> + Send + 'static,
{
    runtime().block_on(async {
        let url = serve(answer).await;
        let target = Arc::new(HttpTarget::new(&HttpOptions { url, ..options }).unwrap());
        target.abilities().await.unwrap();
        run_until(target, lines, plan, Stopper::new().1).await
    })
}

/// Posts to an attempt's tools: the status and the body.
async fn post_to(url: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let request = headers.iter().fold(client.post(url), |request, (name, value)| request.header(*name, *value));
    let response = request.body(body.to_owned()).send().await.unwrap();
    (response.status().as_u16(), response.text().await.unwrap())
}

fn text(json: &Json, key: &str) -> String {
    json.member(key).unwrap().shown().into_owned()
}

fn said(output: &str) -> (StatusCode, String) {
    (StatusCode::OK, format!(r#"{{"output":{}}}"#, Json::string(output).text()))
}

struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_example_service_answers_as_the_example_program_does() {
    if !has("python3") {
        return;
    }
    let lines = [
        r#"{"id":"tracked","input":"Where is my order 1002?","toolCalls":[
            {"name":"get_order","arguments":{"order_id":"1002"},"step":1,"result":{"status":"delivered","total":"46.45","tracking":"PX-1"}},
            {"name":"track_parcel","arguments":{"tracking":"PX-1"},"step":2,"error":{"type":"unavailable","message":"503 busy"}},
            {"name":"track_parcel","arguments":{"tracking":"PX-1"},"step":3,"result":{"state":"za\u017c\u00f3\u0142\u0107","eta":null}}]}"#,
        r#"{"id":"miss","input":"order 1001","toolCalls":[]}"#,
        r#"{"id":"later","input":"Refund it, please","setup":{"replay":["order 1002"]},"toolCalls":[
            {"name":"get_order","arguments":{"order_id":"1002"},"result":{"status":"delivered","total":"46.45"}},
            {"name":"refund","arguments":{"order_id":"1002","amount":"46.45"},"result":{"amount":"46.45"}}]}"#,
        r#"{"id":"no-text","input":[1]}"#,
    ];
    let starting =
        Command::new("python3").args(["examples/http/support_service.py", "0"]).stdout(Stdio::piped()).spawn();
    let mut service = Killed(starting.unwrap());
    let mut url = String::new();
    BufReader::new(service.0.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let options = HttpOptions { url: url.trim().to_owned(), ..HttpOptions::default() };
    let over_http = run(Arc::new(HttpTarget::new(&options).unwrap()), &lines, plan(2));
    let as_program = run(Arc::new(command("python3 examples/python/support_agent.py")), &lines, plan(2));
    let seen = |run: &Run, id: &str| {
        let seen = &run.attempt(id).seen;
        let calls = seen.tool_calls.iter().flatten().map(|call| {
            // Only a program names its calls.
            wire::write_call(&taketwo::recording::ToolCall { id: None, ..call.clone() })
        });
        (run.output(id), calls.collect::<Vec<_>>(), seen.tokens, seen.model_calls.clone())
    };
    for id in ["tracked", "miss", "later"] {
        assert_eq!(seen(&over_http, id), seen(&as_program, id), "{id}");
    }
    let (kind, message) = over_http.failure("no-text");
    assert_eq!(kind, FailureKind::Reported);
    assert_eq!(message, r#"HTTP 500 Internal Server Error: {"error":"the input is not text"}"#);
}

#[test]
fn tools_answer_at_the_url_of_their_attempt() {
    let line = r#"{"id":"a","input":"x","toolCalls":[
        {"name":"read it/all","arguments":{"n":1},"result":12345678901234567890123},
        {"name":"now","result":null},
        {"name":"pay","error":{"type":"declined","message":"no funds"}}]}"#;
    let answers = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&answers);
    let run = ask(HttpOptions::default(), plan(1), &[line], move |headers, body| {
        let answers = Arc::clone(&answers);
        async move {
            let tools = text(&body, "tools");
            assert_eq!(headers["x-taketwo-tools"], tools);
            let token = headers["x-taketwo-attempt"].to_str().unwrap();
            let root = tools.split("/attempts").next().unwrap();
            let given = [
                post_to(&format!("{tools}/read%20it%2Fall"), &[("x-taketwo-step", "2")], r#"{"n": 1.0}"#).await,
                post_to(&format!("{root}/tools/now"), &[("x-taketwo-attempt", token)], "").await,
                post_to(&format!("{tools}/pay"), &[], "{}").await,
                post_to(&format!("{tools}/pay"), &[], "{oops").await,
                post_to(&format!("{root}/attempts/0000/tools/now"), &[], "").await,
                post_to(&format!("{root}/tools/now"), &[], "").await,
            ];
            *answers.lock().unwrap() = given.to_vec();
            said("done")
        }
    });
    assert_eq!(run.output("a"), "done");
    let answers = kept.lock().unwrap();
    assert_eq!(answers[0], (200, "12345678901234567890123".to_owned()));
    assert_eq!(answers[1], (200, "null".to_owned()));
    assert_eq!(answers[2], (424, r#"{"error":{"type":"declined","message":"no funds"}}"#.to_owned()));
    assert_eq!(answers[3..].iter().map(|(status, _)| *status).collect::<Vec<_>>(), [400, 404, 400]);
    let calls = run.attempt("a").seen.tool_calls.as_ref().unwrap();
    assert_eq!((calls.len(), calls[0].step, calls[1].arguments.as_ref()), (3, Some(2), None));
    assert_eq!(run.attempt("a").ledger.fidelity(), 1.0);
}

#[test]
fn a_call_after_the_reply_is_refused_and_named() {
    let first_tools = Arc::new(Mutex::new(String::new()));
    let lines = [r#"{"id":"first","input":"1"}"#, r#"{"id":"second","input":"2"}"#];
    let run = ask(HttpOptions::default(), plan(1), &lines, move |_, body| {
        let first_tools = Arc::clone(&first_tools);
        async move {
            if text(&body, "input") == "1" {
                *first_tools.lock().unwrap() = text(&body, "tools");
                return said("ok");
            }
            let url = format!("{}/get_order", first_tools.lock().unwrap());
            said(&post_to(&url, &[], "{}").await.0.to_string())
        }
    });
    assert_eq!(run.output("second"), "410");
    assert_eq!(run.named("first"), ["called get_order after its end"]);
    assert_eq!(run.named("second"), [""; 0]);
}

#[test]
fn a_template_and_paths_fit_another_service() {
    let options = HttpOptions {
        template: Some(r#"{"messages": {{history}}, "prompt": "{{input}}", "session": "{{attempt}}"}"#.into()),
        headers: vec![("Authorization".into(), "Bearer secret".into())],
        reply_path: Some("$.choices[0].message.content".into()),
        usage_paths: UsagePaths { tokens: Some("$.usage.total_tokens".into()), ..UsagePaths::default() },
        ..HttpOptions::default()
    };
    let line = r#"{"id":"a","input":"say \"hi\"","history":[{"role":"user","content":"Hello"}]}"#;
    let run = ask(options, plan(1), &[line], |headers, body| async move {
        assert_eq!(headers["authorization"], "Bearer secret");
        assert_eq!(
            body.text(),
            r#"{"messages": [{"role":"user","content":"Hello"}], "prompt": "say \"hi\"", "session": "t1-1"}"#
        );
        (StatusCode::OK, r#"{"choices":[{"message":{"content":"hi"}}],"usage":{"total_tokens":9}}"#.to_owned())
    });
    assert_eq!(run.output("a"), "hi");
    assert_eq!(run.attempt("a").seen.tokens.total, Some(9));
}

#[test]
fn a_service_that_fails_is_named() {
    let lines = [
        r#"{"id":"busy","input":"busy"}"#,
        r#"{"id":"page","input":"page"}"#,
        r#"{"id":"moved","input":"moved"}"#,
        r#"{"id":"large","input":"large"}"#,
        r#"{"id":"slow","input":"slow"}"#,
        r#"{"id":"fine","input":"fine"}"#,
    ];
    let run = ask(
        HttpOptions::default(),
        RunPlan { deadline: Duration::from_secs(2), ..plan(2) },
        &lines,
        |_, body| async move {
            match &*text(&body, "input") {
                "busy" => (StatusCode::SERVICE_UNAVAILABLE, "try later".into()),
                "page" => (StatusCode::OK, "<html>hello</html>".into()),
                "moved" => (StatusCode::FOUND, String::new()),
                "large" => (StatusCode::OK, " ".repeat((64 << 20) + 1)),
                "slow" => {
                    tokio::time::sleep(Duration::from_secs(600)).await;
                    said("late")
                }
                _ => said("fine"),
            }
        },
    );
    assert_eq!(run.failure("busy"), (FailureKind::Reported, "HTTP 503 Service Unavailable: try later"));
    assert_eq!(run.failure("moved"), (FailureKind::Reported, "HTTP 302 Found"));
    assert_eq!(run.failure("large"), (FailureKind::Protocol, "its body is larger than 64 MiB"));
    assert_eq!(run.failure("slow").0, FailureKind::Deadline);
    assert!(matches!(run.failure("page"), (FailureKind::Protocol, message) if message.contains("<html>")));
    assert_eq!(run.output("fine"), "fine");
}

#[test]
fn a_service_that_hangs_up_is_named() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/turn", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            // The request is read first, so that it is not refused but left without an answer.
            let mut start = [0; 4];
            let _ = std::io::Read::read(&mut connection.unwrap(), &mut start);
        }
    });
    let target = HttpTarget::new(&HttpOptions { url, ..HttpOptions::default() }).unwrap();
    let run = run(Arc::new(target), &[r#"{"id":"a","input":"x"}"#], plan(1));
    assert_eq!(run.failure("a").0, FailureKind::Exited);
}

#[test]
fn options_that_cannot_work_are_refused_before_the_run() {
    let refused = |options: HttpOptions| HttpTarget::new(&options).unwrap_err().problem;
    let url = || "http://127.0.0.1:9/turn".to_owned();
    assert!(
        refused(HttpOptions { url: "ftp://x/".into(), ..HttpOptions::default() }).contains("neither http nor https")
    );
    assert!(refused(HttpOptions { url: "x".into(), ..HttpOptions::default() }).contains("cannot be used"));
    let template = Some("{{prompt}}".to_owned());
    assert!(refused(HttpOptions { url: url(), template, ..HttpOptions::default() }).contains("not known"));
    let headers = vec![("a b".to_owned(), "secret".to_owned())];
    let problem = refused(HttpOptions { url: url(), headers, ..HttpOptions::default() });
    assert!(problem.contains("\"a b\"") && !problem.contains("secret"), "{problem}");
    let reply_path = Some("$.choices[*]".to_owned());
    assert!(refused(HttpOptions { url: url(), reply_path, ..HttpOptions::default() }).contains("one place"));
}

#[test]
fn a_service_that_is_not_there_is_refused_and_its_secrets_are_not_shown() {
    // A port that was just free.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let options = HttpOptions { url: format!("http://me:secret@{address}/turn?key=secret"), ..HttpOptions::default() };
    let target = HttpTarget::new(&options).unwrap();
    let refused = runtime().block_on(target.abilities()).unwrap_err();
    assert!(refused.problem.starts_with(&format!("{address} cannot be reached: ")), "{}", refused.problem);
    assert_eq!(target.info().name, format!("http://{address}/turn"));
}

#[test]
fn https_is_spoken() {
    let options = HttpOptions { url: "https://127.0.0.1:9/turn".into(), ..HttpOptions::default() };
    match HttpTarget::new(&options) {
        Ok(target) => assert_eq!(target.info().name, "https://127.0.0.1:9/turn"),
        Err(reason) => eprintln!("SKIPPED: this system has no certificates: {}", reason.problem),
    }
}
