//! Threads on which islands are stepped.

use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
use std::sync::Arc;

/// Threads on which islands are stepped; by default only the caller's. Any number gives the same bits.
#[derive(Clone, Debug, Default)]
pub struct Pool(Option<Arc<rayon::ThreadPool>>);

impl Pool {
    /// Most threads of a pool: above the cores of any machine, and below the limits of systems.
    pub const MOST: usize = 1024;

    /// A pool of `threads` threads, on which islands are stepped while the caller waits. With at most one
    /// they are stepped on the caller's.
    ///
    /// # Errors
    /// The number is above [`MOST`](Self::MOST), or the system can't create the threads.
    pub fn new(threads: usize) -> Result<Self, std::io::Error> {
        if threads <= 1 {
            return Ok(Self::default());
        }
        if threads > Self::MOST {
            let problem = format!("at most {} threads are allowed", Self::MOST);
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, problem));
        }
        let built = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        built.map(|pool| Self(Some(Arc::new(pool)))).map_err(std::io::Error::other)
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.0.as_ref().map_or(1, |pool| pool.current_num_threads())
    }

    /// Calls `visit` with every item, in turn or in parallel.
    pub(super) fn for_each<T: Send>(&self, items: &mut [T], visit: impl Fn(&mut T) + Sync + Send) {
        match &self.0 {
            None => items.iter_mut().for_each(visit),
            Some(pool) => pool.install(|| items.par_iter_mut().with_max_len(1).for_each(visit)),
        }
    }
}
