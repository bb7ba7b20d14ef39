import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeFrame } from "../src/wire/decode.ts";
import { CONSTRAINT, CONTACT, GAUGE, HEAD, LOAD, SPRING } from "../src/wire/generated/frame.ts";
import { encodeFrame } from "./frames.ts";
import { SAMPLE } from "./generated/sample.ts";

const constraint = Array.from({ length: CONSTRAINT.stride }, (_, i) => i + 0.5);

test("a frame of the server is decoded completely", () => {
    // The numbers of `sample` in crates/micado-view/src/protocol/shot.rs.
    const frame = decodeFrame(Uint8Array.from(Buffer.from(SAMPLE, "base64")).buffer);
    assert.equal(frame.serial, 7);
    assert.equal(frame.number, 2 ** 40);
    assert.equal(frame.time, 1.25);
    assert.equal(frame.realTimeFactor, 0.75);
    assert.equal(frame.channel, 1);
    assert.equal(frame.recordingFrame, 9);
    assert.equal(frame.playing, true);
    assert.equal(frame.points, 2);
    assert.deepEqual([...frame.probes], [7.25]);
    assert.deepEqual([...frame.positions], [1, 2, 3, 4, 5, 6]);
    assert.deepEqual([...(frame.values ?? [])], [5.5, 6.5]);
    assert.deepEqual([...frame.directors], [0, 32767, 0, 0, 0, 0, -32767, 0]);
    const { constraints, springs, loads, gauges, contacts } = frame;
    const vector = (list: Float32Array, at: number): number[] => [...list.subarray(at, at + 3)];
    assert.equal(constraints.length, CONSTRAINT.stride);
    assert.deepEqual(vector(constraints, CONSTRAINT.place), [10, 11, 12]);
    assert.deepEqual(vector(constraints, CONSTRAINT.direction), [13, 14, 15]);
    assert.deepEqual(vector(constraints, CONSTRAINT.centre), [16, 17, 18]);
    assert.deepEqual(vector(constraints, CONSTRAINT.force), [19, 20, 21]);
    assert.deepEqual(vector(constraints, CONSTRAINT.moment), [22, 23, 24]);
    const { residual, used, open, radius, at } = CONSTRAINT;
    assert.deepEqual(
        [residual, used, open, radius, at].map((k) => constraints[k]),
        [25, 26, 1, 28, 29],
    );
    assert.deepEqual(vector(springs, SPRING.from), [30, 31, 32]);
    assert.deepEqual(vector(springs, SPRING.to), [33, 34, 35]);
    assert.equal(springs[SPRING.tension], 36);
    assert.deepEqual(vector(loads, LOAD.place), [40, 41, 42]);
    assert.deepEqual(vector(loads, LOAD.force), [43, 44, 45]);
    const { value, target, drive, zero } = GAUGE;
    assert.deepEqual(
        [...[value, target, drive].map((k) => gauges[k]), ...vector(gauges, zero)],
        [46, 47, 48, 49, 50, 51],
    );
    const { point, normal, force, gap, friction, first, second } = CONTACT;
    assert.deepEqual(
        [
            ...[point, normal, force].flatMap((k) => vector(contacts, k)),
            ...[gap, friction, first, second].map((k) => contacts[k]),
        ],
        [52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 1, 2],
    );
});

test("a probe without a value is NaN", () => {
    assert.ok(Number.isNaN(decodeFrame(encodeFrame({ probes: [1, NaN] })).probes[1]));
});

test("a frame without a channel has no values", () => {
    const frame = decodeFrame(encodeFrame({ points: [[1, 2, 3]] }));
    assert.equal(frame.channel, null);
    assert.equal(frame.values, null);
});

test("views point into the message: nothing is copied", () => {
    const buffer = encodeFrame({ points: [[1, 2, 3]] });
    assert.equal(decodeFrame(buffer).positions.buffer, buffer);
});

test("invalid frames are refused with a reason", () => {
    assert.throws(() => decodeFrame(new ArrayBuffer(10)), /10 bytes has no head/);
    assert.throws(() => decodeFrame(new ArrayBuffer(HEAD.size)), /not a frame/);
    const whole = encodeFrame({ points: [[1, 2, 3]], constraints: [constraint] });
    assert.throws(() => decodeFrame(whole.slice(0, -4)), /should have/);
    const longer = new Uint8Array(whole.byteLength + 8);
    longer.set(new Uint8Array(whole));
    assert.throws(() => decodeFrame(longer.buffer), /should have/);
});

test("counts larger than the message are refused", () => {
    const buffer = encodeFrame({});
    new DataView(buffer).setUint32(HEAD.fields.points.at, 0xffffffff, true);
    assert.throws(() => decodeFrame(buffer), /should have/);
});
