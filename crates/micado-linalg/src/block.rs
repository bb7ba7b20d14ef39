//! The 4×4 block and its aligned storage.

/// A 4×4 block of `f64`, row-major: entry (r, c) is `block[4 * r + c]`.
pub type Block = [f64; 16];

/// A block on a cache-line boundary, so that no vector load is split.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct Aligned(pub(crate) Block);

impl Aligned {
    pub(crate) const ZERO: Self = Self([0.0; 16]);
}

/// Views aligned blocks as plain ones.
pub(crate) fn plain(blocks: &[Aligned]) -> &[Block] {
    const { assert!(size_of::<Aligned>() == size_of::<Block>()) };
    // SAFETY: `Aligned` is `repr(C)` around one `Block`, has the same size (checked above) and a stricter
    // alignment.
    unsafe { std::slice::from_raw_parts(blocks.as_ptr().cast(), blocks.len()) }
}

/// Views aligned blocks as plain ones, for writing.
pub(crate) fn plain_mut(blocks: &mut [Aligned]) -> &mut [Block] {
    // SAFETY: as in `plain`; the borrow is exclusive and every bit pattern is a valid `f64`.
    unsafe { std::slice::from_raw_parts_mut(blocks.as_mut_ptr().cast(), blocks.len()) }
}

/// Bᵀ.
pub(crate) fn transposed(b: &Block) -> Block {
    std::array::from_fn(|e| b[4 * (e % 4) + e / 4])
}
