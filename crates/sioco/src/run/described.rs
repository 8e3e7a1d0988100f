//! A system under test that `sioco.toml` describes.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value as Json};
use sioco_adapter::child::Program;
use sioco_adapter::client::{Client, Options};
use sioco_adapter::config::{Exchange, ResetConfig, SutConfig};
use sioco_adapter::host::{Host, PORT};
use sioco_adapter::http::{Http, HttpOptions};
use sioco_adapter::spec::SutSpec;
use sioco_adapter::text::{Dialect, Plain, TextClient, TextOptions, torxakis};
use sioco_adapter::transport::Connector;
use sioco_exec::{Order, Sut};
use sioco_model::Model;
use sioco_model::names::did_you_mean;
use sioco_solve::Cancellation;
use sioco_solve::smt::process::words;

use crate::failure::Failure;
use crate::files::ShownPath;
use crate::model::shell_word;
use crate::permission::Permitted;
use crate::project::Project;

/// The dialect that follows from the model.
const TORXAKIS: &str = "torxakis";

/// A system of a project, found to be well described.
pub struct Described {
    name: String,
    config: SutConfig,
    dialect: Option<Dialect>,
    order: Order,
    root: PathBuf,
}

/// How it is reached.
enum Way {
    /// A program, over its standard input and output.
    Program(Program),
    /// A server that is started.
    Host(Program, String),
    /// Something that is there already.
    There(SutSpec),
    /// A server that speaks HTTP, which may have to be started.
    Http(Option<Program>, String),
}

impl Described {
    /// The system of this name, for a model, if the project has one. Whatever is wrong with it is told before anything
    /// is started.
    pub fn find(project: &Project, name: &str, model: Option<&Model>) -> Result<Option<Described>, Failure> {
        let Some(config) = project.config.sut.get(name) else { return Ok(None) };
        let wrong = |why: String| Failure::usage(format!("`{}`, [sut.{name}]: {why}", project.file()));
        let order = match config.order.as_deref() {
            None => Order::Sent,
            Some(order) => Order::promised(order).ok_or_else(|| {
                let near = did_you_mean(order, ["sut", "sent"]);
                let help = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                wrong(format!("`order` is \"sut\" or \"sent\", and not \"{order}\"{help}"))
            })?,
        };
        let dialect = match config.dialect.as_deref() {
            None => None,
            Some(name) => match (project.config.dialect.get(name), model) {
                (Some(config), _) => Some(Dialect { name: name.into(), config: config.clone() }),
                (None, Some(model)) if name == TORXAKIS => Some(torxakis(model)),
                (None, None) if name == TORXAKIS => None,
                (None, _) => {
                    let names = project.config.dialect.keys().map(String::as_str).chain([TORXAKIS]);
                    let near = did_you_mean(name, names);
                    let help = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                    return Err(wrong(format!("there is no dialect `{name}`{help}")));
                }
            },
        };
        let described =
            Described { name: name.into(), config: config.clone(), dialect, order, root: project.root.clone() };
        let way = described.way().map_err(&wrong)?;
        described.useless(&way).map_err(&wrong)?;
        if let (Some(_), Some(model)) = (&described.dialect, model) {
            described.remarks(model).map_err(|all| {
                Failure::usage(format!("`{}` does not fit the model:\n  {}", project.file(), all.join("\n  ")))
            })?;
        }
        Ok(Some(described))
    }

    /// Compiles its dialect for a model: what is wrong with it, and otherwise what may not be meant like this.
    pub fn remarks(&self, model: &Model) -> Result<Vec<String>, Vec<String>> {
        match (&self.dialect, self.way()) {
            (Some(dialect), Ok(Way::Http(..))) => Http::check(model, dialect),
            (Some(dialect), _) => dialect.compile(model).map(|compiled| compiled.remarks),
            (None, _) => Ok(Vec::new()),
        }
    }

    /// The texts of inputs that go out as they are.
    pub fn plain(&self, model: &Model) -> Vec<Plain> {
        self.dialect.as_ref().map(|dialect| dialect.plain(model)).unwrap_or_default()
    }

    /// Its dialect, unless it follows from the model.
    pub fn dialect(&self) -> Option<&Dialect> {
        self.dialect.as_ref()
    }

