/**
 * Messages between server and page, in JSON. Written by `make protocol` from crates/micado-view/src/protocol:
 * do not edit.
 */

import type { Edit, Mode, Probe, Vector } from "./scene.ts";

/** Version of the protocol that this page speaks. */
export const PROTOCOL_VERSION = 2;

/** An answer with the number of its request; null where the text had none. */
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
    /** Whether it is the hand of a page. */
    hand: boolean;
    /** Kind in the words of the scene file, such as `clamp`. */
    kind: string;
    /** What it looks like. */
    marker: Marker;
    /** Name in the scene. */
    name: string;
    /** Name of the object that it holds. */
    on: string;
    /** Least force at which a clip may open, N. */
    strength: number | null;
    /** Name of the object at its other end; null where that is the world. */
    to: string | null;
}

/** Energies, J. */
export interface Energies {
    /** In rods and springs. */
    elastic: number;
    /** In gravity, from the origin. */
    gravity: number;
    /** Of motion. */
    kinetic: number;
    /** All together. */
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
    /** A scene file that begins as it is now. */
    | "scene"
    /** The history of the probes. */
    | "csv"
    /** The last recording that a page began. */
    | "recording";

/** A file to save: its text, or its bytes in base64. */
export type Exported = { name: string; text: string } | { base64: string; name: string };

/** Takes hold of a place. */
export interface Grab {
    /** Rest arc length on a rod, m. */
    at?: number | null;
    /** Name of a rod or a mass. */
    on: string;
    /** Whether it holds the orientation too. */
    orientation?: boolean;
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

/** What to do with the place that a hand held. */
export type How =
    /** Lets it go. */
    | "release"
    /** Pins it where it is. */
    | "pin";

/** A place to read values at. */
export interface Inspect {
    /** Rest arc length on a rod, m; its middle unless given. */
    at?: number | null;
    /** Name of a rod or a mass. */
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
    /** What it is. */
    kind: LoadKind;
    /** Name in the scene. */
    name: string;
}

/** Appearance of a constraint; its place and direction are in the frames. */
export interface Marker {
    /** The symbol. */
    kind: MarkerKind;
    /** Which way it holds. A plane with `at-least` keeps things on the side of its normal. */
    limit: MarkerLimit;
    /** Points of a curve when the table was made, m; otherwise none. */
    points: Vector[];
}

/** Symbol of a constraint. */
export type MarkerKind =
    /** A point that is held. */
    | "point"
    /** A point that is led along. */
    | "target"
    /** Point and direction are held. */
    | "clamp"
    /** Point and direction are led along. */
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
    | "pearl";

/** Which way a constraint holds. */
export type MarkerLimit =
    /** Both ways. */
    | "equal"
    /** Not longer. */
    | "at-most"
    /** Not shorter. */
    | "at-least";

/** A mass. */
export interface MassReading {
    /** kg */
    mass: number;
    /** m */
    position: Vector;
    /** m/s */
    speed: number;
}

/** A message: `{ WORD: … }`. Numbers that are not finite are null. */
export type Message =
    /** The server: the first message to a page. */
    | { hello: Hello }
    /** The open scene or recording: the second message, and again whenever another one is opened. */
    | { scene: Scene }
    /** What exists: whenever it changes. */
    | { table: Table }
    /** State of the session: when it changes, at most ten times a second. */
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

/** Number of objects by the way in which they are stepped. */
export interface Modes {
    dynamic: number;
    quasi_static: number;
}

/** Moves a hand. */
export interface Move {
    name: string;
    /** m */
    position: Vector;
    /** Rotation vector from the frame that it took hold of, rad; unchanged unless given. */
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
    | "solid";

/** An object. */
export interface ObjectRow {
    /** Whether it is a rod whose end is its start. */
    closed: boolean;
    /** What it is. */
    kind: ObjectKind;
    /** Rest length, m; 0 for all but rods. */
    length: number;
    /** Number of the mesh of its surface in the recording; null where it has none. */
    mesh: number | null;
    /** Name in the scene. */
    name: string;
    /** Number of points in every frame. Those of a rod are spread evenly by rest arc length. */
    points: number;
    /** Radius, m: none, one for the whole object, or one per point. */
    radii: number[];
}

/** What to open: `builtin`, or `name` and `text`, or `name` and `recording`. */
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

/** A short push. */
export interface Poke {
    /** Rest arc length on a rod, m. */
    at?: number | null;
    /** N */
    force: Vector;
    /** Name of a rod or a mass. */
    on: string;
}

/** A probe. */
export interface ProbeRow {
    /** Name in the scene. */
    name: string;
    /** Name of what it reads. */
    of: string;
    /** What it reads, in the words of the scene file. */
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
    /** Path of the field to blame. */
    path?: string | null;
    problem: string;
    remedy: string;
}

/** Values at a place. */
export type Reading = (RodReading & { kind: "rod" }) | (MassReading & { kind: "mass" });

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
    /** Builds the scene anew, at time 0. */
    | "reset"
    /** Pauses and makes steps, or shows the next frames of a recording. */
    | { step: { count: number } }
    /** Sets the simulated seconds per second. */
    | { speed: { factor: number } }
    | { mode: Mode }
    /** Takes hold of a place. */
    | { grab: Grab }
    /** Moves a hand. */
    | { move: Move }
    /** Lets go of what a hand holds. */
    | { drop: { how: How; name: string } }
    /** Pushes for a moment. */
    | { poke: Poke }
    | { edit: Edit }
    /** Adds a probe. */
    | { watch: { probe: Probe } }
    /** Removes a probe. */
    | { unwatch: { name: string } }
    /** Reads values at a place. */
    | { inspect: Inspect }
    /** Chooses the channel that this page gets with its frames. */
    | { colour: string | null }
    /** Computes natural vibrations about the present shape. */
    | { modes: { count: number } }
    /** Draws the pattern of the step's matrix. */
    | "matrix"
    /** Begins or ends a recording. */
    | { record: boolean }
    /** Goes to a frame of a recording. */
    | { seek: { frame: number } }
    | { export: Export };

/** A rod, and values at a place of it. */
export interface RodReading {
    /** The place: rest arc length, m. */
    at: number;
    /** N·m */
    bending_moment: number;
    /** 1/m */
    curvature: number;
    /** Along the whole rod, m; null for a straight one. */
    least_bend_radius: number | null;
    /** Present length, m. */
    length: number;
    /** Mass of the whole rod, kg. */
    mass: number;
    /** m */
    position: Vector;
    /** m */
    radius: number;
    /** m */
    rest_length: number;
    /** m/s */
    speed: number;
    stretch: number;
    /** N */
    tension: number;
    /** N·m */
    torque: number;
    /** rad/m */
    twist: number;
}

/** The open scene or recording. */
export interface Scene {
    /** Whether it is a built-in scene as it came with the program. */
    builtin: boolean;
    /** Channel by which the scene wants to be coloured. */
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
    /** Direction from which the scene wants to be seen. */
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
    /** Turns its ends. */
    | "torsional";

/** A spring. */
export interface SpringRow {
    /** What it is. */
    kind: SpringKind;
    /** Name in the scene. */
    name: string;
}

/** Time that a stage of a step takes. */
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
    /** What `redo` would do again. */
    redo: string | null;
    /** Simulated seconds per second that are asked for. */
    speed: number;
    stages: StageTime[];
    /** Time that a step takes, s. */
    step_seconds: number;
    trouble: Trouble | null;
    /** What `undo` would undo. */
    undo: string | null;
}

/** What exists, in the order of the arrays of a frame. */
export interface Table {
    constraints: ConstraintRow[];
    loads: LoadRow[];
    objects: ObjectRow[];
    probes: ProbeRow[];
    /** Number of the table; frames name the one that they belong to. */
    serial: number;
    springs: SpringRow[];
    winches: WinchRow[];
}

/** What is wrong with the last step. */
export interface Trouble {
    /** Name of the constraint to blame. */
    constraint: string | null;
    /** Such as `conflict`, `not-converged`, `held` or `panic`. */
    kind: string;
    /** Name of the object to blame. */
    object: string | null;
    remedy: string;
    text: string;
}

/** What was undone, or done again, in words. */
export interface Undone {
    what: string;
}

/** End of a rod at which a winch is. */
export type WinchEnd =
    /** Its start. */
    | "start"
    /** Its end. */
    | "end";

/** A winch. */
export interface WinchRow {
    /** The end of the rod at which it is. */
    at: WinchEnd;
    /** Name in the scene. */
    name: string;
    /** Name of its rod. */
    on: string;
}

/** `ok` of the answer to a request, by the word of the request. Requests that are not listed answer null. */
export interface Answers {
    /** The built-in scenes. */
    gallery: Card[];
    /** Remarks. */
    check: string[];
    grab: Hand;
    /** The pin, where there is one. */
    drop: Hand | null;
    undo: Undone;
    redo: Undone;
    inspect: Reading;
    modes: ModeShape[];
    matrix: Pattern;
    export: Exported;
}
