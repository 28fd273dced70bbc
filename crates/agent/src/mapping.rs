//! The counter file of this JVM, mapped into memory.
//!
//! A large range of addresses is reserved once, so counters never move; the file behind it grows. It grows by
//! `posix_fallocate`, never by a hole: a full disk is then an error here, not a SIGBUS in the program.
//!
//! Beside it lie the switches: what the probes look at before they do more than count. They are not for anybody
//! outside.
//!
//! `unsafe` code lives here and in `jvm.rs` with its folder.
#![expect(unsafe_code, reason = "mapping memory and using it from two languages")]

use crate::lock;
use catchment_protocol::counters;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// Enough for 14 million counters. Only addresses; where even they are limited, a smaller range has to do.
const RESERVED_BYTES: [usize; 3] = [1 << 30, 1 << 28, 1 << 26];

#[derive(Debug)]
pub(crate) struct CounterFile {
    file: File,
    base: NonNull<u8>,
    reserved: u64,
    allocated: Mutex<Allocated>,
}

#[derive(Debug)]
struct Allocated {
    counters: u64,
    file_bytes: u64,
}

/// The switches of the probes. All zero: just count.
///
/// ```text
/// 0 u64: an experiment runs | 8 u64: tell when an exception leaves a method | 16 u64: number of the running test
/// 4096 + n u8: try entry n throws
/// ```
#[derive(Debug)]
pub(crate) struct Switches {
    base: NonNull<u8>,
    entries: usize,
}

const EXPERIMENT_OFFSET: usize = 0;
const ESCAPES_OFFSET: usize = 8;
const TEST_OFFSET: usize = 16;
const ENTRIES_OFFSET: usize = 4096;

// SAFETY: the mapping lives as long as the process and every access to it is atomic.
unsafe impl Send for Switches {}
// SAFETY: the mapping lives as long as the process and every access to it is atomic.
unsafe impl Sync for Switches {}

impl Switches {
    /// For every counter the file has room for.
    pub(crate) fn create(counters: &CounterFile) -> io::Result<Self> {
        let entries = counters.room();
        // SAFETY: fresh private memory; nothing that exists is touched.
        let address = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                ENTRIES_OFFSET + entries,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        match NonNull::new(address.cast::<u8>()) {
            Some(base) if address != libc::MAP_FAILED => Ok(Self { base, entries }),
            _ => Err(io::Error::last_os_error()),
        }
    }

    pub(crate) fn set_experiment(&self, on: bool) {
        self.word(EXPERIMENT_OFFSET).store(on.into(), Ordering::SeqCst);
    }

    pub(crate) fn set_escapes(&self, on: bool) {
        self.word(ESCAPES_OFFSET).store(on.into(), Ordering::SeqCst);
    }

    /// Another test begins: exceptions that are known from earlier ones are worth a look again.
    pub(crate) fn set_test(&self, number: u64) {
        self.word(TEST_OFFSET).store(number, Ordering::SeqCst);
    }

    /// True if the try entry with this number throws.
    pub(crate) fn set_entry(&self, number: u32, on: bool) {
        self.entry_byte(number).store(on.into(), Ordering::SeqCst);
    }

    #[cfg(test)]
    pub(crate) fn entry(&self, number: u32) -> bool {
        self.entry_byte(number).load(Ordering::SeqCst) != 0
    }

    fn entry_byte(&self, number: u32) -> &AtomicU8 {
        let number = number as usize;
        assert!(number < self.entries, "a counter that has been allocated");
        let place = self.base.as_ptr().wrapping_add(ENTRIES_OFFSET + number);
        // SAFETY: inside the mapping (checked above), never unmapped, and only accessed atomically.
        unsafe { AtomicU8::from_ptr(place) }
    }

    pub(crate) fn address(&self) -> usize {
        self.base.as_ptr() as usize
    }

    pub(crate) fn entries_address(&self) -> usize {
        self.address() + ENTRIES_OFFSET
    }

