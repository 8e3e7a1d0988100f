//! What the papers say about their examples, checked on the models in `examples/`. The README of each example lists
//! the statements.

mod accumulator;
mod atm;
mod brp;
mod ceiling_speed_monitor;
mod coffee;
mod prepaid_card;
mod readme;
mod semantics;
mod trace_figures;
