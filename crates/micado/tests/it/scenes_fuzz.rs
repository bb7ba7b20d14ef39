//! Random scenes, sensible and not: building never panics, and what is built can be stepped without panic or
//! a state that is not finite.

use crate::common::is_finite;
use micado::clock::NoClock;
use micado::constraint::{
    Axis, Circle, Clamp, Clip, ClipHold, ConstraintDescription, Coupling, Directions, Distance, End,
    EndOfCurve, EndOfPath, Fusion, Hold, Keyhole, Law, Limit, Pearl, PearlFrame, Plane, Position, Roll,
    RowForm, Side, Strength, Tangent, Trajectory,
};
use micado::describe::anchor::{Anchor, At};
use micado::describe::material::{Ellipse, Rectangle, Section, Stiffness};
use micado::describe::signal::{Harmonic, Keyframes, Ramp, Signal, SignalValue};
use micado::load::{
    Distributed, Drag, LinearSpring, LoadDescription, PointForce, PointMoment, RodPlace, SpringDescription,
    SpringEnd, TorsionalSpring,
};
use micado::object::MassDescription;
use micado::object::rod::{
    Arc, Basis, Damping, Helix, Line, Natural, NaturalCurvature, Points, Polyline, Ring, RodDescription,
    RodModel, Shape, Slack, Stretch, StretchMeasure, TwistMeasure,
};
use micado::run::Simulation;
use micado::scene::Cut;
use micado::scene::Splice;
use micado::scene::{Action, Arithmetic, Hessian, Integrator, Kind, Mode, Scene, Solves};
use micado::scene::{Edit, Named};
use micado::scene::{RodEnd, WinchDescription};
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::RngSeed;

/// A number: mostly ordinary, sometimes nonsense.
pub(crate) fn number() -> BoxedStrategy<f64> {
    let odd = [
        0.0,
        -0.0,
        -1.0,
        1e-300,
        1e300,
        1e-9,
        1e9,
        -1e9,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MAX,
        f64::MIN_POSITIVE,
        1e20,
    ];
    prop_oneof![40 => -2.0..2.0_f64, 3 => prop::sample::select(odd.to_vec())].boxed()
}

/// A number that should be positive, of this size.
fn positive(size: f64) -> BoxedStrategy<f64> {
    prop_oneof![60 => (-1.0..1.0_f64).prop_map(move |e| size * 10.0_f64.powf(e)), 1 => number()].boxed()
}

pub(crate) fn vector() -> BoxedStrategy<[f64; 3]> {
    prop_oneof![
        12 => [-2.0..2.0_f64, -2.0..2.0_f64, -2.0..2.0_f64],
        3 => prop::sample::select(vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]),
        1 => [number(), number(), number()],
    ]
    .boxed()
}

fn place() -> BoxedStrategy<At> {
    prop_oneof![
        8 => (0.0..1.0_f64).prop_map(At::Share),
        2 => Just(At::START),
        2 => Just(At::END),
        1 => number().prop_map(At::Share),
        1 => number().prop_map(At::Length),
    ]
    .boxed()
}

fn signal<T: SignalValue + 'static>(
    value: impl Strategy<Value = T> + Clone + 'static,
) -> BoxedStrategy<Signal<T>> {
    prop_oneof![
        4 => value.clone().prop_map(Signal::Constant),
        1 => (value.clone(), value.clone(), number(), number(), any::<bool>())
            .prop_map(|(from, to, start, end, smooth)| Signal::Ramp(Ramp { from, to, start, end, smooth })),
        1 => (value.clone(), value.clone(), number(), number())
            .prop_map(|(mean, amplitude, frequency, phase)| {
                Signal::Harmonic(Harmonic { mean, amplitude, frequency, phase })
            }),
        1 => (
            prop::collection::vec(number(), 0..4),
            prop::collection::vec(value, 0..4),
            any::<bool>(),
            any::<bool>(),
        )
            .prop_map(|(mut times, mut values, smooth, tidy)| {
                if tidy {
                    times.sort_by(f64::total_cmp);
                    let count = times.len().min(values.len());
                    times.truncate(count);
                    values.truncate(count);
                }
                Signal::Keyframes(Keyframes { times, values, smooth })
            }),
    ]
    .boxed()
}

