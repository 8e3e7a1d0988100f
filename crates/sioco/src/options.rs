//! Which options have an effect, given the others. An option without effect is reported, not silently ignored.
//!
//! Every command that runs or explores a model has a [rule](Rule) for each of its options; a test keeps the two lists
//! consistent. The rules apply only to options on the command line: a profile or the environment may hold options for all
//! kinds of campaigns.

use clap::parser::ValueSource;
use clap::{ArgMatches, Command, CommandFactory};

use crate::cli::{self, Cli};
use crate::failure::Failure;

/// When an option has an effect.
pub struct Rule<C> {
    /// The option, without its dashes.
    pub long: &'static str,
    /// Why it has none with these options; nothing if it has.
    pub idle: fn(&C) -> Option<&'static str>,
}

fn never<C>(_: &C) -> Option<&'static str> {
    None
}

/// Options that have an effect whatever the others are.
pub fn always<C>(longs: &'static [&'static str]) -> impl Iterator<Item = Rule<C>> {
    longs.iter().map(|long| Rule { long, idle: never })
}

/// An option that has no effect with some others, which is for a reason.
pub fn unless<C>(long: &'static str, idle: fn(&C) -> Option<&'static str>) -> Rule<C> {
    Rule { long, idle }
}

/// A command with rules for its options.
pub trait Ruled: Sized {
    /// One for each option.
    fn rules() -> Vec<Rule<Self>>;
}

/// Whether all options that are given have an effect.
pub fn check(matches: &ArgMatches, given: &mut cli::Command) -> Result<(), Failure> {
    let (mut matches, mut command) = (matches, &Cli::command());
    while let Some((name, inner)) = matches.subcommand()
        && let Some(found) = command.find_subcommand(name)
    {
        (matches, command) = (inner, found);
    }
    let here = Given { matches, command };
    match given {
        cli::Command::Test(test) => {
            test.values_given = here.is("values");
            test.sut_given = here.is("sut") || std::env::var_os("SIOCO_SUT").is_some();
            here.check(test)
        }
        cli::Command::Plan(plan) => here.check(plan),
        cli::Command::Explore(explore) => here.check(explore),
        cli::Command::Analyze(analyze) => here.check(analyze),
        cli::Command::Compare(compare) => here.check(compare),
        cli::Command::Simulate(simulate) => here.check(simulate),
        cli::Command::Replay(replay) => here.check(replay),
        cli::Command::Judge(judge) => here.check(judge),
        cli::Command::Adapter(adapter) => here.check(adapter.check()),
        _ => Ok(()),
    }
}

/// What stands on the command line.
struct Given<'a> {
    matches: &'a ArgMatches,
    command: &'a Command,
}

impl Given<'_> {
    fn is(&self, long: &str) -> bool {
        let arg = self.command.get_arguments().find(|arg| arg.get_long() == Some(long));
        arg.is_some_and(|arg| self.matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine))
    }

    fn check<C: Ruled>(&self, command: &C) -> Result<(), Failure> {
        let idle = |rule: &Rule<C>| Some((rule.long, (rule.idle)(command)?)).filter(|_| self.is(rule.long));
        match C::rules().iter().find_map(idle) {
            None => Ok(()),
            Some((long, why)) => Err(Failure::usage(format!("`--{long}` has no effect here: {why}")).help("remove it")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The options of a command, as its help lists them.
    fn longs(path: &[&str]) -> Vec<String> {
        let mut command = &Cli::command();
        for name in path {
            command = command.find_subcommand(name).expect("a command");
        }
        let mut longs: Vec<String> =
            command.get_arguments().filter_map(|arg| arg.get_long().map(str::to_owned)).collect();
        longs.retain(|long| long != "help" && long != "color");
        longs.sort();
        longs
    }

    fn ruled<C: Ruled>(path: &[&str]) {
        let mut rules: Vec<String> = C::rules().iter().map(|rule| rule.long.to_owned()).collect();
        rules.sort();
        assert_eq!(rules, longs(path), "the rules and the options of `sioco {}`", path.join(" "));
    }

    /// An option without a rule cannot slip in.
    #[test]
    fn every_option_has_a_rule() {
        use crate::commands::*;
        ruled::<test::Test>(&["test"]);
        ruled::<plan::Plan>(&["plan"]);
        ruled::<explore::Explore>(&["explore"]);
        ruled::<analyze::Analyze>(&["analyze"]);
        ruled::<compare::Compare>(&["compare"]);
        ruled::<simulate::Simulate>(&["simulate"]);
        ruled::<replay::Replay>(&["replay"]);
        ruled::<judge::Judge>(&["judge"]);
        ruled::<adapter::Check>(&["adapter", "check"]);
    }
}
