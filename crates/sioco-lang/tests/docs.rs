//! The models in the documents are models: they check without a word and stand as the formatter writes them.

use std::path::Path;

use sioco_lang::check_text;
use sioco_lang::source::FileId;
use sioco_lang::syntax::format::format;

/// The fenced blocks of a document with exactly this tag.
fn blocks(text: &str, tag: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim_start() == format!("```{tag}") {
            let block: Vec<&str> = lines.by_ref().take_while(|l| l.trim_start() != "```").collect();
            found.push(block.join("\n") + "\n");
        }
    }
    found
}

#[test]
fn models_in_documents_are_clean_and_formatted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut count = 0;
    for name in ["README.md", "docs/language.md"] {
        let text = std::fs::read_to_string(root.join(name)).expect(name);
        for block in blocks(&text, "sts") {
            let checked = check_text(name, &block);
            assert_eq!(checked.diagnostics, [], "{name}\n{block}");
            assert!(checked.model.is_some(), "{name}\n{block}");
            assert_eq!(format(FileId(0), &block).expect("no errors"), block, "{name}");
            count += 1;
        }
    }
    assert!(count >= 2, "{count} models in the documents");
}