fn shape() -> BoxedStrategy<Shape> {
    prop_oneof![
        4 => (vector(), vector()).prop_map(|(from, to)| Shape::Line(Line { from, to })),
        2 => (vector(), vector(), positive(3.0), vector())
            .prop_map(|(from, to, length, sag)| Shape::Slack(Slack { from, to, length, sag })),
        2 => (prop::collection::vec(vector(), 0..6), any::<bool>())
            .prop_map(|(through, closed)| Shape::Points(Points { through, closed })),
        1 => (prop::collection::vec(vector(), 0..5), prop_oneof![Just(0.0), positive(0.3)])
            .prop_map(|(through, radius)| Shape::Polyline(Polyline { through, radius })),
        2 => (vector(), vector(), vector(), positive(0.5), positive(2.0))
            .prop_map(|(from, tangent, towards, radius, angle)| {
                Shape::Arc(Arc { from, tangent, towards, radius, angle })
            }),
        2 => (vector(), vector(), vector(), positive(0.3), number(), number())
            .prop_map(|(centre, axis, start, radius, pitch, turns)| {
                Shape::Helix(Helix { centre, axis, start, radius, pitch, turns })
            }),
        1 => (vector(), vector(), positive(0.4))
            .prop_map(|(centre, normal, radius)| Shape::Ring(Ring { centre, normal, radius })),
    ]
    .boxed()
}

fn curvature() -> impl Strategy<Value = NaturalCurvature> {
    (number(), number(), number()).prop_map(|(curvature_1, curvature_2, twist)| NaturalCurvature {
        curvature_1,
        curvature_2,
        twist,
    })
}

fn stretch() -> impl Strategy<Value = Stretch> {
    (
        place(),
        place(),
        weighted(0.5, positive(0.01)),
        weighted(0.2, positive(1e7)),
        weighted(0.2, curvature()),
        weighted(0.2, positive(0.3)),
    )
        .prop_map(|(from, to, radius, young, natural, mass_per_length)| Stretch {
            from,
            to,
            radius,
            section: None,
            young,
            shear: None,
            density: None,
            stiffness: None,
            mass_per_length,
            natural,
        })
}

fn rod() -> BoxedStrategy<RodDescription> {
    let material = prop_oneof![
        3 => (positive(0.01), positive(1e7), positive(1000.0))
            .prop_map(|(radius, young, density)| RodDescription {
                radius: Some(radius),
                young: Some(young),
                density: Some(density),
                ..RodDescription::default()
            }),
        1 => (positive(0.01), positive(0.003), positive(1e7), positive(1000.0), any::<bool>())
            .prop_map(|(a, b, young, density, flat)| RodDescription {
                section: Some(if flat {
                    Section::Rectangle(Rectangle { a, b })
                } else {
                    Section::Ellipse(Ellipse { a, b })
                }),
                young: Some(young),
                density: Some(density),
                ..RodDescription::default()
            }),
        2 => (positive(1e3), positive(0.1), weighted(0.5, positive(0.1)), positive(0.1), positive(0.2))
            .prop_map(|(stretch, bend, bend_2, twist, mass)| RodDescription {
                stiffness: Some(Stiffness { stretch: Some(stretch), bend, bend_2, twist }),
                mass_per_length: Some(mass),
                ..RodDescription::default()
            }),
    ];
    let natural = prop_oneof![
        3 => Just(Natural::Straight),
        1 => Just(Natural::AsShaped),
        1 => curvature().prop_map(Natural::Curved),
    ];
    let kinds = (
        prop::sample::select(vec![
            RodModel::Spline,
            RodModel::Spline,
            RodModel::DiscreteElastic,
            RodModel::Beam,
            RodModel::MassSpring,
        ]),
        prop::sample::select(vec![Basis::BSpline, Basis::BSpline, Basis::CatmullRom]),
        prop::sample::select(vec![TwistMeasure::Natural, TwistMeasure::Natural, TwistMeasure::Frenet]),
        prop::sample::select(vec![StretchMeasure::Mean, StretchMeasure::Pointwise]),
        prop::sample::select(vec![
            None,
            Some(0),
            Some(1),
            Some(2),
            Some(3),
            Some(5),
            Some(9),
            Some(17),
            Some(usize::MAX),
        ]),
    );
    let rest = (
        prop::collection::vec(stretch(), 0..3),
        natural,
        weighted(0.3, vector()),
        number(),
        weighted(0.3, vector()),
        (number(), number(), any::<bool>()),
    );
    (material, shape(), kinds, rest)
        .prop_map(
            |(
                material,
                shape,
                (model, basis, twist_measure, stretch_measure, segments),
                (stretches, natural, up, twist, velocity, damping),
            )| {
                // What belongs to splines is refused of others; some of that is enough.
                let spline = model == RodModel::Spline || segments == Some(9);
                let framed = model != RodModel::MassSpring || segments == Some(5);
                RodDescription {
                    model,
                    shape,
                    basis: if spline { basis } else { Basis::default() },
                    twist_measure: if spline { twist_measure } else { TwistMeasure::default() },
                    stretch_measure: if spline { stretch_measure } else { StretchMeasure::default() },
                    // Of every other discrete rod, and seldom of what can't be.
                    inextensible: if spline { segments == Some(17) } else { damping.2 },
                    segments,
                    stretches: if framed { stretches } else { Vec::new() },
                    natural: if framed { natural } else { Natural::Straight },
                    up,
                    twist: if framed { twist } else { 0.0 },
                    velocity: velocity.unwrap_or([0.0; 3]),
                    damping: if damping.2 {
                        Damping { internal: damping.0.abs() * 0.01, mass: damping.1.abs() }
                    } else {
                        Damping::default()
                    },
                    ..material
                }
            },
        )
        .boxed()
}

