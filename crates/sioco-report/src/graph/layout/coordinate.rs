//! Horizontal places: edges as straight as the order on the levels and the widths allow.

/// A vertex takes the space from `left` before its line to `right` behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub left: f64,
    pub right: f64,
}

/// A connection of a vertex with one of the next level. It is straight when the two lines plus shifts agree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub upper: usize,
    pub lower: usize,
    pub upper_shift: f64,
    pub lower_shift: f64,
    pub weight: f64,
}

/// The inner vertices of an edge from top to bottom, and the two ends: vertex and shift.
pub(super) struct Chain<'a> {
    pub top: (usize, f64),
    pub inner: &'a [usize],
    pub bottom: (usize, f64),
}

/// The place of the line of every vertex.
pub(super) fn coordinates(levels: &[Vec<usize>], extents: &[Extent], links: &[Link], chains: &[Chain<'_>]) -> Vec<f64> {
    let mut x = vec![0.0; extents.len()];
    for level in levels {
        let mut at = 0.0;
        for v in level {
            x[*v] = at + extents[*v].left;
            at = x[*v] + extents[*v].right;
        }
        // Levels are centred to begin with, so that the widest one does not pull all to its left end.
        for v in level {
            x[*v] -= at / 2.0;
        }
    }
    let mut wishes: Vec<Vec<Wish>> = vec![Vec::new(); extents.len()];
    for link in links {
        wishes[link.upper].push(Wish {
            of: link.lower,
            shift: link.lower_shift - link.upper_shift,
            up: false,
            weight: link.weight,
        });
        wishes[link.lower].push(Wish {
            of: link.upper,
            shift: link.upper_shift - link.lower_shift,
            up: true,
            weight: link.weight,
        });
    }
    let mut solver = Solver { extents, wishes, x };
    let small = extents.len() <= 3_000;
    for _ in 0..if small { 8 } else { 3 } {
        solver.sweep(levels, Look::Up, false);
        solver.sweep(levels, Look::Down, false);
    }
    for _ in 0..if small { 24 } else { 6 } {
        solver.sweep(levels, Look::Both, false);
    }
    // Means leave many edges slightly slanted; medians make most of them exactly straight.
    for _ in 0..if small { 12 } else { 4 } {
        solver.sweep(levels, Look::Both, true);
    }
    let mut x = solver.x;
    for _ in 0..4 {
        straighten(levels, extents, chains, &mut x);
    }
    x
}

/// Moves the inner vertices of each edge onto as few verticals as the neighbours allow: what a sweep does level by
/// level leaves long edges with many small steps.
fn straighten(levels: &[Vec<usize>], extents: &[Extent], chains: &[Chain<'_>], x: &mut [f64]) {
    let mut neighbours = vec![(None, None); x.len()];
    for pair in levels.iter().flat_map(|level| level.windows(2)) {
        neighbours[pair[0]].1 = Some(pair[1]);
        neighbours[pair[1]].0 = Some(pair[0]);
    }
    let room = |v: usize, x: &[f64]| {
        let (left, right): (Option<usize>, Option<usize>) = neighbours[v];
        let least = left.map_or(f64::NEG_INFINITY, |l| x[l] + extents[l].right + extents[v].left);
        let most = right.map_or(f64::INFINITY, |r| x[r] - extents[r].left - extents[v].right);
        (least, most.max(least))
    };
    for chain in chains {
        let mut from = 0;
        while from < chain.inner.len() {
            let (mut least, mut most) = room(chain.inner[from], x);
            let mut to = from + 1;
            while let Some(&v) = chain.inner.get(to) {
                let (l, m) = room(v, x);
                if l.max(least) > m.min(most) {
                    break;
                }
                (least, most) = (l.max(least), m.min(most));
                to += 1;
            }
            let run = &chain.inner[from..to];
            let mut places: Vec<f64> = run.iter().map(|v| x[*v]).collect();
            places.sort_by(f64::total_cmp);
            let mut wish = places[places.len() / 2];
            // The vertical of an end of the edge saves one more bend.
            let ends = [(to == chain.inner.len(), chain.bottom), (from == 0, chain.top)];
            let straight = ends.iter().filter(|(is_end, _)| *is_end).map(|(_, (v, shift))| x[*v] + shift);
            if let Some(end) = straight.into_iter().find(|end| (least..=most).contains(end)) {
                wish = end;
            }
            for v in run {
                x[*v] = wish.clamp(least, most);
            }
            from = to;
        }
    }
}

#[derive(Clone, Copy)]
struct Wish {
    of: usize,
    shift: f64,
    up: bool,
    weight: f64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    Up,
    Down,
    Both,
}

struct Solver<'a> {
    extents: &'a [Extent],
    wishes: Vec<Vec<Wish>>,
    x: Vec<f64>,
}

impl Solver<'_> {
    fn sweep(&mut self, levels: &[Vec<usize>], look: Look, median: bool) {
        if look == Look::Down {
            levels.iter().rev().for_each(|level| self.level(level, look, median));
        } else {
            levels.iter().for_each(|level| self.level(level, look, median));
        }
    }

    /// The best places for one level while the others stay: an isotonic regression, since the order is fixed.
    fn level(&mut self, level: &[usize], look: Look, median: bool) {
        let mut blocks: Vec<Block> = Vec::with_capacity(level.len());
        let mut offset = 0.0;
        for (i, &v) in level.iter().enumerate() {
            if i > 0 {
                offset += self.extents[level[i - 1]].right + self.extents[v].left;
            }
            let mut values: Vec<(f64, f64)> = (self.wishes[v].iter())
                .filter(|w| look == Look::Both || w.up == (look == Look::Up))
                .map(|w| (self.x[w.of] + w.shift - offset, w.weight))
                .collect();
            if values.is_empty() {
                values.push((self.x[v] - offset, 0.01));
            }
            let mut block = Block::new(values, vec![(v, offset)], median);
            while let Some(last) = blocks.pop_if(|last| last.place > block.place) {
                block = last.join(block, median);
            }
            blocks.push(block);
        }
        for block in blocks {
            for (v, offset) in block.members {
                self.x[v] = block.place + offset;
            }
        }
    }
}

/// Vertices that touch each other, with where they would like to be.
struct Block {
    values: Vec<(f64, f64)>,
    members: Vec<(usize, f64)>,
    place: f64,
}

impl Block {
    fn new(mut values: Vec<(f64, f64)>, members: Vec<(usize, f64)>, median: bool) -> Block {
        let total: f64 = values.iter().map(|v| v.1).sum();
        let place = if median {
            values.sort_by(|a, b| a.0.total_cmp(&b.0));
            weighted_median(&values, total)
        } else {
            values.iter().map(|v| v.0 * v.1).sum::<f64>() / total
        };
        Block { values, members, place }
    }

    fn join(mut self, other: Block, median: bool) -> Block {
        self.values.extend(other.values);
        self.members.extend(other.members);
        Block::new(self.values, self.members, median)
    }
}

/// The middle of the values that split the weight in halves.
fn weighted_median(sorted: &[(f64, f64)], total: f64) -> f64 {
    let mut sum = 0.0;
    for (i, (value, weight)) in sorted.iter().enumerate() {
        sum += weight;
        if (sum - total / 2.0).abs() < 1e-9 {
            return sorted.get(i + 1).map_or(*value, |next| (value + next.0) / 2.0);
        }
        if sum > total / 2.0 {
            return *value;
        }
    }
    sorted.last().map_or(0.0, |v| v.0)
}
