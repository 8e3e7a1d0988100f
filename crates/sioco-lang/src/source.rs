//! Source text: files, spans, and where they come from.

use std::fmt;
use std::fs::Metadata;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use sioco_model::visible;

/// A file of a [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FileId(pub u32);

/// A range of bytes in a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span from the start of this one to the end of another.
    pub fn to(self, other: Span) -> Span {
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The empty span at the end of this one.
    pub fn at_end(self) -> Span {
        Span { start: self.end, ..self }
    }

    /// The bytes as a range of `usize`.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}..{}", self.file.0, self.start, self.end)
    }
}

/// One source file.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The name shown to people.
    pub name: String,
    /// The text.
    pub text: String,
    /// Where each line starts, so that a place is found without reading the text again.
    lines: Vec<u32>,
}

impl SourceFile {
    /// The number of the line of a byte, from 1; bytes beyond the end are on the last line.
    pub fn line_of(&self, byte: usize) -> usize {
        self.lines.partition_point(|start| *start as usize <= byte)
    }
}

/// The files that a model was read from.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// Adds a file.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let text = text.into();
        let breaks = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at as u32 + 1);
        let lines = std::iter::once(0).chain(breaks).collect();
        self.files.push(SourceFile { name: name.into(), text, lines });
        FileId(self.files.len() as u32 - 1)
    }

    /// The file of an id.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// All files, in the order they were read.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(i, f)| (FileId(i as u32), f))
    }

    /// The text of a span.
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).text.get(span.range()).unwrap_or("")
    }

    /// Line and column of the start of a span, both from 1; columns count characters.
    pub fn position(&self, span: Span) -> (usize, usize) {
        let file = self.file(span.file);
        let at = file.text.floor_char_boundary(span.start as usize);
        let line = file.line_of(at);
        let start = file.lines[line - 1] as usize;
        let column = file.text[start..at].chars().count() + 1;
        (line, column)
    }

    /// `file:line:column` of the start of a span.
    pub fn show(&self, span: Span) -> String {
        let (line, column) = self.position(span);
        format!("{}:{line}:{column}", visible::line(&self.file(span.file).name))
    }
}

/// The largest file that is read, in bytes: far more than the largest model (the benchmarks have one with 100,000
/// switches in 6.75 MB), far less than the memory.
pub const MAX_FILE_BYTES: u64 = 32 << 20;

/// Why a file could not be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// The operating system said no.
    Unreadable(String),
    /// No file, but a pipe, a socket or a device.
    NotAFile(&'static str),
    /// Larger than what is read of such a file.
    TooLarge {
        /// Its size, as far as it is known.
        bytes: Option<u64>,
        /// The largest size.
        limit: u64,
    },
    /// Not UTF-8; the byte offset of the first fault.
    NotUtf8(usize),
    /// Has NUL bytes: not a text.
    Binary,
}

/// Where files come from: the file system, or a table in memory.
pub trait Loader {
    /// The text of a file.
    fn load(&self, path: &Path) -> Result<String, LoadError>;

    /// A name that is the same for two paths to one file.
    fn canonical(&self, path: &Path) -> PathBuf {
        normalize(path)
    }

    /// The names of what lies in the same folder as this path, to guess from.
    fn neighbours(&self, _path: &Path) -> Vec<String> {
        Vec::new()
    }
}

/// The file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct FsLoader;

impl Loader for FsLoader {
    fn load(&self, path: &Path) -> Result<String, LoadError> {
        decode(read_limited(path, MAX_FILE_BYTES)?.0)
    }

    fn canonical(&self, path: &Path) -> PathBuf {
        // What is not there lies where the nearest folder above that is there says.
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let there = absolute.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
        let joined = there.and_then(|(above, real)| match absolute.strip_prefix(above).ok()? {
            rest if rest.as_os_str().is_empty() => Some(real),
            rest => Some(real.join(rest)),
        });
        normalize(&joined.unwrap_or(absolute))
    }

    fn neighbours(&self, path: &Path) -> Vec<String> {
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries.filter_map(|e| e.file_name().into_string().ok()).take(10_000).collect();
        names.sort_unstable();
        names
    }
}

/// The bytes of a file, if it is one and not too large, with what the system knows about it.
///
/// Everything that is read by its name is read here. A pipe or a device may never end, or wait for ever for somebody to
/// write to it; so it is refused before it is opened.
pub fn read_limited(path: &Path, limit: u64) -> Result<(Vec<u8>, Metadata), LoadError> {
    regular(&std::fs::metadata(path).map_err(unreadable)?)?;
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let about = file.metadata().map_err(unreadable)?;
    regular(&about)?;
    if about.len() > limit {
        return Err(LoadError::TooLarge { bytes: Some(about.len()), limit });
    }
    Ok((read_at_most(file, limit)?, about))
}

/// All bytes of a stream, if there are not too many: a stream has no length to trust, and a file may grow.
pub fn read_at_most(stream: impl Read, limit: u64) -> Result<Vec<u8>, LoadError> {
    let mut bytes = Vec::new();
    stream.take(limit + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > limit { Err(LoadError::TooLarge { bytes: None, limit }) } else { Ok(bytes) }
}

/// Refuses what is no file.
fn regular(about: &Metadata) -> Result<(), LoadError> {
    match about {
        about if about.is_file() => Ok(()),
        about if about.is_dir() => Err(LoadError::Unreadable("it is a directory".into())),
        about => Err(LoadError::NotAFile(kind(about))),
    }
}

#[cfg(unix)]
fn kind(about: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match about.file_type() {
        kind if kind.is_fifo() => "a pipe",
        kind if kind.is_socket() => "a socket",
        _ => "a device",
    }
}

#[cfg(not(unix))]
fn kind(_: &Metadata) -> &'static str {
    "something else"
}

/// What the system says, without its error number.
fn unreadable(error: std::io::Error) -> LoadError {
    let text = error.to_string();
    LoadError::Unreadable(text.split(" (os error").next().unwrap_or(&text).to_owned())
}

/// Text from bytes, or what is wrong with them.
pub fn decode(bytes: Vec<u8>) -> Result<String, LoadError> {
    if bytes.contains(&0) {
        return Err(LoadError::Binary);
    }
    String::from_utf8(bytes).map_err(|e| LoadError::NotUtf8(e.utf8_error().valid_up_to()))
}

/// Files in memory, by normalized path.
#[derive(Clone, Debug, Default)]
pub struct MemoryLoader(pub std::collections::BTreeMap<PathBuf, String>);

impl Loader for MemoryLoader {
    fn load(&self, path: &Path) -> Result<String, LoadError> {
        self.0.get(&normalize(path)).cloned().ok_or_else(|| LoadError::Unreadable("no such file".into()))
    }

    fn neighbours(&self, path: &Path) -> Vec<String> {
        let path = normalize(path);
        let here = self.0.keys().filter(|p| p.parent() == path.parent());
        here.filter_map(|p| Some(p.file_name()?.to_str()?.to_owned())).collect()
    }
}

/// The path without `.` and with `..` resolved as far as it goes, without asking the file system.
pub fn normalize(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}
