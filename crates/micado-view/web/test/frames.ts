// Frames as the protocol describes them, written by hand for the tests.

export interface FrameParts {
    serial?: number;
    number?: number;
    time?: number;
    points?: [number, number, number][];
    values?: number[] | null;
    constraints?: number[][];
    springs?: number[][];
    loads?: number[][];
    probes?: number[];
    channel?: number;
    playing?: boolean;
    recordingFrame?: number;
}

export function encodeFrame(parts: FrameParts): ArrayBuffer {
    const { points = [], values = null, constraints = [], springs = [], loads = [], probes = [] } = parts;
    const bytes =
        64 +
        8 * probes.length +
        12 * points.length +
        (values === null ? 0 : 4 * points.length) +
        8 * points.length +
        80 * constraints.length +
        32 * springs.length +
        32 * loads.length;
    const buffer = new ArrayBuffer(bytes);
    const view = new DataView(buffer);
    [..."MCF1"].forEach((letter, i) => view.setUint8(i, letter.charCodeAt(0)));
    view.setUint32(4, parts.serial ?? 1, true);
    view.setBigUint64(8, BigInt(parts.number ?? 0), true);
    view.setFloat64(16, parts.time ?? 0, true);
    view.setFloat64(24, 1, true);
    [
        points.length,
        constraints.length,
        springs.length,
        loads.length,
        probes.length,
        values === null ? 0xffffffff : (parts.channel ?? 0),
    ].forEach((count, i) => view.setUint32(32 + 4 * i, count, true));
    view.setUint32(56, parts.recordingFrame ?? 0, true);
    view.setUint32(60, parts.playing ? 1 : 0, true);
    let at = 64;
    const floats = (list: number[]): void =>
        list.forEach((value) => (view.setFloat32(at, value, true), (at += 4)));
    probes.forEach((value) => (view.setFloat64(at, value, true), (at += 8)));
    floats(points.flat());
    if (values !== null) floats(values);
    points.forEach(() => [0, 0, 32767, 0].forEach((value) => (view.setInt16(at, value, true), (at += 2))));
    floats(constraints.flat());
    floats(springs.flat());
    floats(loads.flat());
    return buffer;
}
