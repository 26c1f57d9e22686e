//! The rounds: every contestant in turn within each, so that a change of the machine's speed meets all alike.

use std::collections::HashMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::keys::{KeyType, RaceKey, keys};
use crate::report::{Op, Row, Work, median};
use crate::rival::{Build, Entry, OURS, Rival, Shape, table};
use crate::roofline::Roofline;

/// What is measured, and how often.
pub(crate) struct Plan {
    /// Bytes of the filters, from small to large, so that a size tells how long the next one takes.
    pub(crate) sizes: Vec<usize>,
    pub(crate) bits_per_key: f64,
    pub(crate) hit_rates: Vec<u32>,
    pub(crate) rounds: usize,
    /// Keys that a run looks up: enough for the untimed run to reach nearly every line of a filter that fits a cache.
    pub(crate) batch: usize,
    /// Time to fill the filters of a size; who would take longer than those before it leave sits the size out.
    pub(crate) fill_limit: Duration,
    /// Memory that the race may take.
    pub(crate) memory: u64,
}

/// Batches of different keys that follow each other in turn.
const BATCHES: usize = 8;

/// Inserts a timed run has at least; of small filters, several are filled for that.
const LEAST_INSERTS: usize = 1 << 15;

/// The part of the keys that goes into a filter on entry.
const FIRST: usize = 32;

/// Keys looked up before inserts are timed: enough to reach nearly every line of a filter that fits a cache.
const WARM: usize = 1 << 18;

/// Absent keys are numbered from here on.
const ABSENT: u64 = 1 << 40;

/// The rows of a key type, and a line about each contestant that sat a size out.
pub(crate) fn run<K: RaceKey>(plan: &Plan, key_type: KeyType) -> Result<(Vec<Row>, Vec<String>), String> {
    let mut rows = Vec::new();
    let mut notes = Vec::new();
    let mut costs = HashMap::new();
    for &bytes in &plan.sizes {
        let items = (bytes as f64 * 8.0 / plan.bits_per_key) as usize;
        let shape = Shape { bytes, items };
        let note = |text: String| format!("{}, {}: {text}", size(bytes), key_type.name());
        let key_bytes = (items + 3 * BATCHES * plan.batch) as u64 * key_type.bytes();
        let memory = key_bytes + (bytes + bytes / 4) as u64 * (table::<K>().len() + 1) as u64;
        if memory > plan.memory {
            notes.push(note(format!("left out: it takes {} MiB of memory", memory >> 20)));
            continue;
        }
        eprintln!("{}, {} …", size(bytes), key_type.name());
        let mut field = Field {
            plan,
            shape,
            keys: keys::<K>(0, items),
            time_left: plan.fill_limit,
            lanes: Vec::new(),
            roofline: Roofline::new(bytes)?,
            rooflines: Vec::new(),
        };
        for entry in table().into_iter().filter(|entry| bytes >= entry.from_bytes) {
            let name = entry.name;
            let build = memory + (entry.build_bytes * items) as u64;
            let entered = if build > plan.memory {
                Err(format!("its build takes {} MiB of memory", build >> 20))
            } else {
                field.enter(entry, costs.get(name).copied().unwrap_or(0.0))
            };
            notes.extend(entered.err().map(|why| note(format!("{name} left out: {why}"))));
        }
        field.fill()?;
        for lane in &field.lanes {
            costs.insert(
                lane.entry.name,
                lane.inserts.iter().filter_map(|times| median(times)).fold(0.0, f64::max),
            );
        }
        rows.extend(field.rows(key_type)?);
    }
    Ok((rows, notes))
}

pub(crate) fn size(bytes: usize) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    }
}

/// Times of a piece of work, in ns a key and of every round.
struct Times {
    /// Of each contestant, in bulk and one at a time.
    lanes: Vec<[Vec<f64>; 2]>,
    /// None for strings.
    rooflines: Vec<f64>,
}

/// The contestants of one size.
struct Field<'a, K> {
    plan: &'a Plan,
    shape: Shape,
    keys: Vec<K>,
    time_left: Duration,
    lanes: Vec<Lane<K>>,
    roofline: Roofline,
    /// Times of the roofline of inserts, of every round.
    rooflines: Vec<f64>,
}

/// A contestant with its full filter and its times in ns a key: of every round, in bulk and one at a time.
struct Lane<K> {
    entry: Entry<K>,
    rival: Box<dyn Rival<K>>,
    inserts: [Vec<f64>; 2],
}

