//! Numbers that one thread writes and others read, without a lock.

use std::sync::atomic::{AtomicU64, Ordering, fence};

/// N numbers that are written and read together. The sequence number is odd during a write; readers then
/// retry.
#[derive(Debug)]
pub(super) struct NumberCell<const N: usize> {
    sequence: AtomicU64,
    numbers: [AtomicU64; N],
}

/// Most attempts of a reader during writes. A write takes nanoseconds; a reader without success keeps its
/// previous value.
const ATTEMPTS: usize = 64;

impl<const N: usize> NumberCell<N> {
    pub(super) fn new(numbers: [f64; N]) -> Self {
        Self { sequence: AtomicU64::new(0), numbers: numbers.map(|number| AtomicU64::new(number.to_bits())) }
    }

    /// Writes all numbers. Only one thread may write.
    pub(super) fn write(&self, numbers: &[f64; N]) {
        let sequence = self.sequence.load(Ordering::Relaxed);
        self.sequence.store(sequence.wrapping_add(1), Ordering::Relaxed);
        fence(Ordering::Release);
        for (cell, number) in self.numbers.iter().zip(numbers) {
            cell.store(number.to_bits(), Ordering::Relaxed);
        }
        self.sequence.store(sequence.wrapping_add(2), Ordering::Release);
    }

    /// All numbers of one write; `None` if writers never paused.
    pub(super) fn read(&self) -> Option<[f64; N]> {
        for _ in 0..ATTEMPTS {
            let before = self.sequence.load(Ordering::Acquire);
            let numbers = std::array::from_fn(|k| f64::from_bits(self.numbers[k].load(Ordering::Relaxed)));
            fence(Ordering::Acquire);
            if before.is_multiple_of(2) && self.sequence.load(Ordering::Relaxed) == before {
                return Some(numbers);
            }
            std::hint::spin_loop();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::NumberCell;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn numbers_of_one_write_are_read_together() {
        let (cell, done) = (NumberCell::new([0.0; 8]), AtomicBool::new(false));
        let read = std::thread::scope(|scope| {
            let reader = scope.spawn(|| {
                let mut read = 0;
                while !done.load(Ordering::Relaxed) || read == 0 {
                    if let Some(numbers) = cell.read() {
                        assert!(numbers.iter().all(|number| *number == numbers[0]), "{numbers:?}");
                        read += 1;
                    }
                }
                read
            });
            for k in 0..200_000 {
                cell.write(&[f64::from(k); 8]);
            }
            done.store(true, Ordering::Relaxed);
            reader.join().expect("a reader")
        });
        assert!(read > 0);
    }
}
