/**
 * Messages between server and page, in JSON. Written by `make protocol` from crates/micado-view/src/protocol:
 * do not edit.
 */

import type { Edit, Mode, Probe, Quantity, Vector } from "./scene.ts";

/** Version of the protocol that this page speaks. */
export const PROTOCOL_VERSION = 5;

/** An answer with the number of its request; null if the request had none. */
export type Answer = { answer: number | null; ok: unknown } | { answer: number | null; error: Problem };

/** A built-in scene. */
export interface Card {
    description: string;
    name: string;
    title: string;
}

/** A scalar quantity along the objects, such as the tension. */
export interface Channel {
    /** Name, such as `tension`. */
    name: string;
    /** Unit, such as `N`; empty for a pure number. */
    unit: string;
}

/** A constraint. */
export interface ConstraintRow {
    /** Whether it is a hand, made by dragging in the page. */
    hand: boolean;
    /** Kind in the words of the scene file, such as `clamp`. */
    kind: string;
    /** Its symbol. */
    marker: Marker;
    /** Name in the scene. */
    name: string;
    /** Name of the object that it holds. */
    on: string;
    /** Least force at which it opens or breaks, N. */
    strength: number | null;
    /** Name of the object at its other end; null if that is the world. */
    to: string | null;
}

/** Energies, J. */
export interface Energies {
    /** In rods and springs. */
    elastic: number;
    /** In gravity, relative to the origin. */
    gravity: number;
    /** Of motion. */
    kinetic: number;
    /** The sum of all. */
    total: number;
}

/** An event. */
export interface EventRow {
    kind: string;
    text: string;
    /** s */
    time: number;
}

/** A file to save. */
export type Export =
    /** A scene file that starts from the current state. */
    | "scene"
    /** The history of the probes. */
    | "csv"
    /** The last recording that a page started. */
    | "recording";

/** A file to save: its text, or its bytes in base64. */
export type Exported = { name: string; text: string } | { base64: string; name: string };

/** A coordinate of a joint. */
export type GaugeKind =
    /** The angle about the axis, rad. */
    | "angle"
    /** The displacement along the axis, m. */
    | "slide";

/** A coordinate of a joint that has limits or a motor. */
export interface GaugeRow {
    /** Index of the joint among the constraints. */
    constraint: number;
    /** The coordinate. */
    coordinate: GaugeKind;
    /** Least value, m or rad. */
    least: number | null;
    /** Largest value, m or rad. */
    most: number | null;
    /** Its motor. */
    motor: MotorKind | null;
}

/** Grabs a place with a hand. */
export interface Grab {
    /** Rest arc length on a rod, m. */
    at?: number | null;
    /** Name of an object. */
    on: string;
    /** Whether it holds the orientation too. */
    orientation?: boolean;
    /** Point of a body, in its axes, m. */
    point?: Vector | null;
}

/** A hand or a pin, by its name. */
export interface Hand {
    name: string;
}

/** The server. */
export interface Hello {
    /** Quantities by which rods can be coloured; frames refer to them by index. */
    channels: Channel[];
    /** Name and version of the program. */
    program: string;
    /** Version of the protocol. */
    version: number;
}

/** Effect of releasing a hand on the place that it held. */
export type How =
    /** Releases it. */
    | "release"
    /** Pins it where it is. */
    | "pin";

/** A place to read values at. */
export interface Inspect {
    /** Rest arc length on a rod, m; its middle unless given. */
    at?: number | null;
    /** Name of an object. */
    on: string;
}

/** Kind of a load. */
export type LoadKind =
    /** A force at a point. */
    | "force"
    /** A moment at a point. */
    | "moment"
    /** A force along a rod. */
    | "distributed"
    /** The drag of a medium. */
    | "drag";

/** A load. */
export interface LoadRow {
    /** Its kind. */
    kind: LoadKind;
    /** Name in the scene. */
    name: string;
}

