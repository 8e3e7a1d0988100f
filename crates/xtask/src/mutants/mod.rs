//! Mutation testing: small changes of the program, each of which a test should notice.
//!
//! All mutants are built into one set of test programs, each behind a switch, and an environment variable says at run time
//! which one is on. So the workspace is built once, and not once for each of them. First every test runs alone without any
//! mutant, to learn how long it takes and which mutants it reaches; only those tests are tried on a mutant, the short ones
//! first, until one fails. Tests of the crate itself come first, then those of all crates that use it. A mutant that is
//! known to survive, with a reason, is tried with short tests of the crate itself only, to see whether that still holds.

mod build;
mod excuses;
mod find;
mod glob;
mod hunt;
mod programs;
mod results;
mod tree;
mod values;
mod weave;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use self::build::Program;
use self::excuses::Excuse;
use self::find::{Mutant, Site};
use self::results::{Outcome, Results};
use self::weave::Woven;
use crate::project::{self, Project};
use crate::{Findings, Stop};

/// What is looked at unless something else is asked for: what gives verdicts, and what answers its questions.
const FILES: &[&str] = &[
    "crates/sioco-exec/src/belief.rs",
    "crates/sioco-exec/src/belief/*.rs",
    "crates/sioco-exec/src/block.rs",
    "crates/sioco-exec/src/judge.rs",
    "crates/sioco-exec/src/symbolic_hypothesis.rs",
    "crates/sioco-exec/src/patient.rs",
    "crates/sioco-exec/src/position.rs",
    "crates/sioco-exec/src/referee.rs",
    "crates/sioco-exec/src/referee/*.rs",
    "crates/sioco-exec/src/under_way.rs",
    "crates/sioco-model/src/semantics/closure.rs",
    "crates/sioco-model/src/semantics/live.rs",
    "crates/sioco-model/src/semantics/sides.rs",
    "crates/sioco-model/src/semantics/sides/*.rs",
    "crates/sioco-solve/src/chain/*.rs",
];

/// The mutants that may survive, each with its reason.
const EXCUSES: &str = "crates/xtask/mutants.toml";

/// How many of a hundred may survive.
const SHARE: f64 = 5.0;

/// These have no tests that could notice anything, and take long to build.
const WITHOUT: &[&str] = &["xtask", "sioco-fuzz"];

/// How many seconds a test may take to be tried by `--quick`.
const QUICK: f64 = 0.6;

/// A mutant that is not built is left out, and the rest is built again; that ends since there are only so many.
const ROUNDS: usize = 40;

/// A mutant with its place.
pub struct Listed {
    /// The number that switches it on; none has 0.
    pub number: usize,
    pub file: String,
    /// Of the text of the file.
    pub hash: String,
    pub mutant: Mutant,
    /// What it is known by in the results.
    pub key: String,
}

/// A file with its sites; the mutants of them have consecutive numbers.
struct Source {
    path: PathBuf,
    text: String,
    sites: Vec<Site>,
    first: usize,
}

struct Options {
    files: Vec<String>,
    list: bool,
    only: Option<Vec<usize>>,
    jobs: usize,
    fresh: bool,
    quick: bool,
}

fn options(arguments: &[&str]) -> Result<Options, String> {
    let mut options = Options { files: Vec::new(), list: false, only: None, jobs: 1, fresh: false, quick: false };
    let mut words = arguments.iter().copied().peekable();
    while let Some(word) = words.next() {
        match word {
            "--files" => {
                while let Some(file) = words.next_if(|w| !w.starts_with("--")) {
                    options.files.push(file.to_owned());
                }
                if options.files.is_empty() {
                    return Err("--files needs the names of files".into());
                }
            }
            "--list" => options.list = true,
            "--fresh" => options.fresh = true,
            "--quick" => options.quick = true,
            "--only" => {
                let numbers = words.next().ok_or("--only needs numbers")?;
                let number = |n: &str| n.parse().map_err(|_| format!("--only: `{n}` is no number"));
                options.only = Some(numbers.split(',').map(number).collect::<Result<_, _>>()?);
            }
            "--jobs" => {
                let jobs = words.next().and_then(|n| n.parse().ok()).filter(|n| *n > 0);
                options.jobs = jobs.ok_or("--jobs needs a number greater than 0")?;
            }
            _ => return Err(format!("mutants: not understood: {word}")),
        }
    }
    if options.files.is_empty() {
        options.files = FILES.iter().map(|&f| f.to_owned()).collect();
    }
    Ok(options)
}

