//! The command line.

use std::ffi::OsString;

use clap::{Parser, Subcommand, ValueEnum};

use crate::commands::{
    adapter, analyze, check, compare, completions, demo, doctor, explain, explore, fmt, graph, import, judge, man, new,
    plan, replay, simulate, test,
};
use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::output::Output;
use crate::style::ColourChoice;

/// Model-based testing: write down what a system may do, and find out whether it does.
#[derive(Parser, Debug)]
#[command(name = "sioco", version, max_term_width = 100, after_help = exit::HELP)]
pub struct Cli {
    /// When to use colour; `auto` respects NO_COLOR and FORCE_COLOR
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t)]
    pub color: ColourChoice,

    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands, in the order of the help.
#[derive(Subcommand, Debug)]
#[allow(missing_docs)] // Documentation here would replace the help of the commands.
pub enum Command {
    Demo(demo::Demo),
    New(new::New),
    Check(check::Check),
    Explain(explain::Explain),
    Fmt(fmt::Fmt),
    Graph(graph::Graph),
    Simulate(simulate::Simulate),
    Explore(explore::Explore),
    Analyze(analyze::Analyze),
    Plan(plan::Plan),
    Compare(compare::Compare),
    Test(test::Test),
    Replay(replay::Replay),
    Judge(judge::Judge),
    Adapter(adapter::Adapter),
    Import(import::Import),
    Doctor(doctor::Doctor),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Command {
    /// Does what was asked for.
    pub fn run(&self, out: &mut Output) -> Result<Exit, Failure> {
        match self {
            Command::Demo(command) => command.run(out),
            Command::New(command) => command.run(out),
            Command::Check(command) => command.run(out),
            Command::Explain(command) => command.run(out),
            Command::Fmt(command) => command.run(out),
            Command::Graph(command) => command.run(out),
            Command::Simulate(command) => command.run(out),
            Command::Explore(command) => command.run(out),
            Command::Analyze(command) => command.run(out),
            Command::Plan(command) => command.run(out),
            Command::Compare(command) => command.run(out),
            Command::Test(command) => command.run(out),
            Command::Replay(command) => command.run(out),
            Command::Judge(command) => command.run(out),
            Command::Adapter(command) => command.run(out),
            Command::Import(command) => command.run(out),
            Command::Doctor(command) => command.run(out),
            Command::Completions(command) => command.run(out),
            Command::Man(command) => command.run(out),
        }
    }
}

/// The value of `--color`, found before the command line is understood: what is wrong with it is told in colour too.
pub fn colour_of(args: &[OsString]) -> ColourChoice {
    let mut args = args.iter().skip(1).map(|arg| arg.to_string_lossy()).take_while(|arg| arg != "--");
    let mut choice = None;
    while let Some(arg) = args.next() {
        match arg.strip_prefix("--color") {
            Some("") => choice = args.next().map(|value| value.into_owned()),
            Some(value) => choice = value.strip_prefix('=').map(str::to_owned),
            None => {}
        }
    }
    choice.and_then(|value| ColourChoice::from_str(&value, false).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_says_what_it_does_and_shows_an_example() {
        for command in Cli::command().get_subcommands() {
            assert!(command.get_about().is_some(), "{}", command.get_name());
            let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(after.contains(&format!("sioco {}", command.get_name())), "{}", command.get_name());
        }
    }

    #[test]
    fn colour_is_known_early() {
        for (args, choice) in [
            ("sioco check", ColourChoice::Auto),
            ("sioco --color always check", ColourChoice::Always),
            ("sioco check --color=never x", ColourChoice::Never),
            ("sioco check -- --color=never", ColourChoice::Auto),
            ("sioco --color sometimes", ColourChoice::Auto),
            ("sioco --color", ColourChoice::Auto),
        ] {
            let args: Vec<OsString> = args.split(' ').map(OsString::from).collect();
            assert_eq!(colour_of(&args), choice, "{args:?}");
        }
    }
}
