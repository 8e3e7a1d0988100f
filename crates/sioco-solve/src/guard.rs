//! No process that this program starts outlives it, even if the program is killed and cannot clean up.
//!
//! A small shell holds the other end of a pipe and keeps a list of the process groups. The pipe closes however this
//! program ends. Then the shell kills all groups that are still on its list. Without a shell there is no guard.

use std::io::Write;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// Reads `+ GROUP` and `- GROUP`, and at the end of its input kills the groups that are left.
const SCRIPT: &str = r#"trap '' INT TERM HUP QUIT
while read -r what group; do
  case $what in
    +) set -- "$@" "$group" ;;
    -) n=$#
       while [ "$n" -gt 0 ]; do
         [ "$1" = "$group" ] || set -- "$@" "$1"
         shift
         n=$((n - 1))
       done ;;
  esac
done
for group; do kill -s KILL -- "-$group"; done"#;

/// The guard, once there is one. It is not waited for: it ends after this program does.
static GUARD: Mutex<State> = Mutex::new(State::Idle);

enum State {
    Idle,
    Watching(ChildStdin),
    /// It cannot be started, or is gone.
    Gone,
}

/// A process group that ends with this program. Dropping it takes the group off the list: that comes before its leader is
/// waited for, since after that somebody else may get its number.
#[derive(Debug)]
pub struct Guarded(u32);

impl Guarded {
    /// From now on, the group with this leader ends with this program.
    pub fn new(leader: u32) -> Guarded {
        tell('+', leader);
        Guarded(leader)
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        tell('-', self.0);
    }
}

/// Makes a command the leader of a group of its own, on systems that have such. The guard is there before it starts, so that
/// only a moment is left in which it is not on the list.
pub fn lead(command: &mut Command) {
    ready(&mut GUARD.lock().unwrap_or_else(PoisonError::into_inner));
    group(command);
}

fn group(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command;
}

fn tell(what: char, leader: u32) {
    let mut state = GUARD.lock().unwrap_or_else(PoisonError::into_inner);
    ready(&mut state);
    if let State::Watching(pipe) = &mut *state
        && pipe.write_all(format!("{what} {leader}\n").as_bytes()).is_err()
    {
        *state = State::Gone;
    }
}

/// Starts it, if nobody has.
fn ready(state: &mut State) {
    if matches!(state, State::Idle) {
        *state = start().map_or(State::Gone, |(_, pipe)| State::Watching(pipe));
    }
}

#[cfg(unix)]
fn start() -> Option<(Child, ChildStdin)> {
    let mut command = Command::new("/bin/sh");
    // Its name in lists of processes follows the script. It has no environment: it may end a moment after this program, and
    // whoever looks for what this program started looks for systems under test.
    command.args(["-c", SCRIPT, "sioco-guard"]).current_dir("/").env_clear();
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // What is meant for this program, such as Ctrl-C, does not end it.
    group(&mut command);
    let mut child = command.spawn().ok()?;
    let pipe = child.stdin.take()?;
    Some((child, pipe))
}

#[cfg(not(unix))]
fn start() -> Option<(Child, ChildStdin)> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::io::Read;

    /// A program that leads a group, and says when it runs.
    fn sleeper() -> Child {
        let mut command = Command::new("sh");
        command.args(["-c", "echo up; sleep 600"]).stdout(Stdio::piped());
        lead(&mut command);
        let mut child = command.spawn().expect("a shell");
        let mut up = [0; 3];
        child.stdout.as_mut().expect("a pipe").read_exact(&mut up).expect("it runs");
        child
    }

    #[test]
    fn what_is_left_on_the_list_is_killed_when_the_pipe_ends() {
        let (mut guard, mut pipe) = start().expect("a shell");
        let (mut left, mut off) = (sleeper(), sleeper());
        writeln!(pipe, "+ {}\n+ {}\n- {}", off.id(), left.id(), off.id()).expect("it listens");
        drop(pipe);
        // The pipe of the sleeper ends with the whole group.
        let mut rest = String::new();
        left.stdout.take().expect("a pipe").read_to_string(&mut rest).expect("it ends");
        guard.wait().expect("the guard ends");
        left.wait().expect("it is gone");
        assert_eq!(off.try_wait().expect("a status"), None);
        assert!(
            Command::new("kill").args(["-KILL", "--", &format!("-{}", off.id())]).status().expect("kill").success()
        );
        off.wait().expect("it is gone");
    }
}