    fn word(&self, offset: usize) -> &AtomicU64 {
        let place = self.base.as_ptr().wrapping_add(offset).cast::<u64>();
        // SAFETY: one of the aligned words at the beginning of the mapping; only accessed atomically.
        unsafe { AtomicU64::from_ptr(place) }
    }
}

// SAFETY: the mapping lives as long as the process and every access to it is atomic, here and, by the rules of slot
// ownership, in the Java runtime.
unsafe impl Send for CounterFile {}
// SAFETY: see `Send`: every access to the mapping is atomic.
unsafe impl Sync for CounterFile {}

impl CounterFile {
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let mut file = File::options().read(true).write(true).create_new(true).open(path)?;
        let file_bytes = counters::file_bytes(0);
        grow(&file, file_bytes)?;
        file.write_all(&counters::header())?;
        let (base, reserved) = reserve(&file)?;
        let allocated = Mutex::new(Allocated { counters: 0, file_bytes });
        Ok(Self { file, base, reserved: reserved as u64, allocated })
    }

    /// Makes room for `count` more counters, all zero, and says the number of the first.
    pub(crate) fn allocate(&self, count: u32) -> io::Result<u32> {
        let mut allocated = lock(&self.allocated);
        let first = u32::try_from(allocated.counters).map_err(|_| out_of_room())?;
        let counters = allocated.counters + u64::from(count);
        let file_bytes = counters::file_bytes(counters);
        if file_bytes > self.reserved {
            return Err(out_of_room());
        }
        if file_bytes > allocated.file_bytes {
            grow(&self.file, file_bytes)?;
            allocated.file_bytes = file_bytes;
        }
        allocated.counters = counters;
        Ok(first)
    }

    /// Sum over all slots of an allocated counter.
    pub(crate) fn total(&self, id: u32) -> u64 {
        (0..counters::SLOTS)
            .map(|slot| self.word(counters::offset_of(id, slot)).load(Ordering::Relaxed))
            .sum()
    }

    /// Number of counters allocated so far.
    pub(crate) fn allocated(&self) -> u32 {
        let allocated = lock(&self.allocated);
        u32::try_from(allocated.counters).unwrap_or(u32::MAX)
    }

    /// The values that one slot holds of the first `count` counters, all of them allocated.
    pub(crate) fn slot_values(&self, slot: usize, count: u32) -> impl Iterator<Item = u64> + '_ {
        let starts = (0..count).step_by(counters::COUNTERS_PER_CHUNK);
        starts.flat_map(move |first| {
            let length = (count - first).min(counters::COUNTERS_PER_CHUNK as u32);
            let words = self.words(counters::offset_of(first, slot), length as usize);
            words.iter().map(|word| word.load(Ordering::Relaxed))
        })
    }

    /// The number of the thread that owns one of the slots but the first; 0 for none.
    pub(crate) fn owner_of(&self, slot: usize) -> u64 {
        self.word((counters::OWNERS_OFFSET + (slot - 1) * 8) as u64).load(Ordering::Acquire)
    }

    /// Number of counters that fit.
    fn room(&self) -> usize {
        let chunks = (self.reserved as usize - counters::HEADER_BYTES) / counters::CHUNK_BYTES;
        chunks * counters::COUNTERS_PER_CHUNK
    }

    /// Notes that a record could not be written; the log cannot say it itself.
    pub(crate) fn count_lost_record(&self) {
        self.word(counters::LOST_RECORDS_OFFSET as u64).fetch_add(1, Ordering::Relaxed);
    }

    /// Frees the slot of a thread that has ended, for the next thread whose number falls on it.
    pub(crate) fn release_slot(&self, thread: u64) {
        let place = thread % counters::OWNED_SLOTS as u64;
        let owner = self.word(counters::OWNERS_OFFSET as u64 + place * 8);
        // Failing means that the slot belongs to another thread, or to none.
        let _ = owner.compare_exchange(thread, 0, Ordering::Release, Ordering::Relaxed);
    }

    pub(crate) fn counters_address(&self) -> usize {
        self.base.as_ptr() as usize + counters::HEADER_BYTES
    }

    pub(crate) fn owners_address(&self) -> usize {
        self.base.as_ptr() as usize + counters::OWNERS_OFFSET
    }

    fn word(&self, offset: u64) -> &AtomicU64 {
        &self.words(offset, 1)[0]
    }

    fn words(&self, offset: u64, count: usize) -> &[AtomicU64] {
        let end = offset + 8 * count as u64;
        assert!(end <= self.reserved && offset.is_multiple_of(8), "counters inside the mapping");
        let place = self.base.as_ptr().wrapping_add(offset as usize).cast::<AtomicU64>();
        // SAFETY: inside the mapping and aligned (checked above; the base is page-aligned), backed by the file because
        // offsets come from the header or from allocated counters, never unmapped, and only accessed atomically.
        unsafe { std::slice::from_raw_parts(place, count) }
    }
}

