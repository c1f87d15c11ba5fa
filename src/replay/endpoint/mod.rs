//! What an HTTP target talks to: its tools, on the loopback interface.
//!
//! `POST /attempts/{token}/tools/{name}`, or `POST /tools/{name}` with the token in a header. The token is known to the
//! target alone and belongs to one attempt.

mod attempts;
mod token;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

pub(super) use attempts::{LateCall, OpenAttempt};
pub(super) use token::Token;

use super::ToolRequest;
use crate::recording::{Json, ToolError, ToolName};
use attempts::{Attempts, Found};

/// The header that names the attempt.
pub(super) const ATTEMPT_HEADER: &str = "x-taketwo-attempt";

/// The header that holds the URL of the attempt's tools.
pub(super) const TOOLS_HEADER: &str = "x-taketwo-tools";

/// The optional headers of a call: its name and its decision step.
const CALL_HEADER: &str = "x-taketwo-call";
const STEP_HEADER: &str = "x-taketwo-step";
const AGENT_HEADER: &str = "x-taketwo-agent";

/// The largest arguments that are taken, in bytes.
const MAX_ARGUMENTS: usize = 16 << 20;

/// A server for tool calls.
#[derive(Debug)]
pub(super) struct ToolEndpoint {
    address: SocketAddr,
    attempts: Arc<Attempts>,
    serving: JoinHandle<io::Result<()>>,
}

impl ToolEndpoint {
    /// Starts it on a free port.
    pub(super) async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let attempts = Arc::new(Attempts::default());
        let routes = Router::new()
            .route("/attempts/{token}/tools/{name}", post(call_by_path))
            .route("/tools/{name}", post(call_by_header))
            .with_state(Arc::clone(&attempts));
        let serving = tokio::spawn(async move { axum::serve(listener, routes).await });
        Ok(Self { address, attempts, serving })
    }

    /// Lets an attempt in. Its calls are answered once it is [`listening`](OpenAttempt::listen).
    pub(super) fn open(&self, tools: super::Tools) -> io::Result<OpenAttempt> {
        Ok(OpenAttempt::new(Arc::clone(&self.attempts), Token::new()?, tools))
    }

    /// The URL that the names of an attempt's tools are put after.
    pub(super) fn tools_url(&self, token: &Token) -> String {
        format!("http://{}/attempts/{token}/tools", self.address)
    }

    /// Takes the calls that came for attempts that were over, and how many more there were.
    pub(super) fn take_late(&self) -> (Vec<LateCall>, u64) {
        self.attempts.take_late()
    }
}

impl Drop for ToolEndpoint {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn call_by_path(
    State(attempts): State<Arc<Attempts>>,
    Path((token, name)): Path<(String, String)>,
    request: Request,
) -> Response {
    call(&attempts, &token, name, request).await
}

async fn call_by_header(State(attempts): State<Arc<Attempts>>, Path(name): Path<String>, request: Request) -> Response {
    match text_header(request.headers(), ATTEMPT_HEADER).map(str::to_owned) {
        Some(token) => call(&attempts, &token, name, request).await,
        None => refusal(StatusCode::BAD_REQUEST, "bad_request", &format!("the header {ATTEMPT_HEADER} is missing")),
    }
}

async fn call(attempts: &Attempts, token: &str, name: String, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let arguments = match arguments(body).await {
        Ok(arguments) => arguments,
        Err(refusal) => return refusal,
    };
    let name = ToolName::new(name);
    let tools = match attempts.find(token, &name) {
        Found::Open(tools) => tools,
        Found::Over => return refusal(StatusCode::GONE, "attempt_over", "the attempt is over"),
        Found::Unknown => return refusal(StatusCode::NOT_FOUND, "unknown_attempt", "no attempt has this token"),
    };
    let id = text_header(&head.headers, CALL_HEADER).map(str::to_owned);
    let step = text_header(&head.headers, STEP_HEADER).and_then(|step| step.parse().ok());
    let agent = text_header(&head.headers, AGENT_HEADER).map(str::to_owned);
    match tools.call(ToolRequest { name, arguments, id, step, agent }).await {
        Ok(result) => json(StatusCode::OK, result.text().to_owned()),
        Err(error) => json(StatusCode::FAILED_DEPENDENCY, error_body(&error)),
    }
}

/// The body as arguments: none where it is empty.
async fn arguments(body: Body) -> Result<Option<Json>, Response> {
    let too_large = || {
        let message = format!("arguments may have up to {} MiB", MAX_ARGUMENTS >> 20);
        refusal(StatusCode::PAYLOAD_TOO_LARGE, "bad_request", &message)
    };
    let bytes = to_bytes(body, MAX_ARGUMENTS).await.map_err(|_| too_large())?;
    let bad = |problem: &str| {
        let message = format!("the body is no JSON: {problem}");
        refusal(StatusCode::BAD_REQUEST, "bad_request", &message)
    };
    let text = std::str::from_utf8(&bytes).map_err(|_| bad("it is no UTF-8"))?;
    if text.trim().is_empty() {
        return Ok(None);
    }
    Json::parse(text).map(Some).map_err(|fault| bad(&fault.to_string()))
}

fn text_header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn error_body(error: &ToolError) -> String {
    let kind = error.kind.as_deref().unwrap_or("error");
    let (kind, message) = (Json::string(kind), Json::string(&error.message));
    format!(r#"{{"error":{{"type":{},"message":{}}}}}"#, kind.text(), message.text())
}

fn refusal(status: StatusCode, kind: &str, message: &str) -> Response {
    json(status, error_body(&ToolError { kind: Some(kind.to_owned()), message: message.to_owned() }))
}

fn json(status: StatusCode, body: String) -> Response {
    (status, [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response()
}
