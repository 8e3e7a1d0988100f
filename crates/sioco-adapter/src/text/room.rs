//! How much memory the templates of a dialect may take together: a short file can describe very large ones.

use regex_automata::meta::{Builder, Regex};

use super::error::RegexError;

/// Values may take this many bytes of memory in all while a text is read: many times what anybody needs, and little for
/// a machine.
pub(super) const SIZE: usize = 32 << 20;
/// One value that is too large by itself uses up this much of the room, so that a few of them end the reading.
pub(super) const ALONE: usize = 10 << 20;

/// Room for regular expressions.
pub(crate) struct Room {
    left: Option<usize>,
}

impl Room {
    /// All of it.
    pub(crate) fn new() -> Room {
        Room { left: Some(SIZE) }
    }

    /// Whether nothing more fits: then that was told, and the rest need not be looked at.
    pub(crate) fn is_full(&self) -> bool {
        self.left.is_none()
    }

    /// A regular expression, for a template that is written as `text`; or what is wrong with it.
    pub(crate) fn build(&mut self, builder: &Builder, pattern: &str, text: &str) -> Result<Regex, RegexError> {
        let built = builder.build(pattern);
        let (size, result) = match built {
            Ok(regex) => (regex.memory_usage(), Ok(regex)),
            Err(error) if error.size_limit().is_some() => (ALONE, Err(RegexError::TooLarge(text.to_owned()))),
            Err(error) => (0, Err(RegexError::Unreadable { text: text.to_owned(), why: error.to_string() })),
        };
        self.left = self.left.and_then(|left| left.checked_sub(size));
        match self.left {
            Some(_) => result,
            None => Err(RegexError::TooLargeTogether(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use sioco_model::Model;

    use crate::config::Config;
    use crate::text::Dialect;

    fn model() -> Model {
        let text = "input go(n: Int)\noutput done\nprocess P { init l { ?go(n) -> l\n!done -> l } }";
        sioco_lang::check_text("m.sts", text).model.expect("a model").model
    }

    /// What is wrong with a dialect for the model, and for any.
    fn wrong(input: &str, output: &str) -> Vec<String> {
        let text = format!("[dialect.d]\ninputs.go = {input}\noutputs.done = [{output}]\n");
        let config: Config = text.parse().unwrap_or_else(|why| panic!("{why}"));
        let dialect = Dialect { name: "d".into(), config: config.dialect["d"].clone() };
        let mut all = dialect.mistakes();
        match input.starts_with('{') {
            true => all.extend(crate::http::Http::check(&model(), &dialect).err().unwrap_or_default()),
            false => all.extend(dialect.compile(&model()).err().unwrap_or_default()),
        }
        all.iter().map(|why| why.to_string()).collect()
    }

    /// A file of some kilobytes must not take gigabytes, or minutes, and is not answered with thousands of mistakes.
    #[test]
    fn short_templates_for_much_are_refused_together() {
        let go = "'GO {n}'";
        let many = |template: &str| vec![template; 300].join(", ");
        assert_eq!(wrong(go, "'DONE', { regex = '(x{100}){100}' }"), [""; 0]);
        for (input, output, expected) in [
            (go, many("{ regex = '(x{100}){100}' }"), "together with the templates before it"),
            (go, many("{ regex = '(x{1000}){1000}' }"), "is too large: it takes"),
            (go, many("'{repeat(x, 100000)}'"), "together with the templates before it"),
            ("{ method = 'GET', path = '/' }", many("{ regex = '(x{100}){100}' }"), "together with the templates"),
        ] {
            let found = wrong(input, &output);
            assert!((1..=10).contains(&found.len()), "{} mistakes", found.len());
            assert!(found.iter().any(|why| why.contains(expected)), "{expected}: {}", found[0]);
        }
        let texts = "{repeat(x, 1000000)}".repeat(300);
        let headers: Vec<String> = (0..300).map(|i| format!("h{i} = '{{repeat(x, 1000000)}}'")).collect();
        let request = format!("{{ method = 'GET', path = '/', headers = {{ {} }} }}", headers.join(", "));
        for input in [format!("'{texts}'"), request] {
            let found = wrong(&input, "{ regex = 'a' }");
            assert!(found.iter().any(|why| why.contains("longer than 1 MiB")), "{found:.200?}");
        }
    }

    /// The search for templates that overlap ends, however long they are and however many.
    #[test]
    fn templates_that_overlap_in_many_ways_are_told_in_part() {
        let texts = |output: &str| {
            let text = format!("[dialect.d]\ninputs.go = 'GO {{n}}'\noutputs.done = [{output}]\n");
            let config: Config = text.parse().unwrap_or_else(|why| panic!("{why}"));
            let dialect = Dialect { name: "d".into(), config: config.dialect["d"].clone() };
            dialect.compile(&model()).unwrap_or_else(|why| panic!("{why:?}")).remarks
        };
        let long = texts("{ regex = 'x{30000}a' }, { regex = 'x{30000}[ab]' }");
        assert!(matches!(&long[..], [one] if one.contains("overlap")), "{}", long.len());
        let many = texts(&vec!["'DONE'"; 300].join(", "));
        assert!(many.len() > 200 && many.len() <= 301, "{} remarks", many.len());
        let pairs: Vec<String> = (0..300).map(|i| format!("'{i:03}', 'a{i:03}', '{i:03}', 'a{i:03}'")).collect();
        let many = texts(&pairs.join(", "));
        assert!(many.len() <= 300, "{} remarks", many.len());
        assert!(many.last().is_some_and(|last| last.contains("to find all overlaps")), "{:?}", many.last());
    }
}
