//! What becomes of Z3 if it breaks down, or does not stop.

use std::time::Instant;

use super::*;

fn connection() -> Option<Z3Connection> {
    let library = find().0;
    if library.is_none() {
        eprintln!("skipped: there is no Z3 library here");
    }
    Some(Z3Connection { library: library?, cores: false, seat: None })
}

fn works(connection: &mut Z3Connection) {
    let answer = connection.run("(declare-const x Int)(assert (< x 1))(check-sat)", &Limits::default());
    assert_eq!(answer.as_deref().map(str::trim), Ok("sat"));
}

/// Without the handler, each of these would end the process.
#[test]
fn a_breakdown_ends_nothing_but_the_question() {
    let Some(mut connection) = connection() else { return };
    let mut other = Z3Connection { library: Arc::clone(&connection.library), cores: true, seat: None };
    works(&mut other);
    for _ in 0..3 {
        works(&mut connection);
        let broken = connection.run_job(Box::new(|context| context.break_down()), &Limits::default());
        let Err(Fault::Broken(why)) = broken else { panic!("{broken:?}") };
        assert!(why.contains("broke down"), "{why}");
    }
    works(&mut connection);
    let again = other.run("(check-sat)", &Limits::default());
    assert_eq!(again.as_deref().map(str::trim), Ok("sat"), "others keep what they know");
}

#[test]
fn what_does_not_stop_is_left() {
    let Some(mut connection) = connection() else { return };
    works(&mut connection);
    let started = Instant::now();
    let long = Duration::from_secs(30);
    let limits = Limits { wall: Duration::from_millis(50), ..Limits::default() };
    let stubborn = move |_: &mut Context| {
        std::thread::sleep(long);
        Ok(String::new())
    };
    let broken = connection.run_job(Box::new(stubborn), &limits);
    let Err(Fault::Broken(why)) = broken else { panic!("{broken:?}") };
    assert!(why.contains("did not stop"), "{why}");
    works(&mut connection);
    drop(connection);
    assert!(started.elapsed() < long / 2, "{:?}", started.elapsed());
}

/// Z3 4.8.12 is over its limit after these, and throws when the context is deleted.
#[test]
fn a_context_that_cannot_be_deleted_ends_nothing() {
    let Some(mut connection) = connection() else { return };
    let commands = "(set-option :rlimit 3000)
        (push 4)
        (declare-const x Int)
        (assert (<= 0 x 3))
        (assert (<= 0 (mod (let ((m x)) (ite (<= 0 m) m (- m))) 2)))
        (declare-const v Int)
        (declare-const w Int)
        (assert (= w (mod v 2)))
        (assert (<= w 1))
        (declare-const s (Seq Int))
        (assert (= s (seq.++ (seq.++ (seq.unit 0) (seq.unit 2)) (seq.unit w))))
        (check-sat)
        (push 1)
        (assert (< 0 (seq.len s)))
        (check-sat)
        (pop 1)
        (assert (< 0 (seq.len s)))
        (check-sat)";
    for _ in 0..3 {
        // What it answers depends on the version.
        let answer = connection.run(commands, &Limits::default());
        eprintln!("{answer:?}");
        connection.restart();
        works(&mut connection);
    }
}
