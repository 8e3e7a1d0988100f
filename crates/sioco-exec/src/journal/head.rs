//! The first line of a journal: what was tested, and how.

use std::time::Duration;

use serde_json::{Map, Value as Json, json};
use sioco_model::Model;
use sioco_plan::Plan;
use sioco_plan::file::fingerprint;
use sioco_solve::values::Choice;

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
        let consts: Vec<Json> = m.consts.iter().map(|(name, value)| json!([name, value])).collect();
        let model = json!({
            "file": m.file,
            "name": m.name,
            "system": m.system,
            "consts": consts,
            "fingerprint": format!("{:016x}", m.fingerprint),
        });
        let plan = self.cover.as_ref().map(|cover| json!({ "cover": cover, "purposes": self.purposes }));
        let parts = [
            ("format", json!(FORMAT)),
            ("version", json!(VERSION)),
            ("sioco", json!(self.sioco)),
            ("model", model),
            ("plan", json!(plan)),
            ("sut", json!(self.sut)),
            ("settings", settings(&self.settings)),
        ];
        let parts: Vec<String> = parts.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        format!("{{{}}}\n", parts.join(","))
    }

    /// Says what a plan covers.
    pub fn with_plan(mut self, plan: &Plan) -> Self {
        self.cover = Some(plan.cover.to_string());
        self.purposes = plan.purposes.len();
        self
    }
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

fn micros(time: Duration) -> Json {
    json!(u64::try_from(time.as_micros()).unwrap_or(u64::MAX))
}

fn settings(s: &Settings) -> Json {
    let mut object = Map::new();
    let mut put = |name: &str, value: Json| object.insert(name.to_owned(), value);
    put("seed", json!(s.seed));
    put("values", json!(named(&VALUES, &s.values).unwrap_or("random")));
    put("walks", json!(named(&WALKS, &s.walks)));
    put("max_steps", json!(s.max_steps));
    put("max_walks", json!(s.max_walks));
    put("walk", json!(s.walk));
    put("time_us", s.time.map_or(Json::Null, micros));
    put("quiescence_us", micros(s.quiescence));
    let slower: Map<String, Json> = s.slower.iter().map(|(name, time)| (name.clone(), micros(*time))).collect();
    put("slower_us", Json::Object(slower));
    put("patience_us", micros(s.patience));
    put("attempts", json!(s.attempts));
    put("fail_fast", json!(s.fail_fast));
    put("interaction", json!(s.interaction.and_then(|i| named(&INTERACTION, &i))));
    put("hypotheses", json!(s.hypotheses));
    put("effort", json!(s.effort));
    put("pause_us", micros(s.pause));
    Json::Object(object)
}

/// The header that an object stands for, whose format and version were looked at. What is missing is as usual: a
/// journal says what happened, and its settings decide nothing any more.
pub(super) fn read(json: &Json) -> Result<Header, String> {
    let model = json.get("model").filter(|m| m.is_object()).ok_or("`model` is missing")?;
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
        fingerprint: print.ok_or("`model.fingerprint` should be a number in hexadecimal")?,
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
