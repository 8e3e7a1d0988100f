//! What can be chosen about a campaign.

use std::time::Duration;

use sioco_solve::values::Choice;

/// What the tester does where the system may be about to give an output (T-O5).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interaction {
    /// It sends at once (S0: input-eager).
    Eager,
    /// It first waits for outputs that may be under way.
    Fair,
}

/// How inputs are chosen once the plan is done, or without one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Walks {
    /// Not at all: the campaign ends with the plan.
    None,
    /// At random: switches and values, all with the same chance, but for inputs that end the walk. The baseline.
    Random,
    /// What was done least comes first (T-P13).
    Guided,
    /// The purposes again, in their order, with other values; without those that led to a failure.
    Again,
}

/// Settings of a campaign.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// Where random choices start (T-C10).
    pub seed: u64,
    /// How the values of inputs are chosen; a random choice is drawn anew for each.
    pub values: Choice,
    /// What happens after the plan.
    pub walks: Walks,
    /// How many inputs, outputs and silences there may be in the whole campaign.
    pub max_steps: Option<u64>,
    /// How many walks there may be.
    pub max_walks: Option<u64>,
    /// How many steps a walk has before the system is reset.
    pub walk: u64,
    /// How long the campaign may take.
    pub time: Option<Duration>,
    /// How long nothing must come before that is silence.
    pub quiescence: Duration,
    /// Where it takes longer: after what happened at these gates, and in these locations.
    pub slower: Vec<(String, Duration)>,
    /// How long an input may wait to be accepted.
    pub patience: Duration,
    /// How often a purpose is tried before it is given up.
    pub attempts: u32,
    /// Whether the first failing run ends the campaign.
    pub fail_fast: bool,
    /// What to do where outputs may be under way; by the order of the adapter if nothing is said: eager for
    /// [`Sut`](crate::Order::Sut), fair for [`Sent`](crate::Order::Sent).
    pub interaction: Option<Interaction>,
    /// How many hypotheses are followed at most.
    pub hypotheses: usize,
    /// For how many ways on a solver is asked at once in the middle of a run, while the system waits (T-B9; S1 3.2.4).
    /// After that, only values that were found before are tried.
    pub effort: usize,
    /// How long that may take altogether: what is not found by then is done without.
    pub pause: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            seed: 0,
            values: Choice::Random(0),
            walks: Walks::None,
            max_steps: None,
            max_walks: None,
            walk: 100,
            time: None,
            quiescence: Duration::from_millis(100),
            slower: Vec::new(),
            patience: Duration::from_secs(10),
            attempts: 3,
            fail_fast: false,
            interaction: None,
            hypotheses: 10_000,
            effort: 16,
            pause: Duration::from_secs(1),
        }
    }
}
