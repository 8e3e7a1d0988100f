//! x
pub mod child;
pub mod client;
pub mod gates;
pub mod group;
pub mod lines;
pub mod protocol;
pub mod spec;
pub mod tcp;
pub mod transport;
pub mod values;
