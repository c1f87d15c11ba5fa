//! A target that is a service: one POST a turn, its tools behind a URL that comes with the turn. See docs/http.md.

mod answer;
mod template;

use std::sync::{Arc, Once};
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use futures_core::future::BoxFuture;
use reqwest::{Client, Url};
use tokio::net::TcpStream;
use tokio::sync::OnceCell;
use tokio::time::timeout;

pub use answer::UsagePaths;

use super::conversation::Conversation;
use super::strays::Strays;
use super::{Abilities, Ending, PreflightReason, Reply, Session, Start, Stray, SystemUnderTest, TargetInfo, told};
use crate::recording::Json;
use crate::replay::endpoint::{ATTEMPT_HEADER, OpenAttempt, TOOLS_HEADER, ToolEndpoint};
use crate::replay::{Aftermath, Failure, FailureKind};
use answer::{AnswerPaths, MAX_BODY, broken, start_of};
use template::{Filling, Template};

/// How long a connection may take to open.
const CONNECT_PATIENCE: Duration = Duration::from_secs(10);

/// How a service is spoken to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpOptions {
    /// Where turns are posted to, `http` or `https`.
    pub url: String,
    /// The body, with places such as `{{input}}`; see docs/http.md. A plain one where absent.
    pub template: Option<String>,
    /// More headers of each turn, such as `Authorization`. They are never shown.
    pub headers: Vec<(String, String)>,
    /// Where the reply stands in the body, as `$.choices[0].message.content`.
    pub reply_path: Option<String>,
    /// Where usage stands in the body.
    pub usage_paths: UsagePaths,
}

/// A service under test.
#[derive(Debug)]
pub struct HttpTarget {
    url: Url,
    template: Option<Template>,
    headers: HeaderMap,
    paths: AnswerPaths,
    client: Client,
    endpoint: OnceCell<ToolEndpoint>,
    strays: Arc<Strays>,
}

impl HttpTarget {
    /// Takes a service as its options say. Nothing is sent yet.
    ///
    /// # Errors
    /// What is wrong with the options: the URL, the template, a header or a path.
    pub fn new(options: &HttpOptions) -> Result<Self, PreflightReason> {
        let url = read_url(&options.url)?;
        let template = options.template.as_deref().map(Template::read).transpose();
        let template = template.map_err(|problem| PreflightReason::new(problem).help("see docs/http.md"))?;
        let paths = AnswerPaths::read(options.reply_path.as_deref(), &options.usage_paths)
            .map_err(|error| PreflightReason::new(error.to_string()))?;
        let client = client(&url).map_err(|error| PreflightReason::new(causes(&error)))?;
        Ok(Self {
            url,
            template,
            headers: read_headers(&options.headers)?,
            paths,
            client,
            endpoint: OnceCell::new(),
            strays: Arc::default(),
        })
    }

    async fn endpoint(&self) -> std::io::Result<&ToolEndpoint> {
        self.endpoint.get_or_try_init(ToolEndpoint::start).await
    }

    /// The URL without what may be secret in it.
    fn shown_url(&self) -> String {
        let port = self.url.port().map(|port| format!(":{port}")).unwrap_or_default();
        format!("{}://{}{port}{}", self.url.scheme(), self.url.host_str().unwrap_or_default(), self.url.path())
    }

    /// Opens a connection and closes it again.
    async fn reach(&self) -> Result<(), PreflightReason> {
        let host = self.url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        let port = self.url.port_or_known_default().unwrap_or(80);
        let problem = match timeout(CONNECT_PATIENCE, TcpStream::connect((host, port))).await {
            Ok(Ok(_)) => return Ok(()),
            Ok(Err(error)) => error.to_string(),
            Err(_) => format!("no connection within {CONNECT_PATIENCE:?}"),
        };
        let reason = PreflightReason::new(format!("{host}:{port} cannot be reached: {problem}"));
        Err(reason.help("start the service first; taketwo does not start it and uses no proxy"))
    }
}

fn read_url(text: &str) -> Result<Url, PreflightReason> {
    let bad = |problem: &str| {
        PreflightReason::new(format!("the target's URL cannot be used: {problem}"))
            .help("it looks like http://127.0.0.1:8080/turn")
    };
    let url = Url::parse(text).map_err(|error| bad(&error.to_string()))?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        other => Err(bad(&format!("{other:?} is neither http nor https"))),
    }
}

fn read_headers(given: &[(String, String)]) -> Result<HeaderMap, PreflightReason> {
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
    for (name, value) in given {
        let bad = || PreflightReason::new(format!("the header {name:?} has a name or value that no header may have"));
        let mut value = HeaderValue::from_str(value).map_err(|_| bad())?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?, value);
    }
    Ok(headers)
}

/// A client that does nothing behind the back of a test: no redirects, no proxies, no connection used twice (one that
/// the service is about to close would fail a turn by chance).
fn client(url: &Url) -> reqwest::Result<Client> {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // It fails where one is installed already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    let builder = Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .pool_max_idle_per_host(0)
        .connect_timeout(CONNECT_PATIENCE)
        .user_agent(concat!("taketwo/", env!("CARGO_PKG_VERSION")));
    match url.scheme() {
        "https" => builder.build(),
        // Without TLS no certificates are needed; a system that has none must not be refused.
        _ => {
            let nothing_trusted = rustls::ClientConfig::builder()
                .with_root_certificates(rustls::RootCertStore::empty())
                .with_no_client_auth();
            builder.tls_backend_preconfigured(nothing_trusted).build()
        }
    }
}