pub fn main(project: &Project, arguments: &[&str]) -> Result<Findings, Stop> {
    let options = options(arguments).map_err(Stop::Usage)?;
    let (sources, skipped) = sources(project, &options.files)?;
    let all = listed(&sources);
    if options.list {
        for m in &all {
            println!("{:5}  {}:{}  {}: {}", m.number, m.file, m.mutant.line, m.mutant.function, m.mutant.change);
        }
        return Ok(Vec::new());
    }
    let excuses = excuses::read(&project::read(&project.root.join(EXCUSES)).unwrap_or_default())
        .map_err(|error| format!("{EXCUSES}: {error}"))?;
    let place = project.target.join("mutants");
    std::fs::create_dir_all(&place).map_err(|error| format!("{}: {error}", place.display()))?;
    let mut results = Results::open(&place.join("results.jsonl"), options.fresh)?;
    let wanted: Vec<&Listed> =
        all.iter().filter(|m| options.only.as_ref().is_none_or(|only| only.contains(&m.number))).collect();
    println!("{} mutants in {} files; functions whose values are not known: {skipped}", all.len(), sources.len());
    let quick = options.quick;
    let mut session = Session {
        project,
        place: &place,
        sources: &sources,
        all: &all,
        jobs: options.jobs,
        quick,
        excuses: &excuses,
        reached: BTreeSet::new(),
    };
    let own: BTreeSet<&str> = sources.iter().filter_map(|s| package(&s.path)).collect();
    let others = if quick { Vec::new() } else { users(project, &own) };
    for (at, packages) in [own.into_iter().collect::<Vec<_>>(), others].into_iter().enumerate() {
        let again = options.only.is_some() && at == 0;
        let explained = |m: &Listed| at > 0 && excuses.iter().any(|e| e.fits(m));
        let open = wanted.iter().copied().filter(|m| again || is_open(&results, m) && !explained(m));
        let open: Vec<&Listed> = open.collect();
        if !open.is_empty() && !packages.is_empty() {
            session.stage(&packages, &open, &mut results, again)?;
        }
    }
    let report = Report { mutants: &wanted, results: &results, reached: &session.reached, excuses: &excuses };
    print!("{}", report.text());
    Ok(if options.only.is_some() { Vec::new() } else { report.findings() })
}

fn is_open(results: &Results, m: &Listed) -> bool {
    matches!(results.get(&m.key, &m.hash), None | Some(Outcome::Survived(_)))
}

/// The files that fit, with their sites, and how many functions were skipped.
fn sources(project: &Project, patterns: &[String]) -> Result<(Vec<Source>, usize), String> {
    let files: Vec<(PathBuf, String)> =
        project.files()?.into_iter().filter_map(|p| p.to_str().map(|s| s.replace('\\', "/")).map(|s| (p, s))).collect();
    for pattern in patterns {
        if !files.iter().any(|(_, name)| glob::fits(pattern, name)) {
            return Err(format!("--files: no file fits `{pattern}`"));
        }
    }
    let (mut sources, mut skipped, mut first) = (Vec::new(), 0, 1);
    for (path, name) in files {
        let is_test = name.ends_with("/tests.rs") || name.contains("/tests/");
        if is_test || !name.ends_with(".rs") || !patterns.iter().any(|p| glob::fits(p, &name)) {
            continue;
        }
        if package(&path).is_none_or(|p| !project.root.join(format!("crates/{p}/src/lib.rs")).is_file()) {
            return Err(format!("{name}: it belongs to no library of this workspace"));
        }
        let text = project::read(&project.root.join(&path))?;
        let found = find::find(&text).map_err(|error| format!("{name}: {error}"))?;
        skipped += found.skipped;
        let count: usize = found.sites.iter().map(|s| s.mutants.len()).sum();
        sources.push(Source { path, text, sites: found.sites, first });
        first += count;
    }
    Ok((sources, skipped))
}

/// The crate that a file of `crates/NAME/src` belongs to.
fn package(path: &Path) -> Option<&str> {
    let mut parts = path.iter().filter_map(|p| p.to_str());
    match (parts.next(), parts.next(), parts.next()) {
        (Some("crates"), Some(name), Some("src")) => Some(name),
        _ => None,
    }
}

/// The crates that use some crates, directly or not.
fn users<'p>(project: &'p Project, own: &BTreeSet<&str>) -> Vec<&'p str> {
    let mut found: BTreeSet<&str> = own.clone();
    loop {
        let uses = |c: &&project::Crate| c.dependencies.iter().any(|d| found.contains(d.as_str()));
        let more: Vec<&str> =
            project.crates.iter().filter(uses).map(|c| c.name.as_str()).filter(|n| !found.contains(n)).collect();
        if more.is_empty() {
            break;
        }
        found.extend(more);
    }
    let names = project.crates.iter().map(|c| c.name.as_str());
    names.filter(|n| found.contains(n) && !own.contains(n) && !WITHOUT.contains(n)).collect()
}

