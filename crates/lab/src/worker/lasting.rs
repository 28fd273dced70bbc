//! Starts workers from one thread that lasts as long as this process.
//!
//! The system ends a worker with the thread that started it, see `unix::end_with_parent`. The threads of slots last for one
//! phase of a run only, and workers are to outlive that.

use std::io;
use std::process::{Child, Command};
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};
use std::thread;

type Order = (Command, Sender<io::Result<Child>>);

pub(super) fn spawn(command: Command) -> io::Result<Child> {
    static SPAWNER: OnceLock<Sender<Order>> = OnceLock::new();
    let is_gone = "the thread that starts workers is gone";
    let (reply, answer) = channel();
    SPAWNER.get_or_init(start).send((command, reply)).map_err(|_| io::Error::other(is_gone))?;
    answer.recv().map_err(|_| io::Error::other(is_gone))?
}

fn start() -> Sender<Order> {
    let (sender, orders) = channel::<Order>();
    thread::spawn(move || {
        for (mut command, reply) in orders {
            // Whoever asked waits for it.
            let _ = reply.send(command.spawn());
        }
    });
    sender
}

#[cfg(test)]
mod tests {
    use super::*;
    use catchment_watch::unix::end_with_parent;
    use std::io::Write;
    use std::process::Stdio;

    #[test]
    fn a_child_outlives_the_thread_that_asked_for_it() {
        let mut command = Command::new("sh");
        command.args(["-c", "read line; exit 7"]).stdin(Stdio::piped());
        end_with_parent(&mut command);
        let mut child = thread::spawn(move || spawn(command)).join().unwrap().unwrap();
        child.stdin.take().unwrap().write_all(b"go\n").unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(7));
    }
}
