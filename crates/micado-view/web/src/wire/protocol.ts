/**
 * What the server and the page say to each other: what the page reads of `docs/view-protocol.md`, as types.
 * SI units, z up.
 */

/** The version that this page speaks; `hello` says the server's. */
export const PROTOCOL_VERSION = 1;

export type Vector = [number, number, number];

/** Why a request was refused, and what helps. */
export interface WireError {
    problem: string;
    remedy?: string | null;
    path?: string | null;
    line?: number | null;
}

export type Mode = "dynamic" | "static" | "quasi-dynamic";

export interface ProbeRequest {
    name: string;
    of: string;
    read: string;
    at?: number;
    component?: "x" | "y" | "z";
}

/** Words with what goes along with them. */
export type Request =
    | "gallery"
    | "play"
    | "pause"
    | "reset"
    | "undo"
    | "redo"
    | "matrix"
    | { open: { builtin: string } | { name: string; text: string } | { recording: string; name: string } }
    | { check: { text: string } }
    | { step: { count: number } }
    | { speed: { factor: number } }
    | { mode: Mode }
    | { grab: { on: string; at?: number; orientation: boolean } }
    | { move: { name: string; position: Vector; rotation?: Vector } }
    | { drop: { name: string; how: "release" | "pin" } }
    | { poke: { on: string; at?: number; force: Vector } }
    | { edit: unknown }
    | { watch: { probe: ProbeRequest } }
    | { unwatch: { name: string } }
    | { inspect: { on: string; at?: number } }
    | { colour: string | null }
    | { modes: { count: number } }
    | { record: boolean }
    | { seek: { frame: number } }
    | { export: "scene" | "csv" | "recording" };

export interface Channel {
    name: string;
    unit: string;
}

export interface Hello {
    version: number;
    program: string;
    channels: Channel[];
}

export interface SceneMessage {
    name: string;
    title: string;
    description: string;
    text: string;
    recording: null | { frames: number };
    step: number;
    colour: string | null;
    view_from: Vector | null;
}

export interface ObjectEntry {
    name: string;
    kind: "rod" | "mass" | "pearl";
    points: number;
    length: number;
    radii: number[];
    closed: boolean;
}

export type MarkerKind =
    | "point"
    | "target"
    | "clamp"
    | "jaws"
    | "tangent"
    | "roll"
    | "plane"
    | "axis"
    | "distance"
    | "circle"
    | "curve"
    | "ring"
    | "joint"
    | "clip"
    | "pearl";

export interface Marker {
    kind: MarkerKind;
    /**
     * A distance that is only not undercut or not exceeded; a plane that keeps what is held on the side of
     * its normal (`at-least`).
     */
    limit?: "at-least" | "at-most";
    points?: Vector[];
}

export interface ConstraintEntry {
    name: string;
    kind: string;
    on: string;
    to: string | null;
    hand: boolean;
    strength: number | null;
    marker: Marker;
}

export interface NamedKind {
    name: string;
    kind: string;
}

export interface ProbeEntry {
    name: string;
    unit: string;
}

export interface Table {
    serial: number;
    objects: ObjectEntry[];
    constraints: ConstraintEntry[];
    springs: NamedKind[];
    loads: NamedKind[];
    winches: { name: string; on: string; at: "start" | "end" }[];
    probes: ProbeEntry[];
}

export interface Trouble {
    kind: string;
    text: string;
    remedy: string | null;
    object: string | null;
    constraint: string | null;
}

export interface Status {
    playing: boolean;
    speed: number;
    mode: Mode;
    modes: { dynamic: number; quasi_static: number };
    real_time_factor: number;
    step_seconds: number;
    stages: { name: string; seconds: number }[];
    energies: { kinetic: number; elastic: number; gravity: number; total: number };
    undo: string | null;
    redo: string | null;
    recording: boolean;
    pages: number;
    trouble: Trouble | null;
}

export interface SceneEvent {
    time: number;
    kind: string;
    text: string;
}

/** What the server says of its own accord: one of these words. */
export interface Announcement {
    hello?: Hello;
    scene?: SceneMessage;
    table?: Table;
    status?: Status;
    events?: SceneEvent[];
}

export interface Answer {
    answer: number | null;
    ok?: unknown;
    error?: WireError;
}

export interface GalleryEntry {
    name: string;
    title: string;
    description: string;
}

export interface RodReading {
    kind: "rod";
    length: number;
    rest_length: number;
    least_bend_radius: number | null;
    radius: number;
    mass: number;
    at: number;
    position: Vector;
    tension: number;
    stretch: number;
    curvature: number;
    bending_moment: number;
    torque: number;
    twist: number;
    speed: number;
}

export interface MassReading {
    kind: "mass";
    mass: number;
    position: Vector;
    speed: number;
}

export type Reading = RodReading | MassReading;

export interface ModeShape {
    /** Hz; null for one that grows. */
    frequency: number | null;
    shape: Vector[];
}

export interface Exported {
    name: string;
    text?: string;
    base64?: string;
}
