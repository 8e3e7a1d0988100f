//! Time comes in as a value below the campaign: whether it is over may be asked anywhere, what time it is nowhere but in
//! the files that are named here.
//!
//! That a file names no clock is one of the rules of [`deps`](crate::deps). It would be worth little if a function of
//! another file gave out the time. So this looks at what the files that may read the clock give away: nothing to other
//! crates, and inside of the crate only to those who wait. The crates here stand on each other and on no others of ours,
//! so nothing that they could call is left.

use syn::visit::{self, Visit};
use syn::{ReturnType, Visibility};

use crate::Findings;
use crate::rust_text;

/// The crates that have no clock.
pub const CRATES: &[&str] = &["sioco-model", "sioco-solve", "sioco-symbolic", "sioco-plan", "sioco-exec"];

/// What tells the time.
pub const CLOCKS: &[&str] = &["std::time::Instant", "std::time::SystemTime"];

/// The files that may name a clock, and why.
pub const READERS: &[(&str, &str)] = &[
    ("crates/sioco-solve/src/timer.rs", "the one that reads it, and says whether a time is over"),
    ("crates/sioco-solve/src/cancellation.rs", "whoever starts a campaign says when everything ends"),
];

/// The files that may know how much time is left, and why.
const WAITERS: &[(&str, &str)] = &[
    ("crates/sioco-solve/src/smt/process.rs", "the watchdog of a solver that is another program"),
    ("crates/sioco-solve/src/smt/z3.rs", "the watchdog of Z3, which is another thread"),
];

/// Packages of others that tell the time.
const PACKAGES: &[&str] = &["chrono", "coarsetime", "instant", "jiff", "minstant", "quanta", "time", "web-time"];

/// Types that hold a time.
const TIMES: &[&str] = &["Instant", "SystemTime", "Duration"];

/// A source file of one of the crates.
pub struct Source {
    /// Relative to the root of the project.
    pub path: String,
    pub text: String,
}

/// What one of the crates is built with may not tell the time either.
pub fn packages(crate_name: &str, dependencies: &[String]) -> Findings {
    let listed = dependencies.iter().filter(|name| CRATES.contains(&crate_name) && PACKAGES.contains(&name.as_str()));
    listed.map(|name| format!("crate {crate_name}: may not depend on {name}, which tells the time")).collect()
}

/// All findings about the sources of the crates.
pub fn check(sources: &[Source]) -> Findings {
    check_for(sources, READERS, WAITERS)
}

type Named<'a> = &'a [(&'a str, &'a str)];

fn check_for(sources: &[Source], readers: Named<'_>, waiters: Named<'_>) -> Findings {
    let among = |source: &Source, files: Named<'_>| files.iter().any(|(file, _)| *file == source.path);
    let mut findings = Findings::new();
    let mut givers: Vec<String> = Vec::new();
    for source in sources.iter().filter(|source| among(source, readers) || among(source, waiters)) {
        let given = given(&source.text);
        let is_away = |reach: Reach| reach == Reach::Anybody || reach == Reach::Crate && among(source, waiters);
        for (name, line, _) in given.iter().filter(|(_, _, reach)| is_away(*reach)) {
            findings.push(format!("{}:{line}: `{name}` gives out a time, which others may not know", source.path));
        }
        if among(source, readers) {
            givers.extend(given.into_iter().map(|(name, _, _)| name));
        }
    }
    let mut asking = Vec::new();
    for source in sources.iter().filter(|source| !among(source, readers)) {
        let found = asked(&source.text, &givers);
        if among(source, waiters) {
            asking.extend((!found.is_empty()).then_some(&source.path));
            continue;
        }
        let tell = |(line, name)| format!("{}:{line}: may not ask `{name}` for the time", source.path);
        findings.extend(found.into_iter().map(tell));
    }
    let is_reading = |file: &str| {
        let code = sources.iter().find(|source| source.path == file).map(|source| bare(&source.text));
        code.is_some_and(|code| rust_text::std_paths(&code).iter().any(|(_, path)| CLOCKS.contains(&path.as_str())))
    };
    let stale = readers.iter().filter(|(file, _)| !is_reading(file)).map(|(file, _)| (file, "names no clock"));
    let idle = waiters.iter().filter(|(file, _)| !asking.iter().any(|asks| *asks == file));
    let idle = idle.map(|(file, _)| (file, "does not ask how much time is left"));
    findings.extend(stale.chain(idle).map(|(file, why)| {
        format!("crates/xtask/src/clock.rs: {file} is no exception any more: it is gone, or {why}")
    }));
    findings
}

fn bare(text: &str) -> String {
    rust_text::without_tests(&rust_text::code_only(text))
}

