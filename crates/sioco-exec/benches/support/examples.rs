//! The examples, as models to try a tester on.

use std::path::{Path, PathBuf};

use sioco_lang::check::{check_file, check_text};
use sioco_lang::source::FsLoader;
use sioco_model::Model;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// An example by its path.
pub fn example(name: &str) -> Model {
    let checked = check_file(&folder().join(name), &FsLoader, &Default::default());
    checked.model.unwrap_or_else(|| panic!("{name} is a model: {:?}", checked.diagnostics)).model
}

/// A model of the Bounded Retransmission Protocol whose messages are from this type.
pub fn brp(name: &str, message: &str) -> Model {
    let read = |name: &str| std::fs::read_to_string(folder().join("brp").join(name)).expect("the example is there");
    let common = read("common.sts").replace("type Message = Int\n", &format!("type Message = {message}\n"));
    assert!(common.contains(message));
    let text = read(name).replace("import \"common.sts\"\n", &common);
    let checked = check_text(name, &text);
    checked.model.unwrap_or_else(|| panic!("{name} is a model: {:?}", checked.diagnostics)).model
}

/// The specifications among the examples, by name. Free variables have a value here: what a system with other values
/// does cannot be told apart from a fault by looking at some values only.
pub fn specifications() -> Vec<(String, Model)> {
    let mut names: Vec<String> = [
        "accumulator/accumulator",
        "atm/atm",
        "atm/atm-two-processes",
        "brp/brp",
        "ceiling-speed-monitor/csm",
        "coffee/coffee",
        "coffee/coffee-free",
        "prepaid-card/spec",
    ]
    .map(String::from)
    .to_vec();
    let figures = std::fs::read_dir(folder().join("trace-figures")).expect("the examples are there");
    let mut figures: Vec<String> = figures
        .filter_map(|entry| entry.ok()?.path().file_stem()?.to_str().map(String::from))
        .filter(|name| name.starts_with("fig") && !name.ends_with("-sut"))
        .collect();
    figures.sort();
    names.extend(figures.iter().map(|name| format!("trace-figures/{name}")));
    let load = |name: String| {
        let mut model = example(&format!("{name}.sts"));
        for v in model.variables.ids().collect::<Vec<_>>() {
            let default = model.sorts.default_value(model.variables[v].sort);
            model.variables[v].initial.get_or_insert(default);
        }
        let short = name.rsplit('/').next().expect("a last part").to_string();
        (short, model)
    };
    names.into_iter().map(load).collect()
}
