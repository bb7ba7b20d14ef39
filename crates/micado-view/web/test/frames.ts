// Frames for the tests, written with the layout of the page.
import { ARRAYS, HEAD, MAGIC, NO_CHANNEL, PLAYING } from "../src/wire/generated/frame.ts";

export interface FrameParts {
    serial?: number;
    number?: number;
    time?: number;
    points?: [number, number, number][];
    orientations?: [number, number, number, number][];
    values?: number[] | null;
    constraints?: number[][];
    springs?: number[][];
    loads?: number[][];
    probes?: number[];
    contacts?: number[][];
    channel?: number;
    playing?: boolean;
    recordingFrame?: number;
}

const SIZES = { f64: 8, f32: 4, i16: 2 };

export function encodeFrame(parts: FrameParts): ArrayBuffer {
    const { points = [], values = null, constraints = [], springs = [], loads = [], probes = [] } = parts;
    const head: Record<keyof typeof HEAD.fields, number> = {
        serial: parts.serial ?? 1,
        number: parts.number ?? 0,
        time: parts.time ?? 0,
        real_time_factor: 1,
        points: points.length,
        constraints: constraints.length,
        springs: springs.length,
        loads: loads.length,
        probes: probes.length,
        values: values?.length ?? 0,
        channel: values === null ? NO_CHANNEL : (parts.channel ?? 0),
        recording_frame: parts.recordingFrame ?? 0,
        flags: parts.playing ? PLAYING : 0,
        bodies: parts.orientations?.length ?? 0,
        gauges: 0,
        contacts: parts.contacts?.length ?? 0,
    };
    const arrays = {
        probes,
        positions: points.flat(),
        values: values ?? [],
        directors: points.flatMap(() => [0, 0, 32767, 0]),
        orientations: (parts.orientations ?? []).flat(),
        constraints: constraints.flat(),
        springs: springs.flat(),
        loads: loads.flat(),
        gauges: [],
        contacts: (parts.contacts ?? []).flat(),
    };
    const bytes = ARRAYS.reduce((sum, { name, type }) => sum + SIZES[type] * arrays[name].length, HEAD.size);
    const view = new DataView(new ArrayBuffer(bytes));
    const set = {
        u32: (at: number, value: number) => view.setUint32(at, value, true),
        u64: (at: number, value: number) => view.setBigUint64(at, BigInt(value), true),
        i16: (at: number, value: number) => view.setInt16(at, value, true),
        f32: (at: number, value: number) => view.setFloat32(at, value, true),
        f64: (at: number, value: number) => view.setFloat64(at, value, true),
    };
    set.u32(0, MAGIC);
    for (const [name, { at, type }] of Object.entries(HEAD.fields))
        set[type](at, head[name as keyof typeof head]);
    let at: number = HEAD.size;
    for (const { name, type } of ARRAYS)
        for (const value of arrays[name]) {
            set[type](at, value);
            at += SIZES[type];
        }
    return view.buffer;
}
