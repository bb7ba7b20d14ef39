//! Random collisions of rods: nothing passes through.

use micado_io::collisions::{Collision, Outcome};

/// Number of trials of each kind, and number of kinds.
const EACH: u64 = 13;

fn outcomes(touch: bool) -> Vec<(Collision, Outcome)> {
    let mut all = Vec::new();
    for dragged in [false, true] {
        for radius in [2e-3, 0.5e-3] {
            for speed in [5.0, 50.0] {
                for number in 0..EACH {
                    let collision = Collision { number, dragged, radius, speed, touch };
                    all.push((collision, collision.run().expect("a scene")));
                }
            }
        }
    }
    all
}

#[test]
fn thrown_and_dragged_rods_do_not_pass_through_each_other() {
    let mut touched = 0;
    for (collision, outcome) in outcomes(true) {
        assert_eq!(outcome.passages, 0, "{collision:?}: {outcome:?}");
        // A loop of 4.7 mm about a hand, of a rod that does not touch itself on 4 mm (`OWN`).
        let tears = collision.dragged && collision.speed == 50.0 && collision.radius == 0.5e-3;
        assert!(outcome.folds <= u64::from(tears), "{collision:?}: {outcome:?}");
        // A held step would pass nothing because nothing moves.
        assert_eq!(outcome.held, 0, "{collision:?}: {outcome:?}");
        // Rods that collide lose energy to the contacts and to Euler's rule.
        assert!(outcome.gain < 1e-9, "{collision:?}: {outcome:?}");
        touched += u64::from(outcome.touched);
    }
    assert!(touched > 4 * EACH, "{touched}");
}

#[test]
fn without_contact_the_alarm_counts_passages() {
    let passed =
        outcomes(false).iter().filter(|(_, outcome)| outcome.passages + outcome.folds > 0).count() as u64;
    assert!(passed > 2 * EACH, "{passed}");
}
