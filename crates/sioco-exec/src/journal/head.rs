//! The first line of a journal: what was tested, and how.

use std::time::Duration;

use serde::Serialize;
use serde_json::Value as Json;
use sioco_model::Model;
use sioco_plan::Plan;
use sioco_plan::file::fingerprint;
use sioco_plan::value::Named;
use sioco_solve::values::Choice;

use super::wrong::RecordError;
use super::{FORMAT, VERSION};
use crate::settings::{Interaction, Settings, Walks};

/// What is known about a model without reading it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct About {
    /// The file, as it was given.
    pub file: String,
    /// The name of the system.
    pub name: String,
    /// The system that was asked for, where the model declares several.
    pub system: Option<String>,
    /// The constants that were given other values, as they were given.
    pub consts: Vec<(String, String)>,
    /// See [`fingerprint`].
    pub fingerprint: u64,
}

impl About {
    /// What there is to say about a model.
    pub fn new(model: &Model, file: &str, system: Option<&str>, consts: &[(String, String)]) -> Self {
        About {
            file: file.to_owned(),
            name: model.name.clone(),
            system: system.map(str::to_owned),
            consts: consts.to_vec(),
            fingerprint: fingerprint(model),
        }
    }
}

/// The first line of a journal.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Header {
    /// The version of sioco that wrote it.
    pub sioco: String,
    /// The model.
    pub model: About,
    /// What the plan covers, as `--cover` writes it; nothing without a plan.
    pub cover: Option<String>,
    /// How many purposes the plan has.
    pub purposes: usize,
    /// The system under test, as it was given.
    pub sut: String,
    /// The settings.
    pub settings: Settings,
}

impl Header {
    /// The line, with its line break.
    pub fn line(&self) -> String {
        let m = &self.model;
        let model = ModelLine {
            consts: &m.consts,
            file: &m.file,
            fingerprint: format!("{:016x}", m.fingerprint),
            name: &m.name,
            system: m.system.as_deref(),
        };
        let line = HeaderLine {
            format: FORMAT,
            version: VERSION,
            sioco: &self.sioco,
            model,
            plan: self.cover.as_deref().map(|cover| PlanLine { cover, purposes: self.purposes }),
            sut: &self.sut,
            settings: settings(&self.settings),
        };
        let mut text = Vec::with_capacity(1024);
        super::write::put(&mut text, &line);
        String::from_utf8(text).unwrap_or_default()
    }

    /// Says what a plan covers.
    pub fn with_plan(mut self, plan: &Plan) -> Self {
        self.cover = Some(plan.cover.to_string());
        self.purposes = plan.purposes.len();
        self
    }
}

/// The first line as it is written.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Header"))]
pub(super) struct HeaderLine<'a> {
    /// The name of the format.
    format: &'static str,
    /// The version of the format.
    version: u64,
    /// The version of sioco that wrote it.
    sioco: &'a str,
    /// The model.
    model: ModelLine<'a>,
    /// The plan, if there was one.
    plan: Option<PlanLine<'a>>,
    /// The system under test, as it was given.
    sut: &'a str,
    /// The settings.
    settings: SettingsLine<'a>,
}

/// The model. From here on, fields are in the order of their names.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Model"))]
struct ModelLine<'a> {
    /// The constants that were given other values, and these.
    consts: &'a [(String, String)],
    /// The file, as it was given.
    file: &'a str,
    /// What tells models apart, in hexadecimal.
    fingerprint: String,
    /// The name of the system.
    name: &'a str,
    /// The system that was asked for, where the model declares several.
    system: Option<&'a str>,
}

/// The plan.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Plan"))]
struct PlanLine<'a> {
    /// What it covers.
    cover: &'a str,
    /// How many purposes it has.
    purposes: usize,
}

/// The settings. Times are in microseconds.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Settings", transform = super::schema::any_of_its_fields))]
struct SettingsLine<'a> {
    /// How often a purpose is attempted.
    attempts: u32,
    /// How much work a solver may spend on a question.
    effort: usize,
    /// Whether the first failure ends the campaign.
    fail_fast: bool,
    /// How many hypotheses are kept.
    hypotheses: usize,
    /// Who goes first where both sides can.
    interaction: Option<&'static str>,
    /// How many steps there are at most.
    max_steps: Option<u64>,
    /// How many walks there are at most.
    max_walks: Option<u64>,
    /// How long is waited for an adapter.
    patience_us: u64,
    /// How long the tester thinks at most.
    pause_us: u64,
    /// How long nothing has to come for silence.
    quiescence_us: u64,
    /// The seed.
    seed: u64,
    /// The quiescence time after these gates.
    slower_us: Named<&'a str, u64>,
    /// How long the campaign takes at most.
    time_us: Option<u64>,
    /// How values are chosen.
    values: &'static str,
    /// How many steps a walk has.
    walk: u64,
    /// Which walks there are.
    walks: Option<&'static str>,
}

/// The words for ways to choose values; the random one takes the seed of the campaign.
const VALUES: [(&str, Choice); 4] =
    [("min", Choice::Min), ("max", Choice::Max), ("middle", Choice::Middle), ("boundary", Choice::Boundary)];
