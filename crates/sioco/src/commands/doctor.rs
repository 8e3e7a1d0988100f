//! `sioco doctor`: what is installed and found.

use clap::Args;
use sioco_model::visible;
use sioco_report::doctor::{DoctorLine, LibraryLine, ProgramLine, TerminalLine};
use sioco_solve::smt::version::version_in;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::ShownPath;
use crate::output::{Format, Output};
use crate::solvers::{self, Auto, Solvers};

/// Show which solvers and tools are installed
///
/// sioco looks for the Z3 library in this order: the file that SIOCO_Z3 names (and then nowhere else); the folders of
/// the dynamic linker; the z3-solver package of the active Python; target/tools, where `cargo xtask setup` puts it.
/// It looks for the programs z3, cvc5, yices-smt2, mathsat and opensmt on the path and asks for their version.
/// `--solver auto` takes Z3, the library before the program; others are used only if `--solver` names them. This command
/// changes nothing.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  sioco doctor
  SIOCO_Z3=/opt/z3/lib/libz3.so sioco doctor --format json")]
pub struct Doctor {
    /// Output format: text for people, or JSON (one object)
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

const NO_SOLVER: &str = "\
No solver was found. Commands that need one will answer what the built-in
procedures can decide, and `unknown` to everything else. To get one:
  pip install z3-solver          with an active Python environment
  apt install libz3-4            Debian, Ubuntu
  brew install z3                macOS
or point SIOCO_Z3 to a libz3 that is already somewhere.";

impl Doctor {
    /// Looks around, and never fails.
    pub fn run(&self, out: &mut Output) -> Result<Exit, Failure> {
        let found = solvers::find();
        match self.format {
            Format::Human => human(&found, out),
            Format::Json => machine(&found, out),
        }
        Ok(Exit::Ok)
    }
}

fn human(found: &Solvers, out: &mut Output) {
    let style = out.style();
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    out.line(format_args!("{} on {os} {arch}", style.bold(format_args!("sioco {}", env!("CARGO_PKG_VERSION")))));
    out.line("");
    out.line(style.bold("solvers"));
    if found.libraries.is_empty() {
        out.line(format_args!("  {:<11} {}", "libz3", style.dim("not found")));
    }
    for library in &found.libraries {
        let version = library.version.as_ref().map(|version| format!("version {version}, ")).unwrap_or_default();
        let used = if library.used { "" } else { ", not used" };
        out.line(format_args!("  {:<11} {} ({version}{}{used})", "libz3", library.path.shown(), library.origin));
        if let Some(problem) = &library.problem {
            out.line(format_args!("  {:<11} {}: {}", "", style.red("problem"), visible::line(problem)));
        }
    }
    for program in &found.programs {
        match &program.found {
            None => out.line(format_args!("  {:<11} {}", program.name, style.dim("not found"))),
            Some((path, Ok(said))) => {
                let version = version_in(said).map_or_else(|| said.clone(), |version| format!("version {version}"));
                out.line(format_args!("  {:<11} {} ({})", program.name, path.shown(), visible::line(&version)));
            }
            Some((path, Err(problem))) => {
                let problem = problem.to_string();
                out.line(format_args!("  {:<11} {}", program.name, path.shown()));
                out.line(format_args!("  {:<11} {}: {}", "", style.red("problem"), visible::line(&problem)));
            }
        }
    }
    for problem in &found.problems {
        out.line(format_args!("  {}: {problem}", style.red("problem")));
    }
    let auto = found.auto();
    let others: Vec<String> = found.others().iter().map(|name| format!("`--solver {name}`")).collect();
    let others = if others.is_empty() { String::new() } else { format!("; {} takes another", others.join(" or ")) };
    out.line(format_args!("  {:<11} {auto}{others}", "auto takes"));
    if !found.any() {
        out.line("");
        out.line(NO_SOLVER);
    }
    out.line("");
    out.line(style.bold("terminal"));
    let yes = |yes| if yes { "yes" } else { "no" };
    out.line(format_args!("  {:<11} {}", "terminal", yes(out.is_terminal())));
    out.line(format_args!("  {:<11} {}", "colour", yes(style.on)));
    let width = out.terminal_width().map_or_else(|| "unknown".to_owned(), |width| format!("{width} columns"));
    out.line(format_args!("  {:<11} {width}", "width"));
}

fn machine(found: &Solvers, out: &mut Output) {
    let libraries = found.libraries.iter().map(|library| LibraryLine {
        name: "libz3",
        path: library.path.display().to_string(),
        version: library.version.as_deref(),
        origin: library.origin.to_string(),
        used: library.used,
        problem: library.problem.as_deref(),
    });
    let programs = found.programs.iter().map(|program| {
        let said = program.found.as_ref().map(|(_, said)| said);
        let version = said.and_then(|said| said.as_deref().ok());
        ProgramLine {
            name: program.name,
            path: program.found.as_ref().map(|(path, _)| path.display().to_string()),
            version: version.map(|said| version_in(said).unwrap_or(said)),
            problem: said.and_then(|said| said.as_ref().err()).map(|why| why.to_string()),
        }
    });
    let line = DoctorLine {
        version: env!("CARGO_PKG_VERSION"),
        os: std::env::consts::OS,
        arch: std::env::consts::ARCH,
        libraries: libraries.collect(),
        programs: programs.collect(),
        problems: &found.problems,
        solver: found.any(),
        auto: match found.auto() {
            Auto::Library(path) | Auto::Program(path) => Some(path.display().to_string()),
            Auto::BuiltIn | Auto::Broken => None,
        },
        terminal: TerminalLine { terminal: out.is_terminal(), colour: out.style().on, width: out.terminal_width() },
    };
    out.object(&line);
}
