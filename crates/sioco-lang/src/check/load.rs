//! Reading a file and everything it imports.
//!
//! Imports are relative to the importing file and must stay inside the project root: the nearest folder above the
//! first file that has a `sioco.toml`, or else the folder of the first file.

use super::MAX_CIRCLES;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::{hidden, listed};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, did_you_mean};
use crate::source::{FileId, LoadError, Loader, SourceMap, Span, normalize};
use crate::syntax::ast::{self, ItemKind};
use crate::syntax::parser::parse;

/// The files of a model, parsed.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Their texts.
    pub sources: SourceMap,
    /// Their trees; the first is the file that was asked for.
    pub files: Vec<(FileId, ast::File)>,
    /// What was wrong so far.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a file and what it imports, directly or not.
pub fn load(path: &Path, loader: &dyn Loader) -> Loaded {
    let root = project_root(path, loader);
    let mut walk =
        Walk { loader, root, done: FxHashMap::default(), sources: SourceMap::default(), diagnostics: vec![] };
    let mut files = Vec::new();
    // Depth first with a stack of our own: a chain of imports may be longer than ours is deep.
    struct OpenFile {
        path: PathBuf,
        canonical: PathBuf,
        imports: std::vec::IntoIter<(PathBuf, Span)>,
    }
    let mut stack: Vec<OpenFile> = Vec::new();
    let mut circles = 0;
    let mut next = Some((path.to_path_buf(), None::<Span>));
    loop {
        if let Some((path, from)) = next.take() {
            let canonical = loader.canonical(&path);
            let known = walk.done.get(&canonical).copied();
            if let Some(Some(position)) = known {
                if let Some(span) = from.filter(|_| circles < MAX_CIRCLES) {
                    circles += 1;
                    let circle = stack[position..].iter().map(|o| &o.path).chain([&path]);
                    let circle: Vec<String> = circle.map(|p| p.display().to_string()).collect();
                    walk.diagnostics.push(
                        Diagnostic::new(Code::ImportCycle, span, "these files import each other in a circle")
                            .note(listed(&circle, " → "))
                            .help("move what both need into a third file"),
                    );
                }
            } else if known.is_none() {
                walk.done.insert(canonical.clone(), None);
                if let Some((file, tree)) = walk.read(&path, from) {
                    let imports = walk.imports(&path, &tree).into_iter();
                    files.push((file, tree));
                    walk.done.insert(canonical.clone(), Some(stack.len()));
                    stack.push(OpenFile { path, canonical, imports });
                }
            }
        }
        match stack.last_mut() {
            None => break,
            Some(open) => match open.imports.next() {
                Some((path, span)) => next = Some((path, Some(span))),
                None => {
                    walk.done.insert(std::mem::take(&mut open.canonical), None);
                    stack.pop();
                }
            },
        }
    }
    Loaded { sources: walk.sources, files, diagnostics: walk.diagnostics }
}

/// The nearest folder above the file with a `sioco.toml`, or the folder of the file.
fn project_root(path: &Path, loader: &dyn Loader) -> PathBuf {
    let canonical = loader.canonical(path);
    let folder = canonical.parent().unwrap_or(Path::new("")).to_path_buf();
    let found = folder.ancestors().find(|dir| loader.load(&dir.join("sioco.toml")).is_ok());
    found.map_or(folder.clone(), Path::to_path_buf)
}

struct Walk<'a> {
    loader: &'a dyn Loader,
    root: PathBuf,
    /// The files met so far, by canonical path; with their position on the stack while what they import is read.
    done: FxHashMap<PathBuf, Option<usize>>,
    sources: SourceMap,
    diagnostics: Vec<Diagnostic>,
}

