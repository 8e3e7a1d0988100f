//! The targets under libFuzzer, steered by coverage. Needs a C++ compiler, but no nightly:
//!
//! ```text
//! RUSTFLAGS="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
//!   -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
//!   -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 -Cdebug-assertions" \
//!   cargo build --release -p sioco-fuzz --features libfuzzer --bin sioco-libfuzzer --target HOST
//! SIOCO_FUZZ=parser sioco-libfuzzer CORPUS -max_total_time=600 -timeout=5
//! ```
//!
//! `--target`, even if it is the host, keeps the flags away from build scripts. `sioco-fuzz TARGET --seeds FOLDER`
//! writes a corpus to start from.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use sioco_fuzz::mutate::{Mutator, Rng};
use sioco_fuzz::{Seen, Target, seeds};

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let name = std::env::var("SIOCO_FUZZ").unwrap_or_default();
    sioco_fuzz::target(&name).expect("SIOCO_FUZZ names a target, such as parser")
});

static SEEDS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| seeds::all(*TARGET, "examples".as_ref()));

fuzz_target!(|data: &[u8]| (TARGET.run)(data, &mut Seen::default()));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let mut rng = Rng::new(u64::from(seed));
    if rng.below(4) == 0 {
        return fuzzer_mutate(data, size, max_size);
    }
    let other = rng.pick(&SEEDS).map_or(&[][..], |s| s);
    let new = Mutator { kind: TARGET.kind }.change(&data[..size], other, &mut rng, max_size);
    let length = new.len().min(max_size);
    data[..length].copy_from_slice(&new[..length]);
    length
});
