//! A system under test that `sioco.toml` describes.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value as Json};
use sioco_adapter::child::Program;
use sioco_adapter::client::{Client, ConnectionOptions};
use sioco_adapter::config::{Exchange, ResetConfig, SutConfig};
use sioco_adapter::host::{Host, PORT};
use sioco_adapter::http::{Http, HttpOptions};
use sioco_adapter::spec::SutSpec;
use sioco_adapter::text::{Dialect, DialectError, Plain, TextClient, TextOptions, torxakis};
use sioco_adapter::transport::Connector;
use sioco_exec::{Order, Sut};
use sioco_model::Model;
use sioco_model::names::did_you_mean;
use sioco_solve::Cancellation;
use sioco_solve::smt::process::words;

use super::way_error::WayError;
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
                wrong(format!("`order` must be \"sut\" or \"sent\", not \"{order}\"{help}"))
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
        let way = described.way().map_err(|why| wrong(why.to_string()))?;
        described.useless(&way).map_err(|why| wrong(why.to_string()))?;
        if let (Some(_), Some(model)) = (&described.dialect, model) {
            described.remarks(model).map_err(|all| {
                let all: Vec<String> = all.iter().map(DialectError::to_string).collect();
                Failure::usage(format!("`{}` does not fit the model:\n  {}", project.file(), all.join("\n  ")))
            })?;
        }
        Ok(Some(described))
    }

    /// Compiles its dialect for a model: what is wrong with it, and otherwise what may not be meant like this.
    pub fn remarks(&self, model: &Model) -> Result<Vec<String>, Vec<DialectError>> {
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
    fn useless(&self, way: &Way) -> Result<(), WayError> {
        let config = &self.config;
        let http = matches!(way, Way::Http(..));
        let json = config.dialect.is_none();
        let keep = config.reset == ResetConfig::Keep;
        let started = config.command.is_some() || config.start.is_some();
        let of_text =
            |e: &Exchange| e.request.is_none() && e.status.is_none() && (e.send.is_some() || e.expect.is_some());
        let of_http = |e: &Exchange| e.request.is_some() && e.send.is_none() && e.expect.is_none();
        Err(if http && json {
            WayError::HttpWithoutDialect
        } else if json && !config.before.is_empty() {
            WayError::BeforeOfAdapter
        } else if http && !config.before.iter().all(of_http) {
            WayError::BeforeOfHttp
        } else if !http && !config.before.iter().all(of_text) {
            WayError::BeforeOfText
        } else if http && config.order.is_some() {
            WayError::OrderOfHttp
        } else if json && config.order.is_some() {
            WayError::OrderOfAdapter
        } else if keep && (http || json) {
            WayError::Keep
        } else if !json && !config.config.is_empty() {
            WayError::ConfigOfDialect
        } else if !json && matches!(way, Way::There(SutSpec::Ws(_))) {
            WayError::TextOverWebSocket
        } else if !(started || config.environment.is_empty() && config.directory.is_none()) {
            WayError::NothingStarted
        } else {
            return Ok(());
        })
    }

    fn program(&self, key: &'static str, text: &str) -> Result<Program, WayError> {
        let words = words(text).map_err(|why| WayError::Command { key, why })?;
        if words.iter().all(String::is_empty) {
            return Err(WayError::EmptyCommand(key));
        }
        let directory = match &self.config.directory {
            Some(directory) => self.root.join(directory),
            None => self.root.clone(),
        };
        let environment = self.config.environment.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        Ok(Program { words, environment, directory: Some(directory) })
    }

    fn way(&self) -> Result<Way, WayError> {
        let config = &self.config;
        let restart = config.reset == ResetConfig::Restart;
        match (&config.command, &config.start, &config.connect) {
            (Some(command), None, None) => {
                if command.contains(PORT) || config.environment.values().any(|value| value.contains(PORT)) {
                    return Err(WayError::PortOfCommand);
                }
                Ok(Way::Program(self.program("command", command)?))
            }
            (None, start, Some(connect)) => {
                if restart && start.is_none() {
                    return Err(WayError::RestartWithoutStart);
                }
                if start.is_none() && connect.contains(PORT) {
                    return Err(WayError::PortWithoutStart);
                }
                if let Some(start) = start.as_ref().filter(|s| !s.contains(PORT) && connect.contains(PORT)) {
                    return Err(WayError::PortUnknown { start: start.clone() });
                }
                let started = start.as_ref().map(|start| self.program("start", start)).transpose()?;
                if let Some(address) = connect.strip_prefix("http://") {
                    return Ok(Way::Http(started, address.trim_end_matches('/').to_owned()));
                }
                if connect.starts_with("https://") {
                    return Err(WayError::Tls);
                }
                match started {
                    Some(program) => match connect.strip_prefix("tcp://") {
                        Some(address) => Ok(Way::Host(program, address.to_owned())),
                        None => Err(WayError::ConnectToStarted { connect: connect.clone() }),
                    },
                    None => match connect.parse().map_err(WayError::Address)? {
                        SutSpec::Program(_) | SutSpec::Model(_) => {
                            Err(WayError::ConnectToNothing { connect: connect.clone() })
                        }
                        spec => Ok(Way::There(spec)),
                    },
                }
            }
            (None, Some(_), None) => Err(WayError::StartWithoutConnect),
            (None, None, None) => Err(WayError::Nothing),
            (Some(_), ..) => Err(WayError::CommandAndServer),
        }
    }

    fn connector(&self, way: Way, patience: Duration) -> Box<dyn Connector> {
        match way {
            Way::Program(program) => Box::new(program),
            Way::Host(program, address) => Box::new(Host::new(program, &address, patience, self.config.reset)),
            Way::There(spec) => spec.connector().unwrap_or_else(|_| unreachable!("models are no way")),
            Way::Http(..) => unreachable!("HTTP has a client of its own"),
        }
    }

    /// How to bring it back to its initial state, if something is left over after a reset.
    pub fn how_to_reset(&self) -> String {
        let table = format!("[sut.{}]", self.name);
        let before = "add `before`, which brings it back at the beginning of each run";
        match (&self.config.command, &self.config.start, self.config.reset) {
            (Some(_), ..) | (_, Some(_), ResetConfig::Restart) => {
                "it is restarted for every run, so it must keep its state elsewhere, perhaps in a file".into()
            }
            (None, Some(_), _) => {
                format!("in {table} of sioco.toml: {before}, or `reset = \"restart\"`, which restarts it for each run")
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
        self.config.dialect.is_none().then(|| self.connector(way, ConnectionOptions::default().hello))
    }

    /// The system; it is started by its first reset.
    pub fn open<'a>(&self, model: &'a Model, patience: Duration, cancellation: &Cancellation) -> Box<dyn Sut + 'a> {
        let way = self.way().unwrap_or_else(|why| unreachable!("it was looked at before: {why}"));
        let keep = self.config.reset == ResetConfig::Keep;
        match (&self.dialect, way) {
            (Some(dialect), Way::Http(program, address)) => {
                let host = program.map(|program| Host::new(program, &address, patience, self.config.reset));
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
                let options = ConnectionOptions {
                    hello: patience,
                    reset: patience,
                    write: patience,
                    config,
                    ..ConnectionOptions::default()
                };
                let connector = self.connector(way, patience);
                Box::new(Client::new(model, connector, options, cancellation.clone()))
            }
        }
    }
}
