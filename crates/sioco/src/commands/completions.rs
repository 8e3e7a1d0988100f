//! `sioco completions`: completions for a shell.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::cli::Cli;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// Print completions for a shell
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  sioco completions bash > ~/.local/share/bash-completion/completions/sioco
  sioco completions fish > ~/.config/fish/completions/sioco.fish")]
pub struct Completions {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

impl Completions {
    /// Prints them.
    pub fn run(&self, out: &mut Output) -> Result<Exit, Failure> {
        let mut bytes = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "sioco", &mut bytes);
        out.data(&String::from_utf8_lossy(&bytes));
        Ok(Exit::Ok)
    }
}
