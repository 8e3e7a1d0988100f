//! A model played as a system under test, for testers that connect over TCP or WebSocket.

use std::sync::{Arc, Mutex};

use sioco_adapter::server::{self, Serving};
use sioco_campaign::engine::Engine;
use sioco_exec::Player;
use sioco_lang::check::{Checked, CheckedModel};
use sioco_solve::{BackEnd, Cancellation, StateOracle};

use crate::exit::Exit;
use crate::failure::{Failure, plain};
use crate::interrupt;
use crate::output::Output;

/// Plays the model at an address until Ctrl-C.
pub fn serve(
    address: &str,
    source: &Checked,
    checked: &CheckedModel,
    back_end: &BackEnd,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let interrupted = interrupt::flag();
    let (scheme, place) = match (address.strip_prefix("ws://"), address.strip_prefix("tcp://")) {
        // Whatever path clients ask for, it is played there.
        (Some(place), _) => ("ws", place.split('/').next().unwrap_or_default()),
        (None, place) => ("tcp", place.unwrap_or(address)),
    };
    let (listener, got) = server::bind(place).map_err(|error| {
        let failure = Failure::usage(format!("cannot listen at `{address}`: {}", plain(&error)));
        failure.help("give an address and a port that is free, such as `127.0.0.1:7000`, or port 0 for any")
    })?;
    let model = &checked.model;
    let oracle = StateOracle::new(&model.terms, &model.sorts, back_end.clone());
    let place = |s| source.sources.show(checked.spans.switches[s].label);
    let cancellation = Cancellation::new([interrupted.clone()], None);
    let solvers = Engine::new(back_end, &cancellation).solvers();
    let player = Player::new(model).with_oracle(Arc::new(Mutex::new(oracle)));
    let mut player = player.with_solvers(&solvers).with_places(place);
    out.line(format_args!("{} plays at {scheme}://{got}; Ctrl-C ends it", model.name));
    out.flush();
    let serving = Serving { name: model.name.clone(), web_socket: scheme == "ws", ..Serving::default() };
    let served = server::listen(&listener, model, &mut player, &serving, &cancellation, &mut |text| out.say(text));
    match served {
        Ok(()) => Ok(Exit::Interrupted),
        Err(error) => {
            let message = Some(format!("listening at `{got}` failed: {}", plain(&error)));
            Err(Failure { exit: Exit::Infrastructure, message, help: None })
        }
    }
}