/** Appearance of a constraint; its place and direction are in the frames. */
export interface Marker {
    /** The symbol. */
    kind: MarkerKind;
    /** Which way it holds. A plane with `at-least` keeps points on the side of its normal. */
    limit: MarkerLimit;
    /** Points of a curve when the table was made, m; otherwise none. */
    points: Vector[];
}

/** Symbol of a constraint. */
export type MarkerKind =
    /** A point that is held. */
    | "point"
    /** A moved point. */
    | "target"
    /** Point and direction are held. */
    | "clamp"
    /** Point and direction are moved. */
    | "jaws"
    /** The tangent is held. */
    | "tangent"
    /** The twist is held. */
    | "roll"
    /** A point stays in a plane. */
    | "plane"
    /** A point stays on a line. */
    | "axis"
    /** A point keeps its distance from another. */
    | "distance"
    /** A point stays on a circle. */
    | "circle"
    /** A point stays on a curve. */
    | "curve"
    /** A rod slides through a ring. */
    | "ring"
    /** Two objects are joined. */
    | "joint"
    /** A clip. */
    | "clip"
    /** A pearl. */
    | "pearl"
    /** A joint that leaves the rotation about its axis free. */
    | "hinge"
    /** A joint that leaves the displacement along its axis free. */
    | "slider"
    /** A joint that leaves rotation about its axis and displacement along it free. */
    | "cylindrical"
    /** A joint that leaves all rotations free. */
    | "ball"
    /** A joint that leaves the rotations about both arms of a cross free. */
    | "universal"
    /** A joint that leaves the motions in a plane free. */
    | "planar"
    /** A joint that leaves nothing free. */
    | "weld";

/** Which way a constraint holds. */
export type MarkerLimit =
    /** Both ways. */
    | "equal"
    /** Not longer. */
    | "at-most"
    /** Not shorter. */
    | "at-least";

/** A message: `{ WORD: … }`. Numbers that are not finite are null. */
export type Message =
    /** The server: the first message to a page. */
    | { hello: Hello }
    /** The open scene or recording: the second message, and again whenever another one is opened. */
    | { scene: Scene }
    /** Surfaces of objects, which tables name by their index: sent before the first such table. */
    | { meshes: Surface[] }
    /** All items of the scene: sent whenever they change. */
    | { table: Table }
    /** State of the session: sent when it changes, at most ten times a second. */
    | { status: Status }
    /** New events; after `scene`, all events so far. */
    | { events: EventRow[] };

/** A natural vibration. */
export interface ModeShape {
    /** Hz; null for a mode that grows. */
    frequency: number | null;
    /** Displacement of each point; the largest is 1. */
    shape: Vector[];
}

/** Number of objects by mode of stepping. */
export interface Modes {
    dynamic: number;
    quasi_static: number;
}

/** Kind of a motor. */
export type MotorKind =
    /** It follows a value. */
    | "position"
    /** It follows a velocity. */
    | "velocity"
    /** It exerts a force or a torque. */
    | "force"
    /** It pulls towards a value with a spring and a damper. */
    | "servo";

/** Moves a hand. */
export interface Move {
    name: string;
    /** m */
    position: Vector;
    /** Rotation vector relative to the grabbed frame, rad; unchanged unless given. */
    rotation?: Vector | null;
}

/** Kind of an object. */
export type ObjectKind =
    /** Points along a centreline. */
    | "rod"
    /** A point mass: one point. */
    | "mass"
    /** A pearl on a rod: one point. Its constraint has the same name. */
    | "pearl"
    /** A rigid body: one point and one orientation, which place its mesh. */
    | "body"
    /** A solid: its points are the vertices of its mesh. */
    | "solid"
    /** Scenery, which is only drawn. It has one point and one orientation, the pose of its mesh. */
    | "scenery"
    /** The floor of the scene: a horizontal plane through its point, which the ground of a picture shows. */
    | "floor";

