//! Reading a file and everything it imports.
//!
//! Imports are relative to the importing file and must stay inside the project root: the nearest folder above the
//! first file that has a `sioco.toml`, or else the folder of the first file.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::{FileId, LoadError, Loader, MAX_FILE_BYTES, SourceMap, Span, normalize};
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
    struct Open {
        path: PathBuf,
        canonical: PathBuf,
        imports: Vec<(PathBuf, Span)>,
    }
    let mut stack: Vec<Open> = Vec::new();
    let mut next = Some((path.to_path_buf(), None::<Span>));
    loop {
        if let Some((path, from)) = next.take() {
            let canonical = loader.canonical(&path);
            if let Some(position) = stack.iter().position(|o| o.canonical == canonical) {
                let circle: Vec<String> = stack[position..].iter().map(|o| o.path.display().to_string()).collect();
                if let Some(span) = from {
                    walk.diagnostics.push(
                        Diagnostic::new(Code::ImportCycle, span, "these files import each other in a circle")
                            .note(format!("{} → {}", circle.join(" → "), path.display()))
                            .help("move what both need into a third file"),
                    );
                }
            } else if !walk.done.contains_key(&canonical) {
                walk.done.insert(canonical.clone(), ());
                if let Some((file, tree)) = walk.read(&path, from) {
                    let imports = walk.imports(&path, &tree);
                    files.push((file, tree));
                    stack.push(Open { path, canonical, imports });
                }
            }
        }
        match stack.last_mut() {
            None => break,
            Some(open) if open.imports.is_empty() => {
                stack.pop();
            }
            Some(open) => {
                let (path, span) = open.imports.remove(0);
                next = Some((path, Some(span)));
            }
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
    done: FxHashMap<PathBuf, ()>,
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
                Some((file, parsed.file))
            }
            Err(error) => {
                let (code, message, help) = explain(&shown.to_string(), &error);
                let d = match from {
                    Some(span) => Diagnostic::new(code, span, message).label("imported here"),
                    None => Diagnostic::global(code, message),
                };
                self.diagnostics.push(d.help(help));
                None
            }
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
                        .help("imports are relative and stay inside the root; an empty `sioco.toml` in a folder above makes that folder the root"),
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
        LoadError::TooLarge(bytes) => (
            Code::TooLarge,
            format!(
                "`{shown}` is too large: {} MiB, and at most {} MiB are read",
                bytes.div_ceil(1 << 20),
                MAX_FILE_BYTES >> 20
            ),
            "split the model with `import`, or check that this is a model at all".into(),
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
