//! Writing files so that they are never half written, and showing their names.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use sioco_model::visible;

/// The largest `sioco.toml` that is read, in bytes: a thousand times a usual one. It bounds the memory that a wrong
/// file takes.
pub const MAX_PROJECT_BYTES: u64 = 4 << 20;
/// The largest plan that is read, in bytes: a thousand times that of a usual model, which has some hundred kilobytes at
/// most.
pub const MAX_PLAN_BYTES: u64 = 256 << 20;
/// The largest journal or log that is read, in bytes: some ten million events at a hundred bytes each.
pub const MAX_LOG_BYTES: u64 = 1 << 30;
/// The longest request that `sioco simulate` reads from a script, in bytes: as the longest line of an adapter.
pub const MAX_REQUEST_BYTES: u64 = 1 << 20;

/// A path as people see it: on one line, with everything visible that hides in it.
pub trait ShownPath {
    /// The path.
    fn shown(&self) -> String;
}

impl ShownPath for Path {
    fn shown(&self) -> String {
        visible::line(&self.display().to_string()).into_owned()
    }
}

/// Creates a file or replaces its content, at once; a file that was there keeps its permissions.
///
/// The text goes to a new file beside, which then takes the name. A link is followed; a device or pipe, which cannot
/// be replaced, is written to.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let permissions = match fs::metadata(&target) {
        Ok(meta) if meta.is_dir() => return Err(ErrorKind::IsADirectory.into()),
        Ok(meta) if !meta.is_file() => return fs::write(&target, text),
        // A rename would not care.
        Ok(meta) if meta.permissions().readonly() => return Err(io::Error::other("it is read-only")),
        Ok(meta) => Some(meta.permissions()),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let (beside, mut file) = create_beside(&target)?;
    let written = (|| {
        file.write_all(text.as_bytes())?;
        if let Some(permissions) = permissions {
            file.set_permissions(permissions)?;
        }
        file.sync_all()?;
        fs::rename(&beside, &target)
    })();
    if written.is_err() {
        // The first trouble is the one to tell.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Changes a file in place: like [`write()`], but what is not a file, such as a pipe, is refused.
pub fn rewrite(path: &Path, text: &str) -> io::Result<()> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file, so it cannot be changed in place"));
    }
    write(path, text)
}

/// A new file in the same folder, under a name that nothing has yet.
fn create_beside(target: &Path) -> io::Result<(PathBuf, File)> {
    let folder = target.parent().unwrap_or(Path::new(""));
    for number in 0..1000 {
        let path = folder.join(format!(".sioco-{number}.tmp"));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("the folder is full of `.sioco-*.tmp`; remove them"))
}
