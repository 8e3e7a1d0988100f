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

/// The document lists exactly the words that the lexer keeps for itself.
#[test]
fn reserved_words_are_listed() {
    let lexer = include_str!("../src/syntax/lexer.rs");
    let tokens = lexer.lines().filter_map(|line| line.trim().strip_prefix("#[token(\"")?.strip_suffix("\")]"));
    let words: Vec<&str> = tokens.filter(|t| t.starts_with(|c: char| c.is_ascii_lowercase())).collect();
    assert!(words.len() > 20 && words.contains(&"state"), "{words:?}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/language.md");
    let text = std::fs::read_to_string(path).expect("docs/language.md");
    let (_, list) = text.split_once("These words are reserved and cannot be names: ").expect("the list");
    let (list, _) = list.split_once(". ").expect("its end");
    let listed: Vec<&str> = list.split(", ").map(|word| word.trim_matches('`')).collect();
    let mut sorted = words.clone();
    sorted.sort_unstable();
    assert_eq!(listed, sorted);
    // Each of them is one to the parser as well.
    for word in words {
        let text = format!("input {word}\nprocess P {{ init l {{ ?{word} -> l }} }}\n");
        assert!(check_text("m.sts", &text).model.is_none(), "{word}");
    }
}