/// Who can use something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reach {
    File,
    Crate,
    Anybody,
}

impl Reach {
    fn of(visibility: &Visibility) -> Reach {
        match visibility {
            Visibility::Public(_) => Reach::Anybody,
            Visibility::Restricted(_) => Reach::Crate,
            Visibility::Inherited => Reach::File,
        }
    }
}

/// Everything in a file that gives a time to others, with its name, its line and for whom.
fn given(text: &str) -> Vec<(String, usize, Reach)> {
    // What does not parse is told by the compiler.
    let Ok(file) = syn::parse_file(text) else { return Vec::new() };
    let mut giving = Giving::default();
    giving.visit_file(&file);
    giving.found
}

#[derive(Default)]
struct Giving {
    found: Vec<(String, usize, Reach)>,
}

impl Giving {
    fn add(&mut self, ident: &syn::Ident, reach: Reach) {
        self.found.push((ident.to_string(), ident.span().start().line, reach));
    }

    fn function(&mut self, signature: &syn::Signature, reach: Reach) {
        if let ReturnType::Type(_, ty) = &signature.output
            && names_time(ty)
        {
            self.add(&signature.ident, reach);
        }
    }
}

impl<'ast> Visit<'ast> for Giving {
    fn visit_item_mod(&mut self, node: &'ast syn::ItemMod) {
        let is_test = |a: &syn::Attribute| {
            a.path().is_ident("cfg") && a.meta.require_list().is_ok_and(|list| list.tokens.to_string() == "test")
        };
        if !node.attrs.iter().any(is_test) {
            visit::visit_item_mod(self, node);
        }
    }

    fn visit_item_fn(&mut self, node: &'ast syn::ItemFn) {
        self.function(&node.sig, Reach::of(&node.vis));
    }

    fn visit_item_impl(&mut self, node: &'ast syn::ItemImpl) {
        for item in &node.items {
            match item {
                // Whoever has the trait can call what is in it.
                syn::ImplItem::Fn(function) if node.trait_.is_some() => self.function(&function.sig, Reach::Anybody),
                syn::ImplItem::Fn(function) => self.function(&function.sig, Reach::of(&function.vis)),
                syn::ImplItem::Type(item) if names_time(&item.ty) => self.add(&item.ident, Reach::Anybody),
                _ => {}
            }
        }
    }

    fn visit_item_trait(&mut self, node: &'ast syn::ItemTrait) {
        for item in &node.items {
            if let syn::TraitItem::Fn(function) = item {
                self.function(&function.sig, Reach::of(&node.vis));
            }
        }
    }

    fn visit_item_struct(&mut self, node: &'ast syn::ItemStruct) {
        for field in node.fields.iter().filter(|field| names_clock(&field.ty)) {
            let reach = Reach::of(&field.vis);
            if reach != Reach::File {
                self.add(field.ident.as_ref().unwrap_or(&node.ident), reach);
            }
        }
    }

    fn visit_item_type(&mut self, node: &'ast syn::ItemType) {
        if names_clock(&node.ty) && Reach::of(&node.vis) != Reach::File {
            self.add(&node.ident, Reach::of(&node.vis));
        }
    }

    fn visit_item_use(&mut self, node: &'ast syn::ItemUse) {
        let reach = Reach::of(&node.vis);
        let mut names = Names::default();
        names.visit_item_use(node);
        if let (true, Some(ident)) = (reach != Reach::File, names.0.iter().find(|ident| is_clock(ident))) {
            self.add(ident, reach);
        }
    }
}

/// The names in a piece of code.
#[derive(Default)]
struct Names(Vec<syn::Ident>);

impl<'ast> Visit<'ast> for Names {
    fn visit_ident(&mut self, node: &'ast syn::Ident) {
        self.0.push(node.clone());
    }
}

fn names_of(ty: &syn::Type) -> Vec<syn::Ident> {
    let mut names = Names::default();
    names.visit_type(ty);
    names.0
}

fn is_clock(ident: &syn::Ident) -> bool {
    ident != "Duration" && TIMES.iter().any(|time| ident == time)
}

fn names_clock(ty: &syn::Type) -> bool {
    names_of(ty).iter().any(is_clock)
}

fn names_time(ty: &syn::Type) -> bool {
    names_of(ty).iter().any(|ident| TIMES.iter().any(|time| ident == time))
}

