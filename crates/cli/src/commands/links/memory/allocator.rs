//! The allocator of the process, which counts what is allocated: what the system says a process has does not shrink
//! when memory is given back.
#![expect(unsafe_code, reason = "a global allocator is an unsafe trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

#[global_allocator]
static ALLOCATOR: Counting = Counting { held: AtomicUsize::new(0) };

/// The bytes that this process has allocated and not given back.
pub(crate) fn held() -> usize {
    ALLOCATOR.held.load(Ordering::Relaxed)
}

/// The system's allocator and the bytes it has handed out.
struct Counting {
    held: AtomicUsize,
}

impl Counting {
    fn add(&self, pointer: *mut u8, bytes: usize) -> *mut u8 {
        if !pointer.is_null() {
            self.held.fetch_add(bytes, Ordering::Relaxed);
        }
        pointer
    }
}

// SAFETY: every call goes to the system's allocator with the caller's arguments, and its answer back; counting does not
// allocate and cannot panic.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller promises a layout of a size other than 0.
        self.add(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller promises a layout of a size other than 0.
        self.add(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller promises that the pointer is of this allocator, which is the system's, with this layout.
        unsafe { System.dealloc(pointer, layout) };
        self.held.fetch_sub(layout.size(), Ordering::Relaxed);
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises the same as for `dealloc`, and a new size other than 0.
        let moved = self.add(unsafe { System.realloc(pointer, layout, size) }, size);
        if !moved.is_null() {
            self.held.fetch_sub(layout.size(), Ordering::Relaxed);
        }
        moved
    }
}
