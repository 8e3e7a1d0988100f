//! The mutants that no test can catch, or none should: each with its reason, in a file that is checked in.

use toml::{Table, Value};

/// A mutant that may survive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Excuse {
    pub file: String,
    pub function: String,
    pub change: String,
    pub reason: String,
}

/// Reads the file: `[[mutant]]` with `file`, `function`, `change` and `reason`.
pub fn read(text: &str) -> Result<Vec<Excuse>, String> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| error.to_string())?;
    if let Some(key) = table.keys().find(|key| *key != "mutant") {
        return Err(format!("`{key}` is not known; there is only [[mutant]]"));
    }
    let Some(list) = table.get("mutant") else { return Ok(Vec::new()) };
    let list = list.as_array().ok_or("`mutant` is a list: write [[mutant]]")?;
    list.iter().enumerate().map(|(at, value)| excuse(at + 1, value)).collect()
}

fn excuse(at: usize, value: &Value) -> Result<Excuse, String> {
    let table = value.as_table().ok_or_else(|| format!("mutant {at} is no table"))?;
    if let Some(key) = table.keys().find(|k| !["file", "function", "change", "reason"].contains(&k.as_str())) {
        return Err(format!("mutant {at}: `{key}` is not known"));
    }
    let text = |key: &str| match table.get(key).and_then(Value::as_str) {
        Some(text) if !text.trim().is_empty() => Ok(text.to_owned()),
        _ => Err(format!("mutant {at}: `{key}` is missing")),
    };
    Ok(Excuse { file: text("file")?, function: text("function")?, change: text("change")?, reason: text("reason")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excuses_have_reasons() {
        let text = "[[mutant]]\nfile = \"a.rs\"\nfunction = \"f\"\nchange = \"return `1`\"\n";
        let read_one = read(&format!("{text}reason = \"so\"\n")).unwrap();
        assert_eq!(read_one[0].change, "return `1`");
        assert_eq!(read("").unwrap(), []);
        assert_eq!(read(text).unwrap_err(), "mutant 1: `reason` is missing");
        assert_eq!(read(&format!("{text}reason = \" \"\n")).unwrap_err(), "mutant 1: `reason` is missing");
        assert_eq!(read(&format!("{text}line = 1\n")).unwrap_err(), "mutant 1: `line` is not known");
        assert!(read("[other]").unwrap_err().contains("only [[mutant]]"));
        assert!(read("mutant = 1").is_err() && read("mutant = [1]").is_err() && read("[[").is_err());
    }
}
