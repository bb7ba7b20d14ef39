import assert from "node:assert/strict";
import { test } from "node:test";
import { CONSTRAINT, decodeFrame, LOAD, SPRING } from "../src/wire/decode.ts";
import { encodeFrame } from "./frames.ts";

const constraint = Array.from({ length: 20 }, (_, i) => i + 0.5);

test("a frame says what was written, part by part", () => {
    const frame = decodeFrame(
        encodeFrame({
            serial: 7,
            number: 2 ** 40,
            time: 1.25,
            points: [
                [1, 2, 3],
                [4, 5, 6],
            ],
            values: [0.5, -0.5],
            channel: 3,
            constraints: [constraint],
            springs: [[1, 2, 3, 4, 5, 6, 7, 0]],
            loads: [[1, 2, 3, 4, 5, 6, 0, 0]],
            probes: [Math.PI, NaN],
            playing: true,
            recordingFrame: 9,
        }),
    );
    assert.equal(frame.serial, 7);
    assert.equal(frame.number, 2 ** 40);
    assert.equal(frame.time, 1.25);
    assert.equal(frame.channel, 3);
    assert.equal(frame.recordingFrame, 9);
    assert.equal(frame.playing, true);
    assert.deepEqual([...frame.positions], [1, 2, 3, 4, 5, 6]);
    assert.deepEqual([...(frame.values ?? [])], [0.5, -0.5]);
    assert.deepEqual([...frame.directors], [0, 0, 32767, 0, 0, 0, 32767, 0]);
    assert.equal(frame.probes[0], Math.PI);
    assert.ok(Number.isNaN(frame.probes[1]));
    assert.equal(frame.constraints[CONSTRAINT.force], 9.5);
    assert.equal(frame.constraints[CONSTRAINT.open], 17.5);
    assert.equal(frame.springs[SPRING.tension], 7);
    assert.equal(frame.loads[LOAD.force + 2], 6);
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

test("what is no frame is refused in words", () => {
    assert.throws(() => decodeFrame(new ArrayBuffer(10)), /10 bytes has no head/);
    assert.throws(() => decodeFrame(new ArrayBuffer(64)), /no frame/);
    const whole = encodeFrame({ points: [[1, 2, 3]], constraints: [constraint] });
    assert.throws(() => decodeFrame(whole.slice(0, -4)), /should have/);
    const longer = new Uint8Array(whole.byteLength + 8);
    longer.set(new Uint8Array(whole));
    assert.throws(() => decodeFrame(longer.buffer), /should have/);
});

test("counts that a message can not hold are refused, however large", () => {
    const buffer = encodeFrame({});
    new DataView(buffer).setUint32(32, 0xffffffff, true);
    assert.throws(() => decodeFrame(buffer), /should have/);
});
