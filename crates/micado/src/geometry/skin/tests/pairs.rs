//! Contacts of all pairs of forms.

use super::*;
use crate::geometry::skin::{NearSkins, SkinPairs};

fn find(a: &Skin, at: Pose, b: &Skin, there: Pose, reach: f64) -> Vec<NearSkins> {
    let mut out = Vec::new();
    SkinPairs::default().find([(a, at), (b, there)], reach, &mut out);
    out
}

/// Both points in world axes.
fn points(near: &NearSkins, at: &Pose, there: &Pose) -> [DVec3; 2] {
    [at.point(near.points[0]), there.point(near.points[1])]
}

/// All pairs of forms in poses in which they overlap a little or are near.
fn pairs_of_forms(mut visit: impl FnMut(&str, &Skin, Pose, &Skin, Pose, &[NearSkins])) -> usize {
    let forms = forms();
    let mut numbers = Numbers(21);
    let mut touching = 0;
    for (name_a, a) in &forms {
        for (name_b, b) in &forms {
            let (first, second) = (Skin::of(a.clone()), Skin::of(b.clone()));
            for _ in 0..16 {
                let (p, mut q) = (numbers.pose(), numbers.pose());
                q.position = p.position + numbers.vector() * 1.3;
                let found = find(&first, p, &second, q, 0.05);
                touching += usize::from(!found.is_empty());
                visit(&format!("{name_a}, {name_b}"), &first, p, &second, q, &found);
            }
        }
    }
    touching
}

#[test]
fn points_are_on_both_surfaces_and_apart_by_the_distance() {
    let touching = pairs_of_forms(|name, a, p, b, q, found| {
        for near in found {
            assert!(near.distance < 0.05 && (near.normal.length() - 1.0).abs() < 1e-13, "{name}: {near:?}");
            let [x, y] = points(near, &p, &q);
            let apart = (x - y).dot(near.normal);
            assert!((apart - near.distance).abs() < 1e-12, "{name}: {near:?} {apart}");
            for (skin, own) in [(a, near.points[0]), (b, near.points[1])] {
                let off = skin.parts()[0].field(own).distance;
                // The lowest points of both ends of a capsule: the upper one may be within.
                let is_end = name.contains("capsule") && off < 0.0;
                assert!(off.abs() < 1e-9 || is_end, "{name}: {off} {near:?}");
            }
        }
    });
    assert!(touching > 450, "{touching}");
}

#[test]
fn exchange_of_the_skins_turns_the_normals() {
    let mut compared = 0;
    pairs_of_forms(|name, a, p, b, q, found| {
        let turned = find(b, q, a, p, 0.05);
        let least = |found: &[NearSkins]| found.iter().map(|near| near.distance).fold(1.0, f64::min);
        assert!((least(found) - least(&turned)).abs() < 1e-9, "{name}: {found:?} {turned:?}");
        for near in found {
            let twin = turned.iter().find(|twin| {
                (twin.normal + near.normal).length() < 1e-6 && (twin.distance - near.distance).abs() < 1e-9
            });
            compared += usize::from(twin.is_some());
            assert!(twin.is_some() || found.len() > 1, "{name}: {near:?} {turned:?}");
        }
    });
    assert!(compared > 500, "{compared}");
}

#[test]
fn contacts_move_with_the_skins() {
    let mut numbers = Numbers(22);
    pairs_of_forms(|name, a, p, b, q, found| {
        let pose = numbers.pose();
        let moved = find(a, pose.of(&p), b, pose.of(&q), 0.05);
        let least = |found: &[NearSkins]| found.iter().map(|near| near.distance).fold(1.0, f64::min);
        assert!((least(found) - least(&moved)).abs() < 1e-12, "{name}: {found:?} {moved:?}");
        for near in found {
            let same = moved.iter().any(|other| {
                (pose.vector(near.normal) - other.normal).length() < 1e-6
                    && (near.distance - other.distance).abs() < 1e-10
            });
            assert!(same || near.distance > 0.0499 || found.len() > 4, "{name}: {near:?} {moved:?}");
        }
    });
}

#[test]
fn separated_solids_have_the_sampled_distance() {
    // No pair of points of two convex solids is nearer than the contact.
    let mut checked = 0;
    let mut numbers = Numbers(23);
    pairs_of_forms(|name, a, p, b, q, found| {
        let (first, second) = (&a.parts()[0], &b.parts()[0]);
        let Some(near) = found.iter().min_by(|x, y| x.distance.total_cmp(&y.distance)) else {
            return;
        };
        if near.distance <= 0.0 {
            return;
        }
        // From random points, each projected to the closest of the other solid.
        let mut least = f64::INFINITY;
        for _ in 0..20 {
            let mut x = q.local_point(p.point(first.field(numbers.vector()).point));
            for _ in 0..200 {
                let y = second.field(x).point;
                x = q.local_point(p.point(first.field(p.local_point(q.point(y))).point));
                least = least.min(x.distance(y));
            }
        }
        checked += 1;
        let is_flat = |name: &str| name.contains("mesh") || name.contains("field");
        if is_flat(name) {
            assert!(least > near.distance - 1e-3, "{name}: {least} {near:?}");
        } else {
            assert!(
                least > near.distance - 1e-10 && least < near.distance + 0.05,
                "{name}: {least} {near:?}"
            );
        }
    });
    assert!(checked > 40, "{checked}");
}

