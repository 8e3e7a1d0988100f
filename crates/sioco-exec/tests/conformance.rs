//! The tester against an independent oracle for ioco.

mod oracle;

use oracle::generate;
use oracle::lts::{Act, Lts};
use oracle::machine::Machine;
use oracle::mutate::mutant;
use oracle::rng::Rng;

#[test]
fn stat() {
    let (mut ok, mut big, mut wrong, mut bad) = (0, 0, 0, 0);
    let mut sizes = Vec::new();
    for seed in 0..500 {
        let mut rng = Rng::new(seed);
        let spec = generate::spec(&mut rng);
        let checked = sioco_lang::check::check_text("test.sts", &spec.text());
        assert!(checked.model.is_some(), "{:?}\n{}", checked.diagnostics, spec.text());
        if seed < 5 {
            println!("{}", spec.text());
        }
        let lts = Lts::of(&spec);
        let Some(machine) = Machine::conforming(&lts, &mut rng) else {
            big += 1;
            continue;
        };
        assert_eq!(machine.ioco(&lts), Ok(()));
        sizes.push(machine.nodes.len());
        ok += 1;
        let m = mutant(&mut rng, &spec);
        match Machine::play(&Lts::of(&m)).map(|m| m.ioco(&lts)) {
            None => {}
            Some(Ok(())) => wrong += 1,
            Some(Err(_)) => bad += 1,
        }
    }
    sizes.sort();
    println!(
        "{ok} {big} conf mutants {wrong} non {bad} median {} max {}",
        sizes[sizes.len() / 2],
        sizes[sizes.len() - 1]
    );
}
