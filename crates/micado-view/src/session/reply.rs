//! Answers to pages: they come when they are there, and quick ones overtake slow ones.

use crate::protocol::{Done, Problem};
use tokio::sync::mpsc::UnboundedSender;

/// What a page is answered; nothing where nothing is to be said.
pub(crate) type Answer = Option<Result<Done, Problem>>;

/// Where the answers of a page go, each with the number of its request.
pub(crate) type Answers = UnboundedSender<(Option<i64>, Answer)>;

/// An answer that is owed to a page. What is dropped unanswered was left undone, and the page is told so:
/// steps that an opening has overtaken, work that broke off.
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
        // Who asked may have gone.
        let _ = self.to.send((self.id, answer));
    }

    /// Whether the page that asked is still there.
    pub(crate) fn is_awaited(&self) -> bool {
        !self.to.is_closed()
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        if self.is_owed {
            let _ = self.to.send((self.id, Some(Err(Problem::new("it was left undone", "ask again")))));
        }
    }
}