    /// What would have no effect.
    fn useless(&self, way: &Way) -> Result<(), String> {
        let config = &self.config;
        let http = matches!(way, Way::Http(..));
        let json = config.dialect.is_none();
        let keep = config.reset == ResetConfig::Keep;
        let started = config.command.is_some() || config.start.is_some();
        let of_text =
            |e: &Exchange| e.request.is_none() && e.status.is_none() && (e.send.is_some() || e.expect.is_some());
        let of_http = |e: &Exchange| e.request.is_some() && e.send.is_none() && e.expect.is_none();
        let why = if http && json {
            "a system that speaks HTTP needs a `dialect`, which says how"
        } else if json && !config.before.is_empty() {
            "`before` is for systems with a `dialect`; an adapter does it when it is reset"
        } else if http && !config.before.iter().all(of_http) {
            "with HTTP, everything in `before` has a `request`, and perhaps a `status`"
        } else if !http && !config.before.iter().all(of_text) {
            "everything in `before` has `send`, `expect` or both; requests are for systems at `http://…`"
        } else if http && config.order.is_some() {
            "`order` has no effect with HTTP, which is always in the order of the system"
        } else if json && config.order.is_some() {
            "`order` is for systems with a `dialect`; an adapter says it with its `hello`"
        } else if keep && (http || json) {
            "`reset = \"keep\"` is for connections that carry text"
        } else if !json && !config.config.is_empty() {
            "`config` is for adapters, and a system with a `dialect` has none"
        } else if !json && matches!(way, Way::There(SutSpec::Ws(_))) {
            "WebSocket is for adapters, without a `dialect`; text is spoken over `tcp://…`"
        } else if !(started || config.environment.is_empty() && config.directory.is_none()) {
            "`environment` and `directory` are for what is started, and there is no `command` and no `start`"
        } else {
            return Ok(());
        };
        Err(why.into())
    }

    fn program(&self, key: &str, text: &str) -> Result<Program, String> {
        let words = words(text).map_err(|why| format!("`{key}`: {why}"))?;
        if words.iter().all(String::is_empty) {
            return Err(format!("`{key}` is empty"));
        }
        let directory = match &self.config.directory {
            Some(directory) => self.root.join(directory),
            None => self.root.clone(),
        };
        let environment = self.config.environment.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        Ok(Program { words, environment, directory: Some(directory) })
    }

    fn way(&self) -> Result<Way, String> {
        let config = &self.config;
        let restart = config.reset == ResetConfig::Restart;
        match (&config.command, &config.start, &config.connect) {
            (Some(command), None, None) => {
                if command.contains(PORT) || config.environment.values().any(|value| value.contains(PORT)) {
                    return Err(format!(
                        "`{PORT}` is for servers, with `start` and `connect`; `command` is spoken to over its standard \
                         input and output"
                    ));
                }
                Ok(Way::Program(self.program("command", command)?))
            }
            (None, start, Some(connect)) => {
                if restart && start.is_none() {
                    return Err(
                        "`reset = \"restart\"` needs `start`: only what sioco started can be started anew".into()
                    );
                }
                if start.is_none() && connect.contains(PORT) {
                    return Err(format!("`connect` has `{PORT}`, and there is no `start` that could use the port"));
                }
                if let Some(start) = start.as_ref().filter(|s| !s.contains(PORT) && connect.contains(PORT)) {
                    return Err(format!(
                        "`connect` has `{PORT}`, and `start` does not: `{start}` would not know the port"
                    ));
                }
                let started = start.as_ref().map(|start| self.program("start", start)).transpose()?;
                if let Some(address) = connect.strip_prefix("http://") {
                    return Ok(Way::Http(started, address.trim_end_matches('/').to_owned()));
                }
                if connect.starts_with("https://") {
                    return Err("`https://` needs TLS, which sioco does not speak; let a program that does forward \
                                to it, and write `http://127.0.0.1:PORT`"
                        .into());
                }
                match started {
                    Some(program) => match connect.strip_prefix("tcp://") {
                        Some(address) => Ok(Way::Host(program, address.to_owned())),
                        None => Err(format!(
                            "`connect` is `{connect}`; a server that is started is reached by `tcp://HOST:PORT` or `http://HOST:PORT`"
                        )),
                    },
                    None => match connect.parse()? {
                        SutSpec::Program(_) | SutSpec::Model(_) => Err(format!(
                            "`connect` is `{connect}`; write `tcp://HOST:PORT`, `ws://HOST:PORT/PATH` or `http://HOST:PORT`"
                        )),
                        spec => Ok(Way::There(spec)),
                    },
                }
            }
            (None, Some(_), None) => {
                Err("`start` says how the server is started; `connect` has to say where it is then".into())
            }
            (None, None, None) => Err("it needs `command`, or `connect`".into()),
            (Some(_), ..) => {
                Err("`command` is spoken to over its standard input and output; a server has `start` and `connect`"
                    .into())
            }
        }
    }

