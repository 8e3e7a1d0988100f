//! The reference page of all diagnostics.

use std::fmt::Write as _;

use sioco_lang::Code;

const INTRODUCTION: &str = "\
# Diagnostics

Everything that sioco can say about a model, by code. `sioco explain CODE` shows the same text in the terminal. Codes \
stay: what a code means does not change between versions, and a code that is no longer used is not given away again.

This page is written by `cargo xtask generate` from the explanations beside the code.
";

/// First letter, heading, and what the family is about.
const FAMILIES: &[(&str, &str, &str)] = &[
    ("F", "F: files", "Errors before any text is read: the file itself, or an import of it."),
    ("P", "P: parsing", "Errors in the form of the text."),
    ("N", "N: names", "Errors about names: unknown, declared twice, or taken."),
    ("T", "T: types and values", "Errors about what kind of value stands where, and about values known in advance."),
    ("M", "M: models", "Errors in how processes, switches and systems are put together."),
    ("W", "W: warnings", "The model can be used, but a part of it does nothing."),
];

/// The explanations start with a heading of level one; here they stand below a family.
const DEEPER: &str = "##";

pub fn page() -> String {
    let mut page = INTRODUCTION.to_owned();
    for (letter, title, about) in FAMILIES {
        write!(page, "\n## {title}\n\n{about}\n").expect("writing to a String does not fail");
        for code in Code::ALL.iter().filter(|code| code.short().starts_with(letter)) {
            page.push('\n');
            page.push_str(&section(code.short(), code.explanation()));
        }
    }
    page
}

fn section(code: &str, explanation: &str) -> String {
    let (first, body) = explanation.trim().split_once('\n').unwrap_or((explanation.trim(), ""));
    let title = first.trim_start_matches('#').trim();
    let code_is_said = title.starts_with(code);
    let title = if code_is_said { title.to_owned() } else { format!("{code}: {title}") };
    let mut section = format!("{DEEPER}# {title}\n");
    let mut in_fence = false;
    for line in body.trim_end().lines() {
        match line.trim_end() {
            "```sts wrong" => section.push_str("Wrong:\n\n```sts\n"),
            "```sts right" => section.push_str("Right:\n\n```sts\n"),
            line if line.starts_with('#') && !in_fence => section.extend([DEEPER, line, "\n"]),
            line => section.extend([line, "\n"]),
        }
        in_fence ^= line.starts_with("```");
    }
    section
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_move_and_examples_are_named() {
        let explanation = "# A name\n\nWords.\n\n```sts wrong\n# x\n```\n\n## More\n\n```sts right\ny\n```\n";
        let expected = "### N001: A name\n\nWords.\n\nWrong:\n\n```sts\n# x\n```\n\n#### More\n\n\
                        Right:\n\n```sts\ny\n```\n";
        assert_eq!(section("N001", explanation), expected);
        assert_eq!(section("N001", "# N001"), "### N001\n");
    }

    #[test]
    fn every_code_has_one_section() {
        let page = page();
        for code in Code::ALL {
            let headings = page.lines().filter(|line| line.starts_with(&format!("### {}", code.short())));
            assert_eq!(headings.count(), 1, "{code}");
        }
    }
}
