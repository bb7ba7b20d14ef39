import assert from "node:assert/strict";
import { test } from "node:test";
import { Matrix4, PerspectiveCamera } from "three";
import { Layout } from "../src/state/layout.ts";
import { nearer, pickConstraint, pickObject, projectPoints, type Projection } from "../src/touch/pick.ts";
import { decodeFrame } from "../src/wire/decode.ts";
import type { ConstraintRow, ObjectRow, Table } from "../src/wire/generated/protocol.ts";
import { encodeFrame } from "./frames.ts";

const [WIDTH, HEIGHT] = [800, 600];

/** Looks along +y from y = −5 with z up. */
function projection(): Projection {
    const camera = new PerspectiveCamera(40, WIDTH / HEIGHT, 0.1, 100);
    camera.up.set(0, 0, 1);
    camera.position.set(0, -5, 0);
    camera.lookAt(0, 0, 0);
    camera.updateMatrixWorld();
    return {
        matrix: new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse).elements,
        width: WIDTH,
        height: HEIGHT,
        pixel: (2 * Math.tan(Math.PI / 9)) / HEIGHT,
    };
}

const rod = (name: string, points: number, length: number): ObjectRow => ({
    name,
    kind: "rod",
    points,
    length,
    radii: [0.01],
    closed: false,
    mesh: null,
});
const table = (objects: ObjectRow[], constraints: ConstraintRow[] = []): Table => ({
    serial: 1,
    objects,
    constraints,
    springs: [],
    loads: [],
    winches: [],
    probes: [],
});

function pixelOf(point: [number, number, number]): [number, number] {
    const seen = projectPoints(new Float32Array(point), projection());
    return [seen[0] as number, seen[1] as number];
}

test("the middle of the view is where the camera looks, and up is up", () => {
    assert.deepEqual(pixelOf([0, 0, 0]).map(Math.round), [400, 300]);
    const [right, up] = [pixelOf([1, 0, 0]), pixelOf([0, 0, 1])];
    assert.ok(right[0] > 400 && Math.abs(right[1] - 300) < 1e-3);
    assert.ok(up[1] < 300 && Math.abs(up[0] - 400) < 1e-3);
});

test("a place is found by its rest arc length, also where the rod recedes", () => {
    const layout = new Layout(table([rod("cable", 3, 4)]));
    const frame = decodeFrame(
        encodeFrame({
            points: [
                [-1, -2, 0],
                [0, 1, 0],
                [1, 4, 0],
            ],
        }),
    );
    // A quarter along the second span.
    const [x, y] = pixelOf([0.25, 1.75, 0]);
    const found = pickObject(layout, frame, projection(), x, y + 3, 9);
    assert.equal(found?.place.kind, "rod");
    assert.ok(
        found !== null && found.place.kind === "rod" && Math.abs(found.place.at - 2.5) < 1e-3,
        JSON.stringify(found),
    );
    const [px, py, pz] = layout.where(found.place, frame) ?? [NaN, NaN, NaN];
    assert.ok(Math.hypot(px - 0.25, py - 1.75, pz) < 2e-3);
    assert.ok(Math.abs(found.distance - 3) < 0.05);
});

test("beyond the reach there is nothing", () => {
    const layout = new Layout(table([rod("cable", 2, 2)]));
    const frame = decodeFrame(
        encodeFrame({
            points: [
                [-1, 0, 0],
                [1, 0, 0],
            ],
        }),
    );
    assert.equal(pickObject(layout, frame, projection(), 400, 320, 9), null);
});

test("of two rods that cross in the view the nearer one is picked", () => {
    const layout = new Layout(table([rod("far", 2, 2), rod("near", 2, 2)]));
    const frame = decodeFrame(
        encodeFrame({
            points: [
                [-1, 1, 0],
                [1, 1, 0],
                [0, -1, -1],
                [0, -1, 1],
            ],
        }),
    );
    const found = pickObject(layout, frame, projection(), 400, 300, 9);
    assert.ok(found?.place.kind === "rod" && found.place.on === "near");
});