/// Where one of the functions is called or named, each with the line.
fn asked(text: &str, givers: &[String]) -> Vec<(usize, String)> {
    let code = bare(text);
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for giver in givers {
        for (at, _) in code.match_indices(giver.as_str()) {
            let (before, after) = (code[..at].trim_end(), &code[at + giver.len()..]);
            if (before.ends_with('.') || before.ends_with("::")) && !after.starts_with(is_name) {
                found.push((rust_text::line_of(&code, at), giver.clone()));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const READS: &str = "use std::time::{Duration, Instant};
        pub(crate) struct Timer { end: Instant }
        impl Timer {
            pub(crate) fn until(end: Instant) -> Timer { Timer { end } }
            pub fn is_over(&self) -> bool { Instant::now() >= self.end }
            pub(crate) fn remaining(&self) -> Duration { self.end - Instant::now() }
        }
        #[cfg(test)] mod tests { pub fn now() -> Instant { Instant::now() } }";
    const WAITS: &str = "fn wait(timer: Timer) { channel.recv_timeout(timer.remaining()) }";

    fn found(files: &[(&str, &str)]) -> Findings {
        let sources: Vec<Source> =
            files.iter().map(|(path, text)| Source { path: (*path).into(), text: (*text).into() }).collect();
        check_for(&sources, &[("timer.rs", "it reads")], &[("process.rs", "it waits")])
    }

    #[track_caller]
    fn check_reader(more: &str, name: &str) {
        let text = format!("{READS}\n{more}");
        let found = found(&[("timer.rs", &text), ("process.rs", WAITS)]);
        assert_eq!(found, [format!("timer.rs:9: `{name}` gives out a time, which others may not know")], "{more}");
    }

    #[test]
    fn whether_a_time_is_over_may_be_asked() {
        let search = "fn search(timer: Timer) { if timer.is_over() { remaining() } } // timer.remaining()";
        assert_eq!(found(&[("timer.rs", READS), ("process.rs", WAITS), ("search.rs", search)]), Findings::new());
    }

    #[test]
    fn no_other_crate_is_given_the_time() {
        check_reader("pub fn now() -> Instant { Instant::now() }", "now");
        check_reader("impl Timer { pub fn end(&self) -> Option<Instant> { None } }", "end");
        check_reader("impl Timer { pub fn left(&self) -> Duration { self.remaining() } }", "left");
        check_reader("pub fn since() -> Result<SystemTime, String> { Err(String::new()) }", "since");
        check_reader("impl std::ops::Deref for Timer { fn deref(&self) -> &Instant { &self.end } }", "deref");
        check_reader("pub trait Clock { fn now(&self) -> Instant; }", "now");
        check_reader("pub struct Given { pub at: Instant }", "at");
        check_reader("pub type Moment = Instant;", "Moment");
        check_reader("pub use std::time::Instant as Moment;", "Instant");
    }

    #[test]
    fn only_who_waits_knows_how_much_is_left() {
        let files = [("timer.rs", READS), ("process.rs", WAITS)];
        for text in ["\nlet left = timer.remaining();", "\nlet ask = Timer::remaining;", "\ntimer\n.remaining()"] {
            let found = found(&[files[0], files[1], ("search.rs", text)]);
            assert!(found.len() == 1 && found[0].ends_with("may not ask `remaining` for the time"), "{found:?}");
        }
        let passed_on = format!("{WAITS} pub(crate) fn left(timer: Timer) -> Duration {{ timer.remaining() }}");
        assert_eq!(
            found(&[files[0], ("process.rs", &passed_on)]),
            ["process.rs:1: `left` gives out a time, which others may not know"]
        );
    }

    #[test]
    fn exceptions_that_are_not_needed_are_found() {
        let gone = found(&[]);
        assert!(gone.len() == 2 && gone[0].contains("timer.rs is no exception any more"), "{gone:?}");
        let idle = found(&[("timer.rs", READS), ("process.rs", "fn wait() {}")]);
        assert!(idle.len() == 1 && idle[0].contains("process.rs is no exception any more"), "{idle:?}");
        let tests = found(&[("timer.rs", "#[cfg(test)] mod tests { use std::time::Instant; }"), ("process.rs", WAITS)]);
        assert!(tests.len() == 2 && tests.iter().any(|finding| finding.contains("names no clock")), "{tests:?}");
    }

    #[test]
    fn the_crates_stand_on_no_others() {
        for name in CRATES {
            let layer = crate::layers::layer(name).expect("each crate has a place");
            let below = crate::layers::LAYERS.iter().filter(|other| layer.may_use(other.name));
            below.for_each(|other| assert!(CRATES.contains(&other.name), "{name} stands on {}", other.name));
        }
    }

    #[test]
    fn packages_that_tell_the_time_are_found() {
        let dependencies = ["chrono".to_owned(), "timely".to_owned()];
        assert_eq!(
            packages("sioco-exec", &dependencies),
            ["crate sioco-exec: may not depend on chrono, which tells the time"]
        );
        assert_eq!(packages("sioco-adapter", &dependencies), Findings::new());
    }
}
