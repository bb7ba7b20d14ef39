//! Tables and frames contain the engine's values.

use micado::clock::WallClock;
use micado::run::Simulation;
use micado::scene::Component;
use micado_io::observe;
use micado_io::record::{Limit, LoadKind, MarkerKind, ObjectKind, SpringKind, WinchEnd};
use micado_io::scene::parse;

/// Two ropes that cross in an eye, a pearl, a clip, an `at-least` distance, a curve, a spring and loads.
const SCENE: &str = r#"
[settings]
step = 0.01
gravity = [0, 0, -1]
[rod]
across = { shape.line = { from = [-1, 0, 0], to = [1, 0, 0] }, radius = 0.01, young = 1e7, density = 1000 }
along = { shape.line = { from = [0, -1, 0], to = [0, 1, 0] }, radius = 0.02, young = 1e7, density = 1000 }
[mass]
ball = { mass = 2, position = [3, 0, 0], radius = 0.1 }
cart = { mass = 1, position = [0, 3, 0] }
[constraint]
left.position = { on = "across", at = "start" }
right.clamp = { on = "across", at = "end" }
cross.keyhole = { on = "across", at = 1, to = { on = "along", at = 1 }, crossing = true }
bead.pearl = { on = "across", at = 0.5, mass = 0.01, radius = 0.03 }
held.clip = { on = "along", at = "start", strength = 50 }
bumper.distance = { on = "ball", to = { on = "cart" }, limit = "at-least", distance = 4 }
[constraint.rail.trajectory]
on = "cart"
path.line = { from = [0, 2, 0], to = [0, 4, 0] }
displacement.ramp = { to = [0, 0, 1], end = 1 }
[spring.coil.linear]
from.mass = "ball"
to.point = [4, 0, 0]
stiffness = 10
length = 0.5
[load]
push.force = { on = "ball", force = [0, 0, 5] }
weight.distributed = { on = "across", force = [0, 0, -3] }
[winch.drum]
on = "along"
at = "end"
pay_out.ramp = { to = 0.5, end = 1 }
[[probe]]
name = "pull"
of = "left"
read = "force"
"#;