#[test]
fn deep_overlaps_push_the_short_way() {
    let half = DVec3::new(0.5, 0.4, 0.3);
    let shapes = [
        Form::Box { half },
        hull_of(box_facets(half)),
        Form::Cylinder { radius: 0.4, half: 0.5 },
        Form::Cone { radius: 0.4, half: 0.5 },
        hull_of(prism(9, 0.4, 0.5)),
    ];
    let mut numbers = Numbers(24);
    for a in &shapes {
        for b in &shapes {
            let (first, second) = (Skin::of(a.clone()), Skin::of(b.clone()));
            for _ in 0..40 {
                let (p, q) = (Pose { position: numbers.vector() * 0.3, ..numbers.pose() }, numbers.pose());
                let p = Pose { position: q.position + p.position, ..p };
                let found = find(&first, p, &second, q, 0.01);
                let Some(near) = found.iter().min_by(|x, y| x.distance.total_cmp(&y.distance)) else {
                    continue;
                };
                assert!(near.distance < 0.0 && near.distance > -1.0, "{a:?} {b:?}: {near:?}");
                // Moved out along the normal by the depth, they touch.
                let out = Pose { position: p.position - near.normal * near.distance * (1.0 + 1e-6), ..p };
                let left = find(&first, out, &second, q, 0.01);
                let depth = left.iter().map(|near| near.distance).fold(1.0, f64::min);
                assert!(depth > -1e-5, "{a:?} {b:?}: {near:?} leaves {depth}");
            }
        }
    }
}

#[test]
fn two_half_spaces_or_grounds_do_not_touch() {
    for form in [Form::HalfSpace, ground()] {
        let skin = Skin::of(form);
        assert!(find(&skin, Pose::IDENTITY, &skin, Pose::at(DVec3::X * 0.1), 1.0).is_empty());
    }
}

#[test]
fn two_searches_find_the_same_contacts() {
    let parts = |shift: f64| {
        let part = |(k, (_, form)): (usize, (&str, Form))| {
            Part::new(form, Pose::at(DVec3::new(0.3 * k as f64 + shift, 0.0, 0.0)))
        };
        Skin::new(forms().into_iter().enumerate().map(part).collect())
    };
    let (a, b) = (parts(0.0), parts(0.1));
    let there = Pose::new(DVec3::new(0.1, 0.2, 0.3), DQuat::from_rotation_y(0.4));
    let mut search = SkinPairs::default();
    let (mut first, mut second) = (Vec::new(), Vec::new());
    search.find([(&a, Pose::IDENTITY), (&b, there)], 0.05, &mut first);
    search.find([(&a, Pose::IDENTITY), (&b, there)], 0.05, &mut second);
    assert!(first.len() > 50, "{}", first.len());
    assert_eq!(format!("{first:?}"), format!("{second:?}"));
}

#[test]
fn the_distance_of_convex_solids_changes_no_faster_than_they_move() {
    let forms: Vec<_> = forms().into_iter().filter(|(_, form)| form.is_convex()).collect();
    let mut numbers = Numbers(25);
    let mut search = SkinPairs::default();
    let (mut out, mut checked) = (Vec::new(), 0);
    for (name, a) in forms.iter().filter(|(name, _)| *name != "half-space") {
        let bounds = a.bounds();
        let radius = bounds.low.abs().max(bounds.high.abs()).length();
        for (other, b) in &forms {
            let (first, second) = (Skin::of(a.clone()), Skin::of(b.clone()));
            for _ in 0..12 {
                let start = Pose { position: numbers.vector() * 1.2, ..numbers.pose() };
                let (velocity, spin) = (numbers.vector(), numbers.vector());
                let fastest = velocity.length() + spin.length() * radius;
                let mut last = f64::INFINITY;
                for step in 0..100 {
                    let h = 2e-3;
                    let turn = DQuat::from_scaled_axis(spin * h * f64::from(step));
                    let position = start.position + velocity * h * f64::from(step);
                    let pose = Pose::new(position, turn * start.rotation);
                    out.clear();
                    search.find([(&first, pose), (&second, Pose::IDENTITY)], 0.1, &mut out);
                    let distance = out.iter().map(|near| near.distance).fold(f64::INFINITY, f64::min);
                    if last.is_finite() && distance.is_finite() {
                        let change = (distance - last).abs();
                        assert!(change < fastest * h + 1e-9, "{name}, {other}: {last} to {distance}");
                        checked += 1;
                    }
                    last = distance;
                }
            }
        }
    }
    assert!(checked > 20_000, "{checked}");
}
