/**
 * Parts of scene files and edits, in JSON. Written by `make protocol` from crates/micado-view/src/protocol:
 * do not edit.
 */

/** x, y, z */
export type Vector = [number, number, number];

/** A place on an object. */
export interface Anchor {
    /**
     * From that place to the point that is meant, m: on a rod in its frame (tangent, m₁, m₂), on a body in
     * its axes.
     */
    arm?: Vector | null;
    /** Place on the rod or body. */
    at?: At | null;
    /** Object, by name. */
    on: string;
}

/** A point of a body with axes of its own, given by a rotation, or by their first and second axis. */
export interface AnchorFrame {
    /**
     * First axis in the axes of the body, instead of a rotation; for example the axis of a hinge or the
     * tangent of a rod.
     */
    axis?: Vector | null;
    /** Point in the axes of the body, m. */
    point: Vector;
    /** Rotation vector of its axes, rad, in the axes of the body. */
    rotation?: Vector | null;
    /**
     * Direction whose part perpendicular to `axis` is the second axis; any perpendicular direction unless
     * given.
     */
    up?: Vector | null;
}

/** A circular arc. */
export interface Arc {
    /** Angle of the arc, rad. */
    angle: QuantityInput;
    /** First point, m. */
    from: Vector;
    /** Radius, m. */
    radius: QuantityInput;
    /** Tangent at the first point. */
    tangent: Vector;
    /** Direction from the first point to the centre, as far as the tangent allows. */
    towards: Vector;
}

/**
 * A place along a rod: metres of rest arc length, a share of the length, or an end. On a body: a point in its
 * axes, or the name of one of its anchors.
 */
export type At =
    /** Metres from the start of a rod. */
    | number
    /** A place along a rod, such as "end" or "25 %", or the name of an anchor of a body. */
    | string
    /** A point in the axes of a body, m. */
    | Vector;

/** Keeps a place on a straight axis. Multipliers: force across the axis, N. */
export interface Axis {
    /** From the rod's axis to the held point, m, in its frame (tangent, m₁, m₂); the axis unless given. */
    arm?: Vector | null;
    /** Place on the rod. */
    at?: At | null;
    /** Direction of the axis. */
    direction: Signal;
    /** Object, by name. */
    on: string;
    /** A point of the axis, m; the present position of the place unless given. */
    point?: Signal | null;
    /** Another place, through which the axis passes and with which it moves; the world unless given. */
    to?: Anchor | null;
}

/** Basis functions of a spline rod. */
export type Basis =
    /** Cubic B-spline, C², fourth order. */
    | "b-spline"
    /** Catmull–Rom, C¹, second order; for comparison with the quasi-dynamic splines paper. */
    | "catmull-rom";

/**
 * Holds chosen directions between two places. Multipliers: forces, N, then moments, N·m, on the first, along
 * the axes of the second.
 */
export interface Block {
    /** From that place to the held point, m, in the frame of the place. */
    arm?: Vector | null;
    /** Place on it. */
    at?: At | null;
    /**
     * One to six directions: displacements `x`, `y`, `z` along the axes of the other place, rotations `rx`,
     * `ry`, `rz` about them. Each keeps its present value.
     */
    hold: Direction[];
    /** Object, by name. */
    on: string;
    /** The other place, which gives the axes; the world unless given. */
    to?: Anchor | null;
}

/** A named place of a body: a point `[x, y, z]`, or a point with axes of its own. */
export type BodyAnchor =
    /** A point in the axes of the body, m. Its frame is that of the body. */
    | Vector
    /** A point with axes of its own. */
    | AnchorFrame;

/** Description of a rigid body. */
export interface BodyDescription {
    /**
     * Points in its axes, m, by name; each may have axes of its own. `centre` is the centre of mass unless it
     * is given here.
     */
    anchors?: Record<string, BodyAnchor>;
    /** Centre of mass in its axes, m; that of the shape unless given. */
    centre?: Vector | null;
    /** Density, kg/m³; gives mass, centre of mass and inertia from the shape. */
    density?: QuantityInput | null;
    /** Whether nothing moves it. */
    fixed?: boolean;
    /** Inertia about the centre of mass in its axes; that of the shape unless given. */
    inertia?: Inertia | null;
    /** Mass, kg, instead of a density. */
    mass?: QuantityInput | null;
    /** Initial position of the origin of its axes, m. */
    position?: Vector;
    /** Initial rotation of its axes: rotation vector, rad, world axes. */
    rotation?: Vector;
    /** Shape. Without one, mass and inertia must be given, and a box of that inertia is drawn. */
    shape?: BodyShape | null;
    /** Initial angular velocity, rad/s, world axes. */
    spin?: Vector;
    /** Initial velocity of its centre of mass, m/s. */
    velocity?: Vector;
}

/** Shape of a rigid body. */
export type BodyShape =
    /** A ball. */
    | { sphere: Sphere }
    /** A box with edges along the axes. */
    | { box: Box }
    /** A cylinder along x with a half ball at each end. */
    | { capsule: Capsule }
    /** A cylinder along x. */
    | { cylinder: Cylinder }
    /** A cone along x; its apex points towards +x. */
    | { cone: Cone }
    /** The convex hull of points. */
    | { hull: Hull }
    /** All space below z = 0. It has no mass: the body must be fixed, or give mass and inertia. */
    | { "half-space": HalfSpace }
    /** Ground: all space below a grid of heights. The body must be fixed. */
    | { "height-field": Heights }
    /** A closed surface of triangles. */
    | { mesh: Mesh }
    /** Several shapes that move as one. */
    | { compound: Compound };

/** A box with edges along the axes. Its origin is the centre. */
export interface Box {
    /** Full sizes along x, y and z, m. */
    size: [QuantityInput, QuantityInput, QuantityInput];
}

/** A cylinder along x with a half ball at each end. Its origin is the middle of the axis. */
export interface Capsule {
    /** Length of the straight part, m; the whole is longer by twice the radius. */
    length: QuantityInput;
    /** Radius, m. */
    radius: QuantityInput;
}

/** A full circle. */
export interface Circle {
    /** Radius, m. */
    radius: QuantityInput;
}

/** Keeps a place on a circle. Multipliers: force along the normal and outward, N. */
export interface Circle2 {
    /** From the rod's axis to the held point, m, in its frame (tangent, m₁, m₂); the axis unless given. */
    arm?: Vector | null;
    /** Place on the rod. */
    at?: At | null;
    /** Centre, m. */
    centre?: Signal | null;
    /** Normal of its plane; with `to`, as the other place is when it is added. */
    normal: Signal;
    /** Object, by name. */
    on: string;
    /** Radius, m; the present distance unless given. */
    radius?: MeasuredInput | null;
    /** A place that is the centre, instead of `centre`: the circle moves and turns with it. */
    to?: Anchor | null;
}

/** Holds position, tangent and roll. Multipliers: force, N, and moment, N·m, on the rod, world axes. */
export interface Clamp {
    /** From the rod's axis to the held point, m, in its frame (tangent, m₁, m₂); the axis unless given. */
    arm?: Vector | null;
    /** Place on it; a rod needs one. */
    at?: At | null;
    /** Direction of the tangent before any rotation; the present tangent unless given. */
    direction?: Vector | null;
    /** Displacement of the target in time, m. */
    displacement?: Signal;
    /** Object with a frame, by name. */
    on: string;
    /**
     * Roll in time about the clamped tangent, rad, before `rotation`. Whole turns count; it begins within
     * half a turn.
     */
    roll?: MeasuredInput;
    /**
     * Rotation of the clamp in time: rotation vector, rad, world axes. Whole turns count; it begins within
     * half a turn.
     */
    rotation?: Signal;
    /** Form of the rows. */
    rows?: RowForm;
    /** Where it is held, m; the present position of the place unless given. */
    target?: Signal | null;
}

