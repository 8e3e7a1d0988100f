//! The walk over the states of the graph, with the questions that are asked in each.
//!
//! The questions depend only on the locations, so they are made once for each vector of locations. A question that no
//! state at all can answer with yes is dropped at once. After the answer yes, a question is not asked again. States
//! without open questions are not even visited.

use rustc_hash::{FxHashMap, FxHashSet};
use sioco_model::semantics::interpreter::Part;
use sioco_model::{GateId, Id, LocationId, Model, SwitchId};
use sioco_solve::Reason;
use sioco_solve::values::{Choice, NoValues};

use super::pairs::Pairs;
use super::question::Question;
use super::witness::Witness;
use super::{AnalysisOptions, Determinism, Finding, Kind, Status, What, deadlock, errors, gaps, kept, nondeterminism};
use crate::explore::{Cursor, Exploration, Stop};
use crate::graph::{Graph, NodeId};
use crate::path::{Path, Possible};
use crate::step::Step;

/// A question may be left open this often before it is not asked any more: each time may take long, and the next state
/// is seldom easier.
const UNKNOWN: usize = 8;

/// The locations of every node.
pub(crate) struct Places {
    vectors: Vec<Vec<LocationId>>,
    of: Vec<u32>,
}

impl Places {
    pub fn new(model: &Model, graph: &Graph) -> Places {
        Places::up_to(model, graph, NodeId::from_index(graph.len() - 1))
    }

    /// The same for the nodes up to this one alone; they come after their parents.
    pub fn up_to(model: &Model, graph: &Graph, last: NodeId) -> Places {
        let initial: Vec<LocationId> = model.processes.values().map(|p| p.initial).collect();
        let mut index: FxHashMap<Vec<LocationId>, u32> = FxHashMap::default();
        let mut places = Places { vectors: vec![initial.clone()], of: vec![0] };
        index.insert(initial, 0);
        let mut here = Vec::new();
        for node in graph.ids().take(last.index() + 1).skip(1) {
            let parent = graph.parent(node).map_or(0, |p| places.of[p.index()]);
            here.clone_from(&places.vectors[parent as usize]);
            for s in graph.step(node).into_iter().flat_map(Step::switches) {
                let s = &model.switches[s];
                here[s.process.index()] = s.target;
            }
            let next = places.vectors.len() as u32;
            let place = *index.entry(here.clone()).or_insert(next);
            if place == next {
                places.vectors.push(here.clone());
            }
            places.of.push(place);
        }
        places
    }

    /// The locations of a node.
    pub fn at(&self, node: NodeId) -> &[LocationId] {
        &self.vectors[self.of[node.index()] as usize]
    }

    /// All vectors of locations, in the order found.
    pub fn all(&self) -> &[Vec<LocationId>] {
        &self.vectors
    }
}

/// What a question is about.
#[derive(Clone, Debug)]
pub(crate) enum Subject {
    Deadlock(Vec<LocationId>),
    Overlap(SwitchId, SwitchId),
    /// An internal step and another one, or the same with other values: the system chooses.
    Choice,
    /// The guard of a switch may be undefined where another step competes.
    Undefined(SwitchId),
    Gap(Vec<LocationId>, GateId, Vec<SwitchId>),
    Error(SwitchId, Part, Step),
}

/// A question, and what came of it so far.
struct Asked {
    subject: Subject,
    question: Question,
    answered: bool,
    unknown: Option<(Reason, NodeId)>,
    unknowns: usize,
}

impl Asked {
    /// Nobody asks it any more.
    fn is_over(&self) -> bool {
        self.answered || self.unknowns >= UNKNOWN
    }
}

/// The questions of a model.
#[derive(Default)]
struct Questions {
    all: Vec<Asked>,
    pairs: Pairs,
    /// About internal steps whose values nobody sees.
    hidden: FxHashMap<Step, Option<usize>>,
    errors: FxHashMap<Step, Vec<usize>>,
    /// Whether there are so many that some were left out.
    cut: bool,
}

/// At most this many questions are asked: where more pairs of steps compete, that is undecided. Most are answered
/// without a solver; all pairs of a very large model would take for ever.
const QUESTIONS: usize = 200_000;

impl Questions {
    fn add(&mut self, path: &mut Path<'_>, subject: Subject, question: Question) -> Option<usize> {
        if question.never(path) {
            return None;
        }
        self.all.push(Asked { subject, question, answered: false, unknown: None, unknowns: 0 });
        Some(self.all.len() - 1)
    }