fn mass() -> impl Strategy<Value = MassDescription> {
    (vector(), positive(0.1), vector(), weighted(0.3, positive(0.01)))
        .prop_map(|(position, mass, velocity, radius)| MassDescription { position, mass, velocity, radius })
}

/// Objects: two rods, a mass, and a name that doesn't exist.
fn name() -> BoxedStrategy<String> {
    prop::sample::select(vec!["rod", "rod", "rod", "mass", "other", "nobody"]).prop_map(String::from).boxed()
}

/// A place on an object, mostly one that fits it.
fn anchor() -> BoxedStrategy<(String, Option<At>)> {
    (name(), place(), 0..20_u32)
        .prop_map(|(on, at, odd)| {
            let fits = if on == "mass" { None } else { Some(at) };
            (on, if odd == 0 { fits.xor(Some(at)) } else { fits })
        })
        .boxed()
}

/// A lever arm, mostly none.
fn arm() -> BoxedStrategy<Option<[f64; 3]>> {
    weighted(0.2, vector()).boxed()
}

/// The other place of a relative constraint: mostly on another object, and sometimes close by on the same.
fn other() -> BoxedStrategy<Anchor> {
    prop_oneof![
        3 => place().prop_map(|at| Anchor { on: "other".into(), at: Some(at), arm: None }),
        2 => (anchor(), arm()).prop_map(|((on, at), arm)| Anchor { on, at, arm }),
    ]
    .boxed()
}

/// Without a point of the world, if there is another place: with both nothing is built.
fn either<T>(given: Option<T>, to: Option<&Anchor>, odd: bool) -> Option<T> {
    given.filter(|_| to.is_none() || odd)
}

fn constraint() -> BoxedStrategy<ConstraintDescription> {
    prop_oneof![1 => absolute(), 3 => relative(), 2 => eye(), 1 => pearl(), 2 => clip()].boxed()
}

fn absolute() -> BoxedStrategy<ConstraintDescription> {
    let on = anchor();
    let form = prop::sample::select(vec![RowForm::Objective, RowForm::Paper]);
    let target = weighted(0.4, signal(vector()));
    prop_oneof![
        (on, target.clone(), signal(vector()), arm()).prop_map(|((on, at), target, displacement, arm)| {
            ConstraintDescription::Position(Position { on, at, arm, target, displacement })
        }),
        (
            name(),
            place(),
            target,
            signal(vector()),
            weighted(0.4, vector()),
            signal(vector()),
            signal(number()),
            form,
            arm()
        )
            .prop_map(|(on, at, target, displacement, direction, rotation, roll, rows, arm)| {
                ConstraintDescription::Clamp(Clamp {
                    on,
                    at: Some(at),
                    arm,
                    target,
                    displacement,
                    direction,
                    rotation,
                    roll,
                    rows,
                })
            }),
    ]
    .boxed()
}