/**
 * A clip that holds a rod as long as its strength allows. Multipliers: force on the rod along the clip's
 * axes, N, and moment, N·m.
 */
export interface Clip {
    /** Place on the rod, the first of several; without it the clip is open at the start. */
    at?: At | null;
    /** Distance at which it catches a rod, m; the radius of the (first) rod unless given. */
    capture?: QuantityInput | null;
    /** Largest angle between rod and axis at which it catches, rad, at most 90°, where it holds a tangent. */
    capture_angle?: QuantityInput;
    /**
     * Axis along which a rod lies in it, before any rotation; the present tangent of the rod unless given. A
     * rod may run either way.
     */
    direction?: Vector | null;
    /** Displacement in time, m, added to `target`. */
    displacement?: Signal;
    /** Which quantities it holds. */
    hold?: ClipHold;
    /** Time in which a rod that was caught moves into place, s. */
    insertion?: QuantityInput;
    /** Rod that it holds or waits for, by name; several rods as a list. */
    on: Rods;
    /** Direction in which a rod leaves it, before any rotation; only the part across `direction` counts. */
    opening?: Vector | null;
    /**
     * Whether it catches again after it has opened, once the rod has been twice the capture distance away.
     */
    reclip?: boolean;
    /** Rotation of the clip in time: rotation vector, rad, world axes. */
    rotation?: Signal;
    /** Greatest force, N: a number for any direction, or a table; without limit unless given. */
    strength?: Strength | null;
    /** Where it is, m; the present position of the rod unless given. */
    target?: Signal | null;
    /** A place to which the clip is fixed, instead of a point of the world. */
    to?: Anchor | null;
    /** Length of rod that lies in it, m. */
    width?: QuantityInput;
}

/** A clip and a place on its rod. */
export interface ClipAt {
    /** Place on the rod. */
    at: At;
    /** Name of the clip. */
    name: string;
    /** Which of its rods, by name; the first unless given. */
    on?: string | null;
}

/** Quantities that a clip holds. */
export type ClipHold =
    /** The place: the rod pivots in it. */
    | "position"
    /** The place and the direction. */
    | "tangent"
    /** The place, the direction and the roll that the rod has when it is caught. */
    | "clamp";

/**
 * Removes knots of an open spline rod, if that moves it by no more than a tolerance. Initial knots of a rod
 * stay, unless it was straight at rest.
 */
export interface Coarsen {
    /** Largest rotation of a section about the tangent per knot, rad; 1 mrad unless given. */
    angle?: QuantityInput;
    /** Places of knots: the nearest one to each place is removed. */
    at: At[];
    /** Rod, by name. */
    rod: string;
    /** Largest displacement of the rod per knot, m; 10 µm unless given. */
    tolerance?: QuantityInput;
}

/** A colour, `"#rrggbb"` in hexadecimal digits. */
export type Colour = string;

/** Component of a vector quantity. */
export type Component =
    /** Along x. */
    | "x"
    /** Along y. */
    | "y"
    /** Along z. */
    | "z"
    /** Length of the vector. */
    | "norm";

/** Several shapes that move as one. Where parts overlap, the matter of both counts. */
export interface Compound {
    /** The parts. */
    parts: Part[];
}

/**
 * A cone along x. Its origin is the middle of the axis; the centre of mass is a quarter of the length behind
 * it, towards the base.
 */
export interface Cone {
    /** Length from the base to the apex, m. */
    length: QuantityInput;
    /** Radius of the base, m. */
    radius: QuantityInput;
}

/** A hard constraint, described. */
export type ConstraintDescription =
    /** Holds a place at a point. */
    | { position: Position }
    /** Holds the tangent of a rod. */
    | { tangent: Tangent }
    /** Holds the roll of a rod about its tangent. */
    | { roll: Roll }
    /** Holds position, tangent and roll. */
    | { clamp: Clamp }
    /** Keeps a place in a plane. */
    | { plane: Plane }
    /** Keeps a place on a straight axis. */
    | { axis: Axis }
    /** Keeps a place at a distance from a point: on a sphere. */
    | { distance: Distance }
    /** Keeps a place on a circle. */
    | { circle: Circle2 }
    /** Keeps a place on a curve, along which it slides freely. */
    | { trajectory: Trajectory }
    /** Joins two places: their points, their rolls too, or rigidly. */
    | { fusion: Fusion }
    /** An eye through which a rod slides. */
    | { keyhole: Keyhole }
    /** A mass that slides on a rod. */
    | { pearl: Pearl }
    /** Holds a rod as long as its strength allows, and catches it again. */
    | { clip: Clip }
    /**
     * Joins two places, or a place and the world, and leaves some motions free: hinges, sliders and others.
     */
    | { joint: Joint }
    /** Holds one to six chosen directions between two places, or between a place and the world. */
    | { block: Block }
    /** A block of chosen directions with a custom law. */
    | { law: LawBlock }
    /** A custom constraint. */
    | { custom: Custom };

/** Limits, motor and friction of a free coordinate of a joint. */
export interface Coordinate {
    /** Radius of the bearing of a rotation, m; needed with `mu`. */
    bearing_radius?: QuantityInput | null;
    /** Dry friction: a force, N, or a torque, N·m. */
    friction?: QuantityInput;
    /** Least value, m or rad. */
    least?: QuantityInput | null;
    /** Largest value, m or rad. */
    most?: QuantityInput | null;
    /** Motor. */
    motor?: Motor | null;
    /** Coefficient of dry friction in the bearing, which the force across the axis loads. */
    mu?: number;
    /** Share of its speed with which the coordinate rebounds at a limit, 0 to 1. */
    restitution?: number;
    /** Viscous friction, N·s/m or N·m·s/rad; its force opposes the rate of the coordinate. */
    viscosity?: number;
}

/** Which forces of a pearl the rod feels in a dynamic step. */
export type Coupling =
    /** All of them: rod and pearl are solved together. */
    | "strong"
    /**
     * Its weight and forces across the rod and its viscous drag, but no inertia, dry friction or contact with
     * other pearls: as in the papers, for pearls of at most a tenth of the rod's mass.
     */
    | "weak";

/** A custom constraint, by the name of its kind. */
export interface Custom {
    /** From that place to the held point, m: on a rod in its frame, on a body in its axes. */
    arm?: Vector | null;
    /** Place on the rod or body. */
    at?: At | null;
    /** Its kind: the name under which the program registered it. */
    kind: string;
    /** Object, by name. */
    on: string;
    /** Its parameters. */
    parameters?: Parameters;
    /** The other place; the world unless given. */
    to?: Anchor | null;
}

/** A custom force, by the name of its kind. */
export interface CustomSpring {
    /** First end. */
    from: SpringEnd;
    /** Its kind: the name under which the program registered it. */
    kind: string;
    /** Its parameters. */
    parameters?: Parameters;
    /** Second end. */
    to: SpringEnd;
}

/**
 * Cuts a rod in two; a closed one becomes an open one. Items attached exactly at the cut belong to the first
 * part.
 */
export interface Cut {
    /** Where it is cut. */
    at: At;
    /** Name of the part before the cut; that of the rod unless given. */
    first?: string | null;
    /** Rod, by name. */
    rod: string;
    /** Name of the part beyond the cut. A closed rod has none. */
    second?: string | null;
}

/** A cylinder along x. Its origin is the middle of the axis. */
export interface Cylinder {
    /** Length along x, m. */
    length: QuantityInput;
    /** Radius, m. */
    radius: QuantityInput;
}

/** Damping of a rod. */
export interface Damping {
    /** Kelvin–Voigt time β, s: viscous stresses are β times the elastic ones of the strain rate; ζ = βω/2. */
    internal?: QuantityInput;
    /** Rayleigh rate α, 1/s: a drag of α times the momentum; ζ = α/(2ω). */
    mass?: number;
}

