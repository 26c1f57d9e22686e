//! The threads that work together, and their clock.

use std::io;
use std::panic::resume_unwind;
use std::sync::Barrier;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use core_affinity::CoreId;

use super::keys::{Batch, Stream};

/// Cores to pin threads to. The calling thread is pinned to the first of them.
pub(super) struct Team {
    /// The last core first, since the first one tends to serve the interrupts.
    cores: Vec<CoreId>,
    pub(super) is_pinned: bool,
}

/// What a thread is to do: batches to warm up with, and the one that is timed.
pub(super) struct Run<'a> {
    warm: Vec<&'a Batch>,
    pub(super) timed: &'a Batch,
}

impl<'a> Run<'a> {
    pub(super) fn next(stream: &'a Stream, warm: usize) -> Self {
        Self { warm: (0..warm).map(|_| stream.next()).collect(), timed: stream.next() }
    }
}

impl Team {
    pub(super) fn new() -> Self {
        // Before the pinning, which leaves one core to be seen.
        let mut cores = core_affinity::get_core_ids().unwrap_or_default();
        cores.reverse();
        let is_pinned = cores.first().is_some_and(|&core| core_affinity::set_for_current(core));
        Self { cores, is_pinned }
    }

    /// Times the last of several runs on this thread, in ns a key. Those before bring the caches to the state that the work
    /// itself keeps them in, whatever ran before.
    pub(super) fn time_alone(Run { warm, timed }: Run<'_>, mut work: impl FnMut(&[u64])) -> f64 {
        warm.iter().for_each(|batch| work(batch.keys()));
        let keys = timed.keys();
        let start = Instant::now();
        work(keys);
        nanos(start.elapsed(), keys.len())
    }

    /// The same by a thread for each run, all of which begin the timed batches at once: the time from the first start to the
    /// last end, over the keys of all. `work` gets room for a bit for each key, and says how many it found. An error when the system
    /// has not so many threads to give.
    pub(super) fn time(
        &self,
        runs: &[Run<'_>],
        work: impl Fn(&[u64], &mut [u64]) -> usize + Sync,
    ) -> io::Result<(f64, usize)> {
        let barrier = Barrier::new(runs.len());
        let run = |Run { warm, timed }: &Run<'_>| {
            let timed = timed.keys();
            let mut mask = vec![0; timed.len().div_ceil(64)];
            for batch in warm {
                work(batch.keys(), &mut mask);
            }
            barrier.wait();
            let start = Instant::now();
            let found = work(timed, &mut mask);
            (start, Instant::now(), found)
        };
        let spans: Vec<_> = match runs {
            [alone] => vec![run(alone)],
            _ => thread::scope(|scope| -> io::Result<_> {
                // Nobody begins before all are there, or waits at the barrier for one that will not come.
                let (mut threads, mut starts) = (Vec::new(), Vec::new());
                for (i, keys) in runs.iter().enumerate() {
                    let core = (!self.cores.is_empty()).then(|| self.cores[i % self.cores.len()]);
                    let (start, started) = channel::<()>();
                    let run = &run;
                    let work = move || {
                        // An end without a word means that not all could start.
                        started.recv().ok()?;
                        core.map(core_affinity::set_for_current);
                        Some(run(keys))
                    };
                    threads.push(thread::Builder::new().spawn_scoped(scope, work)?);
                    starts.push(start);
                }
                for start in starts {
                    // The thread waits for it.
                    let _ = start.send(());
                }
                let ended = threads.into_iter().map(|thread| thread.join());
                Ok(ended.filter_map(|span| span.unwrap_or_else(|panic| resume_unwind(panic))).collect())
            })?,
        };
        let start = spans.iter().map(|&(start, ..)| start).min();
        let end = spans.iter().map(|&(_, end, _)| end).max();
        let time = start.zip(end).map_or(Duration::ZERO, |(start, end)| end - start);
        let keys = runs.iter().map(|run| run.timed.keys().len()).sum();
        Ok((nanos(time, keys), spans.iter().map(|&(.., found)| found).sum()))
    }
}

fn nanos(time: Duration, keys: usize) -> f64 {
    time.as_secs_f64() * 1e9 / keys as f64
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::super::keys::Keys;
    use super::*;

    /// Every thread runs all of its batches once, the timed one when all threads have warmed up, and reports what it found there.
    #[test]
    fn every_thread_does_its_runs() {
        let team = Team::new();
        for threads in [1, 2, 5] {
            let stream = Keys { seed: 1 }.stream(1000, 100, 4 * threads, 100);
            let runs: Vec<Run<'_>> = (0..threads).map(|_| Run::next(&stream, 3)).collect();
            let timed: Vec<_> = runs.iter().map(|run| run.timed.keys()).collect();
            let [warm, done] = [const { AtomicUsize::new(0) }; 2];
            let (_, found) = team
                .time(&runs, |keys, mask| {
                    assert_eq!(mask.len(), 2);
                    if timed.contains(&keys) {
                        assert_eq!(warm.load(Ordering::SeqCst), 3 * threads);
                        done.fetch_add(1, Ordering::SeqCst);
                    } else {
                        warm.fetch_add(1, Ordering::SeqCst);
                    }
                    keys.len() - 1
                })
                .unwrap();
            assert_eq!((done.into_inner(), found), (threads, 99 * threads));
        }
    }
}