impl SystemUnderTest for HttpTarget {
    fn info(&self) -> TargetInfo {
        TargetInfo { name: self.shown_url(), version: None }
    }

    /// Starts the tool endpoint and sees that the service can be reached.
    fn abilities(&self) -> BoxFuture<'_, Result<Abilities, PreflightReason>> {
        Box::pin(async move {
            self.endpoint().await.map_err(|error| PreflightReason::new(no_endpoint(&error)))?;
            self.reach().await?;
            Ok(Abilities::default())
        })
    }

    fn shut_down(&self) -> BoxFuture<'_, Vec<Stray>> {
        Box::pin(async move {
            if let Some(endpoint) = self.endpoint.get() {
                let (late, more) = endpoint.take_late();
                for call in late {
                    self.strays.note(&call.attempt, format!("called {} after its end", call.tool));
                }
                if more > 0 {
                    self.strays.note("", format!("{more} more calls came after the end of their attempts"));
                }
            }
            self.strays.take()
        })
    }

    fn prepare<'a>(&'a self, start: Start<'a>) -> BoxFuture<'a, Result<Box<dyn Session + 'a>, Failure>> {
        Box::pin(async move {
            let setup_failed = |error: &std::io::Error| Failure::new(FailureKind::Setup, no_endpoint(error));
            let endpoint = self.endpoint().await.map_err(|error| setup_failed(&error))?;
            let open = endpoint.open(start.tools.clone()).map_err(|error| setup_failed(&error))?;
            Ok(Box::new(HttpSession {
                target: self,
                tools_url: endpoint.tools_url(open.token()),
                open,
                attempt: start.tools.attempt().to_owned(),
                setup: told(start.setup),
                conversation: Conversation::new(start.history),
            }) as Box<dyn Session + 'a>)
        })
    }
}

fn no_endpoint(error: &std::io::Error) -> String {
    format!("the endpoint for tool calls did not start: {error}")
}

struct HttpSession<'a> {
    target: &'a HttpTarget,
    open: OpenAttempt,
    tools_url: String,
    attempt: String,
    setup: Option<Json>,
    conversation: Conversation,
}

impl HttpSession<'_> {
    async fn speak(&mut self, input: &Json) -> Result<Reply, Failure> {
        self.open.listen();
        let reply = self.post(input).await;
        self.open.close();
        if let Ok(reply) = &reply {
            self.conversation.spoken(input, reply.output.as_ref());
        }
        reply
    }

    async fn post(&self, input: &Json) -> Result<Reply, Failure> {
        let filling = Filling {
            input,
            history: self.conversation.entries(),
            setup: self.setup.as_ref(),
            attempt: &self.attempt,
            tools_url: &self.tools_url,
            token: self.open.token().as_str(),
        };
        let target = self.target;
        let body = target.template.as_ref().map_or_else(|| filling.default_body(), |template| template.fill(&filling));
        let request = target
            .client
            .post(target.url.clone())
            .headers(target.headers.clone())
            .header(ATTEMPT_HEADER, self.open.token().as_str())
            .header(TOOLS_HEADER, &self.tools_url)
            .body(body);
        let response = request.send().await.map_err(|error| not_answered(&error))?;
        let (status, is_plain_text) = (response.status(), is_plain_text(response.headers()));
        let body = read_body(response).await?;
        if status.is_success() {
            return target.paths.reply(body, is_plain_text);
        }
        Err(Failure::new(FailureKind::Reported, refused(status, &body)))
    }
}

fn not_answered(error: &reqwest::Error) -> Failure {
    let kind = if error.is_connect() { FailureKind::Unreachable } else { FailureKind::Exited };
    Failure::new(kind, causes(error))
}

fn refused(status: StatusCode, body: &[u8]) -> String {
    match start_of(&String::from_utf8_lossy(body)).as_str() {
        "" => format!("HTTP {status}"),
        start => format!("HTTP {status}: {start}"),
    }
}

fn is_plain_text(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/plain"))
}

async fn read_body(mut response: reqwest::Response) -> Result<Vec<u8>, Failure> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| broken(&causes(&error)))? {
        if body.len() + chunk.len() > MAX_BODY {
            return Err(broken(&format!("its body is larger than {} MiB", MAX_BODY >> 20)));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// What went wrong and why, without the URL, which may hold a secret.
fn causes(error: &reqwest::Error) -> String {
    let mut causes = Vec::new();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        causes.push(error.to_string());
        cause = error.source();
    }
    match causes.pop() {
        Some(deepest) => deepest,
        None => "the request failed".to_owned(),
    }
}

impl Session for HttpSession<'_> {
    fn submit<'a>(&'a mut self, input: &'a Json) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(self.speak(input))
    }

    fn end<'a>(self: Box<Self>, _ending: Ending) -> BoxFuture<'a, Aftermath>
    where
        Self: 'a,
    {
        Box::pin(async move {
            self.open.close();
            let late = self.open.late_calls();
            let violations = late.into_iter().map(|call| format!("called {} after its end", call.tool)).collect();
            Aftermath { stderr: String::new(), violations }
        })
    }
}
