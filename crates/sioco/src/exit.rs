//! How a command ends.

use std::process::ExitCode;

/// The exit codes. Scripts depend on them: they stay as they are.
///
/// Where several apply, the first of 1, 5, 3, 0 counts: a fault that was found is never hidden by trouble elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Exit {
    /// Everything is as it should be.
    Ok = 0,
    /// The system under test does not conform to the model. Also: `explore` found a path or node to be impossible.
    Fail = 1,
    /// The command line or a model is wrong. Also: `fmt --check` found a file that is not formatted, `analyze` found a
    /// defect.
    Usage = 2,
    /// No verdict was reached, or a gate of the campaign was missed. Also: `explore` could not decide about a path,
    /// `plan` left goals uncovered.
    Inconclusive = 3,
    /// There was nothing to run.
    Nothing = 4,
    /// Adapter, surroundings of the system under test, solver, file system or sioco itself broke down.
    Infrastructure = 5,
    /// Interrupted from the keyboard.
    Interrupted = 130,
}

/// The exit codes, for the end of the help.
pub const HELP: &str = "\
Exit codes:
  0    success
  1    the system under test does not conform; `explore --path`: impossible
  2    the command line or a model is wrong; `fmt --check`: differences;
       `analyze`: defects
  3    inconclusive, or a gate was missed; `plan`: goals not covered
  4    nothing to run
  5    adapter, environment, solver or sioco itself broke down
  130  interrupted";

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}