/** A direction of motion between two places. */
export type Direction =
    /** Displacement along the first axis. */
    | "x"
    /** Displacement along the second axis. */
    | "y"
    /** Displacement along the third axis. */
    | "z"
    /** Rotation about the first axis. */
    | "rx"
    /** Rotation about the second axis. */
    | "ry"
    /** Rotation about the third axis. */
    | "rz";

/** Greatest force of a clip, by direction. A direction that is not given has no limit. */
export interface Directions {
    /** Across axis and opening, N. */
    across?: QuantityInput | null;
    /** Along the axis, N. */
    along?: QuantityInput | null;
    /** In any direction, N; instead of the ones below. */
    any?: QuantityInput | null;
    /** Against a rod that is pressed in from the opening, N. */
    in?: QuantityInput | null;
    /** Moment, N·m. */
    moment?: number | null;
    /** Against a rod that leaves through the opening, N. */
    out?: QuantityInput | null;
}

/**
 * Keeps a place at a distance from a point or from another place. Multiplier: force outward, N; negative
 * pulls inward.
 */
export interface Distance {
    /** From the rod's axis to the held point, m, in its frame (tangent, m₁, m₂); the axis unless given. */
    arm?: Vector | null;
    /** Place on the rod. */
    at?: At | null;
    /** Whether it is broken; then it holds nothing. */
    broken?: boolean;
    /** Centre, m. */
    centre?: Signal | null;
    /** Distance, m; the present distance unless given. */
    distance?: MeasuredInput | null;
    /** Whether the distance is kept, or only not exceeded, or not undercut. */
    limit?: Limit;
    /** Object, by name. */
    on: string;
    /** Force at which it breaks; unlimited unless given. */
    strength?: JointStrength | null;
    /** The other place, instead of a centre. */
    to?: Anchor | null;
}

/** A force per rest length along a rod or a part of it. */
export interface Distributed {
    /** Force per rest length, N/m. */
    force: Signal;
    /** Where it begins; the start unless given. */
    from?: At;
    /** Rod, by name. */
    on: string;
    /** Where it ends; the end unless given. */
    to?: At;
}

/** Viscous drag `c (wind − v)` per rest length of a rod, or on another object. */
export interface Drag {
    /** Drag coefficient: N·s/m² on a rod (per rest length), N·s/m on another object. */
    coefficient: number;
    /** Where on a rod it begins; the start unless given. */
    from?: At;
    /** Object, by name. */
    on: string;
    /** Drag coefficient of the rotation of a body, N·m·s. */
    rotation?: number | null;
    /** Where on a rod it ends; the end unless given. */
    to?: At;
    /** Velocity of the wind, m/s. */
    wind?: Signal;
}

/** A target of a motor, and its strength. */
export interface Drive {
    /** Largest force, N, or torque, N·m; unlimited unless given. */
    strength?: QuantityInput | null;
    /** Target in time. */
    target: MeasuredInput;
}

/** A change of the structure. */
export type Edit =
    /** Adds a rod. */
    | { "add-rod": Named }
    /** Adds a point mass. */
    | { "add-mass": Named2 }
    /** Adds a rigid body. */
    | { "add-body": Named3 }
    /** Adds a constraint. */
    | { "add-constraint": Named4 }
    /** Gives a constraint a new description: another target, length, angle, place or kind. */
    | { "change-constraint": Named4 }
    /** Removes a constraint, by name. */
    | { release: string }
    /** Opens a clip, by name. It can catch again, as after it opened under load. */
    | { "open-clip": string }
    /** Closes a clip about a place of its rod, which then moves into the clip. */
    | { "close-clip": ClipAt }
    /** Adds a load. */
    | { "add-load": Named5 }
    /** Gives a load a new description. */
    | { "change-load": Named5 }
    /** Removes a load, by name. */
    | { "remove-load": string }
    /** Adds a spring–damper. */
    | { "add-spring": Named6 }
    /** Removes a spring–damper, by name. */
    | { "remove-spring": string }
    /** Adds a winch. */
    | { "add-winch": Named7 }
    /** Changes the time function of a winch, from the present length on. */
    | { "change-winch": Named7 }
    /** Removes a winch, by name: the rod keeps its present length. */
    | { "remove-winch": string }
    /** Adds scenery. */
    | { "add-scenery": Named8 }
    /** Gives scenery a new description. */
    | { "change-scenery": Named8 }
    /** Removes scenery, by name. */
    | { "remove-scenery": string }
    /** Cuts a rod in two. */
    | { cut: Cut }
    /** Joins the end of a rod to the start of another. */
    | { splice: Splice }
    /** Puts knots into a rod. */
    | { refine: Refine }
    /** Takes knots out of a rod. */
    | { coarsen: Coarsen }
    /** Changes gravity, m/s². */
    | { gravity: Signal }
    /** Sets all velocities to zero. */
    | "stop";

/** A full ellipse. */
export interface Ellipse {
    /** Semi-axis along m₁, m. */
    a: QuantityInput;
    /** Semi-axis along m₂, m. */
    b: QuantityInput;
}

/** Behaviour of a sliding end at the end of its rod or path. */
export type EndOfCurve =
    /** It stops there. */
    | "stop"
    /** It slips off: the constraint is removed; a pearl becomes a free mass. */
    | "release"
    /** The step is refused. */
    | "error";

/** Behaviour of a place at the end of its path. */
export type EndOfPath =
    /** It stops there. */
    | "stop"
    /** It leaves the path: the constraint is removed. */
    | "release"
    /** The step is refused. */
    | "error"
    /** The path continues straight. */
    | "continue";

/** Joins two places. Multipliers: force, N, and moment, N·m, on the first, world axes. */
export interface Fusion {
    /**
     * Angle in time by which the first place is turned against the second, rad, relative to their present
     * orientation when joined. It begins within half a turn.
     */
    angle?: MeasuredInput;
    /** From the rod's axis to the held point, m, in its frame (tangent, m₁, m₂); the axis unless given. */
    arm?: Vector | null;
    /** Place on the rod. */
    at?: At | null;
    /**
     * Axis of that turn, world axes when joined; the tangent of the second place unless given. A roll turns
     * about the first tangent.
     */
    axis?: Vector | null;
    /** Whether it is broken; then it holds nothing. */
    broken?: boolean;
    /** Which quantities are joined. */
    hold?: Hold;
    /** Object, by name. */
    on: string;
    /** Form of the rows. */
    rows?: RowForm;
    /** Force and moment at which it breaks; unlimited unless given. */
    strength?: JointStrength | null;
    /** The place to which it is joined. */
    to: Anchor;
}

/** All space below z = 0. It is drawn as a square of 20 m. */
export interface HalfSpace {
}

/** A sine in time. */
export interface Harmonic {
    /** Amplitude. */
    amplitude: Vector;
    /** Frequency, Hz. */
    frequency: number;
    /** Value around which it swings. */
    mean?: Vector;
    /** Phase, rad. */
    phase?: QuantityInput;
}

/** A sine in time. */
export interface Harmonic2 {
    /** Amplitude. */
    amplitude: QuantityInput;
    /** Frequency, Hz. */
    frequency: number;
    /** Value around which it swings. */
    mean?: QuantityInput;
    /** Phase, rad. */
    phase?: QuantityInput;
}

/**
 * Ground: all space below a grid of heights. Each cell of the grid is two triangles, which meet on the
 * diagonal from its corner at the lowest x and y.
 */
export interface Heights {
    /**
     * File, relative to the folder of the scene: a table of numbers (text or CSV), one line for each y, or a
     * grayscale PNG image, black 0 and white 1, whose upper edge has the largest y. It is not read if
     * `heights` are given.
     */
    file?: string | null;
    /** Heights, in `unit`: a list for each y, from the lowest y on, with the heights along x. */
    heights?: (number[])[];
    /** Factor on all heights; 1 if left out. */
    scale?: number | null;
    /** Distance of neighbours in the grid, m: one length, or one along x and one along y. */
    spacing: Spacing;
    /** Unit of the heights. */
    unit?: LengthUnit;
}

