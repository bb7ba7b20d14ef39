/** Binary frames: views into the message, without copies. */

import { ARRAYS, HEAD, MAGIC, NO_CHANNEL, PLAYING, type FrameArrays } from "./generated/frame.ts";

/** A frame; its arrays are views into its message. */
export interface Frame extends Omit<FrameArrays, "values"> {
    serial: number;
    number: number;
    time: number;
    realTimeFactor: number;
    /** Index into `hello.channels`; null if the frame has no values. */
    channel: number | null;
    recordingFrame: number;
    playing: boolean;
    points: number;
    values: Float32Array | null;
}

/** Magnitude of the vector at `offset`: of a force or a moment. */
export function sizeAt(list: Float32Array, offset: number): number {
    return Math.hypot(list[offset]!, list[offset + 1]!, list[offset + 2]!);
}

const VIEWS = { f64: Float64Array, f32: Float32Array, i16: Int16Array };

type Head = Record<keyof typeof HEAD.fields, number>;

function readHead(buffer: ArrayBuffer): Head {
    const view = new DataView(buffer, 0, HEAD.size);
    const read = {
        u32: (at: number) => view.getUint32(at, true),
        u64: (at: number) => Number(view.getBigUint64(at, true)),
        f64: (at: number) => view.getFloat64(at, true),
    };
    const fields = Object.entries(HEAD.fields).map(([name, { at, type }]) => [name, read[type](at)]);
    return Object.fromEntries(fields) as Head;
}

/** Decodes a frame; throws an error for an invalid one. */
export function decodeFrame(buffer: ArrayBuffer): Frame {
    if (buffer.byteLength < HEAD.size) throw new Error(`a frame of ${buffer.byteLength} bytes has no head`);
    if (new DataView(buffer).getUint32(0, true) !== MAGIC)
        throw new Error("a binary message that is not a frame");
    const head = readHead(buffer);
    const lengths = ARRAYS.map(({ width, count }) => width * head[count]);
    const sizes = ARRAYS.map(({ type }, i) => VIEWS[type].BYTES_PER_ELEMENT * lengths[i]!);
    const expected = sizes.reduce<number>((sum, size) => sum + size, HEAD.size);
    if (buffer.byteLength !== expected)
        throw new Error(`a frame of ${buffer.byteLength} bytes that should have ${expected}`);
    let offset: number = HEAD.size;
    const views = ARRAYS.map(({ name, type }, i) => {
        const view = new VIEWS[type](buffer, offset, lengths[i]);
        offset += view.byteLength;
        return [name, view];
    });
    const arrays = Object.fromEntries(views) as FrameArrays;
    const channel = head.channel === NO_CHANNEL ? null : head.channel;
    return {
        ...arrays,
        serial: head.serial,
        number: head.number,
        time: head.time,
        realTimeFactor: head.real_time_factor,
        channel,
        recordingFrame: head.recording_frame,
        playing: (head.flags & PLAYING) !== 0,
        points: head.points,
        values: channel === null ? null : arrays.values,
    };
}