/** An object. */
export interface ObjectRow {
    /** Whether it is a rod that forms a ring. */
    closed: boolean;
    /** Colour as red, green and blue; null for the colour of its kind. */
    colour: Vector | null;
    /** Its kind. */
    kind: ObjectKind;
    /** Rest length, m; 0 for other objects than rods. */
    length: number;
    /** Index of the mesh of its surface in the recording; null if it has none. */
    mesh: number | null;
    /** Name in the scene. */
    name: string;
    /** Number of points in every frame. Points of a rod are evenly spaced by rest arc length. */
    points: number;
    /** Radius, m: none, one for the whole object, or one per point. */
    radii: number[];
}

/** Opens a scene or a recording: `builtin`, or `name` and `text`, or `name` and `recording`. */
export interface Open {
    /** Name of a built-in scene. */
    builtin?: string | null;
    /** Name of the scene or the recording. */
    name?: string | null;
    /** A recording in base64. */
    recording?: string | null;
    /** A scene file. */
    text?: string | null;
}

/** The pattern of the step's matrix before and after ordering. */
export interface Pattern {
    svg: string;
}

/** A short force. */
export interface Poke {
    /** Rest arc length on a rod, m. */
    at?: number | null;
    /** N */
    force: Vector;
    /** Name of an object. */
    on: string;
    /** Point of a body, in its axes, m; the origin of these axes unless given. */
    point?: Vector | null;
}

/** A probe. */
export interface ProbeRow {
    /** Name in the scene. */
    name: string;
    /** Name of the item that it reads. */
    of: string;
    /** The quantity that it reads, in the words of the scene file. */
    read: string;
    /** Unit of its value; empty for a pure number. */
    unit: string;
}

/** Why a request was refused, and what to do. */
export interface Problem {
    /** Column of the scene file, from 1. */
    column?: number | null;
    /** Line of the scene file, from 1. */
    line?: number | null;
    /** Path of the field that causes it. */
    path?: string | null;
    problem: string;
    remedy: string;
}

/** A value with its name and unit. */
export interface ReadValue {
    /** Whether it depends on the place. */
    local: boolean;
    /** Whether it is one of the few that matter most. */
    main: boolean;
    name: string;
    /** The quantity by which a probe measures it; null if none can. */
    quantity: Quantity | null;
    /** Empty for a number without a unit. */
    unit: string;
    /** A number, or the three components of a vector; null where it is infinite. */
    value: (number | null)[];
}

/** Values of an object, at a place if it has several. */
export interface Reading {
    /** The place: rest arc length, m; null for an object without places along it. */
    at: number | null;
    /** Its kind, in the words of scene files. */
    kind: string;
    /** Rest length, m; null for an object without places along it. */
    rest_length: number | null;
    /** The values, in the order in which they are shown. */
    values: ReadValue[];
}

/** A request of a page. */
export type Request =
    | "play"
    | "pause"
    | "undo"
    | "redo"
    /** Opens a scene or a recording, for all pages. */
    | { open: Open }
    /** Lists the built-in scenes. */
    | "gallery"
    /** Checks a scene file without opening it. */
    | { check: { text: string } }
    /** Builds the scene again, at time 0. */
    | "reset"
    /** Pauses and makes steps, or shows the next frames of a recording. */
    | { step: { count: number } }
    /** Sets the simulated seconds per second. */
    | { speed: { factor: number } }
    | { mode: Mode }
    /** Grabs a place with a hand. */
    | { grab: Grab }
    /** Moves a hand. */
    | { move: Move }
    /** Removes a hand. */
    | { drop: { how: How; name: string } }
    /** Applies a short force. */
    | { poke: Poke }
    | { edit: Edit }
    /** Adds a probe. */
    | { watch: { probe: Probe } }
    /** Removes a probe. */
    | { unwatch: { name: string } }
    /** Reads values at a place. */
    | { inspect: Inspect }
    /** Selects the channel of this page's frames. */
    | { colour: string | null }
    /** Computes natural vibrations about the current shape. */
    | { modes: { count: number } }
    /** Draws the pattern of the step's matrix. */
    | "matrix"
    /** Starts or ends a recording. */
    | { record: boolean }
    /** Goes to a frame of a recording. */
    | { seek: { frame: number } }
    | { export: Export };