/** A helix about an axis. */
export interface Helix {
    /** Direction of the axis. */
    axis?: Vector;
    /** Point on the axis at the start, m. */
    centre: Vector;
    /** Rise per turn, m. */
    pitch: QuantityInput;
    /** Radius, m. */
    radius: QuantityInput;
    /** Direction from the axis to the first point, as far as the axis allows. */
    start?: Vector;
    /** Number of turns; negative for a left-handed helix. */
    turns: number;
}

/** Quantities that a fusion joins. */
export type Hold =
    /** The points: a ball joint. */
    | "point"
    /** The points and the roll about the first tangent. */
    | "roll"
    /** The points and the frames. */
    | "rigid";

/** The convex hull of points. */
export interface Hull {
    /** Points, m: at least four, not all in one plane. Points within the hull have no effect. */
    points: Vector[];
}

/** Inertia about the centre of mass, body axes. */
export interface Inertia {
    /** Moments of inertia Ixx, Iyy and Izz, kg·m². */
    moments: Vector;
    /** Products of inertia Ixy, Ixz and Iyz, kg·m²: the entries of the matrix, −∫xy dm and so on. */
    products?: Vector;
}

/** Joins two places, or a place and the world, and leaves some motions between them free. */
export interface Joint {
    /**
     * Whether a weld turns the frame of the first place to that of the second, so that a rod leaves along the
     * first axis of an anchor. Otherwise it keeps their relative rotation when joined.
     */
    aligned?: boolean;
    /**
     * Limits, motor and friction of the free rotation about the axis, in rad and N·m. The angle is zero when
     * joined; whole turns count.
     */
    angle?: Coordinate | null;
    /** From that place to the held point, m, in the frame of the place. */
    arm?: Vector | null;
    /** Place on it. */
    at?: At | null;
    /**
     * Axis of a hinge, slider or cylindrical joint, or of a ball joint with limits; normal of a planar one;
     * arm of a universal joint's cross on the first object. In world axes when joined. Default: the first
     * axis of an anchor with axes.
     */
    axis?: Vector | null;
    /** Whether it is broken; a broken joint holds nothing. */
    broken?: boolean;
    /**
     * Arm of a universal joint's cross on the second object, or direction of `slide` in the plane of a planar
     * joint. In world axes when joined, perpendicular to `axis`. A universal joint may leave it out together
     * with `axis`; then it is the second axis of the anchor.
     */
    cross?: Vector | null;
    /**
     * Limits, motor and friction of the rotation of a universal joint about `cross`, in rad and N·m. The
     * angle is zero when joined; whole turns count.
     */
    cross_angle?: Coordinate | null;
    /**
     * Limits, motor and friction of the displacement of a planar joint along `axis` × `cross`, in m and N.
     * The displacement is zero when joined.
     */
    cross_slide?: Coordinate | null;
    /** Dry friction of a ball joint: the largest moment with which it resists its rotation, N·m. */
    friction?: QuantityInput;
    /** Which motions are free. */
    kind: JointKind;
    /** Object, by name. */
    on: string;
    /**
     * Limits, motor and friction of the free displacement along the axis, or along `cross` in the plane of a
     * planar joint, in m and N. The displacement is zero when joined.
     */
    slide?: Coordinate | null;
    /** Force and moment at which it breaks; unlimited unless given. */
    strength?: JointStrength | null;
    /**
     * Limit of the swing of a ball joint: `most` is the largest angle, rad, between the axes of both objects,
     * which coincide when joined. It is less than half a turn.
     */
    swing?: Coordinate | null;
    /** The other place; the world, at the present position, unless given. */
    to?: Anchor | null;
    /**
     * Limits of the twist of a ball joint: the rotation of the first object about `axis`, in rad. It is zero
     * when joined; whole turns count. It needs a limit of the swing.
     */
    twist?: Coordinate | null;
    /** Viscous friction of a ball joint, N·m·s/rad; its moment opposes the rate of the rotation. */
    viscosity?: number;
}

/** Which motions a joint leaves free. */
export type JointKind =
    /** All rotations. */
    | "ball"
    /** None. */
    | "weld"
    /** The rotation about the axis. */
    | "hinge"
    /** The displacement along the axis. */
    | "slider"
    /** Rotation about the axis and displacement along it. */
    | "cylindrical"
    /** The rotations about both arms of a cross. */
    | "universal"
    /** Displacements in a plane and the rotation about its normal. */
    | "planar";

/**
 * Strength of a constraint that breaks. The force and the moment of the directions that it holds count;
 * motors, limits and friction of free coordinates of a joint don't.
 */
export interface JointStrength {
    /** Largest force, N. */
    force?: QuantityInput | null;
    /** Largest moment, N·m. */
    moment?: QuantityInput | null;
}

/** Values at given times. */
export interface Keyframes {
    /** Ease in and out of every keyframe (cubic, rest at each keyframe) instead of straight lines. */
    smooth?: boolean;
    /** Times, s, strictly ascending. */
    times: number[];
    /** One value for each time. */
    values: Vector[];
}

/** Values at given times. */
export interface Keyframes2 {
    /** Ease in and out of every keyframe (cubic, rest at each keyframe) instead of straight lines. */
    smooth?: boolean;
    /** Times, s, strictly ascending. */
    times: number[];
    /** One value for each time. */
    values: QuantityInput[];
}

/** An eye through which a rod slides. Multipliers: force on the rod, N, world axes. */
export interface Keyhole {
    /** Where on the rod the eye begins. */
    at: At;
    /** With `to`: the eye slides along that rod too. */
    crossing?: boolean;
    /** Direction of the rod in the eye; if given, it is held as well. */
    direction?: Signal | null;
    /** Displacement of the eye in time, m, added to `target`. */
    displacement?: Signal;
    /** What happens at the ends of the rod. */
    ends?: EndOfCurve;
    /** Dry friction: share of the force of the eye across the rod. */
    friction?: number;
    /** Rod that slides, by name. */
    on: string;
    /**
     * Radius over which the rod turns in the eye, m: dry friction then is that of a rope on a drum, whatever
     * the turn: T₁ = T₂ exp(μφ). Unless given the eye is a sharp edge.
     */
    radius?: QuantityInput | null;
    /**
     * Imposed sliding (a winch, a feeder): rest length in time, m, by which the eye is further along the rod
     * than `at`. It slides freely unless given.
     */
    slide?: MeasuredInput | null;
    /** Where the eye is, m; the present position of the rod unless given. */
    target?: Signal | null;
    /** A place to which the eye is fixed, instead of a point of the world. */
    to?: Anchor | null;
    /** Viscous friction, N·s/m. */
    viscosity?: number;
}

/**
 * A block of chosen directions with a custom law. Its forces act on the first place: N along `directions`,
 * N·m about `rotations`.
 */
export interface LawBlock {
    /** From that place to the held point, m: on a rod in its frame, on a body in its axes. */
    arm?: Vector | null;
    /** Place on the rod or body. */
    at?: At | null;
    /** Directions of displacement, in world axes when it is added. Their rows come first, in this order. */
    directions?: Vector[];
    /** Its law: the name under which the program registered it. */
    kind: string;
    /** Object, by name. */
    on: string;
    /** Parameters of the law. */
    parameters?: Parameters;
    /** Axes of rotation, in world axes when it is added. Their rows come last. */
    rotations?: Vector[];
    /** Start of the displacements: the beginning of the step or of the constraint. */
    since?: Measured;
    /** The other place, with which the directions turn; the world unless given. */
    to?: Anchor | null;
}

