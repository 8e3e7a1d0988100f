//! The outside world: what connects a system under test with the tester (T-O1, T-Q1, T-E1, T-E2, T-E3, T-E4).
//!
//! - [`protocol`], [`values`]: the messages between tester and adapter, lines of JSON, and the values in them;
//! - [`lines`]: streams as lines, with limits, deadlines and interrupts;
//! - [`child`], [`tcp`], [`ws`]: adapters as child processes and servers, kinds of [`transport`]; [`group`] ends children
//!   with all they started;
//! - [`client`]: the tester's side, an adapter as a [`Sut`](sioco_exec::Sut); [`gates`] compares its gates with the
//!   model's;
//! - [`text`], [`http`]: systems that speak plain text or HTTP, each as a `Sut`, by what [`config`] says; [`host`] starts
//!   servers;
//! - [`server`]: the adapter's side, any `Sut` for testers elsewhere;
//! - [`in_process`]: Rust code as a `Sut`, without any protocol;
//! - [`log`]: what somebody wrote down of a conversation, for `judge`;
//! - [`spec`]: where the system is, as a command line says it.
//!
//! No other crate that people run reaches the network, or other processes except solvers. Whatever they do, it never becomes
//! a verdict on the system unless it is an observation by the rules: everything else is a [`Fault`](sioco_exec::Fault). How
//! to connect a system is told in `docs/adapters.md`.

pub mod child;
pub mod client;
pub mod config;
mod crash;
pub mod gates;
pub mod group;
pub mod host;
pub mod http;
pub mod in_process;
pub mod lines;
pub mod log;
mod owner;
pub mod protocol;
#[cfg(feature = "schema")]
pub mod schema;
pub mod server;
pub mod spec;
mod startup;
pub mod tcp;
pub mod text;
pub mod transport;
pub mod values;
pub mod ws;

pub use client::{Client, ConnectionOptions};
pub use in_process::InProcess;
pub use lines::Interrupt;
pub use spec::SutSpec;

/// The Rust in the document compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/adapters.md")]
mod document {}