fn out_of_room() -> io::Error {
    io::Error::new(io::ErrorKind::QuotaExceeded, "more counters than the agent has room for")
}

fn grow(file: &File, bytes: u64) -> io::Result<()> {
    let length = libc::off_t::try_from(bytes).map_err(|_| out_of_room())?;
    loop {
        // SAFETY: an open file descriptor and plain numbers.
        match unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, length) } {
            0 => return Ok(()),
            libc::EINTR => {}
            error => return Err(io::Error::from_raw_os_error(error)),
        }
    }
}

fn reserve(file: &File) -> io::Result<(NonNull<u8>, usize)> {
    let mut last_error = io::Error::other("no address space");
    for bytes in RESERVED_BYTES {
        // SAFETY: a fresh shared mapping of an open file; no existing memory is touched.
        let address = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_NORESERVE,
                file.as_raw_fd(),
                0,
            )
        };
        match NonNull::new(address.cast::<u8>()) {
            Some(base) if address != libc::MAP_FAILED => return Ok((base, bytes)),
            _ => last_error = io::Error::last_os_error(),
        }
    }
    Err(last_error)
}

/// Ends the process at once: no exit hooks of a program that never ran.
pub(crate) fn end_process(code: i32) -> ! {
    // SAFETY: always allowed.
    unsafe { libc::_exit(code) }
}

/// A stand-in for the Java runtime, for tests without one.
#[cfg(test)]
impl CounterFile {
    pub(crate) fn count(&self, id: u32, slot: usize) {
        self.word(counters::offset_of(id, slot)).fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn own(&self, slot: usize, thread: u64) {
        self.word((counters::OWNERS_OFFSET + (slot - 1) * 8) as u64).store(thread, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use catchment_protocol::counters::Counters;

    #[test]
    fn counters_are_in_the_file_and_start_at_zero() {
        let path = std::env::temp_dir().join(format!("catchment-mapping-{}", std::process::id()));
        let counter_file = CounterFile::create(&path).unwrap();
        assert_eq!(counter_file.allocate(10).unwrap(), 0);
        assert_eq!(counter_file.allocate(5000).unwrap(), 10);
        counter_file.word(counters::offset_of(5009, 8)).store(3, Ordering::Relaxed);
        counter_file.count_lost_record();
        assert_eq!((counter_file.total(5009), counter_file.total(5008)), (3, 0));
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let view = Counters::new(&bytes).unwrap();
        assert_eq!((view.total(5009), view.lost_records()), (3, 1));
    }

    #[test]
    fn only_the_owner_s_slot_is_released() {
        let path = std::env::temp_dir().join(format!("catchment-owners-{}", std::process::id()));
        let counter_file = CounterFile::create(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let owner = counter_file.word(counters::OWNERS_OFFSET as u64 + 3 * 8);
        owner.store(11, Ordering::Relaxed);
        counter_file.release_slot(19);
        assert_eq!(owner.load(Ordering::Relaxed), 11);
        counter_file.release_slot(11);
        assert_eq!(owner.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn asking_for_too_much_is_an_error_and_costs_nothing() {
        let path = std::env::temp_dir().join(format!("catchment-room-{}", std::process::id()));
        let counter_file = CounterFile::create(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(counter_file.allocate(u32::MAX).is_err());
        assert_eq!(counter_file.allocate(1).unwrap(), 0);
    }
}
