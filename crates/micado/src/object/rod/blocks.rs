//! Blocks of a rod in the matrix of the system.

use micado_linalg::{Block, BlockMatrix};

/// Adds a block at the nodes (row, column) of the rod that begins at node `first`, on either side of the
/// diagonal.
pub(super) fn add(matrix: &mut BlockMatrix, first: usize, row: usize, column: usize, block: &Block) {
    let (upper, lower) = (first + row.min(column), first + row.max(column));
    // The blocks of an open rod come first in their rows.
    let near = matrix.row_start(upper) + (lower - upper);
    let slot = match matrix.row_nodes(upper).get(lower - upper) {
        Some(&node) if node as usize == lower => near,
        _ => matrix.slot(upper as u32, lower as u32).expect("a rod's segments are cliques of the pattern"),
    };
    let target = &mut matrix.values_mut()[slot];
    if row <= column {
        (0..16).for_each(|k| target[k] += block[k]);
    } else {
        (0..16).for_each(|k| target[k] += block[4 * (k % 4) + k / 4]);
    }
}

/// Like `add`, for an open rod, whose rows begin with the blocks of its own nodes, and row ≤ column.
#[inline]
pub(super) fn add_near(matrix: &mut BlockMatrix, first: usize, row: usize, column: usize, block: &Block) {
    let slot = matrix.row_start(first + row) + (column - row);
    let target = &mut matrix.values_mut()[slot];
    (0..16).for_each(|k| target[k] += block[k]);
}

/// Zeroes the blocks between neighbours up to the third of an open rod of `nodes` nodes, with which its rows
/// begin.
pub(super) fn clear_band(matrix: &mut BlockMatrix, first: usize, nodes: usize) {
    for i in 0..nodes {
        let start = matrix.row_start(first + i);
        matrix.values_mut()[start..start + (nodes - i).min(4)].fill([0.0; 16]);
    }
}

/// Zeroes the blocks between the nodes of each clique, numbered in the whole system.
pub(super) fn clear(matrix: &mut BlockMatrix, cliques: impl Iterator<Item = [usize; 4]>) {
    for nodes in cliques {
        for (a, b) in nodes.iter().flat_map(|a| nodes.iter().map(move |b| (*a, *b))).filter(|(a, b)| a <= b) {
            if let Some(slot) = matrix.slot(a as u32, b as u32) {
                matrix.values_mut()[slot] = [0.0; 16];
            }
        }
    }
}