/// Those that may have a second place.
fn relative() -> BoxedStrategy<ConstraintDescription> {
    let on = anchor();
    let to = weighted(0.5, other());
    let form = prop::sample::select(vec![RowForm::Objective, RowForm::Paper]);
    let side = prop::sample::select(vec![Side::Within, Side::Above, Side::Above]);
    let limit = prop::sample::select(vec![Limit::Equal, Limit::AtMost, Limit::AtLeast]);
    let target = weighted(0.4, signal(vector()));
    let odd = prop::sample::select(vec![true, false, false, false, false, false]);
    prop_oneof![
        (name(), place(), target.clone(), to.clone(), form.clone()).prop_map(
            |(on, at, direction, to, rows)| ConstraintDescription::Tangent(Tangent {
                on,
                at: Some(at),
                direction,
                to,
                rows
            })
        ),
        (name(), place(), signal(number()), to.clone()).prop_map(|(on, at, angle, to)| {
            ConstraintDescription::Roll(Roll { on, at: Some(at), angle, to })
        }),
        (on.clone(), target.clone(), signal(vector()), signal(number()), to.clone(), odd.clone(), side)
            .prop_map(|((on, at), point, normal, offset, to, odd, side)| {
                let point = either(point, to.as_ref(), odd);
                ConstraintDescription::Plane(Plane { on, at, arm: None, point, normal, offset, side, to })
            }),
        (on.clone(), target, signal(vector()), to.clone(), odd.clone()).prop_map(
            |((on, at), point, direction, to, odd)| {
                let point = either(point, to.as_ref(), odd);
                ConstraintDescription::Axis(Axis { on, at, arm: None, point, direction, to })
            }
        ),
        (on.clone(), signal(vector()), weighted(0.5, signal(number())), to.clone(), odd.clone(), limit)
            .prop_map(|((on, at), centre, distance, to, odd, limit)| {
                let centre = either(Some(centre), to.as_ref(), odd);
                let (strength, broken) = (None, false);
                let arm = None;
                ConstraintDescription::Distance(Distance {
                    on,
                    at,
                    arm,
                    centre,
                    to,
                    limit,
                    distance,
                    strength,
                    broken,
                })
            }),
        (
            on.clone(),
            signal(vector()),
            signal(vector()),
            weighted(0.5, signal(number())),
            to.clone(),
            odd.clone(),
            arm()
        )
            .prop_map(|((on, at), centre, normal, radius, to, odd, arm)| {
                let centre = either(Some(centre), to.as_ref(), odd);
                ConstraintDescription::Circle(Circle { on, at, arm, centre, to, normal, radius })
            }),
        (
            on.clone(),
            shape(),
            signal(vector()),
            to,
            arm(),
            (weighted(0.3, number()), weighted(0.3, signal(number()))),
            path_ends()
        )
            .prop_map(|((on, at), path, displacement, to, arm, (friction, slide), ends)| {
                // Beads with friction are aligned, and not driven.
                let aligned = friction.is_some();
                let slide = slide.filter(|_| !aligned);
                let ends = if slide.is_some() { EndOfPath::Stop } else { ends };
                let friction = friction.map_or(0.0, f64::abs);
                ConstraintDescription::Trajectory(Trajectory {
                    on,
                    at,
                    arm,
                    path,
                    displacement,
                    to,
                    aligned,
                    slide,
                    friction,
                    ends,
                })
            }),
        (on, other(), 0..3_usize, signal(number()), weighted(0.3, vector()), form, odd).prop_map(
            |((on, at), to, hold, angle, axis, rows, odd)| {
                let hold = [Hold::Point, Hold::Roll, Hold::Rigid][hold];
                let angle = if hold == Hold::Point && !odd { Signal::default() } else { angle };
                let axis = axis.filter(|_| hold == Hold::Rigid || odd);
                let (arm, strength, broken) = (None, None, false);
                ConstraintDescription::Fusion(Fusion {
                    on,
                    at,
                    arm,
                    to,
                    hold,
                    angle,
                    axis,
                    rows,
                    strength,
                    broken,
                })
            }
        ),
    ]
    .boxed()
}

fn eye() -> BoxedStrategy<ConstraintDescription> {
    let on = prop::sample::select(vec!["rod", "rod", "rod", "rod", "rod", "other", "other", "mass"])
        .prop_map(String::from);
    let target = weighted(0.4, signal(vector()));
    let odd = prop::sample::select(vec![true, false, false, false, false, false]);
    let rubbing =
        (number(), weighted(0.3, number()), weighted(0.3, signal(number())), ends(), weighted(0.3, number()));
    (
        on,
        place(),
        (target, signal(vector())),
        weighted(0.5, other()),
        any::<bool>(),
        weighted(0.3, signal(vector())),
        rubbing,
        odd,
    )
        .prop_map(
            |(
                on,
                at,
                (target, displacement),
                to,
                crossing,
                direction,
                (viscosity, friction, slide, ends, radius),
                odd,
            )| {
                let target = either(target, to.as_ref(), odd);
                let displacement = if to.is_some() && !odd { Signal::default() } else { displacement };
                let crossing = crossing && (to.is_some() || odd);
                let direction = direction.filter(|_| !crossing || odd);
                // Imposed sliding knows no friction.
                let viscosity = if odd {
                    viscosity
                } else if slide.is_some() {
                    0.0
                } else {
                    viscosity.abs()
                };
                let friction = friction
                    .filter(|_| odd || slide.is_none())
                    .map_or(0.0, |f| if odd { f } else { f.abs() });
                ConstraintDescription::Keyhole(Keyhole {
                    on,
                    at,
                    target,
                    displacement,
                    to,
                    crossing,
                    direction,
                    slide,
                    viscosity,
                    friction,
                    radius: radius.map(|r| if odd { r } else { r.abs() }),
                    ends,
                })
            },
        )
        .boxed()
}

