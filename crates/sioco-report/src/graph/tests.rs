use super::samples::*;
use super::*;

fn draw(model: &Model) -> String {
    svg(model, &default_text(model), &Options::default())
}

/// Writes the pictures where a person can look at them.
#[test]
#[ignore = "for looking at"]
fn gallery() {
    let folder = std::path::PathBuf::from(std::env::var("GALLERY").expect("GALLERY says where"));
    let models = [
        ("brp", brp(false)),
        ("brp-names", brp(true)),
        ("accumulator", accumulator()),
        ("busy", busy()),
        ("pair", pair()),
        ("random40", random(40, 70, 7)),
        ("random200", random(200, 380, 3)),
    ];
    for (name, model) in models {
        let text = default_text(&model);
        let before = std::time::Instant::now();
        std::fs::write(folder.join(format!("{name}.svg")), draw(&model)).expect("writable");
        eprintln!("{name}: {:?}", before.elapsed());
        std::fs::write(folder.join(format!("{name}.dot")), dot(&model, &text, &Options::default())).expect("writable");
        std::fs::write(folder.join(format!("{name}.mmd")), mermaid(&model, &text, &Options::default()))
            .expect("writable");
    }
}
