//! What a campaign is to cover, as people write it.

use std::fmt;

use sioco_exec::settings::Walks;
use sioco_model::names::did_you_mean;
use sioco_plan::Cover;
use sioco_plan::cover::WAYS;

/// The ways that need nothing but their name, and those that do.
const NAMES: [&str; 8] = ["switch", "location", "paths", "inclusion", "reduced", "traces", "random", "purpose"];

/// Why a text says of nothing that it is to be covered, and what was probably meant. Whoever wrote it is to blame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CoverError {
    /// Nothing of this kind can be planned for.
    Unplanned {
        /// Why not.
        why: sioco_plan::CoverError,
        /// What was probably meant.
        near: Option<String>,
        /// Whether `auto` would do as well.
        auto: bool,
    },
    /// This looks like `auto`.
    NearAuto(String),
}

impl fmt::Display for CoverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CoverError::Unplanned { why, near, auto } => {
                match why {
                    sioco_plan::CoverError::Unknown(name) if *auto => {
                        write!(f, "`--cover` has no value `{name}`; write `auto`, {WAYS}")?;
                    }
                    why => why.fmt(f)?,
                }
                near.iter().try_for_each(|near| write!(f, "; did you mean `{near}`?"))
            }
            CoverError::NearAuto(text) => write!(f, "`--cover` has no value `{text}`; did you mean `auto`?"),
        }
    }
}

impl std::error::Error for CoverError {}

/// Reads a cover; what is mistyped comes back with what was probably meant.
pub fn cover(text: &str) -> Result<Cover, CoverError> {
    Cover::parse(text).map_err(|why| {
        let name = text.split(':').next().unwrap_or(text);
        let near = did_you_mean(name, NAMES).filter(|_| !NAMES.contains(&name));
        CoverError::Unplanned { why, near, auto: false }
    })
}

/// What a campaign does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Covered {
    /// Switches and the sides of guards by a plan, then guided walks.
    Auto,
    /// Random walks without a plan; so many of them, if that is said.
    Random(Option<usize>),
    /// A plan, and nothing else.
    Plan(Cover),
}

/// This many walks are planned for, if nobody says how many. It is the same as in a plan that is written to a file.
const WALKS: usize = 10;

impl Covered {
    /// Reads it; what is mistyped comes back with what was probably meant.
    pub fn parse(text: &str) -> Result<Covered, CoverError> {
        match text.trim() {
            "auto" => Ok(Covered::Auto),
            "random" => Ok(Covered::Random(None)),
            other => match cover(other) {
                Ok(Cover::Random(walks)) => Ok(Covered::Random(Some(walks))),
                Ok(cover) => Ok(Covered::Plan(cover)),
                Err(_) if did_you_mean(other, ["auto"]).is_some() => Err(CoverError::NearAuto(other.to_owned())),
                // A plan is not all that there is here.
                Err(CoverError::Unplanned { why, near, .. }) => Err(CoverError::Unplanned { why, near, auto: true }),
                Err(why) => Err(why),
            },
        }
    }
}

impl Covered {
    /// How many random walks there are at most, if that is said.
    pub fn most_walks(&self) -> Option<u64> {
        match self {
            Covered::Random(walks) => walks.map(|walks| walks as u64),
            _ => None,
        }
    }

    /// What comes after the plan.
    pub fn then(&self) -> Walks {
        match self {
            Covered::Auto => Walks::Guided,
            Covered::Random(_) => Walks::Random,
            Covered::Plan(_) => Walks::None,
        }
    }

    /// What a campaign without a plan covers.
    pub fn walks(walks: Option<usize>) -> Cover {
        Cover::Random(walks.unwrap_or(WALKS))
    }
}

impl fmt::Display for Covered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Covered::Auto => f.write_str("auto"),
            Covered::Random(None) => f.write_str("random"),
            Covered::Random(Some(walks)) => write!(f, "random:{walks}"),
            Covered::Plan(cover) => write!(f, "{cover}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covers_are_read() {
        assert_eq!(Covered::parse("auto"), Ok(Covered::Auto));
        assert_eq!(Covered::parse("random"), Ok(Covered::Random(None)));
        assert_eq!(Covered::parse("random:3"), Ok(Covered::Random(Some(3))));
        assert_eq!(Covered::parse("paths:3"), Ok(Covered::Plan(Cover::Paths(3))));
        assert!(Covered::parse("everything").expect_err("no cover").to_string().contains("; write `auto`, `switch`"));
        assert!(Covered::parse("atuo").expect_err("mistyped").to_string().contains("`auto`"));
        assert!(Covered::parse("swich").expect_err("mistyped").to_string().contains("`switch`"));
    }

    #[test]
    fn what_is_mistyped_is_guessed() {
        assert_eq!(cover("paths:3"), Ok(Cover::Paths(3)));
        for (text, near) in
            [("swich", "switch"), ("locations", "location"), ("trace:3", "traces"), ("Random", "random")]
        {
            let error = cover(text).expect_err(text).to_string();
            assert!(error.ends_with(&format!("; did you mean `{near}`?")), "{error}");
        }
        assert!(!cover("everything").expect_err("no cover").to_string().contains("did you mean"));
        assert!(!cover("paths:0").expect_err("nothing").to_string().contains("did you mean"));
    }
}