/** Unit of the coordinates of a mesh. Most files don't say it. */
export type LengthUnit =
    /** Metres. */
    | "m"
    /** Centimetres. */
    | "cm"
    /** Millimetres. */
    | "mm"
    /** Inches. */
    | "in";

/** Which way a distance holds. */
export type Limit =
    /** Both ways: a rigid link. */
    | "equal"
    /** Not longer: a rope. */
    | "at-most"
    /** Not shorter: a bumper. */
    | "at-least";

/** A straight line. */
export interface Line {
    /** First point, m. */
    from: Vector;
    /** Last point, m. */
    to: Vector;
}

/** Pulls two places together with `k (d − length) + c ḋ`. */
export interface LinearSpring {
    /** Damping c, N·s/m. */
    damping?: number;
    /** First end. */
    from: SpringEnd;
    /** Rest length, m; the distance at the start unless given. */
    length?: QuantityInput | null;
    /** Stiffness k, N/m. */
    stiffness: number;
    /** Second end. */
    to: SpringEnd;
}

/** A load. */
export type LoadDescription =
    /** A force at a place. */
    | { force: PointForce }
    /** A moment on a body or at a place of a rod. */
    | { moment: PointMoment }
    /** A force per rest length along a rod. */
    | { distributed: Distributed }
    /** Viscous drag in a wind. */
    | { drag: Drag };

/** Description of a point mass. */
export interface MassDescription {
    /** Mass, kg. */
    mass: QuantityInput;
    /** Initial position, m. */
    position: Vector;
    /** Drawn radius, m. */
    radius?: QuantityInput | null;
    /** Initial velocity, m/s. */
    velocity?: Vector;
}

/** Start of the displacements of a block. */
export type Measured =
    /** The beginning of the step: for sliding, as in friction. */
    | "step"
    /** The beginning of the constraint: for positions, as in contacts and springs. */
    | "start";

/** Forms in which such a signal may be written; only for the JSON Schema. */
export type MeasuredInput = QuantityInput | Moving2;

/**
 * A closed surface of triangles, from a file or given inline. Coordinates are kept in `unit`, as the file has
 * them. Cavities are shells whose triangles are turned.
 */
export interface Mesh {
    /** STL, OBJ or PLY file, relative to the folder of the scene. It is not read if `vertices` are given. */
    file?: string | null;
    /** Factor on all coordinates; 1 if left out. */
    scale?: number | null;
    /** Three corners of each triangle, counted from 0, counterclockwise seen from outside. */
    triangles?: Vector[];
    /** Unit of the coordinates in the file, or of `vertices`. */
    unit?: LengthUnit;
    /** Corners, in `unit`. */
    vertices?: Vector[];
}

/** Dynamic or static. */
export type Mode =
    /** With inertia and damping. */
    | "dynamic"
    /** Equilibrium only; a run with moving targets or loads is a chain of equilibria. */
    | "static"
    /**
     * Every island of connected objects is dynamic, or quasi-static where its dynamics would take longer than
     * the simulated time.
     */
    | "quasi-dynamic";

/** Motor of a coordinate of a joint. */
export type Motor =
    /** It follows a value in time, m or rad. */
    | { position: Drive }
    /** It follows a velocity in time, m/s or rad/s. */
    | { velocity: Drive }
    /** A force, N, or a torque, N·m, in time. */
    | { force: MeasuredInput }
    /** It pulls towards a value in time with a spring and a damper. */
    | { servo: Servo };

/** The forms with a name; separate so that the bare value needs no buffering. */
export type Moving =
    | { constant: Vector }
    | { keyframes: Keyframes }
    | { harmonic: Harmonic }
    | { ramp: Ramp };

/** The forms with a name; separate so that the bare value needs no buffering. */
export type Moving2 =
    | { constant: QuantityInput }
    | { keyframes: Keyframes2 }
    | { harmonic: Harmonic2 }
    | { ramp: Ramp2 };

/** A description with a name. */
export interface Named {
    /** Name. */
    name: string;
    /** Description. */
    to: RodDescription;
}

/** A description with a name. */
export interface Named2 {
    /** Name. */
    name: string;
    /** Description. */
    to: MassDescription;
}

/** A description with a name. */
export interface Named3 {
    /** Name. */
    name: string;
    /** Description. */
    to: BodyDescription;
}

/** A description with a name. */
export interface Named4 {
    /** Name. */
    name: string;
    /** Description. */
    to: ConstraintDescription;
}

/** A description with a name. */
export interface Named5 {
    /** Name. */
    name: string;
    /** Description. */
    to: LoadDescription;
}

/** A description with a name. */
export interface Named6 {
    /** Name. */
    name: string;
    /** Description. */
    to: SpringDescription;
}

/** A description with a name. */
export interface Named7 {
    /** Name. */
    name: string;
    /** Description. */
    to: WinchDescription;
}

/** A description with a name. */
export interface Named8 {
    /** Name. */
    name: string;
    /** Description. */
    to: SceneryDescription;
}

/** Natural shape: the stress-free one. */
export type Natural =
    /** Straight and untwisted, whatever the initial shape. */
    | "straight"
    /** The initial shape. */
    | "as-shaped"
    /** Given natural curvatures and twist, the same everywhere. */
    | { curved: NaturalCurvature }
    /**
     * Natural curvatures and twist at the three Gauss points of each segment, in their order along the rod.
     */
    | { sampled: NaturalCurvature[] };

/** Natural curvatures and twist in material axes. */
export interface NaturalCurvature {
    /** Curvature towards m₁, 1/m. */
    curvature_1?: number;
    /** Curvature towards m₂, 1/m. */
    curvature_2?: number;
    /** Twist, rad/m. */
    twist?: number;
}

/** A table of parameters. The custom kind checks them. */
export type Parameters = Record<string, unknown>;

/** A part of a compound. */
export interface Part {
    /** Density, kg/m³; that of the body if left out. */
    density?: QuantityInput | null;
    /** Place of the origin of the shape in the axes of the compound, m. */
    position?: Vector;
    /** Rotation from the axes of the shape to those of the compound, as a rotation vector, rad. */
    rotation?: Vector;
    /** Shape. */
    shape: BodyShape;
}

/** A mass that slides on a rod. */
export interface Pearl {
    /** Where on the rod it begins. */
    at: At;
    /** Which of its forces the rod feels in a dynamic step. */
    coupling?: Coupling;
    /** Behaviour at the ends of the rod. */
    ends?: EndOfCurve;
    /** Force on it, N, world axes, in addition to its weight. */
    force?: Signal;
    /** Motion that its director follows, for read-outs. */
    frame?: PearlFrame;
    /** Dry friction: share of the force across the rod. */
    friction?: number;
    /** Mass, kg. */
    mass: QuantityInput;
    /** Rod, by name. */
    on: string;
    /** Radius, m: the distance of neighbours is at least the sum of their radii; 0 unless given. */
    radius?: QuantityInput | null;
    /** Coefficient of restitution: separation speed after a shock over closing speed. */
    restitution?: number;
    /** Initial speed along the rod, m/s. */
    speed?: number;
    /** Viscous friction, N·s/m. */
    viscosity?: number;
}

/** Motion that the frame of a pearl follows. Its first axis is the tangent of the rod at the pearl. */
export type PearlFrame =
    /** The tangent only: the director is transported without spin about it. */
    | "tangent"
    /** The roll of the rod too: the director is the rod's m₁ at the pearl. */
    | "roll";

/** Keeps a place in a plane. Multiplier: force along the normal, N. */
export interface Plane {
    /** From the rod's axis to the held point, m, in its frame (tangent, m₁, m₂); the axis unless given. */
    arm?: Vector | null;
    /** Place on the rod. */
    at?: At | null;
    /** Normal. */
    normal: Signal;
    /** Displacement of the plane along its normal in time, m. */
    offset?: MeasuredInput;
    /** Object, by name. */
    on: string;
    /** A point of the plane, m; the present position of the place unless given. */
    point?: Signal | null;
    /** Whether the place is kept in the plane, or only on the side of the normal. */
    side?: Side;
    /**
     * Another place with which the plane moves, and through which it passes unless `offset` is given; the
     * world unless given.
     */
    to?: Anchor | null;
}