    /// What is to be asked at these locations.
    fn at(
        &mut self,
        path: &mut Path<'_>,
        locations: &[LocationId],
        steps: &[Step],
        options: &AnalysisOptions,
    ) -> Vec<usize> {
        let wants = |kind: Kind| options.kinds.contains(&kind);
        let mut found = Vec::new();
        if wants(Kind::ModelError) {
            for &step in steps {
                if !self.errors.contains_key(&step) {
                    let questions = errors::questions(path, step);
                    let list = questions.into_iter().filter_map(|(s, q)| self.add(path, s, q)).collect();
                    self.errors.insert(step, list);
                }
                found.extend(self.errors[&step].iter().copied());
            }
        }
        if wants(Kind::Deadlock)
            && let Some(question) = deadlock::question(path, locations, steps)
        {
            found.extend(self.add(path, Subject::Deadlock(locations.to_vec()), question));
        }
        if wants(Kind::Nondeterminism) {
            found.extend(self.choices_of(path, steps));
        }
        if wants(Kind::InputGap) {
            for (gate, switches, question) in gaps::questions(path, steps) {
                found.extend(self.add(path, Subject::Gap(locations.to_vec(), gate, switches), question));
            }
        }
        found
    }

    /// Questions that are not over, about steps that compete with others or with themselves.
    fn choices_of(&mut self, path: &mut Path<'_>, steps: &[Step]) -> Vec<usize> {
        let mut found = self.pairs_of(path, steps);
        for &step in steps {
            if !self.hidden.contains_key(&step) {
                let made = nondeterminism::hidden(path, step);
                let question = made.and_then(|(subject, question)| self.add(path, subject, question));
                self.hidden.insert(step, question);
            }
            found.extend(self.hidden[&step].filter(|q| !self.all[*q].is_over()));
        }
        found
    }

    /// Questions that are not over, about pairs of steps.
    fn pairs_of(&mut self, path: &mut Path<'_>, steps: &[Step]) -> Vec<usize> {
        let mut pairs = std::mem::take(&mut self.pairs);
        let together = pairs.together(steps);
        pairs.make(&together, |a, b| {
            self.cut |= self.all.len() >= QUESTIONS;
            if self.cut || path.is_cancelled() {
                return None;
            }
            let made = nondeterminism::questions(path, a, b);
            Some(made.into_iter().filter_map(|(subject, question)| self.add(path, subject, question)).collect())
        });
        let found = pairs.list(&together, |q| self.all[q].is_over());
        self.pairs = pairs;
        found
    }
}

/// What the walk says about the model as a whole.
pub(crate) struct Walked {
    pub internal_choices: usize,
    overlaps: usize,
    undecided: bool,
    /// A switch whose guard is undefined in a state where another step competes.
    undefined: Option<SwitchId>,
    /// No steps compete in any state, reachable or not.
    apart: bool,
}

impl Walked {
    pub fn determinism(&self, cut: bool) -> Determinism {
        match self {
            _ if self.overlaps + self.internal_choices > 0 => Determinism::No,
            Walked { undefined: Some(switch), .. } => Determinism::Undefined(*switch),
            _ if self.undecided => Determinism::Undecided,
            _ if !cut || self.apart => Determinism::Proved,
            _ => Determinism::NotFound,
        }
    }
}

