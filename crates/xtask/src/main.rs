//! The development commands of sioco, reached as `cargo xtask VERB`.

mod bench;
mod child;
mod clock;
mod deps;
mod fuzz;
mod generate;
mod layers;
mod load;
mod mutants;
mod project;
mod rust_text;
mod servers;
mod setup;
mod test;
mod tidy;
mod trust;
#[cfg(target_os = "linux")]
mod zoo;

use std::process::ExitCode;

use project::Project;

const USAGE: &str = "\
usage: cargo xtask VERB

  test [--only STEP,…] [-- ARG…]   every check there is; arguments after -- go to cargo test
                                   steps: fmt, clippy, deps, deny, tidy, test, doc, generate
  deps                             which crate depends on which, and what each may touch
  tidy                             rules for the files of the repository
  generate [--check]               write the generated documents, or say which are out of date
  bench                            the benchmarks; instructions are counted where valgrind is installed
  trust [OPTION…]                  every command held against an oracle of its own, on random models; --models N,
                                   --child N, --hanging N, --journals N, --seed S, --jobs N, --resume, or one case
                                   alone: --case SEED --check CHECK (docs/trust.md)
  fuzz [--minutes N] [--target NAME,…] [--seed N] [--at-once N]
                                   random inputs for everything that reads bytes of others, N minutes of the processor for
                                   each target (20);
                                   findings are kept in target/fuzz in their shortest form
  mutants [--files GLOB…] [--list] [--only N,…] [--jobs N] [--fresh] [--quick]
                                   whether tests notice small changes of the program; the results are kept in
                                   target/mutants, so that it goes on where it ended (--fresh: from the start;
                                   --quick: only with short tests of the same crate)
  zoo [--model NAME,…] [--command NAME,…] [--end signal|time] [--after MS] [--jobs N] [--binary FILE] [--all]
                                   every command on every hostile model, asked to end after a while: how long that takes,
                                   and how much memory; prints what is wrong (--all: everything). Linux only
  load [--campaigns N] [--loops N] campaigns (500) of the templates and examples on a machine that is kept busy by loops, four
                                   for each core (0: where other work keeps it busy); none may fail
  setup [--fetch]                  find what the tests need beyond Rust, or fetch it into target/
                                   (--fetch: do so even where the system has it)
  servers                          fetch the servers that the examples are tested with into target/servers
";

/// A wrong command line.
const EXIT_USAGE: u8 = 2;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut words = arguments.iter().map(String::as_str);
    let verb = words.next();
    let rest: Vec<&str> = words.collect();
    let run: fn(&Project, &[&str]) -> Result<Findings, Stop> = match (verb, rest.as_slice()) {
        (Some("test"), _) => test::main,
        (Some("deps"), []) => |project, _| Ok(deps::check(project)?),
        (Some("tidy"), []) => |project, _| Ok(tidy::check(project)?),
        (Some("generate"), []) => |project, _| Ok(generate::write(project)?),
        (Some("generate"), ["--check"]) => |project, _| Ok(generate::check(project)?),
        (Some("setup"), [] | ["--fetch"]) => setup::main,
        (Some("servers"), []) => servers::main,
        (Some("bench"), []) => bench::main,
        (Some("trust"), _) => trust::main,
        (Some("fuzz"), _) => fuzz::main,
        (Some("load"), _) => load::main,
        (Some("mutants"), _) => mutants::main,
        #[cfg(target_os = "linux")]
        (Some("zoo"), _) => zoo::main,
        (Some("help" | "--help" | "-h"), _) => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => return usage(verb.map_or_else(|| "no verb given".to_owned(), |_| wrong(&arguments))),
    };
    match Project::load().map_err(Stop::Trouble).and_then(|project| run(&project, &rest)) {
        Ok(findings) if findings.is_empty() => ExitCode::SUCCESS,
        Ok(findings) => {
            print_findings(&findings);
            ExitCode::FAILURE
        }
        Err(Stop::Failed) => ExitCode::FAILURE,
        Err(Stop::Usage(message)) => usage(message),
        Err(Stop::Trouble(message)) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

/// What a check has to complain about, one line each; none is good.
type Findings = Vec<String>;

/// Why a verb ended early.
enum Stop {
    /// Something failed that was already shown.
    Failed,
    /// The command line is wrong.
    Usage(String),
    /// A program or file that is needed is not there or does not work.
    Trouble(String),
}

impl From<String> for Stop {
    fn from(message: String) -> Stop {
        Stop::Trouble(message)
    }
}

fn print_findings(findings: &[String]) {
    for finding in findings {
        println!("  {finding}");
    }
}

fn wrong(arguments: &[String]) -> String {
    format!("not understood: {}", arguments.join(" "))
}

fn usage(message: String) -> ExitCode {
    eprint!("xtask: {message}\n\n{USAGE}");
    ExitCode::from(EXIT_USAGE)
}
