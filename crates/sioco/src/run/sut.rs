//! The system under test that `--sut` names.

use std::path::Path;
use std::time::Duration;

use sioco_adapter::client::{Client, ConnectionOptions};
pub use sioco_adapter::spec::SutSpec;
use sioco_adapter::transport::Connector;
use sioco_campaign::engine::Engine;
use sioco_campaign::played::Played;
use sioco_exec::player::{Manners, Unspecified};
use sioco_exec::{Player, Sut};
use sioco_lang::check::{Checked, CheckedModel};
use sioco_model::Model;
use sioco_solve::Cancellation;
use sioco_solve::smt::locate::on_path;
use sioco_symbolic::path::SolverFactory;

use super::described::Described;
use super::sendable;
use crate::failure::Failure;
use crate::files::ShownPath;
use crate::model::{Choices, load};
use crate::output::Output;
use crate::permission::{self, Permitted, Wish};
use crate::project::Project;

/// A system that is known, and not started yet.
pub enum Prepared {
    /// An adapter.
    Adapter(Permitted<SutSpec>),
    /// What the project's file describes.
    Described(Box<Permitted<Described>>),
    /// A model that plays it.
    Model(Box<Role>),
}

/// A model that plays the system.
pub struct Role {
    checked: Checked,
    model: CheckedModel,
    /// Its file, and that of the model that is tested against.
    files: [String; 2],
}

/// Finds the system that is wished for, and whether it may be started; reads the played model, if it is one. The
/// file and the model are those that are tested against.
pub fn prepare(
    wish: &Wish<'_>,
    file: &Path,
    model: Option<&Model>,
    choices: &Choices,
    out: &mut Output,
) -> Result<Prepared, Failure> {
    let project = Project::of(file)?;
    if let Some(described) = Described::find(&project, wish.sut, model)? {
        let described = permission::described(described, wish, &project, out)?;
        return Ok(Prepared::Described(Box::new(described)));
    }
    let spec: SutSpec = wish.sut.parse().map_err(|why| Failure::usage(format!("`--sut`: {why}")))?;
    if let (SutSpec::Program(program), false) = (&spec, project.config.sut.is_empty())
        && let [word] = &program.words[..]
        && !word.contains(['/', '\\'])
        && on_path(word).is_none()
        // What is in the way of starting a file is told when that is tried.
        && !Path::new(word).is_file()
    {
        let file = project.file();
        let failure = Failure::usage(format!(
            "`--sut`: `{word}` is neither a program in the PATH nor a name in \
                                              `{file}`"
        ));
        return Err(failure.help(project.suggestion(word)));
    }
    let spec = permission::given(spec, wish, &project, out)?;
    let SutSpec::Model(played) = &*spec else { return Ok(Prepared::Adapter(spec)) };
    // What was chosen about the model says nothing about another file.
    let none = Choices::default();
    let choices = if is_same(played, file) { choices } else { &none };
    let (checked, model) = load(played, choices, out)?;
    Ok(Prepared::Model(Box::new(Role { checked, model, files: [played.shown(), file.shown()] })))
}

/// Keeps values from a model that the system cannot be sent.
pub fn narrow(prepared: &Prepared, model: &mut Model) {
    if let Prepared::Described(described) = prepared {
        let plain = described.plain(model);
        sendable::narrow(model, &plain);
    }
}

/// The system; it is started by its first reset. An adapter gets so much time for each answer, and waits for it end with the
/// cancellation. Where refusals are judged
/// (S2 definition 6), a model that plays the system refuses what it does not specify; elsewhere such inputs change nothing,
/// as in a system that takes every input.
pub fn open<'a>(
    prepared: &'a Prepared,
    model: &'a Model,
    (engine, solvers): (Engine<'a>, SolverFactory<'a>),
    patience: Duration,
    refusals: bool,
    cancellation: &Cancellation,
) -> Box<dyn Sut + 'a> {
    let connector: Box<dyn Connector> = match prepared {
        Prepared::Adapter(spec) => spec.opener().unwrap_or_else(|_| unreachable!("a played model was read")),
        Prepared::Described(described) => return described.open(model, patience, cancellation),
        Prepared::Model(role) => {
            let Role { checked, model: played, files: [played_file, model_file] } = &**role;
            let place = |s| checked.sources.show(played.spans.switches[s].label);
            let unspecified = if refusals { Unspecified::Refuse } else { Unspecified::Ignore };
            let player = Player::new(&played.model)
                .with_manners(Manners { unspecified, ..Manners::default() })
                .with_oracle(engine.oracle(&played.model).0)
                .with_solvers(solvers)
                .with_places(place);
            return Box::new(Played::new(player, &played.model, model).in_files(played_file, model_file));
        }
    };
    let options =
        ConnectionOptions { hello: patience, reset: patience, write: patience, ..ConnectionOptions::default() };
    Box::new(Client::new(model, connector, options, cancellation.clone()))
}

/// Whether two paths name the same file, however they are written.
fn is_same(a: &Path, b: &Path) -> bool {
    a == b || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