fn path_ends() -> impl Strategy<Value = EndOfPath> + Clone {
    prop::sample::select(vec![EndOfPath::Stop, EndOfPath::Release, EndOfPath::Error, EndOfPath::Continue])
}

fn ends() -> impl Strategy<Value = EndOfCurve> + Clone {
    prop::sample::select(vec![EndOfCurve::Stop, EndOfCurve::Stop, EndOfCurve::Release, EndOfCurve::Error])
}

fn pearl() -> BoxedStrategy<ConstraintDescription> {
    let on = prop::sample::select(vec!["rod", "rod", "rod", "other", "mass"]).prop_map(String::from);
    let odd = prop::sample::select(vec![true, false, false, false, false, false]);
    let frame = prop::sample::select(vec![PearlFrame::Tangent, PearlFrame::Roll]);
    let coupling = prop::sample::select(vec![Coupling::Strong, Coupling::Strong, Coupling::Weak]);
    let rubbing = (number(), weighted(0.4, number()), weighted(0.4, number()));
    (
        (on, place()),
        positive(0.01),
        weighted(0.5, positive(0.01)),
        rubbing,
        signal(vector()),
        number(),
        ends(),
        (frame, coupling),
        odd,
    )
        .prop_map(
            |(
                (on, at),
                mass,
                radius,
                (viscosity, friction, restitution),
                force,
                speed,
                ends,
                (frame, coupling),
                odd,
            )| {
                let allowed = |value: f64| if odd { value } else { value.abs() };
                ConstraintDescription::Pearl(Pearl {
                    on,
                    at,
                    mass,
                    radius,
                    viscosity: allowed(viscosity),
                    friction: allowed(friction.unwrap_or(0.0)),
                    restitution: if odd {
                        restitution.unwrap_or(0.0)
                    } else {
                        restitution.unwrap_or(0.0).abs().min(1.0)
                    },
                    force,
                    speed,
                    ends,
                    frame,
                    coupling,
                })
            },
        )
        .boxed()
}

/// Clips that are open or hold, with a width, in the world or on another object, of any strength.
fn clip() -> BoxedStrategy<ConstraintDescription> {
    let on = prop::sample::select(vec!["rod", "rod", "rod", "other", "other", "mass"]).prop_map(String::from);
    let odd = prop::sample::select(vec![true, false, false, false, false, false]);
    let held = (weighted(0.7, place()), 0..3_usize, weighted(0.3, number()));
    let pose = (
        weighted(0.6, signal(vector())),
        signal(vector()),
        weighted(0.5, vector()),
        weighted(0.5, vector()),
        weighted(0.3, other()),
    );
    let limits =
        (weighted(0.6, number()), weighted(0.4, number()), weighted(0.3, number()), weighted(0.3, number()));
    (on, held, pose, limits, odd)
        .prop_map(
            |(
                on,
                (at, hold, width),
                (target, rotation, direction, opening, to),
                (any, out, moment, capture),
                odd,
            )| {
                let allowed = |value: f64| if odd { value } else { value.abs() };
                let hold = [ClipHold::Position, ClipHold::Tangent, ClipHold::Clamp][hold];
                let strength = Directions {
                    any: any.map(allowed).filter(|_| out.is_none() || odd),
                    out: out.map(allowed).filter(|_| opening.is_some() || odd),
                    moment: moment.map(allowed).filter(|_| hold != ClipHold::Position || odd),
                    ..Directions::default()
                };
                ConstraintDescription::Clip(Clip {
                    on: on.as_str().into(),
                    at,
                    hold,
                    target: either(target, to.as_ref(), odd),
                    displacement: Signal::default(),
                    direction,
                    rotation: if to.is_some() && !odd { Signal::default() } else { rotation },
                    opening,
                    width: if to.is_some() && !odd { 0.0 } else { width.map_or(0.0, allowed) },
                    to,
                    strength: Some(Strength::Directions(strength)),
                    capture: capture.map(allowed),
                    capture_angle: 1.0,
                    insertion: 0.01,
                    reclip: true,
                })
            },
        )
        .boxed()
}