fn listed(sources: &[Source]) -> Vec<Listed> {
    let mut all = Vec::new();
    for source in sources {
        let file = source.path.to_string_lossy().replace('\\', "/");
        let hash = format!("{:016x}", build::hash(&source.text));
        for (at, mutant) in source.sites.iter().flat_map(|s| &s.mutants).enumerate() {
            let key = format!("{file}|{}|{}", mutant.function, mutant.change);
            let number = source.first + at;
            all.push(Listed { number, file: file.clone(), hash: hash.clone(), mutant: mutant.clone(), key });
        }
    }
    all
}

/// What all stages share.
struct Session<'a> {
    project: &'a Project,
    place: &'a Path,
    sources: &'a [Source],
    all: &'a [Listed],
    jobs: usize,
    quick: bool,
    /// What is explained already is tried with short tests only.
    excuses: &'a [Excuse],
    /// The mutants that a test reached.
    reached: BTreeSet<usize>,
}

impl Session<'_> {
    /// Tries mutants with the tests of some crates; `again` even if they are known to survive.
    fn stage(&mut self, packages: &[&str], open: &[&Listed], results: &mut Results, again: bool) -> Result<(), String> {
        println!("building the tests of {}", packages.join(", "));
        let programs = self.build(packages, results)?;
        let tell = |name: &str| println!("without mutants: {name}");
        let known = programs::know(&programs, &self.place.join("tests"), tell)?;
        println!("{} tests in {} programs", known.tests.len(), programs.len());
        for broken in &known.broken {
            println!("fails without any mutant, and so shows nothing: {broken}");
        }
        if known.tests.is_empty() {
            return Err("no test passes without a mutant".into());
        }
        self.reached.extend(known.reach.keys());
        for m in open.iter().filter(|_| again) {
            results.put(&m.key, &m.hash, Outcome::Survived(BTreeMap::new()))?;
        }
        let open: Vec<&Listed> = open.iter().copied().filter(|m| is_open(results, m)).collect();
        let is_short = |m: &Listed| self.quick || self.excuses.iter().any(|e| e.fits(m));
        let longest = |m: &Listed| if is_short(m) { QUICK } else { f64::INFINITY };
        hunt::hunt(&open, &hunt::Tests { programs: &programs, known: &known, longest: &longest }, results, self.jobs)
    }

    /// Builds with all mutants that can be built.
    fn build(&self, packages: &[&str], results: &mut Results) -> Result<Vec<Program>, String> {
        let tree = self.place.join("tree");
        for _ in 0..ROUNDS {
            let woven = self.woven(results);
            let mut texts: BTreeMap<PathBuf, String> = BTreeMap::new();
            for (source, woven) in self.sources.iter().zip(&woven) {
                texts.insert(source.path.clone(), woven.text.clone());
            }
            for name in self.sources.iter().filter_map(|s| package(&s.path)).collect::<BTreeSet<_>>() {
                let root = PathBuf::from(format!("crates/{name}/src/lib.rs"));
                let text = match texts.get(&root) {
                    Some(text) => text.clone(),
                    None => project::read(&self.project.root.join(&root))?,
                };
                texts.insert(root, text + &weave::switch());
            }
            tree::copy(self.project, &tree, &texts)?;
            let built = build::build(&tree, &self.place.join("build"), packages, self.jobs)?;
            if built.errors.is_empty() {
                return Ok(built.programs);
            }
            let mut blamed = BTreeSet::new();
            for error in &built.errors {
                for (source, woven) in self.sources.iter().zip(&woven) {
                    let places = error.places.iter().filter(|(file, _)| file.ends_with(&source.path));
                    blamed.extend(woven.blamed(&places.map(|(_, range)| range.clone()).collect::<Vec<_>>()));
                }
            }
            if blamed.is_empty() {
                return Err(format!("the tests do not build:\n{}", built.errors[0].shown));
            }
            println!("{} mutants cannot be built", blamed.len());
            for m in self.all.iter().filter(|m| blamed.contains(&m.number)) {
                results.put(&m.key, &m.hash, Outcome::Unbuildable)?;
            }
        }
        Err(format!("the tests do not build after {ROUNDS} rounds"))
    }

    fn woven(&self, results: &Results) -> Vec<Woven> {
        let of = |source: &Source| {
            let mut firsts = vec![source.first];
            for site in &source.sites {
                firsts.push(firsts[firsts.len() - 1] + site.mutants.len());
            }
            weave::weave(&source.text, &source.sites, |site, i| {
                let number = firsts[site] + i;
                let m = &self.all[number - 1];
                (results.get(&m.key, &m.hash) != Some(&Outcome::Unbuildable)).then_some(number)
            })
        };
        self.sources.iter().map(of).collect()
    }
}

