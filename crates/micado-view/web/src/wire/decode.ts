/** Binary frames: views into the message, nothing copied. */

/** What one frame says; the arrays are views into its message. */
export interface Frame {
    serial: number;
    number: number;
    time: number;
    realTimeFactor: number;
    /** Index into `hello.channels`, or null when the frame has no values. */
    channel: number | null;
    recordingFrame: number;
    playing: boolean;
    points: number;
    probes: Float64Array;
    positions: Float32Array;
    values: Float32Array | null;
    directors: Int16Array;
    constraints: Float32Array;
    springs: Float32Array;
    loads: Float32Array;
}

/**
 * Floats of one constraint, and where its parts begin. `radius` is that of a circle or of a ball that is kept
 * out of.
 */
export const CONSTRAINT = {
    stride: 20,
    place: 0,
    direction: 3,
    centre: 6,
    force: 9,
    moment: 12,
    residual: 15,
    used: 16,
    open: 17,
    radius: 18,
} as const;
/** Floats of one spring. */
export const SPRING = { stride: 8, from: 0, to: 3, tension: 6 } as const;
/** Floats of one load. */
export const LOAD = { stride: 8, place: 0, force: 3 } as const;

/** Size of the vector whose three numbers begin there: of a force, a moment. */
export function sizeAt(list: Float32Array, offset: number): number {
    return Math.hypot(list[offset]!, list[offset + 1]!, list[offset + 2]!);
}

const HEAD = 64;
const MAGIC = 0x3146434d; // "MCF1", little-endian
const NO_CHANNEL = 0xffffffff;

/** Reads a frame, or says in words why it is none. */
export function decodeFrame(buffer: ArrayBuffer): Frame {
    if (buffer.byteLength < HEAD) throw new Error(`a frame of ${buffer.byteLength} bytes has no head`);
    const head = new DataView(buffer, 0, HEAD);
    if (head.getUint32(0, true) !== MAGIC) throw new Error("a binary message that is no frame");
    const count = (at: number): number => head.getUint32(at, true);
    const [points, constraints, springs, loads, probes, channel] = [
        count(32),
        count(36),
        count(40),
        count(44),
        count(48),
        count(52),
    ];
    const hasValues = channel !== NO_CHANNEL;
    const floats =
        points * (hasValues ? 6 : 5) +
        constraints * CONSTRAINT.stride +
        springs * SPRING.stride +
        loads * LOAD.stride;
    const expected = HEAD + 8 * probes + 4 * floats;
    if (buffer.byteLength !== expected)
        throw new Error(`a frame of ${buffer.byteLength} bytes that should have ${expected}`);
    let offset = HEAD;
    const float32 = (length: number): Float32Array => {
        const view = new Float32Array(buffer, offset, length);
        offset += 4 * length;
        return view;
    };
    const probeValues = new Float64Array(buffer, offset, probes);
    offset += 8 * probes;
    const positions = float32(3 * points);
    const values = hasValues ? float32(points) : null;
    const directors = new Int16Array(buffer, offset, 4 * points);
    offset += 8 * points;
    return {
        serial: head.getUint32(4, true),
        number: Number(head.getBigUint64(8, true)),
        time: head.getFloat64(16, true),
        realTimeFactor: head.getFloat64(24, true),
        channel: hasValues ? channel : null,
        recordingFrame: head.getUint32(56, true),
        playing: (head.getUint32(60, true) & 1) === 1,
        points,
        probes: probeValues,
        positions,
        values,
        directors,
        constraints: float32(CONSTRAINT.stride * constraints),
        springs: float32(SPRING.stride * springs),
        loads: float32(LOAD.stride * loads),
    };
}