/** A force at a place of an object; its direction is fixed in the world. */
export interface PointForce {
    /** Place on the rod. */
    at?: At | null;
    /** Force, N. */
    force: Signal;
    /** Object, by name. */
    on: string;
}

/** A moment on a body or at a place of a rod; its direction is fixed in the world. */
export interface PointMoment {
    /** Place on it; a rod needs one. */
    at?: At | null;
    /** Moment, N·m. */
    moment: Signal;
    /** Object with a frame, by name. */
    on: string;
}

/** A smooth curve through points: a Catmull–Rom spline with centripetal parameters, for any spacing. */
export interface Points {
    /** Whether the curve returns to its first point. */
    closed?: boolean;
    /** Points on the curve, m; at least two. */
    through: Vector[];
}

/**
 * Straight pieces between points, with arcs in place of the corners if there is a radius. Without one, a
 * spline rounds the corners within a segment.
 */
export interface Polyline {
    /**
     * Radius of the arcs in place of the inner corners, m; they touch the straight pieces, which must be long
     * enough for them.
     */
    radius?: QuantityInput;
    /** Corners, m; at least two. */
    through: Vector[];
}

/** Holds a place of an object at a point. Multipliers: force on the object, N, world axes. */
export interface Position {
    /** From the rod's axis to the held point, m, in its frame (tangent, m₁, m₂); the axis unless given. */
    arm?: Vector | null;
    /** Place on the rod. */
    at?: At | null;
    /** Displacement of the target in time, m, added to `target`. */
    displacement?: Signal;
    /** Object, by name. */
    on: string;
    /** Where it is held, m; the present position of the place unless given. */
    target?: Signal | null;
}

/** A quantity that is measured during the run. */
export interface Probe {
    /** Place on a rod. */
    at?: At | null;
    /** Component of a vector; its norm unless given. */
    component?: Component;
    /** Name of the column, plot and JSON field. */
    name: string;
    /** Rod, mass, constraint, spring or winch, by name; `"world"` for totals. */
    of: string;
    /** Measured quantity. */
    read: Quantity;
    /** The other object of contacts, by name, all of them unless given; the other rod of a linking number. */
    with?: string | null;
}

/** Quantities of probes. */
export type Quantity =
    /** Position of a place on a rod or of a mass, m (vector). */
    | "position"
    /** Velocity, m/s (vector). */
    | "velocity"
    /** Unit tangent of a rod, or of the rod where a constraint holds it (vector). */
    | "tangent"
    /** Director m₁ of a rod, or of the frame of a pearl or an eye (vector). */
    | "director"
    /** Mean stretch of the segment at a place of a rod. */
    | "stretch"
    /** Tension of a rod at a place, at a winch, or of a spring or distance constraint, N; positive pulls. */
    | "tension"
    /** Bending moment of a rod, N·m (vector in world axes). */
    | "bending-moment"
    /** Curvature of a rod, 1/m. */
    | "curvature"
    /** Bend radius of a rod, m. */
    | "bend-radius"
    /** Least bend radius along a whole rod, m. */
    | "least-bend-radius"
    /** Rest arc length at which an eye, a pearl or a clip sits on its rod, m. */
    | "place"
    /** Whether a clip holds: 1, or 0 while it is open. */
    | "held"
    /** Load of a clip as a share of its strength; 0 without a limit. */
    | "strength-used"
    /**
     * Force of an eye or a pearl on its rod along it, N: the drive of imposed sliding, friction, or the push
     * on the end of the rod; positive towards the rod's end. Of a joint: the force of the motor along its
     * axis.
     */
    | "drive"
    /** Size of the force of an eye or a pearl on its rod across it, N. */
    | "normal-force"
    /** Force with which a pearl pushes the next pearl or eye on its rod, N. */
    | "contact"
    /**
     * Force of contact of surfaces on an object, N (vector in world axes): of all contacts, or of those with
     * one other object.
     */
    | "contact-force"
    /** Number of contacts of surfaces of an object that transmit a force. */
    | "contacts"
    /** Largest overlap of the surface of an object with others, m. */
    | "penetration"
    /** Twisting torque of a rod, N·m. */
    | "torque"
    /** Twist of a rod, rad/m. */
    | "twist"
    /** Twist of a whole rod, in turns. */
    | "total-twist"
    /**
     * Writhe of a whole rod, in turns; an open rod is continued straight at both ends. While its ends do not
     * turn, the sum of twist and writhe is constant, unless the rod passes through itself.
     */
    | "writhe"
    /** Linking number of a closed rod with another closed one: how often they wind about each other. */
    | "linking-number"
    /** Present length of a rod or spring, m; rest length that a winch has paid out. */
    | "length"
    /** Force of a constraint or spring on its object, of a pearl on its rod, N (vector in world axes). */
    | "force"
    /** Moment of a constraint or spring on its object, N·m (vector in world axes). */
    | "moment"
    /** Angle of a joint about its axis, rad; whole turns count. */
    | "angle"
    /** Displacement of a joint along its axis, m. */
    | "slide"
    /** Torque of the motor of a joint on its angle, N·m. */
    | "drive-torque"
    /** Angle of the cross of a universal joint about its arm on the second object, rad; whole turns count. */
    | "cross-angle"
    /** Displacement of a planar joint along its second direction, m. */
    | "cross-slide"
    /** Torque of the motor on the second angle of a universal joint, N·m. */
    | "cross-drive-torque"
    /** Force of the motor along the second direction of a planar joint, N. */
    | "cross-drive"
    /** Rotation of a body since its axes were those of the world: rotation vector, rad. */
    | "rotation"
    /** Angular velocity of a body, rad/s (vector in world axes). */
    | "spin"
    /** Momentum of a body, kg·m/s (vector). */
    | "momentum"
    /** Angular momentum of a body about its centre of mass, kg·m²/s (vector in world axes). */
    | "angular-momentum"
    /** Mass of a body, kg. */
    | "mass"
    /** Centre of mass of a body, m (vector). */
    | "centre-of-mass"
    /** Principal moments of inertia of a body about its centre of mass, kg·m² (vector; the smallest is x). */
    | "principal-moments"
    /** Rotation of the principal axes of a body against those of the world: rotation vector, rad. */
    | "principal-axes"
    /** Violation of a constraint, m or rad. */
    | "residual"
    /** Kinetic energy of an object or the world, J. */
    | "kinetic-energy"
    /** Elastic energy of a rod, a spring or the world, J. */
    | "elastic-energy"
    /** Stretching energy of a rod or the world, J. */
    | "stretch-energy"
    /** Bending energy of a rod or the world, J. */
    | "bend-energy"
    /** Twisting energy of a rod or the world, J. */
    | "twist-energy"
    /** Potential energy in gravity, J. */
    | "gravity-energy"
    /** Sum of kinetic, elastic and gravity energy, J. */
    | "total-energy";

/** Forms in which a quantity may be written; only for the JSON Schema. */
export type QuantityInput =
    /** A number in SI units. */
    | number
    /** A number with a unit, such as "12 mm". */
    | string;

/** From one value to another between two times. */
export interface Ramp {
    /** End time, s. */
    end: QuantityInput;
    /** Value before `start`. */
    from?: Vector;
    /** Ease in and out (cubic) instead of a straight line. */
    smooth?: boolean;
    /** Start time, s. */
    start?: QuantityInput;
    /** Value after `end`. */
    to: Vector;
}

