//! The picture of the crates in `docs/architecture.md`.

use std::fmt::Write as _;

use crate::layers::LAYERS;
use crate::project::Project;

pub fn markdown(project: &Project) -> String {
    draw(&|name| project.has_crate(name))
}

fn draw(exists: &dyn Fn(&str) -> bool) -> String {
    let mut text = "| crate | job | stands on |\n| --- | --- | --- |\n".to_owned();
    let mut line = |line: String| writeln!(text, "{line}").expect("writing to a String does not fail");
    for layer in LAYERS {
        let planned = if exists(layer.name) { "" } else { " (planned)" };
        let below: Vec<String> = layer.below.iter().map(|name| format!("`{name}`")).collect();
        let below = if below.is_empty() { "nothing".to_owned() } else { below.join(", ") };
        line(format!("| `{}`{planned} | {} | {below} |", layer.name, layer.job));
    }
    line("\n```mermaid\ngraph TD".to_owned());
    line("  classDef planned stroke-dasharray: 5 5".to_owned());
    for layer in LAYERS {
        let planned = if exists(layer.name) { "" } else { ":::planned" };
        line(format!("  {}{planned}", layer.name));
        for below in layer.below {
            line(format!("  {} --> {below}", layer.name));
        }
    }
    line("```".to_owned());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planned_crates_are_marked() {
        let text = draw(&|name| name != "sioco-plan");
        assert!(text.contains("| `sioco-plan` (planned) |") && text.contains("  sioco-plan:::planned\n"));
        assert!(text.contains("| `sioco-model` | ") && text.contains("| nothing |"));
        assert!(text.contains("  sioco-lang --> sioco-model\n"));
    }
}