    fn connector(&self, way: Way, patience: Duration) -> Box<dyn Connector> {
        let restart = self.config.reset == ResetConfig::Restart;
        match way {
            Way::Program(program) => Box::new(program),
            Way::Host(program, address) => Box::new(Host::new(program, &address, patience, restart)),
            Way::There(spec) => spec.connector().unwrap_or_else(|_| unreachable!("models are no way")),
            Way::Http(..) => unreachable!("HTTP has a client of its own"),
        }
    }

    /// How to bring it back to its initial state, if something is left over after a reset.
    pub fn how_to_reset(&self) -> String {
        let table = format!("[sut.{}]", self.name);
        let before = "`before`, which sends what brings it back at the beginning of each run";
        match (&self.config.command, &self.config.start, self.config.reset) {
            (Some(_), ..) | (_, Some(_), ResetConfig::Restart) => {
                "it is started anew for every run: what it keeps must be somewhere else, in a file perhaps".into()
            }
            (None, Some(_), _) => {
                format!(
                    "in {table} of sioco.toml: {before}, or `reset = \"restart\"`, which starts it anew for each run"
                )
            }
            (None, None, _) => format!("in {table} of sioco.toml: {before}"),
        }
    }

    /// Whether it is a program that is spoken to over its standard input and output.
    pub fn is_started_program(&self) -> bool {
        self.config.command.is_some()
    }

    /// Its name in the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What happens when it is opened, in words.
    pub fn does(&self) -> String {
        let config = &self.config;
        let of = |program: &str| {
            let environment = config.environment.iter().map(|(name, value)| format!("{name}={} ", shell_word(value)));
            format!("starts `{}{program}`", environment.collect::<String>())
        };
        let directory = config.directory.as_ref().map(|folder| format!(" in `{}`", folder.shown()));
        match (config.command.as_ref().or(config.start.as_ref()), &config.connect) {
            (Some(program), _) => of(program) + &directory.unwrap_or_default(),
            (None, Some(address)) => format!("connects to `{address}`"),
            (None, None) => "starts nothing".into(),
        }
    }
}

/// Only what is permitted is started.
impl Permitted<Described> {
    /// What opens connections, if it speaks JSON.
    pub fn json_connector(&self) -> Option<Box<dyn Connector>> {
        let way = self.way().unwrap_or_else(|why| unreachable!("it was looked at before: {why}"));
        self.config.dialect.is_none().then(|| self.connector(way, Options::default().hello))
    }

    /// The system; it is started by its first reset.
    pub fn open<'a>(&self, model: &'a Model, patience: Duration, cancellation: &Cancellation) -> Box<dyn Sut + 'a> {
        let way = self.way().unwrap_or_else(|why| unreachable!("it was looked at before: {why}"));
        let keep = self.config.reset == ResetConfig::Keep;
        match (&self.dialect, way) {
            (Some(dialect), Way::Http(program, address)) => {
                let restart = self.config.reset == ResetConfig::Restart;
                let host = program.map(|program| Host::new(program, &address, patience, restart));
                let options = HttpOptions { before: self.config.before.clone(), patience, ..HttpOptions::default() };
                let http = Http::new(model, dialect, host, &address, options, cancellation.clone());
                Box::new(http.unwrap_or_else(|why| unreachable!("it was compiled before: {why:?}")))
            }
            (Some(dialect), way) => {
                let compiled = dialect.compile(model);
                let compiled = compiled.unwrap_or_else(|why| unreachable!("it was compiled before: {why:?}"));
                let before = self.config.before.clone();
                let options = TextOptions { before, order: self.order, keep, patience, ..TextOptions::default() };
                let connector = self.connector(way, patience);
                Box::new(TextClient::new(model, compiled, connector, options, cancellation.clone()))
            }
            (None, way) => {
                let json = |value: &toml::Value| serde_json::to_value(value).unwrap_or(Json::Null);
                let config: Map<String, Json> = self.config.config.iter().map(|(k, v)| (k.clone(), json(v))).collect();
                let options =
                    Options { hello: patience, reset: patience, write: patience, config, ..Options::default() };
                let connector = self.connector(way, patience);
                Box::new(Client::new(model, connector, options, cancellation.clone()))
            }
        }
    }
}
