//! Whether the engine knows crashes (`cfg(crashed)`), so that one oracle can be held against engines before and after
//! that.

use std::{env, fs};

fn main() {
    let engine = format!("{}/../sioco-exec/src/event.rs", env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    println!("cargo::rerun-if-changed={engine}");
    println!("cargo::rustc-check-cfg=cfg(crashed)");
    if fs::read_to_string(&engine).is_ok_and(|text| text.contains("Crashed(")) {
        println!("cargo::rustc-cfg=crashed");
    }
}
