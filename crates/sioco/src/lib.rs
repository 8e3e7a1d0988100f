//! The command `sioco`, as a library: [`run`](fn@run) does what the program does, with any output.
//!
//! A new command is a file in [`commands`] with its options and what it does, and a line in [`cli::Command`].

pub mod adapter;
pub mod analyze;
pub mod budget;
pub mod bug;
pub mod cli;
pub mod commands;
pub mod defaults;
pub mod exit;
pub mod explore;
pub mod failure;
pub mod files;
pub mod fix;
mod glossary;
pub mod interrupt;
pub mod markdown;
pub mod model;
pub mod options;
pub mod output;
pub mod permission;
pub mod plan;
pub mod project;
pub mod run;
pub mod seconds;
pub mod simulate;
pub mod solver_choice;
pub mod solvers;
pub mod style;
pub mod switch_names;
mod switch_text;

use std::ffi::OsString;

/// Rust code tested from `cargo test`: see the crate, which pulls no command line.
pub use sioco_test as conformance;

use clap::FromArgMatches;
use sioco_model::visible::is_hidden;

use cli::Cli;
use exit::Exit;
use output::Output;
use style::Style;

/// Runs a command line, the name of the program first, and says how it ended.
pub fn run(args: impl IntoIterator<Item = impl Into<OsString>>, out: &mut Output) -> Exit {
    let args: Vec<OsString> = args.into_iter().map(Into::into).collect();
    out.choose_colour(cli::colour_of(&args));
    let (command, args) = match defaults::command(args, out) {
        Ok(found) => found,
        Err(failure) => {
            out.failure(&failure);
            return out.finish(failure.exit);
        }
    };
    // What the parser says has words of the command line in it, and emphasis of its own.
    let harmless = args.iter().all(|arg| !arg.to_string_lossy().contains(is_hidden));
    let matches = command.try_get_matches_from(args);
    let exit = match matches.and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches))) {
        Ok((mut cli, matches)) => {
            let done = options::check(&matches, &mut cli.command).and_then(|()| cli.command.run(out));
            done.unwrap_or_else(|failure| {
                out.failure(&failure);
                failure.exit
            })
        }
        Err(answer) => answer_of_the_parser(&answer, harmless, out),
    };
    out.finish(exit)
}

/// Help, the version, or what is wrong with the command line.
fn answer_of_the_parser(answer: &clap::Error, harmless: bool, out: &mut Output) -> Exit {
    let text = answer.render();
    let told = |style: Style| match style.on && harmless {
        true => sioco_report::style::adopt(&text.ansi().to_string()),
        false => text.to_string(),
    };
    if answer.use_stderr() {
        out.say(told(out.err_style()).trim_end());
        Exit::Usage
    } else {
        out.print(&told(out.style()));
        Exit::Ok
    }
}
