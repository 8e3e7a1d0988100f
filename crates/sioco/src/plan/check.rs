//! Whether a plan in a file still fits a model.

use std::path::Path;

use serde_json::Value as Json;
use sioco_lang::source::read_limited;
use sioco_model::Id;
use sioco_plan::file::{self, Loaded};
use sioco_plan::walker::Walker;
use sioco_report::analysis::Source;
use sioco_report::plan::{MisfitLine, Page, PlanCheckLine, misfits};

use crate::commands::plan::{DEPTH, NODES};
use crate::exit::Exit;
use crate::failure::{Failure, unreadable};
use crate::files::{MAX_PLAN_BYTES, ShownPath};
use crate::model::shell_word;
use crate::output::{Format, Output, count};

/// Reads a plan for a model, with the options that make it. What is wrong with the file is told with its line and a way
/// out.
pub fn read(path: &Path, source: Source<'_>) -> Result<(Loaded, String), Failure> {
    let name = path.shown();
    let (text, _) = read_limited(path, MAX_PLAN_BYTES).map_err(|error| {
        let failure = Failure::usage(unreadable(&name, &error));
        failure.help("give a file that `sioco plan FILE --output PLAN.json` wrote")
    })?;
    let text = String::from_utf8(text).map_err(|_| {
        let failure = Failure::usage(format!("`{name}` is not a text file, so it is not a plan"));
        failure.help("give a file that `sioco plan FILE --output PLAN.json` wrote")
    })?;
    let loaded = file::read(&text, &source.checked.model).map_err(|error| {
        let place = error.line.map(|line| format!(":{line}")).unwrap_or_default();
        Failure::usage(format!("`{name}`{place}: {}", error.what)).help(error.help)
    })?;
    let json: Json = serde_json::from_str(&text).unwrap_or_default();
    let options = options(&loaded, &json["options"]);
    Ok((loaded, options))
}

/// The options that make such a plan, as far as they are not the usual ones.
fn options(loaded: &Loaded, json: &Json) -> String {
    let mut text = format!("--cover {}", shell_word(&loaded.plan.cover.to_string()));
    for (name, option) in
        [("data", "--data boundary"), ("strict", "--strict"), ("split", "--split"), ("silence", "--silence")]
    {
        if json[name] == true {
            text.push_str(&format!(" {option}"));
        }
    }
    for (name, usual) in [("depth", DEPTH as u64), ("nodes", u64::from(NODES)), ("seed", 0)] {
        if let Some(n) = json[name].as_u64().filter(|n| *n != usual) {
            text.push_str(&format!(" --{name} {n}"));
        }
    }
    text
}

/// How it is told.
pub struct Told<'a> {
    /// So many misfits are shown.
    pub most: usize,
    /// How text is set.
    pub page: Page,
    /// Whom it is for.
    pub format: Format,
    /// The command that plans for the model, for people to repeat.
    pub again: &'a str,
}

/// Takes all paths of the plan again, and says what does not fit.
pub fn check(
    path: &Path,
    source: Source<'_>,
    walker: &mut Walker<'_>,
    told: Told<'_>,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let (mut loaded, options) = read(path, source)?;
    file::retake(&mut loaded, walker);
    let model = &source.checked.model;
    let fits = loaded.misfits.is_empty();
    match told.format {
        Format::Json => {
            out.object(&PlanCheckLine {
                format: "sioco-plan-check",
                version: 1,
                fits,
                same_model: loaded.same,
                usable: loaded.numbers.iter().map(|number| number.index()).collect(),
                misfits: loaded.misfits.iter().map(|m| MisfitLine::new(model, m)).collect(),
            });
        }
        Format::Human => {
            let name = path.shown();
            let purposes = count(loaded.plan.purposes.len(), "purpose");
            let cover = &loaded.plan.cover;
            out.print(&misfits(source, &loaded.misfits, told.most, "`--all`", told.page));
            match (fits, loaded.same) {
                (true, true) => {
                    out.line(format_args!("{name} fits: {purposes} for `{cover}`, made for exactly this model"));
                }
                (true, false) => out.line(format_args!(
                    "{name} fits: {purposes} for `{cover}`; the model has changed since, but not where it matters"
                )),
                (false, _) => {
                    let other = match loaded.model == model.name {
                        true => String::new(),
                        false => format!(" (it was made for `{}`)", loaded.model),
                    };
                    out.line(format_args!("{name} no longer fits{other}: {purposes} of it can still be used"));
                    let to = shell_word(&name.to_string());
                    out.line(format_args!("`{} {options} --output {to}` makes it again", told.again));
                }
            }
        }
    }
    Ok(if fits { Exit::Ok } else { Exit::Inconclusive })
}
