//! Levels for the nodes of a graph that may have cycles.

/// Every edge leads from one level to a lower one (a greater number), if those marked are turned around.
pub(super) struct Ranks {
    pub rank: Vec<usize>,
    pub turned: Vec<bool>,
}

/// Levels with short edges, few of them upwards, and the start at the top.
pub(super) fn ranks(nodes: usize, edges: &[(usize, usize)], start: usize) -> Ranks {
    let mut outgoing = vec![Vec::new(); nodes];
    for &(from, to) in edges {
        outgoing[from].push(to);
    }
    // Depth first follows the story that a model tells; breadth first stays flat where there is no story.
    let candidates = [depth_first(&outgoing, start), breadth_first(&outgoing, start)];
    let ranked = candidates.map(|order| from_order(nodes, edges, &order));
    let cost = |r: &Ranks| {
        let length: usize = edges.iter().map(|(a, b)| r.rank[*a].abs_diff(r.rank[*b])).sum();
        length + r.turned.iter().filter(|t| **t).count()
    };
    let [deep, broad] = ranked;
    if cost(&deep) <= cost(&broad) { deep } else { broad }
}

fn depth_first(outgoing: &[Vec<usize>], start: usize) -> Vec<usize> {
    let mut seen = vec![false; outgoing.len()];
    let mut finished = Vec::with_capacity(outgoing.len());
    let roots = std::iter::once(start).chain(0..outgoing.len()).filter(|r| *r < outgoing.len());
    let mut orders: Vec<Vec<usize>> = Vec::new();
    for root in roots {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut stack = vec![(root, 0)];
        while let Some((node, next)) = stack.last_mut() {
            match outgoing[*node].get(*next) {
                Some(&to) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[to], true) {
                        stack.push((to, 0));
                    }
                }
                None => {
                    finished.push(*node);
                    stack.pop();
                }
            }
        }
        finished.reverse();
        orders.push(std::mem::take(&mut finished));
    }
    orders.concat()
}

/// All nodes in the order of a breadth-first walk from the start, then from whatever is left.
pub(super) fn breadth_first(outgoing: &[Vec<usize>], start: usize) -> Vec<usize> {
    let mut seen = vec![false; outgoing.len()];
    let mut order = Vec::with_capacity(outgoing.len());
    for root in std::iter::once(start).chain(0..outgoing.len()).filter(|r| *r < outgoing.len()) {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut at = order.len();
        order.push(root);
        while at < order.len() {
            for &to in &outgoing[order[at]] {
                if !std::mem::replace(&mut seen[to], true) {
                    order.push(to);
                }
            }
            at += 1;
        }
    }
    order
}

/// Turns the edges that go against the order, then gives every node the least level that the others allow.
fn from_order(nodes: usize, edges: &[(usize, usize)], order: &[usize]) -> Ranks {
    let mut place = vec![0; nodes];
    for (i, node) in order.iter().enumerate() {
        place[*node] = i;
    }
    let turned: Vec<bool> = edges.iter().map(|(a, b)| place[*b] < place[*a]).collect();
    let (mut above, mut below) = (vec![Vec::new(); nodes], vec![Vec::new(); nodes]);
    for (&(a, b), &turned) in edges.iter().zip(&turned) {
        let (a, b) = if turned { (b, a) } else { (a, b) };
        above[b].push(a);
        below[a].push(b);
    }
    let mut rank = vec![0; nodes];
    for &node in order {
        rank[node] = above[node].iter().map(|a| rank[*a] + 1).max().unwrap_or(0);
    }
    shorten(&mut rank, &above, &below, order);
    Ranks { rank, turned }
}

/// Moves nodes up or down as long as that makes their edges shorter.
fn shorten(rank: &mut [usize], above: &[Vec<usize>], below: &[Vec<usize>], order: &[usize]) {
    for _ in 0..20 {
        let mut moved = false;
        for &node in order.iter().rev() {
            // Moving down makes the edges from above longer and those to below shorter.
            if below[node].len() <= above[node].len() {
                continue;
            }
            let Some(next) = below[node].iter().map(|b| rank[*b]).min() else { continue };
            if next > rank[node] + 1 && order.first() != Some(&node) {
                rank[node] = next - 1;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
}
