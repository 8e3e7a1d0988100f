//! What is installed and found, for programs: `sioco doctor --format json`.

use serde::Serialize;

/// What is installed and found.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Doctor"))]
pub struct DoctorLine<'a> {
    /// The version of sioco.
    pub version: &'static str,
    /// The operating system.
    pub os: &'static str,
    /// The processor.
    pub arch: &'static str,
    /// Z3 libraries, best first.
    pub libraries: Vec<LibraryLine<'a>>,
    /// Solvers that are programs.
    pub programs: Vec<ProgramLine<'a>>,
    /// What is set up but does not work.
    pub problems: &'a [String],
    /// Whether there is any solver besides the built-in one.
    pub solver: bool,
    /// Where the solver is that `--solver auto` takes; nothing if it is the built-in one.
    pub auto: Option<String>,
    /// What sioco writes to.
    pub terminal: TerminalLine,
}

/// A library.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Library"))]
pub struct LibraryLine<'a> {
    /// Its name.
    pub name: &'static str,
    /// Where it is.
    pub path: String,
    /// Its version.
    pub version: Option<&'a str>,
    /// Who put it there.
    pub origin: String,
    /// Whether it is the one that is used.
    pub used: bool,
    /// Why it cannot be used.
    pub problem: Option<&'a str>,
}

/// A program.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Program"))]
pub struct ProgramLine<'a> {
    /// Its name.
    pub name: &'a str,
    /// Where it is; nothing if it was not found.
    pub path: Option<String>,
    /// Its version.
    pub version: Option<&'a str>,
    /// Why it does not say its version.
    pub problem: Option<String>,
}

/// A terminal.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Terminal"))]
pub struct TerminalLine {
    /// Whether it is one.
    pub terminal: bool,
    /// Whether it gets colours.
    pub colour: bool,
    /// How many columns it has, if that is known.
    pub width: Option<usize>,
}
