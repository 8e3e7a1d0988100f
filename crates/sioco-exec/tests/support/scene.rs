//! What a controller sees, set up by hand.

use sioco_exec::belief::Mind;
use sioco_exec::controller::{Chosen, Controller, Situation};
use sioco_exec::ledger::Note;
use sioco_exec::position::Position;
use sioco_exec::record::{Record, Why};
use sioco_exec::run::Run;
use sioco_exec::settings::{Interaction, Settings};
use sioco_exec::suite::Suite;
use sioco_exec::summary::PurposeResult;
use sioco_exec::sut::Order;
use sioco_exec::tools::Tools;
use sioco_model::model::Model;
use sioco_model::semantics::interpreter::Interpreter;
use sioco_model::{Id, IdVec};
use sioco_plan::{Intent, Plan, PurposeId};

/// What a controller sees, with nobody who judges or counts.
pub struct Scene<'m> {
    pub model: &'m Model,
    pub position: Position<'m>,
    pub tools: Tools<'m>,
    pub run: Run,
    pub results: IdVec<PurposeId, PurposeResult>,
    pub settings: Settings,
    pub intent: Intent,
    pub notes: Vec<Note>,
}

/// A purpose by its place in the plan.
pub fn id(place: usize) -> PurposeId {
    PurposeId::from_index(place)
}

impl<'m> Scene<'m> {
    /// At the start of a run, with a plan that covers switches.
    pub fn new(model: &'m Model) -> Scene<'m> {
        Scene::with(model, &super::planned(model, "switch", false), 1)
    }

    /// With this plan, and a seed.
    pub fn with(model: &'m Model, plan: &Plan, seed: u64) -> Scene<'m> {
        let suite = Suite::new(model, plan);
        let tried = PurposeResult { attempts: 1, ..PurposeResult::default() };
        let results = (0..suite.len()).map(|_| tried.clone()).collect();
        let mind = Mind::new(model, Interpreter::new(model), &super::builtin, 100);
        let mut position = Position::new(mind, suite);
        position.start().expect("a defined beginning");
        let mut run = Run::default();
        run.resets(1);
        run.begins(100);
        let (settings, intent) = (Settings::default(), Intent::default());
        let tools = Tools::new(model, &super::builtin, seed);
        Scene { model, position, tools, run, results, settings, intent, notes: Vec::new() }
    }

    /// What it sees.
    pub fn situation(&mut self) -> Situation<'_, 'm> {
        Situation {
            position: &mut self.position,
            tools: &mut self.tools,
            run: &mut self.run,
            results: &self.results,
            settings: &self.settings,
            intent: self.intent,
            interaction: Interaction::Eager,
            notes: &mut self.notes,
        }
    }

    /// What it chooses in the end.
    pub fn ask(&mut self, controller: &mut dyn for<'a> Controller<Situation<'a, 'm>>) -> Option<Chosen> {
        for _ in 0..10 {
            match controller.select(&mut self.situation()) {
                Some(Chosen::Again) => {}
                chosen => return chosen,
            }
        }
        panic!("it never chooses");
    }

    /// Something happens that the model allows.
    pub fn happens(&mut self, controller: &mut dyn for<'a> Controller<Situation<'a, 'm>>, text: &str) {
        let event = super::event(self.model, text);
        assert_eq!(self.position.after(&event), Ok(true), "{text}");
        self.run.steps += 1;
        self.run.owed = text.starts_with('?');
        controller.update(&mut self.situation(), Some(&event));
    }

    /// These things happen.
    pub fn sees(&mut self, controller: &mut dyn for<'a> Controller<Situation<'a, 'm>>, records: &[Record]) {
        records.iter().for_each(|record| controller.sees(&mut self.situation(), Order::Sut, record));
    }

    /// What it chooses if it sends this.
    pub fn sends(&self, text: &str, why: Why) -> Option<Chosen> {
        Some(Chosen::Send(super::event(self.model, text), why))
    }
}
