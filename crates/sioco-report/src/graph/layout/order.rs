//! The order on each level that makes few edges cross.

/// Vertices on levels, connected only from one level to the next.
pub(super) struct Levels {
    /// The vertices of each level, from left to right.
    pub levels: Vec<Vec<usize>>,
    /// For each vertex its neighbours on the level above, and below.
    pub above: Vec<Vec<usize>>,
    pub below: Vec<Vec<usize>>,
}

/// Sorts every level so that few edges cross.
pub(super) fn order(graph: &mut Levels) {
    let count = graph.above.len();
    let rounds = if count <= 800 { 24 } else { 8 };
    let mut place = vec![0; count];
    renumber(graph, &mut place);
    let mut best = (crossings(graph, &place), graph.levels.clone());
    for round in 0..rounds {
        if best.0 == 0 {
            break;
        }
        let down = round % 2 == 0;
        for i in 0..graph.levels.len() {
            let level = if down { i } else { graph.levels.len() - 1 - i };
            sort_level(graph, level, down, round % 4 >= 2, &mut place);
        }
        if count <= 3_000 {
            transpose(graph, &mut place);
        }
        let now = crossings(graph, &place);
        if now < best.0 {
            best = (now, graph.levels.clone());
        }
    }
    graph.levels = best.1;
}

fn renumber(graph: &Levels, place: &mut [usize]) {
    for level in &graph.levels {
        for (i, v) in level.iter().enumerate() {
            place[*v] = i;
        }
    }
}

/// Sorts a level by the mean place of the neighbours; those without keep theirs.
fn sort_level(graph: &mut Levels, level: usize, down: bool, right_first: bool, place: &mut [usize]) {
    let neighbours = if down { &graph.above } else { &graph.below };
    let row = &mut graph.levels[level];
    let mean = |v: usize| {
        let near = &neighbours[v];
        (!near.is_empty()).then(|| near.iter().map(|n| place[*n] as f64).sum::<f64>() / near.len() as f64)
    };
    let mut moving: Vec<(f64, usize)> = row.iter().filter_map(|v| mean(*v).map(|m| (m, *v))).collect();
    if right_first {
        // Equal ones change sides, so that a round does not end where the last one did.
        moving.reverse();
    }
    moving.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut moving = moving.into_iter();
    for slot in row.iter_mut() {
        if !neighbours[*slot].is_empty()
            && let Some((_, v)) = moving.next()
        {
            *slot = v;
        }
    }
    for (i, v) in graph.levels[level].iter().enumerate() {
        place[*v] = i;
    }
}

/// Swaps neighbours as long as that makes fewer edges cross.
fn transpose(graph: &mut Levels, place: &mut [usize]) {
    for _ in 0..4 {
        let mut better = false;
        for level in 0..graph.levels.len() {
            for i in 1..graph.levels[level].len() {
                let (a, b) = (graph.levels[level][i - 1], graph.levels[level][i]);
                let cost = |x: usize, y: usize| {
                    pair(&graph.above[x], &graph.above[y], place) + pair(&graph.below[x], &graph.below[y], place)
                };
                if cost(b, a) < cost(a, b) {
                    graph.levels[level].swap(i - 1, i);
                    place.swap(a, b);
                    better = true;
                }
            }
        }
        if !better {
            break;
        }
    }
}

/// How many edges cross between two vertices, the first to the left.
fn pair(left: &[usize], right: &[usize], place: &[usize]) -> usize {
    left.iter().map(|l| right.iter().filter(|r| place[**r] < place[*l]).count()).sum()
}

/// How many edges cross.
fn crossings(graph: &Levels, place: &[usize]) -> usize {
    let mut total = 0;
    for (upper, lower) in graph.levels.iter().zip(graph.levels.iter().skip(1)) {
        // A Fenwick tree over the lower level: how many edges so far end to the right of a place.
        let mut tree = vec![0usize; lower.len() + 1];
        let mut seen = 0;
        for v in upper {
            let mut ends: Vec<usize> = graph.below[*v].iter().map(|b| place[*b]).collect();
            ends.sort_unstable();
            for end in &ends {
                let (mut i, mut left) = (end + 1, 0);
                while i > 0 {
                    left += tree[i];
                    i &= i - 1;
                }
                total += seen - left;
            }
            for end in ends {
                let mut i = end + 1;
                while i < tree.len() {
                    tree[i] += 1;
                    i += i & i.wrapping_neg();
                }
                seen += 1;
            }
        }
    }
    total
}
