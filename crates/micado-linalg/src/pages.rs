//! Block arrays on large pages.
//!
//! A step reads and writes matrix and factor from end to end. Of a large system they are many megabytes, and
//! with pages of 4 kB the processor spends a part of that time looking up where these are.

use crate::block::Aligned;

/// Arrays that are smaller gain nothing.
#[cfg(target_os = "linux")]
const LEAST_BYTES: usize = 1 << 22;

/// So many blocks of zeros.
pub(crate) fn zeros(count: usize) -> Vec<Aligned> {
    let mut blocks = Vec::with_capacity(count);
    advise(&blocks);
    blocks.resize(count, Aligned::ZERO);
    blocks
}

/// Asks the system for large pages before the array is touched for the first time. It may do as it likes.
#[cfg(target_os = "linux")]
fn advise(blocks: &Vec<Aligned>) {
    const PAGE: usize = 4096;
    let (start, bytes) = (blocks.as_ptr() as usize, blocks.capacity() * size_of::<Aligned>());
    if bytes >= LEAST_BYTES {
        let from = start.next_multiple_of(PAGE);
        // SAFETY: the range lies within the allocation of `blocks`; the advice changes no contents.
        unsafe { libc::madvise(from as *mut libc::c_void, start + bytes - from, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise(_blocks: &Vec<Aligned>) {}
