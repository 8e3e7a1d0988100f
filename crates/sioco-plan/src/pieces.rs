//! Work on all cores whose result does not depend on how many there are.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Does something with every piece of a list, one worker per thread, and gives the results in the order of the list.
/// `after` is told now and then how many items are done.
///
/// For the result to be the same on any number of cores, what is done with a piece must not depend on what the worker did
/// before.
pub(crate) fn in_pieces<T: Sync, W: Send, R: Send>(
    items: &[T],
    size: usize,
    workers: &mut [W],
    work: impl Fn(&mut W, usize, &[T]) -> R + Sync,
    after: &mut dyn FnMut(usize),
) -> Vec<R> {
    let pieces: Vec<&[T]> = items.chunks(size.max(1)).collect();
    let next = AtomicUsize::new(0);
    let one = |worker: &mut W| {
        let i = next.fetch_add(1, Ordering::Relaxed);
        pieces.get(i).map(|piece| (i, work(worker, i, piece)))
    };
    let all = |worker: &mut W| std::iter::from_fn(|| one(worker)).collect::<Vec<(usize, R)>>();
    let mut found = Vec::with_capacity(pieces.len());
    let Some((first, others)) = workers.split_first_mut() else { return Vec::new() };
    let useful = pieces.len().saturating_sub(1);
    std::thread::scope(|scope| {
        let others: Vec<_> = others.iter_mut().take(useful).map(|worker| scope.spawn(|| all(worker))).collect();
        while let Some(result) = one(first) {
            found.push(result);
            after((next.load(Ordering::Relaxed) * size).min(items.len()));
        }
        for other in others {
            found.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
    });
    found.sort_by_key(|(i, _)| *i);
    found.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::in_pieces;

    #[test]
    fn results_are_in_order_on_any_number_of_threads() {
        let items: Vec<usize> = (0..1000).collect();
        let sums: Vec<usize> = items.chunks(7).map(|c| c.iter().sum()).collect();
        for workers in 1..5 {
            let mut done = 0;
            let found = in_pieces(&items, 7, &mut vec![(); workers], |(), _, p| p.iter().sum::<usize>(), &mut |n| {
                assert!(n >= done && n <= items.len());
                done = n;
            });
            assert_eq!(found, sums);
        }
        let none: Vec<usize> = in_pieces(&[], 7, &mut [()], |(), _, p: &[usize]| p.len(), &mut |_| {});
        assert!(none.is_empty());
    }
}
