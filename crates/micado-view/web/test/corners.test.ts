import assert from "node:assert/strict";
import { test } from "node:test";
import { isPolygon, roundOff } from "../src/draw/corners.ts";

const POINTS = 201;

/**
 * An arc of radius 1 of 50 segments with four points each; if `polygon`, on its chords, shifted by a share of
 * one.
 */
function arc(angle: number, polygon: boolean, shift = 0): Float32Array {
    const on = (share: number): [number, number, number] => [
        Math.sin(angle * share),
        0,
        1 - Math.cos(angle * share),
    ];
    const places = Array.from({ length: POINTS }, (_, i) => {
        if (!polygon) return on(i / (POINTS - 1));
        const edge = Math.floor(i / 4 + shift);
        const [from, to] = [on((edge - shift) / 50), on((edge + 1 - shift) / 50)];
        return from.map((value, c) => value + (i / 4 + shift - edge) * ((to[c] as number) - value));
    });
    return new Float32Array(places.flat());
}

test("a bent polygon is distinguished from a curve by its corners", () => {
    for (const shift of [0, 0.25, 0.4, 0.5])
        assert.equal(isPolygon(arc(6.28, true, shift), 0, POINTS), true, String(shift));
    assert.equal(isPolygon(arc(6.28, false), 0, POINTS), false);
    assert.equal(isPolygon(arc(1e-4, true), 0, POINTS), null);
});

test("a rounded polygon turns evenly, stays near its circle, and keeps its ends", () => {
    const polygon = arc(6.28, true, 0.4);
    const round = new Float32Array(polygon.length);
    roundOff(polygon, round, 0, POINTS, false);
    assert.deepEqual(
        [...round.slice(0, 3), ...round.slice(-3)],
        [...polygon.slice(0, 3), ...polygon.slice(-3)],
    );
    for (let i = 4; i < POINTS - 4; i++) {
        const [x, z] = [round[3 * i] as number, round[3 * i + 2] as number];
        // A chord of 2π/50 lies 0.002 inside its circle, the mean over one a third of that more.
        assert.ok(Math.abs(Math.hypot(x, z - 1) - 1) < 0.004, `point ${i}`);
    }
    assert.equal(isPolygon(round, 0, POINTS), false);
});
