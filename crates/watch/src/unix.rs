//! Calls of the operating system. The one file with `unsafe` code.
#![expect(unsafe_code, reason = "system calls the standard library does not wrap")]

use std::ffi::CString;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::Duration;

/// Signals that somebody may send to us although they are meant for the program we run.
const FORWARDED: [libc::c_int; 4] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT];

/// The process that forwarded signals go to; 0 for none.
static RECEIVER: AtomicI32 = AtomicI32::new(0);
/// A signal that came before there was a receiver; 0 for none.
static EARLY: AtomicI32 = AtomicI32::new(0);

/// Tells whether libraries may not be loaded from this folder.
pub fn is_noexec(folder: &Path) -> bool {
    let Ok(path) = CString::new(folder.as_os_str().as_bytes()) else { return true };
    // SAFETY: all zero is a valid value of this plain C struct.
    let mut status: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: a C string and a place to write to, both alive during the call.
    let result = unsafe { libc::statvfs(path.as_ptr(), &raw mut status) };
    result != 0 || status.f_flag & libc::ST_NOEXEC != 0
}

/// Bytes that this user can still write where `folder` lies.
pub fn free_bytes(folder: &Path) -> Option<u64> {
    let path = CString::new(folder.as_os_str().as_bytes()).ok()?;
    // SAFETY: all zero is a valid value of this plain C struct.
    let mut status: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: a C string and a place to write to, both alive during the call.
    let result = unsafe { libc::statvfs(path.as_ptr(), &raw mut status) };
    (result == 0).then(|| status.f_bavail * status.f_frsize)
}

/// The user this process acts for.
pub fn user_id() -> u32 {
    // SAFETY: always succeeds.
    unsafe { libc::geteuid() }
}

/// The user whose process is at the other end of a socket.
pub fn peer_user(socket: &UnixStream) -> io::Result<u32> {
    // SAFETY: all zero is a valid value of this plain C struct.
    let mut peer: libc::ucred = unsafe { std::mem::zeroed() };
    let mut length = libc::socklen_t::try_from(size_of::<libc::ucred>()).unwrap_or_default();
    let (level, option) = (libc::SOL_SOCKET, libc::SO_PEERCRED);
    let place = (&raw mut peer).cast();
    // SAFETY: an open socket, and a place of the length that is said, alive during the call.
    let result = unsafe { libc::getsockopt(socket.as_raw_fd(), level, option, place, &raw mut length) };
    if result == 0 { Ok(peer.uid) } else { Err(io::Error::last_os_error()) }
}

/// Tells whether the process runs; one that has ended and only waits to be noticed does not.
pub fn is_alive(process: u32) -> bool {
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
pub struct SignalForwarding {
    previous: Vec<(libc::c_int, libc::sigaction)>,
}

impl SignalForwarding {
    pub fn start() -> Self {
        let mut previous = Vec::new();
        for signal in FORWARDED {
            // SAFETY: all zero is a valid value of this plain C struct.
            let mut old: libc::sigaction = unsafe { std::mem::zeroed() };
            // SAFETY: all bytes 0 are a valid `sigaction`: no handler, no flags.
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

    pub fn forward_to(&self, process: u32) {
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

/// Makes the child die when the thread that starts it does, however that ends.
pub fn end_with_parent(command: &mut Command) {
    // SAFETY: between fork and exec only this one system call is made, which is allowed there.
    unsafe {
        command.pre_exec(|| {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            Ok(())
        });
    }
}

/// Tells whether something can be read before the time is over.
pub fn wait_readable(from: &impl AsRawFd, limit: Duration) -> io::Result<bool> {
    let mut waited = libc::pollfd { fd: from.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let millis = libc::c_int::try_from(limit.as_millis().max(1)).unwrap_or(libc::c_int::MAX);
    // SAFETY: one descriptor, open and alive during the call.
    let ready = unsafe { libc::poll(&raw mut waited, 1, millis) };
    match ready {
        0 => Ok(false),
        1.. => Ok(true),
        _ => match io::Error::last_os_error() {
            error if error.kind() == io::ErrorKind::Interrupted => Ok(false),
            error => Err(error),
        },
    }
}

/// Asks a JVM to print the stacks of its threads.
pub fn ask_for_stacks(process: u32) {
    signal(process, libc::SIGQUIT, false);
}

/// Ends a process group that was made by `process_group(0)` and whose leader is not yet reaped.
pub fn kill_group(leader: u32) {
    signal(leader, libc::SIGKILL, true);
}

pub fn kill_process(process: u32) {
    signal(process, libc::SIGKILL, false);
}

fn signal(process: u32, signal: libc::c_int, is_group: bool) {
    if let Ok(process) = libc::pid_t::try_from(process)
        && process > 1
    {
        // SAFETY: only sends a signal; never to group 0, 1 or all.
        unsafe { libc::kill(if is_group { -process } else { process }, signal) };
    }
}

/// The memory of this machine.
pub fn memory_mib() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kib = total.and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kib.map_or(2048, |kib| kib / 1024)
}

/// The mark of the first Ctrl-C; the second one ends the process.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C and SIGTERM are noted instead of ending this process; a second one ends it.
pub fn note_interrupts() -> &'static AtomicBool {
    let handler: extern "C" fn(libc::c_int) = note_interrupt;
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: the handler uses an atomic and `_exit`, which are allowed in signal handlers.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handler as usize;
            action.sa_flags = libc::SA_RESTART;
            let mut old: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &raw mut old);
            // Ignored signals (nohup, background jobs) stay ignored.
            if old.sa_sigaction != libc::SIG_IGN {
                libc::sigaction(signal, &raw const action, std::ptr::null_mut());
            }
        }
    }
    &INTERRUPTED
}

/// Tells whether the user wants to stop.
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

extern "C" fn note_interrupt(signal: libc::c_int) {
    if INTERRUPTED.swap(true, Ordering::SeqCst) {
        // SAFETY: always allowed. Workers die with their parent.
        unsafe { libc::_exit(128 + signal) };
    }
}

/// Tells whether a child has ended, without taking its exit status: its number stays taken.
pub fn has_ended(process: u32) -> io::Result<bool> {
    // SAFETY: all zero is a valid value of this plain C struct.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    let options = libc::WEXITED | libc::WNOWAIT | libc::WNOHANG;
    // SAFETY: a place to write to, alive during the call.
    match unsafe { libc::waitid(libc::P_PID, process, &raw mut info, options) } {
        // SAFETY: the call has filled it in; the number is 0 as long as the child runs.
        0 => Ok(unsafe { info.si_pid() } != 0),
        _ => match io::Error::last_os_error() {
            error if error.kind() == io::ErrorKind::Interrupted => Ok(false),
            error => Err(error),
        },
    }
}

/// Waits until the process has ended, without taking its exit status: its number stays taken.
pub fn wait_without_reaping(process: u32) {
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
