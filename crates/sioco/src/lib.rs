//! The command `sioco`, as a library: [`run`](fn@run) does what the program does, with any output.
//!
//! A new command is a file in [`commands`] with its options and what it does, and a line in [`cli::Command`].

pub mod adapter;
pub mod analyze;
pub mod budget;
pub mod bug;
pub mod cli;
pub mod commands;
pub mod conformance;
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

use clap::FromArgMatches;

use cli::Cli;
use exit::Exit;
use output::Output;

/// Runs a command line, the name of the program first, and says how it ended.
pub fn run(args: impl IntoIterator<Item = impl Into<OsString>>, out: &mut Output) -> Exit {
    let args: Vec<OsString> = args.into_iter().map(Into::into).collect();
    out.choose_colour(cli::colour_of(&args));
    let (command, args) = match defaults::command(args) {
        Ok(found) => found,
        Err(failure) => {
            out.failure(&failure);
            return out.finish(failure.exit);
        }
    };
    let matches = command.try_get_matches_from(args);
    let exit = match matches.and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches))) {
        Ok((mut cli, matches)) => {
            let done = options::check(&matches, &mut cli.command).and_then(|()| cli.command.run(out));
            done.unwrap_or_else(|failure| {
                out.failure(&failure);
                failure.exit
            })
        }
        Err(answer) => answer_of_the_parser(&answer, out),
    };
    out.finish(exit)
}

/// Help, the version, or what is wrong with the command line.
fn answer_of_the_parser(answer: &clap::Error, out: &mut Output) -> Exit {
    let text = answer.render();
    if answer.use_stderr() {
        let text = if out.err_style().on { text.ansi().to_string() } else { text.to_string() };
        out.say(text.trim_end());
        Exit::Usage
    } else {
        let text = if out.style().on { text.ansi().to_string() } else { text.to_string() };
        out.print(&text);
        Exit::Ok
    }
}