/** From one value to another between two times. */
export interface Ramp2 {
    /** End time, s. */
    end: QuantityInput;
    /** Value before `start`. */
    from?: QuantityInput;
    /** Ease in and out (cubic) instead of a straight line. */
    smooth?: boolean;
    /** Start time, s. */
    start?: QuantityInput;
    /** Value after `end`. */
    to: QuantityInput;
}

/** A full rectangle. */
export interface Rectangle {
    /** Side along m₁, m. */
    a: QuantityInput;
    /** Side along m₂, m. */
    b: QuantityInput;
}

/** Inserts knots into an open spline rod, each of which divides a segment: the rod doesn't move. */
export interface Refine {
    /** Places of the new knots, by rest arc length. */
    at: At[];
    /** Rod, by name. */
    rod: string;
}

/** Bounds of adaptive resolution. */
export interface Refinement {
    /** Largest turn of the tangent along a segment before it is divided, rad; 0.5 unless given. */
    bend?: QuantityInput;
    /**
     * Curvature error at which a segment is divided, as a share of the largest curvature of the rod; 0.03
     * unless given.
     */
    error?: number;
    /**
     * Least number of control points: no segment gets longer than with so many. The initial number unless
     * given.
     */
    least?: number | null;
    /** Largest number of control points; twice the initial number unless given. */
    most?: number | null;
}

/** How the segments of a rod adapt. */
export type Resolution =
    /** They stay unchanged. */
    | "given"
    /** An open spline rod gets knots where it is held, and more where it bends. */
    | "auto";

/** A closed circle. */
export interface Ring {
    /** Centre, m. */
    centre: Vector;
    /** Normal of its plane. */
    normal?: Vector;
    /** Radius, m. */
    radius: QuantityInput;
}

/**
 * A rod, cable, rope or thread. Stiffness comes from `young` with a section (`radius` or `section`), or
 * directly from `stiffness` with `mass_per_length`.
 */
export interface RodDescription {
    /** Basis functions. */
    basis?: Basis;
    /**
     * Bends of an open discrete rod, by ascending rest arc length, instead of evenly in `segments` places:
     * edges of unequal length.
     */
    bends_at?: At[];
    /** Damping. */
    damping?: Damping;
    /** Density, kg/m³. */
    density?: QuantityInput | null;
    /** Keep the length of every edge exactly instead of by EA; only with `model = "discrete-elastic"`. */
    inextensible?: boolean;
    /**
     * Share by which the rod is stretched in its initial shape, −0.5 to 1: its rest length is the length of
     * the shape, divided by 1 + `initial_stretch`. Places on the rod are given in rest length.
     */
    initial_stretch?: number;
    /**
     * Inner knots of an open spline rod, by ascending rest arc length, instead of evenly: one less than there
     * are segments.
     */
    knots_at?: At[];
    /** Mass per rest length, kg/m, instead of `density`. */
    mass_per_length?: QuantityInput | null;
    /** Rod model. */
    model?: RodModel;
    /** Natural (stress-free) shape. */
    natural?: Natural;
    /** Poisson's ratio, −1 to 0.5; 0.3 unless given. */
    poisson?: number | null;
    /** Radius of a circular section, m. Short for `section.circle.radius`. */
    radius?: QuantityInput | null;
    /** Bounds of `resolution = "auto"`. */
    refinement?: Refinement;
    /** Whether a spline rod keeps its segments, or divides and joins them during a run as needed. */
    resolution?: Resolution;
    /** Section, if it is not a circle. */
    section?: Section | null;
    /**
     * Number of polynomial segments; 16, or as many as the shape needs, unless given. For a discrete rod the
     * number of bends; 32 unless given.
     */
    segments?: number | null;
    /** Initial shape. Its arc length is the rest length, unless the shape has a length of its own. */
    shape?: Shape;
    /** Shear modulus G, Pa; E / (2 (1 + poisson)) unless given. */
    shear?: QuantityInput | null;
    /** Stiffnesses, instead of `young`. */
    stiffness?: Stiffness | null;
    /** Measure of stretch. */
    stretch_measure?: StretchMeasure;
    /** Stretches of the rod with other properties; later ones win. */
    stretches?: Stretch[];
    /**
     * Inserted twist, rad: rotation of the end against the start, positive by the right hand about the
     * tangent, like the angle of a roll. In a closed rod it is a jump at the seam.
     */
    twist?: QuantityInput;
    /** Measure of twist. */
    twist_measure?: TwistMeasure;
    /** Initial direction of the director m₁, as far as the tangent allows. */
    up?: Vector | null;
    /** Initial velocity, m/s. */
    velocity?: Vector;
    /** Young's modulus E, Pa. */
    young?: QuantityInput | null;
}

/** An end of a rod. */
export type RodEnd =
    /** Its start. */
    | "start"
    /** Its end. */
    | "end";

/** Rod models. */
export type RodModel =
    /** Geometrically exact cubic spline. */
    | "spline"
    /** Discrete elastic rod: vertices and edge angles. */
    | "discrete-elastic"
    /** Beam: nodes with a direction, which transmit moments, and corotational elements between them. */
    | "beam"
    /** Masses on springs that resist stretching and bending: no frame, no twist. */
    | "mass-spring";

/** A place on a rod. */
export interface RodPlace {
    /** Place. */
    at: At;
    /** Rod, by name. */
    on: string;
}

/** The rods that a clip holds or waits for, by name: one, or a list. */
export type Rods =
    /** One rod, by name. */
    | string
    /** Several rods, by name. */
    | string[];

/** Holds the roll of a rod about its tangent. Multiplier: moment about the tangent, N·m. */
export interface Roll {
    /**
     * Angle in time, rad, relative to the roll when it is added. Whole turns count, also those of a constant
     * angle.
     */
    angle?: MeasuredInput;
    /** Place on it; a rod needs one. */
    at?: At | null;
    /** Object with a frame, by name. */
    on: string;
    /** Another place relative to which the roll is measured; the world unless given. */
    to?: Anchor | null;
}

/** Which rows express an orientation. */
export type RowForm =
    /** The least number of rows, free of side effects: two for a tangent, three for a rotation. */
    | "objective"
    /** The papers' rows: three for a tangent (freezes the local stretch too), seven for a clamp. */
    | "paper";

/** A shape that is only drawn: it has no mass and no effect on any result. */
export interface SceneryDescription {
    /** Displacement of the place along the rod in time, m of rest length; it stops at the ends of the rod. */
    along?: MeasuredInput;
    /** Place on that object. */
    at?: At | null;
    /** Colour, `"#rrggbb"`; default: the colour of the theme. */
    colour?: Colour | null;
    /** Object with which it moves, by name; the world unless given. */
    on?: string | null;
    /**
     * Position of its origin in time, m, in the axes of its place (on a rod: tangent, m₁, m₂), or in the
     * world.
     */
    position?: Signal;
    /** Rotation vector in time, rad, in the same axes. */
    rotation?: Signal;
    /** Shape. Meshes need not be closed. */
    shape: BodyShape;
    /**
     * A second place. Then the origin is midway between both, x points to the second place, and z points up
     * as far as possible.
     */
    to?: Anchor | null;
    /** Whether it turns with its object; otherwise its axes are those of the world. */
    turns?: boolean;
}

/** Cross-section of a rod. Axis 1 lies along the director m₁, axis 2 along m₂. */
export type Section =
    /** Full circle. */
    | { circle: Circle }
    /** Full ellipse. */
    | { ellipse: Ellipse }
    /** Full rectangle. */
    | { rectangle: Rectangle };

/** A motor with stiffness and damping: its force is `−k (q − target) − c (q̇ − target')`. */
export interface Servo {
    /** Damping c, N·s/m or N·m·s/rad. */
    damping?: number;
    /** Stiffness k, N/m or N·m/rad. */
    stiffness: number;
    /** Target in time, m or rad. */
    target: MeasuredInput;
}

