//! Demands on the coverage of a campaign: `switch>=95%` (T-C6).

use std::fmt;

use sioco_exec::Summary;
use sioco_exec::verdict::Verdict;
use sioco_model::Model;
use sioco_model::names::did_you_mean;
use sioco_plan::Plan;

use crate::coverage::{Share, coverage};

/// What is counted (T-C5).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Thing {
    Switch,
    Location,
    Purpose,
}

const THINGS: [(&str, Thing); 3] =
    [("switch", Thing::Switch), ("location", Thing::Location), ("purpose", Thing::Purpose)];

/// A demand.
#[derive(Clone, PartialEq, Debug)]
pub struct Demand {
    text: String,
    thing: Thing,
    /// Whether only what was surely covered counts.
    surely: bool,
    percent: f64,
}

/// A demand on coverage, and what became of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Gate {
    /// As it was written.
    pub text: String,
    /// The share in percent that was reached.
    pub percent: f64,
    /// Whether that is enough.
    pub met: bool,
}

/// Why a text is no demand, and what to write instead.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DemandError {
    /// It has another form.
    Form,
    /// What it names cannot be counted.
    Thing {
        /// The name.
        name: String,
        /// What was probably meant.
        near: Option<String>,
    },
    /// It is no share from 0% to 100%.
    Share(String),
}

impl fmt::Display for DemandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DemandError::Form => f.write_str(
                "write a kind of coverage, `>=` and a percentage, such as `switch>=95%` or `surely \
                             location>=80%`",
            ),
            DemandError::Thing { name, near: Some(near) } => {
                write!(f, "`{name}` is not a kind of coverage; did you mean `{near}`?")
            }
            DemandError::Thing { name, near: None } => {
                write!(f, "`{name}` is not a kind of coverage; write `switch`, `location` or `purpose`")
            }
            DemandError::Share(share) => write!(f, "`{share}` is not a percentage from 0% to 100%"),
        }
    }
}

impl std::error::Error for DemandError {}

impl Demand {
    /// Reads `switch>=95%`; `surely switch>=95%` counts only what every hypothesis took.
    pub fn parse(text: &str) -> Result<Demand, DemandError> {
        let (what, share) = text.split_once(">=").ok_or(DemandError::Form)?;
        let what = what.trim();
        let (surely, name) = match what.strip_prefix("surely ") {
            Some(rest) => (true, rest.trim()),
            None => (false, what.strip_prefix("possibly ").unwrap_or(what).trim()),
        };
        let thing = THINGS.iter().find(|(word, _)| *word == name).map(|(_, thing)| *thing);
        let thing = thing.ok_or_else(|| {
            let near = did_you_mean(name, THINGS.iter().map(|(word, _)| *word));
            DemandError::Thing { name: name.to_owned(), near }
        })?;
        let share = share.trim();
        let number = share.strip_suffix('%').unwrap_or(share).trim_end();
        let digits = |c: char| c.is_ascii_digit() || c == '.';
        let percent = number.parse::<f64>().ok().filter(|p| number.chars().all(digits) && (0.0..=100.0).contains(p));
        let percent = percent.ok_or_else(|| DemandError::Share(share.to_owned()))?;
        let text = format!("{}{name}>={number}%", if surely { "surely " } else { "" });
        Ok(Demand { text, thing, surely, percent })
    }

    /// Whether it is about purposes, which not every campaign has.
    pub fn is_about_purposes(&self) -> bool {
        self.thing == Thing::Purpose
    }

    /// What became of it.
    pub fn look(&self, model: &Model, summary: &Summary, plan: Option<&Plan>) -> Gate {
        let (switches, locations) = coverage(model, summary, plan);
        let of = |share: Share| share.percent(if self.surely { share.surely } else { share.possibly });
        let percent = match self.thing {
            Thing::Switch => of(switches),
            Thing::Location => of(locations),
            Thing::Purpose => {
                let most = if self.surely { Verdict::Pass } else { Verdict::WeakPass };
                let reached = summary.purposes.iter().filter(|p| p.verdict.is_some_and(|v| v <= most)).count();
                let all = summary.purposes.len();
                if all == 0 { 100.0 } else { 100.0 * reached as f64 / all as f64 }
            }
        };
        Gate { text: self.text.clone(), percent, met: percent >= self.percent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demands_are_read() {
        for (text, canonical) in [
            ("switch>=95%", "switch>=95%"),
            (" switch >= 95 ", "switch>=95%"),
            ("surely location>=80.5%", "surely location>=80.5%"),
            ("possibly purpose>=0%", "purpose>=0%"),
        ] {
            assert_eq!(Demand::parse(text).map(|d| d.text), Ok(canonical.to_owned()), "{text}");
        }
        for (text, part) in [
            ("", "such as `switch>=95%`"),
            ("switch=95%", "such as"),
            ("swich>=95%", "did you mean `switch`?"),
            ("lines>=5%", "write `switch`"),
            ("switch>=", "not a percentage"),
            ("switch>=101%", "not a percentage"),
            ("switch>=-1%", "not a percentage"),
            ("switch>=1e1%", "not a percentage"),
            ("switch>=NaN", "not a percentage"),
        ] {
            let why = Demand::parse(text).expect_err(text).to_string();
            assert!(why.contains(part), "{text}: {why}");
        }
    }
}
