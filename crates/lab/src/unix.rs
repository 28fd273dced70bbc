//! What only the operating system can tell or do. The one file with `unsafe` code.
#![expect(unsafe_code, reason = "system calls the standard library does not wrap")]

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicI32, Ordering};

/// Signals that somebody may send to us although they are meant for the program we run.
const FORWARDED: [libc::c_int; 4] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT];

/// The process that forwarded signals go to; 0 for none.
static RECEIVER: AtomicI32 = AtomicI32::new(0);
/// A signal that came before there was a receiver; 0 for none.
static EARLY: AtomicI32 = AtomicI32::new(0);

/// Whether libraries may not be loaded from this folder.
pub(crate) fn is_noexec(folder: &Path) -> bool {
    let Ok(path) = CString::new(folder.as_os_str().as_bytes()) else { return true };
    // SAFETY: all zero is a valid value of this plain C struct.
    let mut status: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: a C string and a place to write to, both alive during the call.
    let result = unsafe { libc::statvfs(path.as_ptr(), &raw mut status) };
    result != 0 || status.f_flag & libc::ST_NOEXEC != 0
}

/// The user this process acts for.
pub(crate) fn user_id() -> u32 {
    // SAFETY: always succeeds.
    unsafe { libc::geteuid() }
}

/// Whether the process runs; one that has ended and only waits to be noticed does not.
pub(crate) fn is_alive(process: u32) -> bool {
    let Ok(process) = libc::pid_t::try_from(process) else { return false };
    let state = std::fs::read_to_string(format!("/proc/{process}/stat"));
    if state.is_ok_and(|state| state.rsplit(')').next().is_some_and(|rest| rest.starts_with(" Z"))) {
        return false;
    }
    // SAFETY: signal 0 only asks.
    let result = unsafe { libc::kill(process, 0) };
    result == 0 || io::Error::last_os_error().raw_os_error() == Some(libc::EPERM)
}

/// Keeps this process alive through signals while it lives, and passes them on.
///
/// A terminal sends Ctrl-C to the whole foreground group, so the program has it already; a signal from a process is
/// passed on. Only one at a time makes sense in a process.
#[derive(Debug)]
pub(crate) struct SignalForwarding {
    previous: Vec<(libc::c_int, libc::sigaction)>,
}

impl SignalForwarding {
    pub(crate) fn start() -> Self {
        let mut previous = Vec::new();
        for signal in FORWARDED {
            // SAFETY: all zero is a valid value of this plain C struct.
            let mut old: libc::sigaction = unsafe { std::mem::zeroed() };
            // SAFETY: as above.
            let mut new: libc::sigaction = unsafe { std::mem::zeroed() };
            let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = forward;
            new.sa_sigaction = handler as usize;
            new.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
            // SAFETY: the handler only uses atomics and `kill`, which are allowed in signal handlers.
            unsafe {
                libc::sigaction(signal, std::ptr::null(), &raw mut old);
                // Ignored signals (nohup, background jobs) stay ignored, here and in the program.
                if old.sa_sigaction != libc::SIG_IGN {
                    libc::sigaction(signal, &raw const new, std::ptr::null_mut());
                    previous.push((signal, old));
                }
            }
        }
        Self { previous }
    }

    pub(crate) fn forward_to(&self, process: u32) {
        RECEIVER.store(libc::pid_t::try_from(process).unwrap_or(0), Ordering::SeqCst);
        let early = EARLY.swap(0, Ordering::SeqCst);
        if early != 0 {
            send(early);
        }
    }
}

impl Drop for SignalForwarding {
    fn drop(&mut self) {
        RECEIVER.store(0, Ordering::SeqCst);
        for (signal, old) in &self.previous {
            // SAFETY: restores what was there before.
            unsafe { libc::sigaction(*signal, old, std::ptr::null_mut()) };
        }
    }
}

extern "C" fn forward(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the system passes a valid pointer or null.
    let from_process = unsafe { info.as_ref() }.is_some_and(|info| info.si_code <= 0);
    if from_process {
        EARLY.store(signal, Ordering::SeqCst);
        if RECEIVER.load(Ordering::SeqCst) != 0 {
            EARLY.store(0, Ordering::SeqCst);
            send(signal);
        }
    }
}

fn send(signal: libc::c_int) {
    let receiver = RECEIVER.load(Ordering::SeqCst);
    if receiver > 0 {
        // SAFETY: a process we started and have not yet waited for.
        unsafe { libc::kill(receiver, signal) };
    }
}

/// Waits until the process has ended, without taking its exit status: its number stays taken.
pub(crate) fn wait_without_reaping(process: u32) {
    loop {
        // SAFETY: all zero is a valid value of this plain C struct.
        let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
        // SAFETY: a place to write to, alive during the call.
        let result =
            unsafe { libc::waitid(libc::P_PID, process, &raw mut info, libc::WEXITED | libc::WNOWAIT) };
        if result == 0 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return;
        }
    }
}
