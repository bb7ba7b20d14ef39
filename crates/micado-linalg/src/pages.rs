//! Arrays on large pages.
//!
//! A step reads and writes matrix, factor and states from end to end. In a large system they take many
//! megabytes. With pages of 4 kB, the processor would spend a part of the time on looking up addresses.

use crate::block::Aligned;

/// Arrays that are smaller gain nothing.
const LEAST_BYTES: usize = 1 << 22;

/// An empty vector with room for this many items.
pub fn with_capacity<T>(count: usize) -> Vec<T> {
    let items = Vec::with_capacity(count);
    advise(&items);
    items
}

/// So many equal items.
pub fn filled<T: Clone>(item: T, count: usize) -> Vec<T> {
    let mut items = with_capacity(count);
    items.resize(count, item);
    items
}

/// The same items, on large pages.
pub fn moved<T>(mut items: Vec<T>) -> Vec<T> {
    if items.capacity() * size_of::<T>() < LEAST_BYTES {
        return items;
    }
    let mut there = with_capacity(items.len());
    there.append(&mut items);
    there
}

/// So many blocks of zeros.
pub(crate) fn zeros(count: usize) -> Vec<Aligned> {
    filled(Aligned::ZERO, count)
}

/// Asks the system for large pages before the array is touched for the first time. It may do as it likes.
#[cfg(target_os = "linux")]
fn advise<T>(blocks: &Vec<T>) {
    const PAGE: usize = 4096;
    let (start, bytes) = (blocks.as_ptr() as usize, blocks.capacity() * size_of::<T>());
    if bytes >= LEAST_BYTES {
        let from = start.next_multiple_of(PAGE);
        // SAFETY: the range lies within the allocation of `blocks`; the advice changes no contents.
        unsafe { libc::madvise(from as *mut libc::c_void, start + bytes - from, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise<T>(_blocks: &Vec<T>) {}
