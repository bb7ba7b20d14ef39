//! The numeric phase works in memory that it was given.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use crate::common::*;
use micado_linalg::{Arithmetic, Factor, Ordering, RefineWork, Symbolic, correct, refine};

struct Counting;

thread_local! {
    /// Allocations of this thread: tests beside it don't count.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: as asked by the caller.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: as asked by the caller.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn factorise_solve_and_refine_do_not_allocate() {
    let mut checks = 0;
    for (name, frame) in frames() {
        let a = frame.fill(3);
        let shift = regularisation(&a, 1e-9);
        let b = Rng(1).vector(shift.len());
        for ordering in [Ordering::Natural, Ordering::MinimumDegree] {
            let symbolic = Symbolic::analyse(&a, ordering);
            let mut factor = Factor::new(&symbolic);
            let mut work = vec![0.0; 16 * a.nodes() + 8];
            let mut refine_work = RefineWork::new(a.nodes());
            let (mut x, mut y) = (b.clone(), b.clone());
            let mut four = vec![[1.0; 4]; b.len()];
            for arithmetic in [Arithmetic::Fast, Arithmetic::Portable] {
                let before = ALLOCATIONS.with(Cell::get);
                let inertia = factor.factorise(&symbolic, &a, &shift, arithmetic);
                factor.solve(&symbolic, &mut x, &mut work, arithmetic);
                factor.solve_four(&symbolic, &mut four, &mut work, arithmetic);
                correct((&a, &[]), &symbolic, &factor, &b, &mut x, &mut refine_work, arithmetic);
                refine(&a, &symbolic, &factor, &b, &mut x, &mut refine_work, arithmetic);
                a.multiply_with(&x, &mut y, arithmetic);
                assert_eq!(ALLOCATIONS.with(Cell::get), before, "{name}, {ordering:?}, {arithmetic:?}");
                assert!(inertia.is_ok());
                checks += 1;
            }
        }
    }
    assert_eq!(checks, 40);
}