/** Shape of a curve. */
export type Shape =
    /** A straight line. */
    | { line: Line }
    /**
     * A sagging line between two points, longer than their distance: a parabola in the direction of `sag`.
     */
    | { slack: Slack }
    /** A smooth curve through points. */
    | { points: Points }
    /** Straight pieces between points. */
    | { polyline: Polyline }
    /** A circular arc. */
    | { arc: Arc }
    /** A helix. */
    | { helix: Helix }
    /** A closed circle. */
    | { ring: Ring }
    /** A spline by its control points. */
    | { spline: Spline };

/** Which side of a plane is allowed. */
export type Side =
    /** Neither: the place stays in the plane. */
    | "within"
    /** The side of the normal: a floor. */
    | "above";

/**
 * A value as a function of time, s. In a scene file a constant is written as the bare value (`force = [0, 0,
 * -5]`), the others as a table with one key (`force.ramp = { from = [0, 0, 0], to = [0, 0, -5], start = 0,
 * end = 2 }`).
 */
export type Signal = Vector | Moving;

/** A sagging line of given length. */
export interface Slack {
    /** First point, m. */
    from: Vector;
    /** Length, m; at least the distance of the two points. */
    length: QuantityInput;
    /** Direction in which it sags. */
    sag?: Vector;
    /** Last point, m. */
    to: Vector;
}

/** Distance of neighbours in a grid, m. */
export type Spacing =
    /** Along x and y. */
    | QuantityInput
    /** Along x, and along y. */
    | [QuantityInput, QuantityInput];

/** A ball. Its origin is the centre. */
export interface Sphere {
    /** Radius, m. */
    radius: QuantityInput;
}

/** Joins the end of a rod to the start of another. */
export interface Splice {
    /** Largest angle between the tangents there, rad; 30° unless given. */
    angle?: QuantityInput;
    /** Rod whose end is joined, by name. */
    first: string;
    /** Name of the whole; that of the first rod unless given. */
    name?: string | null;
    /** Rod whose start is joined to it, by name. */
    second: string;
    /** Largest distance of the ends, m; 1 mm unless given. */
    tolerance?: QuantityInput;
}

/**
 * A clamped cubic B-spline by its control points: a rod with the same number of segments is exactly this
 * curve, its rest length measured along it.
 */
export interface Spline {
    /** Control points, m; at least four, three more than there are segments. */
    control: Vector[];
    /**
     * Metric of stretch: rest length per unit of a segment's coordinate, m, at the three Gauss points of each
     * segment; that of the curve unless given.
     */
    stretch_metric?: number[];
    /** Widths of the segments in the spline's parameter, in any unit; all the same unless given. */
    widths?: number[];
}

/** A spring–damper between two places. */
export type SpringDescription =
    /** Along the line between two places. */
    | { linear: LinearSpring }
    /** Against the relative rotation of two places. */
    | { torsional: TorsionalSpring }
    /** A custom force. */
    | { custom: CustomSpring };

/** One end of a spring. */
export type SpringEnd =
    /** A place on a rod. */
    | { rod: RodPlace }
    /** A point mass, by name. */
    | { mass: string }
    /** A place on any object. */
    | { object: Anchor }
    /** A point of the world, m, that may move. A torsional spring holds against the world's axes. */
    | { point: Signal };

/** Stiffnesses, for example as measured on a cable. */
export interface Stiffness {
    /** Bending stiffness EI towards m₁, N·m²; for both directions unless `bend_2` is given. */
    bend: number;
    /** Bending stiffness EI towards m₂, N·m². */
    bend_2?: number | null;
    /**
     * Stretching stiffness EA, N. Not needed by a rod that is `inextensible` and has a `radius` or `section`.
     */
    stretch?: number | null;
    /** Twisting stiffness GJ, N·m². */
    twist: number;
}

/** Greatest force of a clip: a number, N, for any direction, or a table. */
export type Strength =
    /** In any direction, N. */
    | QuantityInput
    /** By direction. */
    | Directions;

/** A part of a rod with other properties. Properties that are not given are those of the rod. */
export interface Stretch {
    /** Density, kg/m³. */
    density?: QuantityInput | null;
    /** Where it begins. */
    from: At;
    /** Mass per rest length, kg/m. */
    mass_per_length?: QuantityInput | null;
    /** Natural curvatures and twist. */
    natural?: NaturalCurvature | null;
    /** Radius, m. */
    radius?: QuantityInput | null;
    /** Section. */
    section?: Section | null;
    /** Shear modulus, Pa. */
    shear?: QuantityInput | null;
    /** Stiffnesses, instead of `young`. */
    stiffness?: Stiffness | null;
    /** Where it ends. */
    to: At;
    /** Young's modulus, Pa. */
    young?: QuantityInput | null;
}

/** Measure of stretch of a spline rod. */
export type StretchMeasure =
    /** Mean over each segment: no membrane locking. */
    | "mean"
    /** Mean and slope in every segment, as at two Gauss points: for the study of axial waves. */
    | "pointwise";

/** Holds the tangent of a rod. Multipliers: moment on the rod, N·m, world axes. */
export interface Tangent {
    /** Place on it; a rod needs one. */
    at?: At | null;
    /**
     * Direction. Default: the first axis of the anchor in `to`, if that has axes, or else the present
     * tangent.
     */
    direction?: Signal | null;
    /** Object with a frame, by name. */
    on: string;
    /** Form of the rows. */
    rows?: RowForm;
    /** Another place with whose frame the direction turns; the world unless given. */
    to?: Anchor | null;
}

/**
 * Turns two frames back to their relative rotation at the start with a moment `k φ + c φ̇`, φ the rotation
 * vector.
 */
export interface TorsionalSpring {
    /** Damping c, N·m·s/rad. */
    damping?: number;
    /** First end, on an object with a frame. */
    from: SpringEnd;
    /** Stiffness k, N·m/rad. */
    stiffness: number;
    /** Second end: on an object with a frame, or a point for the world's axes. */
    to: SpringEnd;
}

/** Keeps a place on a curve, along which it slides. Multipliers: force on the object, N, world axes. */
export interface Trajectory {
    /**
     * Whether the object turns with the curve, like a bead on a wire: its direction that is along the curve
     * when the constraint is added stays along it. The object must have a frame. It may roll about the curve.
     */
    aligned?: boolean;
    /** From the rod's axis to the held point, m, in its frame (tangent, m₁, m₂); the axis unless given. */
    arm?: Vector | null;
    /** Place on the rod. */
    at?: At | null;
    /** Displacement of the whole curve in time, m. */
    displacement?: Signal;
    /** Behaviour at the ends of an open curve. */
    ends?: EndOfPath;
    /** Dry friction: share of the force across the curve. */
    friction?: number;
    /** Object, by name. */
    on: string;
    /** The curve. */
    path: Shape;
    /**
     * Drive along the curve: arc length in time, m, by which the place is further along the curve than where
     * it was added. It counts from its value at that time. The place slides freely unless given.
     */
    slide?: MeasuredInput | null;
    /**
     * Another place with which the curve moves and turns, from its described position when it is added; the
     * world unless given.
     */
    to?: Anchor | null;
}

/** Measure of twist of a spline rod. */
export type TwistMeasure =
    /** Relative to frames that are transported in time without spin: no singularity. */
    | "natural"
    /**
     * θ' plus Frenet torsion, as in the quasi-dynamic splines paper; singular where the curve is straight.
     */
    | "frenet";

/** Pays a rod out, or reels it in, at one of its ends. */
export interface WinchDescription {
    /** The end on the winch. */
    at?: RodEnd;
    /** Rod, by name. */
    on: string;
    /**
     * Rest length paid out in time, m; only its change since the winch was added counts. A decrease reels in.
     */
    pay_out: MeasuredInput;
}
