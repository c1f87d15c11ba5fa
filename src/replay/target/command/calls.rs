//! Tool calls that are not answered yet.

use std::collections::HashSet;
use std::future::poll_fn;
use std::task::{Context, Poll, Waker};

use futures_core::future::BoxFuture;

use crate::recording::{Json, ToolError};
use crate::replay::{ToolRequest, Tools};

/// A call's name and its answer.
pub(super) type Answered = (String, Result<Json, ToolError>);

/// The calls of one turn. Each is asked at once, in the order they came, so that equal calls get their recordings
/// in order; answers come as they are ready.
#[derive(Default)]
pub(super) struct Calls {
    names: HashSet<String>,
    open: Vec<BoxFuture<'static, Answered>>,
}

impl Calls {
    /// Whether a call had this name already.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// How many have no answer.
    pub(super) fn open(&self) -> usize {
        self.open.len()
    }

    /// Asks for a call. A recording answers at once.
    pub(super) fn ask(&mut self, tools: Tools, name: String, request: ToolRequest) -> Option<Answered> {
        self.names.insert(name.clone());
        let mut asking: BoxFuture<'static, Answered> = Box::pin(async move {
            let answer = tools.call(request).await;
            (name, answer)
        });
        match asking.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(answered) => Some(answered),
            Poll::Pending => {
                self.open.push(asking);
                None
            }
        }
    }

    /// Waits for the next answer, for ever where no call is open.
    pub(super) async fn next(&mut self) -> Answered {
        poll_fn(|context| {
            for at in 0..self.open.len() {
                if let Poll::Ready(answered) = self.open[at].as_mut().poll(context) {
                    drop(self.open.remove(at));
                    return Poll::Ready(answered);
                }
            }
            Poll::Pending
        })
        .await
    }
}