#[test]
fn tables_and_frames_have_what_the_engine_reads() {
    use ObjectKind::{Mass, Pearl, Rod};
    let file = parse("all.toml", SCENE, &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = Simulation::build(file.scene()).unwrap();
    let (before, _) = observe::observe(&simulation);
    let clock = WallClock::start();
    for _ in 0..5 {
        simulation.step(&clock);
    }
    let (table, frame) = observe::observe(&simulation);
    let world = simulation.world();
    assert_eq!(frame.points.len() as u64, table.point_count());
    let object = |name: &str| table.objects.iter().position(|object| object.name == name).expect("an object");
    let kinds: Vec<ObjectKind> = table.objects.iter().map(|object| object.kind).collect();
    assert_eq!(kinds, [Rod, Rod, Mass, Mass, Pearl]);
    assert!((table.objects[object("across")].length - 2.0).abs() < 1e-12);

    let index = |name: &str| table.constraints.iter().position(|row| row.name == name).expect("a constraint");
    let state = |name: &str| frame.constraints[index(name)];
    for (k, state) in frame.constraints.iter().enumerate() {
        let force = world.constraint_force(k).unwrap();
        assert_eq!((state.force, state.moment), (force.force.to_array(), force.moment.to_array()));
    }
    for (name, kind) in [
        ("left", MarkerKind::Point),
        ("right", MarkerKind::Clamp),
        ("cross", MarkerKind::Ring),
        ("bead", MarkerKind::Pearl),
        ("held", MarkerKind::Clip),
        ("bumper", MarkerKind::Distance),
        ("rail", MarkerKind::Curve),
    ] {
        assert_eq!(table.constraints[index(name)].marker.kind, kind, "{name}");
    }
    // The rod ends at the clamp, so inward is against the tangent.
    assert!(state("right").direction[0] < -0.99, "{:?}", state("right"));
    // Eyes, pearls and clips report their arc length on their rods, a crossing on both.
    assert_eq!(state("left").at, [None, None]);
    let [Some(on_across), Some(on_along)] = state("cross").at else { panic!("{:?}", state("cross")) };
    assert!((on_across - 1.0).abs() < 0.1 && (on_along - 1.0).abs() < 0.1, "{on_across} {on_along}");
    assert_eq!(state("bead").at[0], world.sliding_place(index("bead")).ok());
    let bead = frame.points[table.point_range(object("bead")).expect("a point").start];
    assert_eq!(state("bead").place, bead);
    assert_eq!((state("held").at, state("held").open), ([Some(0.0), None], false));
    assert!(state("held").used > 0.0 && table.constraints[index("held")].strength == Some(50.0));
    // The other end of a distance, and its radius if it is `at-least`.
    let bumper = &table.constraints[index("bumper")];
    assert_eq!((bumper.to.as_deref(), bumper.marker.limit), (Some("cart"), Limit::AtLeast));
    let cart = frame.points[table.point_range(object("cart")).expect("a point").start];
    assert_eq!((state("bumper").centre, state("bumper").radius), (Some(cart), 4.0));
    // The curve moves with its start; the previous table is still valid.
    let start = state("rail").centre.expect("a start");
    assert!((start[2] - 0.05).abs() < 1e-12 && start[1] == 2.0, "{start:?}");
    assert!(before.constraints[index("rail")].marker.points.len() >= 2);

    assert_eq!((table.springs[0].kind, table.loads[0].kind), (SpringKind::Linear, LoadKind::Force));
    let ball = frame.points[table.point_range(object("ball")).expect("a point").start];
    assert_eq!((frame.springs[0].from, frame.springs[0].to), (ball, [4.0, 0.0, 0.0]));
    assert_eq!(frame.springs[0].tension, world.spring_tension(0).unwrap());
    assert_eq!((frame.loads[0].place, frame.loads[0].force), (ball, [0.0, 0.0, 5.0]));
    // 3 N/m along 2 m.
    assert!((frame.loads[1].force[2] + 6.0).abs() < 1e-9, "{:?}", frame.loads[1]);
    assert_eq!((table.winches[0].on.as_str(), table.winches[0].at), ("along", WinchEnd::End));
    assert_eq!(frame.probes, simulation.probe_values());
    assert_eq!((table.probes[0].read.as_str(), table.probes[0].unit.as_str()), ("force", "N"));
    assert_eq!(frame.energies.total, world.energy().total());

    // The winch has paid out more than half a percent.
    assert!(!before.serves(&table));
    let mut slower = table.clone();
    slower.objects[object("along")].length = before.objects[object("along")].length;
    assert!(before.serves(&slower));
}

/// A block that spins about z, its twin, and a fixed pin.
const BODIES: &str = r#"
[settings]
step = 0.01
gravity = [0, 0, 0]
[body.block]
shape.box.size = [0.4, 0.2, 0.1]
density = 1000
position = [0, 0, 1]
spin = [0, 0, 2]
[body.twin]
shape.box.size = [0.4, 0.2, 0.1]
density = 500
position = [0, 1, 1]
rotation = [0, 0, 1.5707963267948966]
[body.pin]
shape.cylinder = { radius = 0.05, length = 0.3 }
density = 1000
fixed = true
"#;

#[test]
fn bodies_have_one_mesh_and_turn_with_their_frame() {
    let file = parse("bodies.toml", BODIES, &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = Simulation::build(file.scene()).unwrap();
    let mut observer = observe::Observer::default();
    let (before, _) = observer.observe(&simulation);
    let clock = WallClock::start();
    for _ in 0..10 {
        simulation.step(&clock);
    }
    let (table, frame) = observer.observe(&simulation);
    assert!(before.serves(&table));
    assert_eq!(
        table.objects.iter().map(|object| object.mesh).collect::<Vec<_>>(),
        [Some(0), Some(0), Some(1)]
    );
    let [block, pin] = observer.meshes() else { panic!("{} meshes", observer.meshes().len()) };
    assert_eq!((block.vertices.len(), block.triangles.len(), block.edges.len()), (8, 12, 12));
    assert!(block.vertices.iter().all(|&[x, y, z]| [x.abs(), y.abs(), z.abs()] == [0.2, 0.1, 0.05]));
    assert!(pin.vertices.iter().all(|&[_, y, z]| y.hypot(z) < 0.051));
    // Free rotation about a principal axis: 2 rad/s for 0.1 s, of which a quaternion has half.
    let [x, y, z, w] = frame.orientations[0];
    assert!(x.abs() + y.abs() < 1e-12 && (z.atan2(w) - 0.1).abs() < 1e-9, "{z} {w}");
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let [x, y, z, w] = frame.orientations[1];
    assert!(x.abs() + y.abs() + (z - half).abs() + (w - half).abs() < 1e-12);
    assert_eq!(frame.points, [[0.0, 0.0, 1.0], [0.0, 1.0, 1.0], [0.0; 3]]);
    let places: Vec<_> = table.bodies().map(|(object, first)| (object.name.as_str(), first)).collect();
    assert_eq!(places, [("block", 0), ("twin", 1), ("pin", 2)]);
}

#[test]
fn a_joint_has_the_symbol_of_its_kind_along_its_axis() {
    let kinds = ["ball", "weld", "hinge", "slider", "cylindrical", "universal", "planar"];
    let part = |kind: &&str| {
        format!(
            "[body.{kind}_body]\nshape.sphere.radius = 0.1\ndensity = 1000\n\
             [constraint.{kind}_joint.joint]\nkind = \"{kind}\"\non = \"{kind}_body\"\n{}",
            match *kind {
                "ball" | "weld" => "",
                "universal" => "axis = [0, 1, 0]\ncross = [1, 0, 0]\n",
                _ => "axis = [0, 2, 0]\n",
            }
        )
    };
    let text: String = kinds.iter().map(part).collect();
    let file = parse("joints.toml", &text, &[]).unwrap_or_else(|error| panic!("{error}"));
    let (table, frame) = observe::observe(&Simulation::build(file.scene()).unwrap());
    for ((row, state), kind) in table.constraints.iter().zip(&frame.constraints).zip(kinds) {
        // The words of symbols are those of joints.
        assert_eq!(serde_json::to_value(row.marker.kind).unwrap(), kind);
        let has_axis = !matches!(kind, "ball" | "weld" | "universal");
        assert!(!has_axis || state.direction == [0.0, 1.0, 0.0], "{kind}: {:?}", state.direction);
    }
    assert_eq!(table.constraints.len(), kinds.len());
}

/// A cube of 4 kg rests on the floor: the floor is a plane without a mesh, and four contacts carry the cube.
#[test]
fn a_floor_is_a_height_and_contacts_carry_what_lies_on_it() {
    let text = "floor = 0.5\n[settings]\nstep = 0.01\ngravity = [0, 0, -10]\n[contact]\nfriction = 0.25\n\
                [body.cube]\nshape.box.size = [0.2, 0.2, 0.2]\ndensity = 500\nposition = [0, 0, 0.6]\n";
    let file = parse("cube.toml", text, &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = Simulation::build(file.scene()).unwrap();
    assert_eq!(simulation.remarks(), [], "it touches the floor, and does not overlap it");
    let clock = WallClock::start();
    for _ in 0..20 {
        simulation.step(&clock);
    }
    let (table, frame) = observe::observe(&simulation);
    let kinds: Vec<_> = table.objects.iter().map(|object| (object.kind, object.mesh)).collect();
    assert_eq!(kinds, [(ObjectKind::Body, Some(0)), (ObjectKind::Floor, None)]);
    assert_eq!((table.floor(&frame.points), frame.orientations.len()), (Some(0.5), 1));
    assert_eq!(frame.contacts.len(), 4);
    let weight: f64 = frame.contacts.iter().map(|contact| contact.force[2]).sum();
    assert!((weight - 40.0).abs() < 1e-6, "{weight}");
    for contact in &frame.contacts {
        assert_eq!((contact.objects, contact.normal, contact.friction), ([0, 1], [0.0, 0.0, 1.0], 0.25));
        let [x, y, z] = contact.point;
        assert!((x.abs() - 0.1).abs() < 1e-6 && (y.abs() - 0.1).abs() < 1e-6 && (z - 0.5).abs() < 1e-6);
    }
    // People see the force on an object beside its other values.
    let world = simulation.world();
    let all = world.read_outs(&world.structure().objects[0], None).unwrap();
    let force = all.iter().find(|value| value.name == "contact force").expect("a contact force");
    assert!((force.value.component(Component::Z) - 40.0).abs() < 1e-6);
}
