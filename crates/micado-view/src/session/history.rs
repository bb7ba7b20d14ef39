//! Undo and redo: snapshots of the engine with the open scene, bounded in number and bytes.

use super::stage::Kept;
use std::collections::VecDeque;

/// Largest number of entries.
const MOST_ENTRIES: usize = 200;
/// Largest size of all entries, bytes.
const MOST_BYTES: usize = 256 << 20;

/// An edit, in words.
#[derive(Clone, Debug)]
pub(super) enum Deed {
    /// A grab or a poke.
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

/// The state before an edit.
#[derive(Debug)]
pub(super) struct Entry {
    /// The edit.
    pub(super) deed: Deed,
    pub(super) kept: Kept,
}

/// Edits that can be undone or redone.
#[derive(Debug, Default)]
pub(super) struct History {
    undo: VecDeque<Entry>,
    redo: Vec<Entry>,
}

impl History {
    /// Adds an edit that can be undone; `kept` is the state before it.
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

    /// Takes the last edit that can be undone. Call [`History::undone`] with the current state, so that it
    /// can be redone.
    pub(super) fn undo(&mut self) -> Option<Entry> {
        self.undo.pop_back()
    }

    /// An edit was undone; `kept` is the state with it.
    pub(super) fn undone(&mut self, deed: Deed, kept: Kept) {
        self.redo.push(Entry { deed, kept });
    }

    /// An edit could not be undone; puts it back.
    pub(super) fn not_undone(&mut self, entry: Entry) {
        self.undo.push_back(entry);
    }

    /// Takes the last edit that was undone.
    pub(super) fn redo(&mut self) -> Option<Entry> {
        self.redo.pop()
    }

    /// An edit was redone; `kept` is the state without it.
    pub(super) fn redone(&mut self, deed: Deed, kept: Kept) {
        self.push(Entry { deed, kept });
    }

    /// The edits that undo would undo and redo would redo.
    pub(super) fn words(&self) -> (Option<String>, Option<String>) {
        let words = |entry: &Entry| entry.deed.words().to_owned();
        (self.undo.back().map(words), self.redo.last().map(words))
    }

    /// Whether the last edit is a grab or a poke.
    pub(super) fn is_touch(&self) -> bool {
        self.undo.back().is_some_and(|entry| matches!(entry.deed, Deed::Touch(_)))
    }

    /// The newest snapshot, for recovery.
    pub(super) fn newest(&self) -> Option<&Kept> {
        self.undo.back().map(|entry| &entry.kept)
    }
}