impl<K: RaceKey> Field<'_, K> {
    /// Builds a filter that can be filled in time, as far as that shows before: by the time a key of the size before, twice
    /// since caches get short, and by its first keys but for the very first, which find new pages.
    fn enter(&mut self, entry: Entry<K>, cost_before: f64) -> Result<(), String> {
        let limit = self.time_left;
        let in_time = |cost: f64| {
            let time = Duration::from_secs_f64(cost * 1e-9 * self.keys.len() as f64);
            let why = || format!("it takes about {time:.1?} to fill, and {limit:.1?} are left for it");
            if time <= limit { Ok(time) } else { Err(why()) }
        };
        let mut time = in_time(2.0 * cost_before)?;
        let mut inserts = [Vec::new(), Vec::new()];
        let start = Instant::now();
        let rival = match entry.build {
            Build::Empty(build) => {
                let mut rival = build(self.shape)?;
                let (first, second) =
                    self.keys[..self.keys.len() / FIRST].split_at(self.keys.len() / FIRST / 2);
                rival.insert_bulk(first);
                let start = Instant::now();
                rival.insert_bulk(second);
                time = time.max(in_time(nanos(start.elapsed(), second.len()))?);
                rival
            }
            Build::Whole(build) => {
                let rival = build(&self.keys)?;
                inserts[0].push(nanos(start.elapsed(), self.keys.len()));
                rival
            }
        };
        self.time_left -= time;
        self.lanes.push(Lane { entry, rival, inserts });
        Ok(())
    }

    /// Fills the filters and times it. The first quarter of the keys is not timed; the rest comes in runs, in bulk and one
    /// at a time by turns, of whose keys the first half is not timed either. A large filter is filled once, a run of each
    /// sort in every round, after lookups that bring it back to the caches; small ones are filled anew, as often as it takes
    /// to have enough keys.
    fn fill(&mut self) -> Result<(), String> {
        let rounds = self.plan.rounds;
        let rest = self.keys.len() - self.keys.len() / 4;
        let once = rest / (4 * rounds) >= LEAST_INSERTS;
        let (run, fills) =
            if once { (rest / (2 * rounds), 1) } else { (rest / 2, (4 * LEAST_INSERTS).div_ceil(rest)) };
        let start = self.keys.len() / 4;
        if once {
            for lane in &mut self.lanes {
                lane.insert(&self.keys[self.keys.len() / FIRST..start]);
            }
        }
        let warm = &self.keys[..start.min(WARM)];
        for round in 0..rounds {
            let first = if once { start + 2 * round * run } else { start };
            let (before, timed) = self.keys[first..first + run].split_at(run / 2);
            self.rooflines.extend(self.roofline.time_inserts(&[warm, before, timed]));
            for lane in &mut self.lanes {
                match lane.entry.build {
                    Build::Empty(_) if once => {
                        black_box(lane.rival.lookup_bulk(warm));
                        let times = lane.time_runs(&self.keys[start + 2 * round * run..][..2 * run]);
                        lane.inserts[0].push(times[0]);
                        lane.inserts[1].push(times[1]);
                    }
                    Build::Empty(build) => {
                        let mut sums = [0.0; 2];
                        for _ in 0..fills {
                            lane.rival = build(self.shape)?;
                            lane.insert(&self.keys[..start]);
                            let times = lane.time_runs(&self.keys[start..][..2 * run]);
                            lane.insert(&self.keys[start + 2 * run..]);
                            sums = [sums[0] + times[0], sums[1] + times[1]];
                        }
                        lane.inserts[0].push(sums[0] / fills as f64);
                        lane.inserts[1].push(sums[1] / fills as f64);
                    }
                    // The build on entry was the first round.
                    Build::Whole(build) if !once && round > 0 => {
                        let start = Instant::now();
                        for _ in 0..fills {
                            lane.rival = build(&self.keys)?;
                        }
                        lane.inserts[0].push(nanos(start.elapsed(), fills * self.keys.len()));
                    }
                    Build::Whole(_) => {}
                }
            }
        }
        if once {
            for lane in &mut self.lanes {
                lane.insert(&self.keys[start + 2 * rounds * run..]);
            }
        }
        Ok(())
    }

    fn rows(&mut self, key_type: KeyType) -> Result<Vec<Row>, String> {
        let absent: Vec<K> = keys(ABSENT, BATCHES * self.plan.batch);
        let rates: Vec<f64> = self
            .lanes
            .iter_mut()
            .map(|lane| lane.rival.lookup_bulk(&absent) as f64 / absent.len() as f64)
            .collect();
        let inserts = Times {
            lanes: self.lanes.iter().map(|lane| lane.inserts.clone()).collect(),
            rooflines: std::mem::take(&mut self.rooflines),
        };
        let shape = self.shape;
        let work = |op, hit_rate| Work { op, key_type: key_type.name(), shape, hit_rate };
        let [bulk, single] = [Op::InsertBulk, Op::InsertSingle].map(|op| work(op, None));
        let mut rows = self.table(bulk, single, &inserts, &rates);
        for &hit_rate in &self.plan.hit_rates {
            let times = self.lookups(hit_rate, &absent)?;
            let [bulk, single] = [Op::LookupBulk, Op::LookupSingle].map(|op| work(op, Some(hit_rate)));
            rows.extend(self.table(bulk, single, &times, &rates));
        }
        Ok(rows)
    }

    /// Times of every contestant, and of the roofline. Every run takes the next batch, and the last one of a kind is timed: those before bring
    /// the caches to the state that the work itself keeps them in.
    fn lookups(&mut self, hit_rate: u32, absent: &[K]) -> Result<Times, String> {
        let (mixed, present) = self.mix(hit_rate, absent);
        let batch = self.plan.batch;
        let mut turns = (0..BATCHES).cycle();
        let mut lanes = vec![[Vec::new(), Vec::new()]; self.lanes.len()];
        let mut rooflines = Vec::new();
        for _ in 0..self.plan.rounds {
            let batches: Vec<&[K]> =
                turns.by_ref().take(3).map(|turn| &mixed[turn * batch..][..batch]).collect();
            rooflines.extend(self.roofline.time_lookups(&batches));
            for (lane, times) in self.lanes.iter_mut().zip(&mut lanes) {
                for (single, times) in times.iter_mut().enumerate() {
                    let mut time = 0.0;
                    // The first runs find what the contestant before left in the caches, so they are one more.
                    for _ in 0..3 - single {
                        let turn = turns.next().expect("turns go on");
                        let keys = black_box(&mixed[turn * batch..][..batch]);
                        let start = Instant::now();
                        let found = match single {
                            0 => lane.rival.lookup_bulk(keys),
                            _ => lane.rival.lookup_single(keys),
                        };
                        time = nanos(start.elapsed(), batch);
                        if black_box(found) < present[turn] {
                            let name = lane.entry.name;
                            return Err(format!("{name} lost {} of its keys", present[turn] - found));
                        }
                    }
                    times.push(time);
                }
            }
        }
        Ok(Times { lanes, rooflines })
    }

    /// Batches with `hit_rate` per cent of keys that are present, and how many each batch has.
    fn mix(&self, hit_rate: u32, absent: &[K]) -> (Vec<K>, Vec<usize>) {
        let mut present = vec![0; BATCHES];
        let choose = |(i, &absent): (usize, &K)| {
            // Words that choose apart from the keys, which are numbered from 0 and from ABSENT on.
            let word = u64::at((1 << 41) + i as u64);
            if word % 100 >= u64::from(hit_rate) {
                return absent;
            }
            present[i / self.plan.batch] += 1;
            self.keys[((u128::from(word) * self.keys.len() as u128) >> 64) as usize]
        };
        let mixed = absent.iter().enumerate().map(choose).collect();
        (mixed, present)
    }

    /// The rows of a piece of work in bulk and one at a time.
    fn table(&self, bulk: Work, single: Work, times: &Times, rates: &[f64]) -> Vec<Row> {
        let ours = self.lanes.iter().position(|lane| lane.entry.name == OURS);
        let mut rows = Vec::new();
        for (i, work) in [bulk, single].into_iter().enumerate() {
            let ours = ours.map_or(&[][..], |ours| &times.lanes[ours][i]);
            for ((lane, lane_times), &fpr) in self.lanes.iter().zip(&times.lanes).zip(rates) {
                rows.extend(Row::new(
                    work,
                    &lane.entry,
                    &*lane.rival,
                    fpr,
                    &lane_times[i],
                    ours,
                    &times.rooflines,
                ));
            }
        }
        rows
    }
}

impl<K: RaceKey> Lane<K> {
    /// Inserts without timing; a static filter has its keys already.
    fn insert(&mut self, keys: &[K]) {
        if let Build::Empty(_) = self.entry.build {
            self.rival.insert_bulk(keys);
        }
    }

    /// Inserts one half of the keys in bulk and the other one at a time, and gives the times of the second half of each.
    fn time_runs(&mut self, keys: &[K]) -> [f64; 2] {
        let (bulk, single) = keys.split_at(keys.len() / 2);
        let (warm, timed) = bulk.split_at(bulk.len() / 2);
        self.rival.insert_bulk(warm);
        let start = Instant::now();
        self.rival.insert_bulk(black_box(timed));
        let bulk_time = nanos(start.elapsed(), timed.len());
        let (warm, timed) = single.split_at(single.len() / 2);
        self.rival.insert_single(warm);
        let start = Instant::now();
        self.rival.insert_single(black_box(timed));
        [bulk_time, nanos(start.elapsed(), timed.len())]
    }
}

pub(crate) fn nanos(time: Duration, keys: usize) -> f64 {
    time.as_secs_f64() * 1e9 / keys as f64
}