/// Visits the states, no more than a number of them.
pub(crate) fn walk(
    exploration: &Exploration,
    most: usize,
    places: &Places,
    cursor: &mut Cursor<'_>,
    options: &AnalysisOptions,
    findings: &mut Vec<Finding>,
) -> Walked {
    let (model, graph) = (cursor.path.model(), &exploration.graph);
    let mut questions = Questions::default();
    let mut lists: Vec<Option<Vec<usize>>> = vec![None; places.all().len()];
    let mut steps = Vec::new();
    let mut errors: FxHashSet<(SwitchId, u8, usize)> = FxHashSet::default();
    let mut walked = Walked { internal_choices: 0, overlaps: 0, undecided: false, undefined: None, apart: false };
    for node in kept(graph).take(most) {
        if options.limits.cancelled() {
            break;
        }
        let place = places.of[node.index()] as usize;
        if lists[place].is_none() {
            let locations = &places.vectors[place];
            steps_at(&cursor.path, locations, &mut steps);
            lists[place] = Some(questions.at(&mut cursor.path, locations, &steps, options));
            if options.kinds.contains(&Kind::InputGap) {
                findings.extend(gaps::missing(model, locations, &steps));
            }
        }
        let list = lists[place].get_or_insert_default();
        list.retain(|q| !questions.all[*q].is_over());
        if list.is_empty() {
            continue;
        }
        cursor.go(graph, node);
        for &mut q in list {
            if options.limits.cancelled() {
                break;
            }
            let asked = &mut questions.all[q];
            if let Subject::Error(switch, part, _) = &asked.subject
                && errors.contains(&part_key(*switch, *part))
            {
                asked.answered = true;
                continue;
            }
            let sure = !graph.rests_on_unknown(node);
            let answer = asked.question.ask(&mut cursor.path, sure);
            let witness = match (answer, &asked.subject) {
                (Possible::No, _) => continue,
                (Possible::Yes, Subject::Choice) => {
                    walked.internal_choices += 1;
                    asked.answered = true;
                    continue;
                }
                (Possible::Yes, Subject::Undefined(switch)) => {
                    walked.undefined.get_or_insert(*switch);
                    asked.answered = true;
                    continue;
                }
                (Possible::Yes, _) => asked.question.witness(&mut cursor.path),
                (Possible::Unknown(why), _) => Err(NoValues::Unknown(why)),
            };
            match witness {
                Ok(witness) => {
                    asked.answered = true;
                    if let Subject::Error(switch, part, _) = &asked.subject {
                        errors.insert(part_key(*switch, *part));
                    }
                    walked.overlaps += usize::from(matches!(asked.subject, Subject::Overlap(..)));
                    findings.extend(finding(&asked.subject, Status::Shown, Some(witness)));
                }
                // Whoever interrupts knows that there are questions left.
                Err(NoValues::Impossible | NoValues::Unknown(Reason::Cancelled)) => {}
                Err(NoValues::Unknown(why)) => {
                    asked.unknowns += 1;
                    asked.unknown.get_or_insert((why, node));
                }
            }
        }
    }
    for asked in questions.all.iter().filter(|a| !a.answered) {
        let Some((why, node)) = &asked.unknown else { continue };
        walked.undecided |= matches!(asked.subject, Subject::Overlap(..) | Subject::Choice | Subject::Undefined(_));
        cursor.go(graph, *node);
        let witness = way(&mut cursor.path);
        findings.extend(finding(&asked.subject, Status::Undecided(why.clone()), witness));
    }
    if exploration.stop != Stop::Complete && options.kinds.contains(&Kind::Nondeterminism) {
        walked.apart = model.processes.len() == 1
            && model.locations.ids().all(|location| {
                steps_at(&cursor.path, &[location], &mut steps);
                // A question that is over was answered with yes or not decided, and then this does not matter.
                questions.choices_of(&mut cursor.path, &steps).is_empty()
            });
    }
    // What was left out may be some.
    walked.apart &= !questions.cut && !options.limits.cancelled();
    walked.undecided |= questions.cut;
    walked
}

/// The way to a state where a question stayed open, if that can be solved.
pub(crate) fn way(path: &mut Path<'_>) -> Option<Witness> {
    let solved = path.solve_with(Choice::Min).ok()?;
    let state = path.replay(&solved);
    Some(Witness { path: solved, state, values: Vec::new() })
}

fn steps_at(path: &Path<'_>, locations: &[LocationId], steps: &mut Vec<Step>) {
    path.outgoing_of(locations, steps);
}

fn part_key(switch: SwitchId, part: Part) -> (SwitchId, u8, usize) {
    match part {
        Part::Guard => (switch, 0, 0),
        Part::Argument(i) => (switch, 1, i),
        Part::Update(i) => (switch, 2, i),
    }
}

fn finding(subject: &Subject, status: Status, witness: Option<Witness>) -> Option<Finding> {
    let (kind, what) = match subject.clone() {
        Subject::Deadlock(locations) => (Kind::Deadlock, What::Deadlock { locations }),
        Subject::Overlap(first, second) => (Kind::Nondeterminism, What::Overlap { first, second }),
        Subject::Choice | Subject::Undefined(_) => return None,
        Subject::Gap(locations, gate, switches) => (Kind::InputGap, What::InputGap { locations, gate, switches }),
        Subject::Error(switch, part, step) => (Kind::ModelError, What::Undefined { switch, part, step }),
    };
    Some(Finding { kind, status, what, witness })
}