/// What came of it.
struct Report<'a> {
    mutants: &'a [&'a Listed],
    results: &'a Results,
    reached: &'a BTreeSet<usize>,
    excuses: &'a [Excuse],
}

#[derive(Default)]
struct Counts {
    all: usize,
    caught: usize,
    timed_out: usize,
    survived: usize,
    unreached: usize,
    explained: usize,
    unbuildable: usize,
}

impl Report<'_> {
    fn outcome(&self, m: &Listed) -> Option<&Outcome> {
        self.results.get(&m.key, &m.hash)
    }

    fn survivors(&self) -> impl Iterator<Item = &Listed> + '_ {
        self.mutants.iter().copied().filter(|m| is_open(self.results, m))
    }

    fn excuse(&self, m: &Listed) -> Option<&Excuse> {
        self.excuses.iter().find(|e| e.fits(m))
    }

    fn counts(&self, file: Option<&str>) -> Counts {
        let mut counts = Counts::default();
        for m in self.mutants.iter().filter(|m| file.is_none_or(|f| f == m.file)) {
            match self.outcome(m) {
                Some(Outcome::Unbuildable) => {
                    counts.unbuildable += 1;
                    continue;
                }
                Some(Outcome::Caught(_)) => counts.caught += 1,
                Some(Outcome::TimedOut(_)) => counts.timed_out += 1,
                Some(Outcome::Survived(_)) | None => {
                    counts.survived += 1;
                    counts.unreached += usize::from(!self.reached.contains(&m.number));
                    counts.explained += usize::from(self.excuse(m).is_some());
                }
            }
            counts.all += 1;
        }
        counts
    }

    fn text(&self) -> String {
        let mut text = String::from("\n");
        for m in self.survivors() {
            let reached = if self.reached.contains(&m.number) { "" } else { " (no test gets there)" };
            text += &format!(
                "survived{reached}: {:4}  {}:{}  {}: {}\n",
                m.number, m.file, m.mutant.line, m.mutant.function, m.mutant.change
            );
            if let Some(excuse) = self.excuse(m) {
                text += &format!("          since {}\n", excuse.reason);
            }
        }
        let files: BTreeSet<&str> = self.mutants.iter().map(|m| m.file.as_str()).collect();
        text += "\nmutants  caught  timed out  survived  of these unreached  explained  unbuildable  file\n";
        for file in files.into_iter().map(Some).chain([None]) {
            let c = self.counts(file);
            text += &format!(
                "{:7}  {:6}  {:9}  {:8}  {:18}  {:9}  {:11}  {}\n",
                c.all,
                c.caught,
                c.timed_out,
                c.survived,
                c.unreached,
                c.explained,
                c.unbuildable,
                file.unwrap_or("all")
            );
        }
        text += &format!("{:.1} % survived\n", self.share());
        text
    }

    fn share(&self) -> f64 {
        let counts = self.counts(None);
        100.0 * counts.survived as f64 / counts.all.max(1) as f64
    }

    fn findings(&self) -> Findings {
        let mut findings = Vec::new();
        let unexplained = self.survivors().filter(|m| self.excuse(m).is_none());
        for m in unexplained {
            let place = format!("{}:{}: {}", m.file, m.mutant.line, m.mutant.function);
            findings.push(format!("{place}: no test notices: {}", m.mutant.change));
        }
        if self.share() > SHARE {
            findings.push(format!("{:.1} % of the mutants survive; at most {SHARE} % may", self.share()));
        }
        // Of files that were not asked for, nothing is known.
        let files: BTreeSet<&str> = self.mutants.iter().map(|m| m.file.as_str()).collect();
        for e in self.excuses.iter().filter(|e| files.contains(e.file.as_str())) {
            let place = format!("{EXCUSES}: {}: {}: {}", e.file, e.function, e.change);
            match self.mutants.iter().find(|m| e.fits(m)) {
                None => findings.push(format!("{place}: there is no such mutant")),
                Some(m) if !is_open(self.results, m) => findings.push(format!("{place}: it does not survive any more")),
                Some(_) => {}
            }
        }
        findings
    }
}

impl Excuse {
    fn fits(&self, m: &Listed) -> bool {
        self.file == m.file && self.function == m.mutant.function && self.change == m.mutant.change
    }
}

#[cfg(test)]
mod tests;
