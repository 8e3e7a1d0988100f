//! `sioco man`: manual pages.

use std::fs;
use std::path::PathBuf;

use clap::{Args, Command, CommandFactory};
use clap_mangen::Man as Page;

use crate::cli::Cli;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files;
use crate::files::ShownPath;
use crate::output::{Output, count};

/// Print the manual page, or write all of them
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  sioco man | man -l -
  sioco man -o ~/.local/share/man/man1")]
pub struct Man {
    /// The folder for the pages, one per command; it is created if necessary
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

impl Man {
    /// Prints the main page, or writes all pages.
    pub fn run(&self, out: &mut Output) -> Result<Exit, Failure> {
        let mut main = Cli::command();
        main.build();
        let Some(folder) = &self.output else {
            out.data(&page(&main));
            return Ok(Exit::Ok);
        };
        fs::create_dir_all(folder).map_err(|error| Failure::write(folder, &error))?;
        let mut pages = 0;
        for command in with_subcommands(&main) {
            let name = command.get_display_name().unwrap_or(command.get_name());
            let path = folder.join(format!("{name}.1"));
            files::write(&path, &page(command)).map_err(|error| Failure::write(&path, &error))?;
            pages += 1;
        }
        out.say(format_args!("wrote {} to {}", count(pages, "page"), folder.shown()));
        Ok(Exit::Ok)
    }
}

/// A command and those below it, which have pages of their own.
fn with_subcommands(command: &Command) -> Vec<&Command> {
    let below = command.get_subcommands().filter(|below| below.get_name() != "help" && !below.is_hide_set());
    std::iter::once(command).chain(below.flat_map(with_subcommands)).collect()
}

fn page(command: &Command) -> String {
    let mut bytes = Vec::new();
    let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
    let page = Page::new(command.clone()).title(name.to_uppercase());
    page.render(&mut bytes).expect("memory can always be written to");
    String::from_utf8_lossy(&bytes).into_owned()
}
