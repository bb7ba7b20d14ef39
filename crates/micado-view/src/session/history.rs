//! Undo and redo: snapshots of the core with what was open, bounded in number and in bytes.

use super::stage::Kept;
use std::collections::VecDeque;

/// Entries, at most.
const MOST_ENTRIES: usize = 200;
/// Bytes of all entries together, at most.
const MOST_BYTES: usize = 256 << 20;

/// What was done, in words.
#[derive(Clone, Debug)]
pub(super) enum Deed {
    /// A hand has taken hold, or something was poked.
    Touch(String),
    Other(String),
}

impl Deed {
    pub(super) fn words(&self) -> &str {
        match self {
            Self::Touch(words) | Self::Other(words) => words,
        }
    }
}

/// How it was before something was done.
#[derive(Debug)]
pub(super) struct Entry {
    /// What was done then.
    pub(super) deed: Deed,
    pub(super) kept: Kept,
}

/// What can be undone, and done again.
#[derive(Debug, Default)]
pub(super) struct History {
    undo: VecDeque<Entry>,
    redo: Vec<Entry>,
}

impl History {
    /// Something is done that can be undone: `kept` is how it was before.
    pub(super) fn remember(&mut self, deed: Deed, kept: Kept) {
        self.redo.clear();
        self.push(Entry { deed, kept });
    }

    fn push(&mut self, entry: Entry) {
        self.undo.push_back(entry);
        while self.undo.len() > MOST_ENTRIES || (self.undo.len() > 1 && self.bytes() > MOST_BYTES) {
            self.undo.pop_front();
        }
    }

    fn bytes(&self) -> usize {
        self.undo.iter().chain(&self.redo).map(|entry| entry.kept.bytes()).sum()
    }

    /// The last thing that can be undone. What is now is kept, so that it can be done again, by
    /// [`History::undone`].
    pub(super) fn undo(&mut self) -> Option<Entry> {
        self.undo.pop_back()
    }

    /// Something was undone; `kept` is how it was with it.
    pub(super) fn undone(&mut self, deed: Deed, kept: Kept) {
        self.redo.push(Entry { deed, kept });
    }

    /// It could not be brought back, and stays where it was.
    pub(super) fn not_undone(&mut self, entry: Entry) {
        self.undo.push_back(entry);
    }

    /// The last thing that was undone.
    pub(super) fn redo(&mut self) -> Option<Entry> {
        self.redo.pop()
    }

    /// Something was done again; `kept` is how it was without it.
    pub(super) fn redone(&mut self, deed: Deed, kept: Kept) {
        self.push(Entry { deed, kept });
    }

    /// What undo would undo, and redo would do again.
    pub(super) fn words(&self) -> (Option<String>, Option<String>) {
        let words = |entry: &Entry| entry.deed.words().to_owned();
        (self.undo.back().map(words), self.redo.last().map(words))
    }

    /// Whether the last thing that was done is that a hand took hold or poked.
    pub(super) fn is_touch(&self) -> bool {
        self.undo.back().is_some_and(|entry| matches!(entry.deed, Deed::Touch(_)))
    }

    /// The newest snapshot, to go back to when all else fails.
    pub(super) fn newest(&self) -> Option<&Kept> {
        self.undo.back().map(|entry| &entry.kept)
    }
}
