//! Command lines, as people type them.

use sioco_model::visible::is_hidden;

/// A word as a shell reads it: in quotes if need be, and with everything visible.
pub fn word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+=:,@%".contains(c);
    if word.chars().any(is_hidden) {
        let spelled = |c: char| match c {
            '\'' | '\\' => format!("\\{c}"),
            // Eight digits, so that what follows does not count to it.
            c if is_hidden(c) => format!("\\U{:08x}", c as u32),
            c => c.to_string(),
        };
        return format!("$'{}'", word.chars().map(spelled).collect::<String>());
    }
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
