//! The little Markdown of our explanations, as text for a terminal or a pipe.

use crate::style::Style;

/// Code stands this far to the right.
const INDENT: &str = "    ";

/// Sets a text: headings bold, code indented, paragraphs as wide as asked for.
pub fn render(markdown: &str, style: Style, width: usize) -> String {
    let mut out = String::new();
    let mut paragraph = String::new();
    let mut lines = markdown.lines();
    while let Some(line) = lines.next() {
        let trimmed = line.trim_start();
        if let Some(info) = trimmed.strip_prefix("```") {
            end_paragraph(&mut out, &mut paragraph, style, width);
            out.push_str(&caption(info, style));
            for code in lines.by_ref().take_while(|code| !code.trim_start().starts_with("```")) {
                let code = format!("{INDENT}{code}");
                out.push_str(&style.cyan(code.trim_end()));
                out.push('\n');
            }
        } else if trimmed.is_empty() {
            end_paragraph(&mut out, &mut paragraph, style, width);
            out.push('\n');
        } else if trimmed.starts_with('#') {
            end_paragraph(&mut out, &mut paragraph, style, width);
            out.push_str(&style.bold(trimmed.trim_start_matches('#').trim()));
            out.push('\n');
        } else if trimmed.starts_with('|') {
            end_paragraph(&mut out, &mut paragraph, style, width);
            out.push_str(&inline(line, style));
            out.push('\n');
        } else {
            if item(line).is_some() {
                end_paragraph(&mut out, &mut paragraph, style, width);
            }
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(if paragraph.is_empty() { line } else { trimmed });
        }
    }
    end_paragraph(&mut out, &mut paragraph, style, width);
    out
}

/// Examples say in their fence whether they are right.
fn caption(info: &str, style: Style) -> String {
    match info.split_whitespace().nth(1) {
        Some("wrong") => format!("{}\n", style.red("wrong:")),
        Some("right") => format!("{}\n", style.green("right:")),
        _ => String::new(),
    }
}

/// How far the text of a list item stands to the right.
fn item(line: &str) -> Option<usize> {
    let trimmed = line.trim_start();
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let mark = if trimmed.starts_with("- ") || trimmed.starts_with("* ") {
        2
    } else if digits > 0 && trimmed[digits..].starts_with(". ") {
        digits + 2
    } else {
        return None;
    };
    Some(line.len() - trimmed.len() + mark)
}

fn end_paragraph(out: &mut String, paragraph: &mut String, style: Style, width: usize) {
    if paragraph.is_empty() {
        return;
    }
    let hanging = item(paragraph).unwrap_or(0);
    let first = paragraph.len() - paragraph.trim_start().len();
    let mut set = " ".repeat(first);
    let mut column = first;
    let mut begun = false;
    for word in paragraph.split_whitespace() {
        let length = visible(word, style);
        if begun && column + 1 + length > width {
            set.push('\n');
            set.push_str(&" ".repeat(hanging));
            column = hanging;
        } else if begun {
            set.push(' ');
            column += 1;
        }
        set.push_str(word);
        column += length;
        begun = true;
    }
    out.push_str(&inline(&set, style));
    out.push('\n');
    paragraph.clear();
}

/// The columns that a word takes once its marks are gone.
fn visible(word: &str, style: Style) -> usize {
    let word = word.replace("**", "");
    word.chars().filter(|c| !style.on || *c != '`').count()
}

/// Marks inside of a line: code, which keeps its marks where it cannot have a colour, and strong words.
fn inline(text: &str, style: Style) -> String {
    let mut out = String::new();
    for (i, part) in text.split('`').enumerate() {
        if i % 2 == 0 {
            for (j, word) in part.split("**").enumerate() {
                out.push_str(&if j % 2 == 0 { word.to_owned() } else { style.bold(word) });
            }
        } else if style.on {
            out.push_str(&style.cyan(part));
        } else {
            out.push_str(&format!("`{part}`"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# A title\n\nSome `code` and\n**strong** words here.\n\n- one item that is long\n- two\n\n\
        ```sts wrong\nx\n\n  y\n```\n";

    #[test]
    fn plain() {
        let text = render(PAGE, Style { on: false }, 16);
        assert_eq!(
            text,
            "A title\n\nSome `code` and\nstrong words\nhere.\n\n- one item that\n  is long\n- two\n\n\
             wrong:\n    x\n\n      y\n"
        );
    }

    #[test]
    fn on_a_terminal() {
        let text = render(PAGE, Style { on: true }, 80);
        let text = sioco_report::style::print(&text);
        assert!(text.starts_with("\x1b[1mA title\x1b[0m\n\nSome \x1b[36mcode\x1b[0m and \x1b[1mstrong"), "{text:?}");
    }

    #[test]
    fn every_page_can_be_shown() {
        for code in sioco_lang::Code::ALL {
            let text = render(code.explanation(), Style { on: false }, 80);
            assert!(text.starts_with(code.title()), "{code}");
        }
    }
}
