//! An allocator that counts, per thread: tests in one process don't see each other.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts what passes through it.
pub(crate) struct Counting;

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
    static LIVE: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

fn note(bytes: i64) {
    CALLS.with(|calls| calls.set(calls.get() + 1));
    LIVE.with(|live| {
        live.set(live.get() + bytes);
        PEAK.with(|peak| peak.set(peak.get().max(live.get())));
    });
}

fn size(layout: Layout) -> i64 {
    i64::try_from(layout.size()).unwrap_or(i64::MAX)
}

// SAFETY: every call goes to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(size(layout));
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.with(|live| live.set(live.get() - size(layout)));
        // SAFETY: the caller keeps the contract.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(size(layout));
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        note(i64::try_from(new_size).unwrap_or(i64::MAX));
        // Until the copy is made, both are live.
        LIVE.with(|live| live.set(live.get() - size(layout)));
        // SAFETY: the caller keeps the contract.
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}

/// Allocations and reallocations of this thread so far.
pub(crate) fn calls() -> u64 {
    CALLS.with(Cell::get)
}

/// Bytes that are live, and forgets the peak before.
pub(crate) fn restart_peak() -> i64 {
    let live = LIVE.with(Cell::get);
    PEAK.with(|peak| peak.set(live));
    live
}

/// Most bytes that were live since [`restart_peak`].
pub(crate) fn peak() -> i64 {
    PEAK.with(Cell::get)
}
