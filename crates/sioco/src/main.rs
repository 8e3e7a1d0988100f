//! The command `sioco`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use sioco::exit::Exit;
use sioco::output::Output;

fn main() -> ExitCode {
    sioco::bug::install_hook();
    let run = || sioco::run(std::env::args_os(), &mut Output::standard());
    catch_unwind(AssertUnwindSafe(run)).unwrap_or(Exit::Infrastructure).into()
}