const WALKS: [(&str, Walks); 4] =
    [("none", Walks::None), ("random", Walks::Random), ("guided", Walks::Guided), ("again", Walks::Again)];
const INTERACTION: [(&str, Interaction); 2] = [("eager", Interaction::Eager), ("fair", Interaction::Fair)];

fn named<T: PartialEq>(words: &[(&'static str, T)], of: &T) -> Option<&'static str> {
    words.iter().find(|(_, value)| value == of).map(|(word, _)| *word)
}

/// A time in microseconds.
pub(super) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

fn settings(s: &Settings) -> SettingsLine<'_> {
    SettingsLine {
        attempts: s.attempts,
        effort: s.effort,
        fail_fast: s.fail_fast,
        hypotheses: s.hypotheses,
        interaction: s.interaction.and_then(|i| named(&INTERACTION, &i)),
        max_steps: s.max_steps,
        max_walks: s.max_walks,
        patience_us: micros(s.patience),
        pause_us: micros(s.pause),
        quiescence_us: micros(s.quiescence),
        seed: s.seed,
        slower_us: Named::new(s.slower.iter().map(|(name, time)| (name.as_str(), micros(*time))).collect()),
        time_us: s.time.map(micros),
        values: named(&VALUES, &s.values).unwrap_or("random"),
        walk: s.walk,
        walks: named(&WALKS, &s.walks),
    }
}

/// The header that an object stands for, whose format and version were looked at. What is missing is as usual: a
/// journal says what happened, and its settings decide nothing any more.
pub(super) fn read(json: &Json) -> Result<Header, RecordError> {
    let model = json.get("model").filter(|m| m.is_object()).ok_or(RecordError::Missing("model"))?;
    let text = |json: &Json, name: &str| json.get(name).and_then(Json::as_str).map(str::to_owned);
    let print = text(model, "fingerprint").and_then(|t| u64::from_str_radix(&t, 16).ok());
    let consts = model.get("consts").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let consts =
        consts.iter().filter_map(|pair| Some((pair.get(0)?.as_str()?.to_owned(), pair.get(1)?.as_str()?.to_owned())));
    let model = About {
        file: text(model, "file").unwrap_or_default(),
        name: text(model, "name").unwrap_or_default(),
        system: text(model, "system"),
        consts: consts.collect(),
        fingerprint: print.ok_or(RecordError::Should { name: "model.fingerprint", be: "a number in hexadecimal" })?,
    };
    let plan = json.get("plan").filter(|p| p.is_object());
    let cover = plan.and_then(|p| text(p, "cover"));
    // What does not say what it covers is no plan.
    let purposes = plan.filter(|_| cover.is_some()).and_then(|p| p.get("purposes")?.as_u64());
    let purposes = purposes.and_then(|n| usize::try_from(n).ok());
    Ok(Header {
        sioco: text(json, "sioco").unwrap_or_default(),
        model,
        cover,
        purposes: purposes.unwrap_or(0),
        sut: text(json, "sut").unwrap_or_default(),
        settings: read_settings(json.get("settings").unwrap_or(&Json::Null)),
    })
}

fn read_settings(json: &Json) -> Settings {
    let usual = Settings::default();
    let number = |name: &str| json.get(name).and_then(Json::as_u64);
    let time = |name: &str| number(name).map(Duration::from_micros);
    let word = |name: &str| json.get(name).and_then(Json::as_str);
    let seed = number("seed").unwrap_or(usual.seed);
    let of = |name: &str| word(name).and_then(|w| VALUES.into_iter().find(|(n, _)| *n == w));
    Settings {
        seed,
        values: of("values").map_or(Choice::Random(seed), |(_, choice)| choice),
        walks: word("walks").and_then(|w| WALKS.into_iter().find(|(n, _)| *n == w)).map_or(usual.walks, |(_, w)| w),
        max_steps: number("max_steps"),
        max_walks: number("max_walks"),
        walk: number("walk").unwrap_or(usual.walk),
        time: time("time_us"),
        quiescence: time("quiescence_us").unwrap_or(usual.quiescence),
        slower: json.get("slower_us").and_then(Json::as_object).map_or_else(Vec::new, |all| {
            let one = |(name, time): (&String, &Json)| Some((name.clone(), Duration::from_micros(time.as_u64()?)));
            all.iter().filter_map(one).collect()
        }),
        patience: time("patience_us").unwrap_or(usual.patience),
        attempts: number("attempts").and_then(|n| u32::try_from(n).ok()).unwrap_or(usual.attempts),
        fail_fast: json.get("fail_fast").and_then(Json::as_bool).unwrap_or(usual.fail_fast),
        interaction: word("interaction")
            .and_then(|w| INTERACTION.into_iter().find(|(n, _)| *n == w))
            .map(|(_, interaction)| interaction),
        hypotheses: number("hypotheses").and_then(|n| usize::try_from(n).ok()).unwrap_or(usual.hypotheses),
        effort: number("effort").and_then(|n| usize::try_from(n).ok()).unwrap_or(usual.effort),
        pause: time("pause_us").unwrap_or(usual.pause),
    }
}
