//! Answers to pages, sent when they are ready: quick ones overtake slow ones.

use crate::protocol::{Done, Problem};
use tokio::sync::mpsc::UnboundedSender;

/// The answer to a page; `None` if there is nothing to send.
pub(crate) type Answer = Option<Result<Done, Problem>>;

/// Channel of the answers of a page, each with the number of its request.
pub(crate) type Answers = UnboundedSender<(Option<i64>, Answer)>;

/// A pending answer to a page. If it is dropped, it reports that the request was cancelled: steps that an
/// opening has overtaken, or a computation that failed.
#[derive(Debug)]
pub(crate) struct Reply {
    id: Option<i64>,
    to: Answers,
    is_owed: bool,
}

impl Reply {
    pub(crate) fn new(id: Option<i64>, to: Answers) -> Self {
        Self { id, to, is_owed: true }
    }

    pub(crate) fn send(mut self, answer: Answer) {
        self.is_owed = false;
        // The page may have disconnected.
        let _ = self.to.send((self.id, answer));
    }

    /// Whether the page is still connected.
    pub(crate) fn is_awaited(&self) -> bool {
        !self.to.is_closed()
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        if self.is_owed {
            let problem = Problem::new("the request was cancelled", "try again");
            let _ = self.to.send((self.id, Some(Err(problem))));
        }
    }
}