fn load() -> BoxedStrategy<LoadDescription> {
    prop_oneof![
        (name(), weighted(0.8, place()), signal(vector()))
            .prop_map(|(on, at, force)| LoadDescription::Force(PointForce { on, at, force })),
        (name(), place(), signal(vector()))
            .prop_map(|(on, at, moment)| LoadDescription::Moment(PointMoment { on, at: Some(at), moment })),
        (name(), place(), place(), signal(vector())).prop_map(|(on, from, to, force)| {
            LoadDescription::Distributed(Distributed { on, from, to, force })
        }),
        (name(), weighted(0.3, place()), weighted(0.3, place()), number(), signal(vector())).prop_map(
            |(on, from, to, coefficient, wind)| LoadDescription::Drag(Drag {
                rotation: None,
                on,
                from: from.unwrap_or(At::START),
                to: to.unwrap_or(At::END),
                coefficient: coefficient.abs(),
                wind
            })
        ),
    ]
    .boxed()
}

fn spring() -> BoxedStrategy<SpringDescription> {
    let end = prop_oneof![
        3 => (name(), place()).prop_map(|(on, at)| SpringEnd::Rod(RodPlace { on, at })),
        2 => Just(SpringEnd::Mass("mass".into())),
        2 => signal(vector()).prop_map(SpringEnd::Point),
    ]
    .boxed();
    prop_oneof![
        (end.clone(), end.clone(), number(), number(), weighted(0.5, number())).prop_map(
            |(from, to, stiffness, damping, length)| {
                SpringDescription::Linear(LinearSpring {
                    from,
                    to,
                    stiffness: stiffness.abs(),
                    damping: damping.abs(),
                    length,
                })
            }
        ),
        (end.clone(), end, number(), number()).prop_map(|(from, to, stiffness, damping)| {
            SpringDescription::Torsional(TorsionalSpring {
                from,
                to,
                stiffness: stiffness.abs(),
                damping: damping.abs(),
            })
        }),
    ]
    .boxed()
}

fn edit() -> BoxedStrategy<Edit> {
    prop_oneof![
        constraint().prop_map(|to| Edit::AddConstraint(Named { name: "added".into(), to })),
        constraint().prop_map(|to| Edit::ChangeConstraint(Named { name: "c0".into(), to })),
        Just(Edit::Release("c0".into())),
        load().prop_map(|to| Edit::AddLoad(Named { name: "added".into(), to })),
        spring().prop_map(|to| Edit::AddSpring(Named { name: "added".into(), to })),
        rod().prop_map(|to| Edit::AddRod(Named { name: "added".into(), to })),
        mass().prop_map(|to| Edit::AddMass(Named { name: "added".into(), to })),
        signal(vector()).prop_map(Edit::Gravity),
        Just(Edit::Stop),
        (name(), place(), weighted(0.8, Just("added".to_owned())))
            .prop_map(|(rod, at, second)| Edit::Cut(Cut { rod, at, first: None, second })),
        (name(), signal(number()), any::<bool>()).prop_map(|(on, pay_out, start)| Edit::AddWinch(Named {
            name: "added".into(),
            to: WinchDescription { on, at: if start { RodEnd::Start } else { RodEnd::End }, pay_out }
        })),
        (name(), name(), number()).prop_map(|(first, second, tolerance)| Edit::Splice(Splice {
            first,
            second,
            name: None,
            tolerance: tolerance.abs(),
            angle: 3.0
        })),
    ]
    .boxed()
}

