//! The stepper behind `sioco simulate`: what can be asked for, and what a session of stepping knows.

pub mod choices;
mod event;
pub mod lines;
pub mod refusal;
pub mod request;
pub mod script;
pub mod serve;
pub mod session;
pub mod solving;