impl Walk<'_> {
    fn read(&mut self, path: &Path, from: Option<Span>) -> Option<(FileId, ast::File)> {
        let shown = path.display();
        match self.loader.load(path) {
            Ok(text) => {
                let file = self.sources.add(shown.to_string(), text);
                let parsed = parse(file, &self.sources.file(file).text);
                self.diagnostics.extend(parsed.diagnostics);
                if self.sources.files().count() == 1 && parsed.tokens.len() == 1 && self.diagnostics.is_empty() {
                    let span = Span { file, start: 0, end: 0 };
                    self.diagnostics.push(
                        Diagnostic::new(Code::NothingToRun, span, "this file is empty")
                            .help("a model needs at least one `process`"),
                    );
                }
                self.diagnostics.extend(hidden::find(&self.sources, file));
                Some((file, parsed.file))
            }
            Err(error) => {
                let (code, message, mut help) = explain(&shown.to_string(), &error);
                if matches!(error, LoadError::Unreadable(_))
                    && let Some(near) = self.near(path)
                {
                    help = format!("did you mean `{near}`?");
                }
                let d = match from {
                    Some(span) => Diagnostic::new(code, span, message).label("imported here"),
                    None => Diagnostic::global(code, message),
                };
                self.diagnostics.push(d.help(help));
                None
            }
        }
    }

    /// The name of the file beside this one that was probably meant; files outside of the root are not looked at.
    fn near(&self, path: &Path) -> Option<String> {
        let wanted = path.file_name()?.to_str()?;
        let mut names = self.loader.neighbours(path);
        if names.iter().any(|n| n == wanted) {
            return None;
        }
        let inside = |name: &String| self.loader.canonical(&path.with_file_name(name)).starts_with(&self.root);
        names.retain(inside);
        let with_ending = format!("{wanted}.sts");
        match names.iter().find(|n| **n == with_ending) {
            Some(name) => Some(name.clone()),
            None => did_you_mean(wanted, names.iter().map(String::as_str)),
        }
    }

    /// The paths that a file imports, those outside of the root reported and left out.
    fn imports(&mut self, path: &Path, tree: &ast::File) -> Vec<(PathBuf, Span)> {
        let mut found = Vec::new();
        for item in &tree.items {
            let ItemKind::Import(import) = &item.kind else { continue };
            if import.value.is_empty() {
                continue;
            }
            let relative = Path::new(&import.value);
            let target = normalize(&path.parent().unwrap_or(Path::new("")).join(relative));
            let canonical = self.loader.canonical(&target);
            if relative.is_absolute() || !canonical.starts_with(&self.root) {
                self.diagnostics.push(
                    Diagnostic::new(Code::ImportOutsideRoot, import.span, "this import leaves the project")
                        .note(format!("the project root is `{}`", self.root.display()))
                        .help(
                            "use a relative path that stays inside the root; an empty `sioco.toml` in a folder \
                               above makes that folder the root",
                        ),
                );
                continue;
            }
            found.push((target, import.span));
        }
        found
    }
}

/// A load error as code, message and help.
fn explain(shown: &str, error: &LoadError) -> (Code, String, String) {
    match error {
        LoadError::Unreadable(why) => {
            (Code::Unreadable, format!("cannot read `{shown}`: {why}"), "check the path and its permissions".into())
        }
        LoadError::NotAFile(kind) => (
            Code::Unreadable,
            format!("cannot read `{shown}`: it is {kind}, not a file"),
            "copy its contents to a file first".into(),
        ),
        LoadError::TooLarge { bytes, limit } => (
            Code::TooLarge,
            match bytes {
                Some(bytes) => {
                    format!("`{shown}` is too large: {} MiB; the limit is {} MiB", bytes.div_ceil(1 << 20), limit >> 20)
                }
                None => format!("`{shown}` is too large: the limit is {} MiB", limit >> 20),
            },
            "split the model with `import`, or check that this file is a model".into(),
        ),
        LoadError::NotUtf8(at) => (
            Code::NotUtf8,
            format!("`{shown}` is not UTF-8: byte {at} cannot be read"),
            "save the file as UTF-8".into(),
        ),
        LoadError::Binary => {
            (Code::Binary, format!("`{shown}` is not a text file"), "give a model, by convention `*.sts`".into())
        }
    }
}

/// The diagnostic for a file that could not be loaded, for commands that read files of their own.
pub fn load_failure(shown: &str, error: &LoadError) -> Diagnostic {
    let (code, message, help) = explain(shown, error);
    Diagnostic::global(code, message).help(help)
}