fn scene() -> impl Strategy<Value = Scene> {
    let objects = (rod(), rod(), mass(), any::<[bool; 3]>());
    let ties = (
        prop::collection::vec(constraint(), 0..4),
        prop::collection::vec(load(), 0..3),
        prop::collection::vec(spring(), 0..3),
        prop::collection::vec(edit(), 0..2),
    );
    let settings = (
        positive(0.01),
        prop::sample::select(vec![Integrator::Euler, Integrator::Bdf2]),
        prop::sample::select(vec![
            None,
            Some(Hessian::GaussNewton),
            Some(Hessian::Exact),
            Some(Hessian::Auto),
        ]),
        prop::sample::select(vec![Arithmetic::Fast, Arithmetic::Portable]),
        prop::sample::select(vec![Mode::Dynamic, Mode::Dynamic, Mode::Dynamic, Mode::Static]),
        weighted(0.3, signal(vector())),
        prop::sample::select(vec![
            Solves::Exactly(0),
            Solves::Auto,
            Solves::Auto,
            Solves::Exactly(1),
            Solves::Exactly(2),
            Solves::Exactly(3),
        ]),
    );
    (objects, ties, settings).prop_map(
        |(
            (first, second, mass, present),
            (constraints, loads, springs, edits),
            (step, integrator, hessian, arithmetic, mode, gravity, solves),
        )| {
            let mut scene = Scene::default();
            if present != [false; 3] {
                scene.rod.insert("rod".into(), first);
            }
            if present[1] {
                scene.rod.insert("other".into(), second);
            }
            if present[2] {
                scene.mass.insert("mass".into(), mass);
            }
            scene.constraint =
                constraints.into_iter().enumerate().map(|(k, c)| (format!("c{k}"), c)).collect();
            scene.load = loads.into_iter().enumerate().map(|(k, l)| (format!("l{k}"), l)).collect();
            scene.spring = springs.into_iter().enumerate().map(|(k, s)| (format!("s{k}"), s)).collect();
            scene.action =
                edits.into_iter().map(|edit| Action { at: Some(step), when: None, edit }).collect();
            let settings = &mut scene.settings;
            (
                settings.step,
                settings.integrator,
                settings.hessian,
                settings.arithmetic,
                settings.mode,
                settings.solves,
            ) = (step, integrator, hessian, arithmetic, mode, solves);
            if let Some(gravity) = gravity {
                settings.gravity = gravity;
            }
            scene
        },
    )
}

/// A scene whose parts are likely to fit, so that stepping is reached often.
pub(crate) fn likely() -> impl Strategy<Value = Scene> {
    scene().prop_map(|mut scene| {
        if scene.settings.solves == Solves::Exactly(0) {
            scene.settings.solves = Solves::Auto;
        }
        for name in ["rod", "other"] {
            let fine = scene.rod.get(name).is_some_and(|rod| micado::object::rod::Rod::build(rod).is_ok());
            if !fine {
                let rod = RodDescription {
                    radius: Some(0.01),
                    young: Some(1e7),
                    density: Some(1000.0),
                    segments: Some(7),
                    ..RodDescription::default()
                };
                scene.rod.insert(name.into(), rod);
            }
        }
        scene.mass.insert(
            "mass".into(),
            MassDescription { position: [0.3, 0.2, 0.1], mass: 0.1, velocity: [0.0; 3], radius: None },
        );
        // Whatever can't be built on its own is left out.
        let alone = |constraint: Option<(&String, &ConstraintDescription)>,
                     load: Option<(&String, &LoadDescription)>,
                     spring: Option<(&String, &SpringDescription)>| {
            let mut part = Scene { rod: scene.rod.clone(), mass: scene.mass.clone(), ..Scene::default() };
            part.constraint.extend(constraint.map(|(name, c)| (name.clone(), c.clone())));
            part.load.extend(load.map(|(name, l)| (name.clone(), l.clone())));
            part.spring.extend(spring.map(|(name, s)| (name.clone(), s.clone())));
            Simulation::build(&part).is_ok()
        };
        let constraints = scene
            .constraint
            .iter()
            .filter(|c| alone(Some(*c), None, None))
            .map(|(n, c)| (n.clone(), c.clone()))
            .collect();
        let loads = scene
            .load
            .iter()
            .filter(|l| alone(None, Some(*l), None))
            .map(|(n, l)| (n.clone(), l.clone()))
            .collect();
        let springs = scene
            .spring
            .iter()
            .filter(|s| alone(None, None, Some(*s)))
            .map(|(n, s)| (n.clone(), s.clone()))
            .collect();
        (scene.constraint, scene.load, scene.spring) = (constraints, loads, springs);
        let rods = scene.rod.clone();
        scene.action.retain(|action| {
            action.edit.needs().all(|(kind, name, _)| kind == Kind::Rod && rods.contains_key(name))
        });
        scene
    })
}

