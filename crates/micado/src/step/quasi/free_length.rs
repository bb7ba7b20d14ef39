//! The longest free length of an island, and the resulting time step.

use crate::object::MaterialCurve;
use crate::world::State;
use crate::world::Structure;
use crate::world::islands::{Islands, objects_of};

/// Places that constraints hold on curves: object, rest arc length in m.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeldPlaces(Vec<(usize, f64)>);

impl HeldPlaces {
    /// Updates the list. Directions, rolls, sliding masses and unilateral constraints leave a place free to
    /// move.
    pub(crate) fn find(&mut self, structure: &Structure, state: &State) {
        self.0.clear();
        for (constraint, memory) in structure.constraints.iter().zip(&state.constraints) {
            if constraint.rows(memory) == 0 && memory.duplicate_of.is_none()
                || !constraint.law.holds_position()
            {
                continue;
            }
            let objects = objects_of(constraint, memory);
            let places = constraint.places(&structure.objects, memory);
            for (object, place) in objects.into_iter().zip(&places) {
                if let Some(object) = object
                    && let Some(curve) = structure.objects[object].curve()
                {
                    self.0.push((object, curve.arc_length(place)));
                }
            }
        }
        self.0.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    }

    /// The longest rest length of an object between neighbouring held places, or from one to an end, m.
    fn longest_free(&self, structure: &Structure, object: usize) -> f64 {
        let Some(curve) = structure.objects[object].curve() else { return 0.0 };
        let closed = curve.ends().is_none();
        let begin = self.0.partition_point(|held| held.0 < object);
        let held = self.0[begin..].iter().take_while(|held| held.0 == object).map(|held| held.1);
        let (mut longest, mut last, mut first) = (0.0_f64, 0.0, None);
        for s in held {
            first.get_or_insert(s);
            if first != Some(s) || !closed {
                longest = longest.max(s - last);
            }
            last = s;
        }
        // In a ring the last gap continues to the first place.
        let beyond = if closed { first.unwrap_or(0.0) } else { 0.0 };
        longest.max(curve.length() - last + beyond)
    }

    /// The longest free length of an island as a share of its longest curve; 1 without curves.
    pub(crate) fn free_share(&self, structure: &Structure, islands: &Islands, island: usize) -> f64 {
        let (mut free, mut whole) = (0.0_f64, 0.0_f64);
        for object in islands.members(island) {
            free = free.max(self.longest_free(structure, object));
            whole = whole.max(structure.objects[object].curve().map_or(0.0, MaterialCurve::length));
        }
        if whole > 0.0 { free / whole } else { 1.0 }
    }
}

/// Number of halvings of the step for an island: `Δt = Δt₀ (l_free/l)^e` rounded down to Δt₀ 2⁻ᵏ, k at most
/// `most`.
pub(crate) fn halvings(share: f64, exponent: f64, most: u32) -> u32 {
    let wanted = -exponent * share.max(f64::MIN_POSITIVE).log2();
    // A share of 1 to rounding needs no halving.
    ((wanted - 1e-9).ceil().max(0.0) as u32).min(most)
}

#[cfg(test)]
mod tests {
    use super::{HeldPlaces, halvings};
    use crate::world::World;
    use crate::world::islands::Islands;
    use serde_json::{Value, json};

    fn free_share(scene: Value) -> f64 {
        let world = World::build(&serde_json::from_value(scene).expect("a scene")).expect("a world");
        let (mut islands, mut held) = (Islands::default(), HeldPlaces::default());
        islands.find(world.structure(), world.state(), &[]);
        held.find(world.structure(), world.state());
        held.free_share(world.structure(), &islands, 0)
    }

    #[expect(clippy::needless_pass_by_value, reason = "constraints are written where they are given")]
    fn rope(constraints: Value) -> Value {
        json!({
            "rod": {"rope": {"shape": {"line": {"from": [0, 0, 0], "to": [2, 0, 0]}}, "radius": 0.005,
                "young": 1e7, "density": 1000, "segments": 16}},
            "constraint": constraints,
        })
    }

    #[test]
    fn the_free_length_is_the_longest_stretch_between_held_places_and_ends() {
        assert_eq!(free_share(rope(json!({}))), 1.0);
        let held = |at: f64| json!({"position": {"on": "rope", "at": at}});
        let one = free_share(rope(json!({"a": held(0.5)})));
        assert!((one - 0.75).abs() < 1e-9, "{one}");
        let three = free_share(rope(json!({"a": held(0.5), "b": held(1.1), "c": held(1.9)})));
        assert!((three - 0.4).abs() < 1e-9, "{three}");
        // A tangent doesn't hold a place.
        let turned = free_share(rope(json!({"a": held(0.5), "b": {"tangent": {"on": "rope", "at": 1.2}}})));
        assert!((turned - 0.75).abs() < 1e-9, "{turned}");
    }

    #[test]
    fn free_length_of_a_ring_crosses_its_seam() {
        let held = |at: &str| json!({"position": {"on": "ring", "at": at}});
        let share = free_share(json!({
            "rod": {"ring": {"shape": {"ring": {"centre": [0, 0, 0], "radius": 1.0}}, "radius": 0.005,
                "young": 1e7, "density": 1000, "segments": 32}},
            "constraint": {"a": held("30 %"), "b": held("60 %")},
        }));
        assert!((share - 0.7).abs() < 1e-9, "{share}");
    }

    #[test]
    fn steps_are_halved_according_to_the_free_length() {
        assert_eq!(
            [1.0, 0.9, 0.5, 0.49, 0.25, 1e-9].map(|share| halvings(share, 1.0, 6)),
            [0, 1, 1, 2, 2, 6]
        );
        assert_eq!([1.0, 0.5, 0.25].map(|share| halvings(share, 2.0, 6)), [0, 2, 4]);
    }
}