/** The open scene or recording. */
export interface Scene {
    /** Whether it is an unchanged built-in scene. */
    builtin: boolean;
    /** Channel that colours the scene by default. */
    colour: string;
    description: string;
    /** Duration of a run, s. */
    duration: number;
    name: string;
    /** Values set on the command line, `path=value`. */
    overrides: string[];
    /** Frames of the recording; null for a scene. */
    recording: Span | null;
    /** Time step, s. */
    step: number;
    /** The scene file. */
    text: string;
    title: string;
    /** Default direction from the scene towards the eye. */
    view_from: Vector | null;
}

/** The frames of a recording. */
export interface Span {
    /** Time of the last frame, s. */
    end: number;
    /** Number of frames. */
    frames: number;
    /** Time of the first frame, s. */
    start: number;
}

/** Kind of a spring. */
export type SpringKind =
    /** Pulls its ends together or pushes them apart. */
    | "linear"
    /** Twists its ends. */
    | "torsional";

/** A spring. */
export interface SpringRow {
    /** Its kind. */
    kind: SpringKind;
    /** Name in the scene. */
    name: string;
}

/** Duration of a stage of a step. */
export interface StageTime {
    name: string;
    /** s */
    seconds: number;
}

/** State of the session. */
export interface Status {
    energies: Energies;
    mode: Mode;
    modes: Modes;
    /** Number of open pages. */
    pages: number;
    playing: boolean;
    /** Simulated seconds per second over the last second. */
    real_time_factor: number;
    /** Whether a page is recording. */
    recording: boolean;
    /** The edit that `redo` would redo. */
    redo: string | null;
    /** Requested simulated seconds per second. */
    speed: number;
    stages: StageTime[];
    /** Duration of a step, s. */
    step_seconds: number;
    trouble: Trouble | null;
    /** The edit that `undo` would undo. */
    undo: string | null;
}

/** A surface of triangles in the axes of an object, and its sharp edges. */
export interface Surface {
    /** Two ends of each edge, m; x, y, z in turn. */
    edges: number[];
    /** Unit normals at these corners. */
    normals: number[];
    /** Three corners of each triangle, m; x, y, z in turn. */
    positions: number[];
}

/** All items of the scene, in the order of the arrays of a frame. */
export interface Table {
    constraints: ConstraintRow[];
    gauges: GaugeRow[];
    loads: LoadRow[];
    objects: ObjectRow[];
    probes: ProbeRow[];
    /** Number of the table; frames name their table by it. */
    serial: number;
    springs: SpringRow[];
    winches: WinchRow[];
}

/** A problem of the last step. */
export interface Trouble {
    /** Name of the constraint that causes it. */
    constraint: string | null;
    /** Such as `conflict`, `not-converged`, `held` or `panic`. */
    kind: string;
    /** Name of the object that causes it. */
    object: string | null;
    remedy: string;
    text: string;
}

/** The edit that was undone or redone, in words. */
export interface Undone {
    what: string;
}

/** The end of a rod on a winch. */
export type WinchEnd =
    /** Its start. */
    | "start"
    /** Its end. */
    | "end";

/** A winch. */
export interface WinchRow {
    /** The end of the rod on the winch. */
    at: WinchEnd;
    /** Name in the scene. */
    name: string;
    /** Name of its rod. */
    on: string;
}

/** `ok` of the answer to a request, by the word of the request. Other requests answer null. */
export interface Answers {
    /** The built-in scenes. */
    gallery: Card[];
    /** Remarks. */
    check: string[];
    grab: Hand;
    /** The pin, if there is one. */
    drop: Hand | null;
    undo: Undone;
    redo: Undone;
    inspect: Reading;
    modes: ModeShape[];
    matrix: Pattern;
    export: Exported;
}