/// The same with explicit steps: of rods that can be, in steps of a few parts.
fn explicit() -> impl Strategy<Value = Scene> {
    likely().prop_map(|mut scene| {
        scene.settings.integrator = Integrator::Explicit;
        scene.settings.mode = Mode::Dynamic;
        for rod in scene.rod.values_mut() {
            (rod.model, rod.damping.internal) = (RodModel::DiscreteElastic, 0.0);
            (rod.basis, rod.twist_measure, rod.stretch_measure) = Default::default();
            rod.segments = rod.segments.map(|segments| segments.clamp(2, 9));
            if matches!(rod.natural, Natural::Sampled(_)) {
                rod.natural = Natural::Straight;
            }
        }
        let alone = |constraint: Option<(&String, &ConstraintDescription)>| {
            let mut part = Scene {
                settings: scene.settings.clone(),
                rod: scene.rod.clone(),
                mass: scene.mass.clone(),
                ..Scene::default()
            };
            part.settings.step = 1e-9;
            part.constraint.extend(constraint.map(|(name, c)| (name.clone(), c.clone())));
            Simulation::build(&part).ok()
        };
        let stable = alone(None).and_then(|simulation| simulation.world().stable_step()).unwrap_or(f64::MAX);
        scene.constraint = scene
            .constraint
            .iter()
            .filter(|c| alone(Some(*c)).is_some())
            .map(|(n, c)| (n.clone(), c.clone()))
            .collect();
        scene.load.retain(|_, load| !matches!(load, LoadDescription::Moment(_)));
        scene.spring.retain(|_, spring| !matches!(spring, SpringDescription::Torsional(_)));
        scene.action.clear();
        scene.settings.step = scene.settings.step.min(5.0 * stable);
        scene
    })
}

pub(crate) fn steps_stay_finite(scene: &Scene) -> Result<bool, TestCaseError> {
    let mut simulation = match Simulation::build(scene) {
        Ok(simulation) => simulation,
        Err(error) => {
            prop_assert!(!error.problem.is_empty() && !error.remedy.is_empty(), "{error:?}");
            return Ok(false);
        }
    };
    prop_assert!(is_finite(simulation.world()), "not finite as built");
    for _ in 0..3 {
        let report = simulation.step(&NoClock);
        prop_assert!(is_finite(simulation.world()), "{report:?}");
    }
    let bytes = simulation.snapshot(scene);
    let restored = Simulation::restore(&bytes);
    prop_assert!(restored.is_ok(), "a run that goes on can be saved and restored: {:?}", restored.err());
    let (restored, _) = restored.expect("just asked");
    prop_assert!(restored.world() == simulation.world(), "a restored world is the saved one");
    Ok(true)
}

/// The same scenes in every run.
pub(crate) fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(20),
        failure_persistence: None,
        max_shrink_iters: 4000,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config(4000))]

    #[test]
    fn wild_scenes_are_refused_or_stepped_but_never_panic(scene in scene()) {
        steps_stay_finite(&scene)?;
    }
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn scenes_of_parts_that_fit_are_stepped_and_stay_finite(scene in likely()) {
        steps_stay_finite(&scene)?;
    }
}

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn explicit_scenes_of_parts_that_fit_are_stepped_and_stay_finite(scene in explicit()) {
        steps_stay_finite(&scene)?;
    }
}

#[test]
fn most_of_the_explicit_scenes_are_stepped() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut made, mut held) = (0, 0);
    for _ in 0..200 {
        let scene = explicit().new_tree(&mut runner).expect("a scene").current();
        if let Ok(mut simulation) = Simulation::build(&scene) {
            if simulation.step(&NoClock).held { held += 1 } else { made += 1 }
        }
    }
    // Numbers are wild, and so are the motions that they ask for.
    assert!(made > 60, "{made} made, {held} held");
}

#[test]
fn most_of_the_scenes_of_fitting_parts_are_stepped() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut stepped, mut relative, mut sliding, mut one_sided, mut pearls, mut fed, mut clipped) =
        (0, 0, 0, 0, 0, 0, 0);
    for _ in 0..400 {
        let scene = likely().new_tree(&mut runner).expect("a scene").current();
        let Ok(simulation) = Simulation::build(&scene) else { continue };
        stepped += 1;
        for constraint in &simulation.world().structure().constraints {
            relative += usize::from(constraint.is_relative());
            sliding += usize::from(matches!(constraint.ends[0], End::Sliding { .. }));
            one_sided += usize::from(
                constraint.law.is_non_smooth() && matches!(constraint.law, Law::Plane(_) | Law::Distance(_)),
            );
            pearls += usize::from(matches!(constraint.law, Law::Pearl(_)));
            fed += usize::from(constraint.law.is_imposed());
            clipped += usize::from(matches!(constraint.law, Law::Clip(_)));
        }
    }
    // Otherwise the suite would test refusals only.
    assert!(
        stepped > 240 && relative > 30 && sliding > 30,
        "{stepped} scenes, {relative} pairs, {sliding} eyes"
    );
    assert!(
        one_sided > 5 && pearls > 10 && fed > 3 && clipped > 10,
        "{one_sided} one-sided, {pearls} pearls, {fed} fed, {clipped} clips"
    );
}
