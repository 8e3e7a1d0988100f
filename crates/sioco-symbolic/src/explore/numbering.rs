//! Successors get their numbers, one after the other, and are compared with the states that there are already.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use sioco_model::Model;
use sioco_solve::Reason;

use super::Merge;
use super::cursor::{Child, Cursor};
use crate::graph::{Grow, NodeId};
use crate::inclusion::{Inclusion, InclusionCounters};
use crate::key::Key;
use crate::path::Path;
use sioco_model::semantics::live::Live;

/// What is known of the nodes that have a number.
pub(super) struct Numbering {
    /// The variables that matter; only where states are compared.
    pub live: Option<Arc<Live>>,
    pub doubts: Vec<(NodeId, Reason)>,
    seen: FxHashMap<Key, NodeId>,
    inclusion: Option<Inclusion>,
    taken: Vec<bool>,
    not_taken: usize,
    key_bytes: usize,
}

impl Numbering {
    /// Only the initial state, where the path is, has a number.
    pub fn new(model: &Model, merge: Merge, path: &mut Path<'_>, root: NodeId) -> Self {
        let live = (merge != Merge::Nothing).then(|| Arc::new(Live::of(model)));
        let mut seen = FxHashMap::default();
        if let Some(live) = &live {
            seen.extend(path.key(live).map(|key| (key, root)));
        }
        let mut inclusion = (merge == Merge::Included).then(|| Inclusion::new(model));
        if let (Some(inclusion), Some(live)) = (&mut inclusion, &live) {
            inclusion.keep(path, live, root);
        }
        let switches = model.switches.len();
        Numbering {
            live,
            doubts: Vec::new(),
            seen,
            inclusion,
            taken: vec![false; switches],
            not_taken: switches,
            key_bytes: 0,
        }
    }

    /// Whether every switch has been taken, on a path that is proved possible.
    pub fn covered(&self) -> bool {
        self.not_taken == 0
    }

    /// The bytes that states to compare with take.
    pub fn bytes(&self) -> usize {
        self.key_bytes
    }

    pub fn inclusion_counters(&self) -> InclusionCounters {
        self.inclusion.as_ref().map(Inclusion::counters).unwrap_or_default()
    }

    /// Numbers a successor; it is given back if it is to be expanded.
    pub fn take(
        &mut self,
        graph: &mut impl Grow,
        cursor: &mut Cursor<'_>,
        parent: NodeId,
        child: Child,
    ) -> Option<NodeId> {
        let id = graph.add(parent, child.step, child.doubt.is_some());
        self.doubts.extend(child.doubt.map(|reason| (id, *reason)));
        // A state that is surely reached is not merged into one that is reached perhaps.
        let unsure = graph.rests_on_unknown(id);
        for s in child.step.switches().filter(|_| !unsure) {
            let taken = &mut self.taken[sioco_model::Id::index(s)];
            self.not_taken -= usize::from(!*taken);
            *taken = true;
        }
        let fits = |other: NodeId| unsure || !graph.rests_on_unknown(other);
        let equal = child.key.as_ref().and_then(|key| self.seen.get(key)).copied();
        if let Some(other) = equal.filter(|other| fits(*other)) {
            graph.set_included(id, other);
            return None;
        }
        if let (Some(inclusion), Some(live)) = (&mut self.inclusion, &self.live) {
            cursor.enter(graph.settled(), parent, child.step, id);
            if let Some(other) = inclusion.find(&mut cursor.path, &fits) {
                graph.set_included(id, other);
                return None;
            }
            inclusion.keep(&mut cursor.path, live, id);
        }
        if let Some(key) = child.key {
            self.key_bytes += size_of_val(&*key) + size_of::<(Key, NodeId)>();
            self.seen.insert(key, id);
        }
        Some(id)
    }
}
