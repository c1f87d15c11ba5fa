//! A target that is a Rust function.

use std::future::Future;

use futures_core::future::BoxFuture;

use super::super::attempt::{Aftermath, Failure};
use super::super::tools::Tools;
use super::{Ending, Reply, Session, Start, SystemUnderTest, TargetInfo};
use crate::recording::Json;

/// A target made of an async function from an input and tools to a reply.
///
/// ```
/// use taketwo::recording::Json;
/// use taketwo::replay::{Reply, ToolRequest, target::InProcess};
///
/// let target = InProcess::new("greeter", |input: Json, tools| async move {
///     let arguments = Json::of(&serde_json::json!({ "name": input.shown() }));
///     match tools.call(ToolRequest::new("greet", arguments)).await {
///         Ok(result) => Ok(Reply::text(&result.shown())),
///         Err(error) => Ok(Reply::text(&format!("Sorry: {error}"))),
///     }
/// });
/// ```
pub struct InProcess<F> {
    name: String,
    answer: F,
}

impl<F, Answering> InProcess<F>
where
    F: Fn(Json, Tools) -> Answering + Send + Sync,
    Answering: Future<Output = Result<Reply, Failure>> + Send + 'static,
{
    /// Names the function.
    pub fn new(name: impl Into<String>, answer: F) -> Self {
        Self { name: name.into(), answer }
    }
}

impl<F, Answering> SystemUnderTest for InProcess<F>
where
    F: Fn(Json, Tools) -> Answering + Send + Sync,
    Answering: Future<Output = Result<Reply, Failure>> + Send + 'static,
{
    fn info(&self) -> TargetInfo {
        TargetInfo { name: self.name.clone(), version: None }
    }

    fn prepare<'a>(&'a self, start: Start<'a>) -> BoxFuture<'a, Result<Box<dyn Session + 'a>, Failure>> {
        let session = Asking { target: self, tools: start.tools };
        Box::pin(async move { Ok(Box::new(session) as Box<dyn Session + 'a>) })
    }
}

struct Asking<'a, F> {
    target: &'a InProcess<F>,
    tools: Tools,
}

impl<F, Answering> Session for Asking<'_, F>
where
    F: Fn(Json, Tools) -> Answering + Send + Sync,
    Answering: Future<Output = Result<Reply, Failure>> + Send + 'static,
{
    fn submit<'a>(&'a mut self, input: &'a Json) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin((self.target.answer)(input.clone(), self.tools.clone()))
    }

    fn end<'a>(self: Box<Self>, _ending: Ending) -> BoxFuture<'a, Aftermath>
    where
        Self: 'a,
    {
        Box::pin(async { Aftermath::default() })
    }
}