test("objects behind the camera are not picked", () => {
    const layout = new Layout(table([rod("behind", 2, 2)]));
    const frame = decodeFrame(
        encodeFrame({
            points: [
                [-1, -8, 0],
                [1, -8, 0],
            ],
        }),
    );
    assert.equal(pickObject(layout, frame, projection(), 400, 300, 500), null);
});

test("masses are as large as they are drawn, pearls can't be grabbed", () => {
    const ball: ObjectRow = {
        name: "ball",
        kind: "mass",
        points: 1,
        length: 0,
        radii: [0.5],
        closed: false,
        mesh: null,
    };
    const layout = new Layout(table([ball, { ...ball, name: "pearl", kind: "pearl" }]));
    const frame = decodeFrame(
        encodeFrame({
            points: [
                [0, 0, 0],
                [2, 0, 0],
            ],
        }),
    );
    const [x, y] = pixelOf([0.45, 0, 0]);
    assert.deepEqual(pickObject(layout, frame, projection(), x, y, 9)?.place, { kind: "object", on: "ball" });
    assert.equal(pickObject(layout, frame, projection(), ...pixelOf([2, 0, 0]), 9), null);
});

test("a link is picked in its middle, another constraint at its place, a hand not at all", () => {
    const entry = (name: string, kind: "distance" | "point", hand = false): ConstraintRow => ({
        name,
        kind,
        on: "cable",
        to: null,
        hand,
        strength: null,
        marker: { kind },
    });
    const layout = new Layout(
        table(
            [rod("cable", 2, 2)],
            [entry("plank", "distance"), entry("pin", "point"), entry("hand-1", "point", true)],
        ),
    );
    const record = (place: number[], centre: number[]): number[] => [
        ...place,
        0,
        0,
        1,
        ...centre,
        ...new Array<number>(11).fill(0),
    ];
    const frame = decodeFrame(
        encodeFrame({
            points: [
                [-1, 0, 0],
                [1, 0, 0],
            ],
            constraints: [
                record([-1, 0, 0], [-1, 0, 1]),
                record([1, 0, 0], [1, 0, 0]),
                record([0, 0, 0], [0, 0, 0]),
            ],
        }),
    );
    const at = (point: [number, number, number]): unknown =>
        pickConstraint(layout, frame, projection(), ...pixelOf(point), 9)?.place;
    assert.deepEqual(at([-1, 0, 0.5]), { kind: "constraint", name: "plank" });
    assert.deepEqual(at([1, 0, 0]), { kind: "constraint", name: "pin" });
    assert.equal(at([0, 0, 0]), undefined);
});

test("a point of a body moves and turns with it, and a rod before the body is picked first", () => {
    const body: ObjectRow = { ...rod("block", 1, 0), kind: "body", mesh: 0 };
    const layout = new Layout(table([rod("cable", 2, 1), { ...body, name: "fixed" }, body]));
    const half = Math.SQRT1_2;
    const frame = decodeFrame(
        encodeFrame({
            points: [
                [0, 0, 0],
                [1, 0, 0],
                [9, 9, 9],
                [1, 2, 3],
            ],
            orientations: [
                [0, 0, 0, 1],
                [0, 0, half, half],
            ],
        }),
    );
    // Turned by 90° about z, x points along y.
    const where = layout.where({ kind: "object", on: "block", point: [0.5, 0, 0] }, frame);
    assert.ok(where !== null && [1, 2.5, 3].every((x, i) => Math.abs(where[i]! - x) < 1e-6));
    const cable = { place: { kind: "rod", on: "cable", at: 0.5 }, distance: 3, depth: 2 } as const;
    assert.equal(nearer(cable, "block", [0, 0, 0], 2.5), cable);
    assert.deepEqual(nearer(cable, "block", [1, 2, 3], 1.5).place, {
        kind: "object",
        on: "block",
        point: [1, 2, 3],
    });
});
