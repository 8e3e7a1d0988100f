//! Which solver a command asks.

use std::env::VarError;

use clap::Args;
use sioco_solve::BackEnd;

use crate::exit::Exit;
use crate::failure::Failure;

/// What can be chosen about the solver on the command line.
#[derive(Args, Clone, Debug, Default)]
pub struct SolverChoice {
    /// The solver for hard conditions: `auto` (the default: Z3 if it is found), `builtin` (no other program),
    /// `z3`, `cvc5`, `yices-smt2`, `mathsat`, `opensmt`, or the command line of another SMT-LIB 2 solver. The
    /// environment variable SIOCO_SOLVER does the same
    #[arg(long, value_name = "SOLVER", value_parser = BackEnd::parse)]
    solver: Option<BackEnd>,
}

/// The environment variable that says the same as the option, which goes before it.
pub const VARIABLE: &str = "SIOCO_SOLVER";

impl SolverChoice {
    /// The back-end. One that was asked for by name and is not there is an error now, before any work is done.
    pub fn back_end(&self) -> Result<BackEnd, Failure> {
        let (back_end, origin) = match &self.solver {
            Some(chosen) => (chosen.clone(), ""),
            None => match std::env::var(VARIABLE) {
                Err(VarError::NotUnicode(_)) => return Err(Failure::usage(format!("{VARIABLE} is not UTF-8"))),
                Ok(text) if !text.trim().is_empty() => {
                    let chosen = BackEnd::parse(&text);
                    (chosen.map_err(|why| Failure::usage(format!("{VARIABLE}: {why}")))?, " (chosen by SIOCO_SOLVER)")
                }
                _ => (BackEnd::Auto, ""),
            },
        };
        if matches!(back_end, BackEnd::Z3 | BackEnd::Command(_))
            && let Err(why) = back_end.open()
        {
            let failure = Failure { exit: Exit::Infrastructure, message: Some(format!("{why}{origin}")), help: None };
            return Err(failure.help("`sioco doctor` lists the solvers; `--solver builtin` needs no other program"));
        }
        Ok(back_end)
    }
}
