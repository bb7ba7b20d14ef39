/**
 * Layout of frames: little-endian, no gaps. Written by `make protocol` from crates/micado-view/src/protocol:
 * do not edit.
 */

/** First four bytes of a frame, as u32. */
export const MAGIC = 0x3546434d;
/** `channel` of a frame without values. */
export const NO_CHANNEL = 0xffffffff;
/** Bit of `flags` that is set while time runs. */
export const PLAYING = 1;

/** The head of a frame. */
export const HEAD = {
    /** Bytes. */
    size: 80,
    /** Numbers, and the bytes before them. */
    fields: {
        /** Serial of the table that the frame belongs to. */
        serial: { at: 4, type: "u32" },
        /** Number of the frame; grows by one with each. */
        number: { at: 8, type: "u64" },
        /** Simulated time, s. */
        time: { at: 16, type: "f64" },
        /** Simulated seconds per second over the last second. */
        real_time_factor: { at: 24, type: "f64" },
        /** Number of points. */
        points: { at: 32, type: "u32" },
        /** Number of constraints. */
        constraints: { at: 36, type: "u32" },
        /** Number of springs. */
        springs: { at: 40, type: "u32" },
        /** Number of loads. */
        loads: { at: 44, type: "u32" },
        /** Number of probes. */
        probes: { at: 48, type: "u32" },
        /** Number of values: one per point, or none. */
        values: { at: 52, type: "u32" },
        /** Index of the channel of the values in `hello.channels`; 0xffffffff if there are none. */
        channel: { at: 56, type: "u32" },
        /** Frame of the recording that is played back; otherwise 0. */
        recording_frame: { at: 60, type: "u32" },
        /** Bit 1: time runs. */
        flags: { at: 64, type: "u32" },
        /** Number of objects that have an orientation. */
        bodies: { at: 68, type: "u32" },
        /** Number of gauges. */
        gauges: { at: 72, type: "u32" },
        /** Number of contacts. */
        contacts: { at: 76, type: "u32" },
    },
} as const;

/** The arrays after the head, in this order: `count` items of `width` numbers each. */
export const ARRAYS = [
    { name: "probes", type: "f64", width: 1, count: "probes" },
    { name: "positions", type: "f32", width: 3, count: "points" },
    { name: "values", type: "f32", width: 1, count: "values" },
    { name: "directors", type: "i16", width: 4, count: "points" },
    { name: "orientations", type: "f32", width: 4, count: "bodies" },
    { name: "constraints", type: "f32", width: 20, count: "constraints" },
    { name: "springs", type: "f32", width: 8, count: "springs" },
    { name: "loads", type: "f32", width: 8, count: "loads" },
    { name: "gauges", type: "f32", width: 8, count: "gauges" },
    { name: "contacts", type: "f32", width: 14, count: "contacts" },
] as const;

export interface FrameArrays {
    /** Values of the probes, in the units of the table. */
    probes: Float64Array;
    /** Points, m. */
    positions: Float32Array;
    /** Values of the channel. */
    values: Float32Array;
    /** Director m₁ at each point, times 32767, and 0. */
    directors: Int16Array;
    /** Orientation x, y, z, w of every object that has one, in the order of the table. */
    orientations: Float32Array;
    /** One record per constraint. */
    constraints: Float32Array;
    /** One record per spring. */
    springs: Float32Array;
    /** One record per load. */
    loads: Float32Array;
    /** One record per gauge. */
    gauges: Float32Array;
    /** One record per contact. */
    contacts: Float32Array;
}

/** A constraint. `stride` numbers, and the offsets of its fields. */
export const CONSTRAINT = {
    stride: 20,
    /** Where it holds, m. */
    place: 0,
    /**
     * Normal of a plane or of a circle's plane, an axis, a clamp's inward direction, a clip's opening;
     * otherwise the tangent.
     */
    direction: 3,
    /**
     * Point of a plane, other end of a distance, centre of a circle, start of a curve, target of a hand;
     * otherwise the place, m.
     */
    centre: 6,
    /** Force on the object, N. */
    force: 9,
    /** Moment on the object, N·m. */
    moment: 12,
    /** Violation, m; of a tangent or roll, rad; of both, the larger number. */
    residual: 15,
    /** Load of a clip as a share of its strength. */
    used: 16,
    /** 1 for an open clip, otherwise 0. */
    open: 17,
    /** Radius of a circle or of a distance `at-least`, m; otherwise 0. */
    radius: 18,
    /** Rest arc length of an eye, a pearl or a clip on its rod, m; otherwise NaN. */
    at: 19,
} as const;

/** A spring. `stride` numbers, and the offsets of its fields. */
export const SPRING = {
    stride: 8,
    /** First end, m. */
    from: 0,
    /** Second end, m. */
    to: 3,
    /** N */
    tension: 6,
} as const;

/** A load. `stride` numbers, and the offsets of its fields. */
export const LOAD = {
    stride: 8,
    /** Where it acts, m; the centre of a distributed load. */
    place: 0,
    /** Force, N: the total of a distributed load, 0 for drag. For a moment: the moment, N·m. */
    force: 3,
} as const;

/** A coordinate of a joint that has limits or a motor. `stride` numbers, and the offsets of its fields. */
export const GAUGE = {
    stride: 8,
    /** Value, m or rad. */
    value: 0,
    /** Target of the motor: m or rad, for a velocity motor m/s or rad/s; NaN if there is none. */
    target: 1,
    /** Force, N, or torque, N·m, of the motor on the first object along the coordinate. */
    drive: 2,
    /** Unit vector perpendicular to the axis, from which an angle counts. */
    zero: 3,
} as const;

/** A contact of two surfaces that transmits a force. `stride` numbers, and the offsets of its fields. */
export const CONTACT = {
    stride: 14,
    /** Where they touch, m. */
    point: 0,
    /** Unit normal from the second object to the first. */
    normal: 3,
    /** Force on the first object, N. */
    force: 6,
    /** Gap, m; negative where they overlap. */
    gap: 9,
    /** Coefficient of friction. */
    friction: 10,
    /** Index of the first object in the table. */
    first: 11,
    /** Index of the second one. */
    second: 12,
} as const;
