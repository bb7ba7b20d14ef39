import assert from "node:assert/strict";
import { test } from "node:test";
import { roundLength } from "../src/draw/ground.ts";
import { ringPlaces, ringsPerSpan } from "../src/draw/tube-mesh.ts";
import { foldEvents } from "../src/panels/events.ts";
import { tokens } from "../src/panels/highlight.ts";
import { formatAddress, parseAddress } from "../src/state/address.ts";
import { Series } from "../src/state/history.ts";
import { constraintFor, FieldValues, toolOf } from "../src/touch/tools.ts";
import { digits, quantity, residualText } from "../src/ui/numbers.ts";
import type { EventRow } from "../src/wire/generated/protocol.ts";

test("quantities are written with three digits and a prefix", () => {
    assert.equal(quantity(0.0123, "m"), "12.3 mm");
    assert.equal(quantity(4500, "N"), "4.50 kN");
    assert.equal(quantity(-0.5, "N·m"), "−500 mN·m");
    assert.equal(quantity(0, "N"), "0 N");
    assert.equal(quantity(NaN, "N"), "–");
    assert.equal(quantity(null, "m"), "–");
    assert.equal(quantity(0.02, "1/m"), "0.0200 1/m");
    assert.equal(residualText("position", 2e-6), "2.00 µm");
    assert.equal(residualText("roll", 0.002), "2.00 mrad");
    assert.equal(residualText("clamp", 0.002), "0.00200 m or rad");
    assert.equal(digits(123456), "1.23e5");
    assert.equal(digits(1041.7), "1040");
    assert.equal(digits(-999.9), "−1000");
});

test("an address is read back as written", () => {
    const address = { scene: "my scene", camera: [1, -2.5, 3, 0, 0, 0.125], colour: "bending-moment" };
    assert.deepEqual(parseAddress(formatAddress(address)), address);
    assert.deepEqual(parseAddress(""), { scene: null, camera: null, colour: null });
    assert.equal(parseAddress("#camera=1,2,NaN,4,5,6").camera, null);
    assert.equal(parseAddress("#camera=1,2").camera, null);
});

test("joined tokens are the line", () => {
    for (const line of [
        "[constraint.left.clamp]",
        'radius = "4 mm" # thin',
        "force.ramp = { to = [0, 0, -5], end = 2e-3, smooth = true }",
        "[[probe]]",
        "  [rod.a] # what",
        "x = [",
        "[1, 2],",
        "",
        'open = "unended',
    ]) {
        assert.equal(
            tokens(line)
                .map(([, text]) => text)
                .join(""),
            line,
        );
    }
    assert.deepEqual(
        tokens("young = 2e9 # Pa").map(([kind]) => kind),
        ["key", "", "number", "", "comment"],
    );
});

test("the grid has a spacing of 1, 2 or 5", () => {
    assert.equal(roundLength(0.7), 0.5);
    assert.equal(roundLength(2.4), 2);
    assert.ok(Math.abs(roundLength(0.013) - 0.01) < 1e-12);
});

test("going back in time removes later rows, and many rows are thinned out", () => {
    const series = new Series(["a"]);
    for (let i = 0; i < 100; i++) series.add(i / 10, [i]);
    series.add(5, [-1]);
    assert.equal(series.times.length, 51);
    assert.equal(series.columns.get("a")?.at(-1), -1);
    for (let i = 0; i < 10_000; i++) series.add(10 + i, [i]);
    assert.ok(series.times.length <= 6000 && series.times.at(-1) === 10_009);
    assert.ok(series.times.every((time, i) => i === 0 || time > (series.times[i - 1] as number)));
});

test("values of a probe that is added later keep their times; values that are not finite are null", () => {
    const series = new Series(["early"]);
    for (let i = 0; i < 5000; i++) series.add(i, [i]);
    series.keep(["early", "late"]);
    for (let i = 5000; i < 20_000; i++) series.add(i, [i, i]);
    const [early, late] = [series.columns.get("early") ?? [], series.columns.get("late") ?? []];
    assert.ok(
        series.times.length <= 6000 &&
            early.length === series.times.length &&
            late.length === series.times.length,
    );
    series.times.forEach((time, i) => {
        assert.equal(early[i], time);
        assert.equal(late[i], time < 5000 ? null : time);
    });
    series.add(30_000, [NaN, Infinity]);
    assert.deepEqual([early.at(-1), late.at(-1)], [null, null]);
    series.keep(["late"]);
    assert.deepEqual([...series.columns.keys()], ["late"]);
});

test("consecutive equal events are merged and counted", () => {
    const conflict = (time: number): EventRow => ({ time, kind: "conflict", text: "a and b" });
    const rows = foldEvents([conflict(1), conflict(2), { time: 3, kind: "clip", text: "open" }, conflict(4)]);
    assert.deepEqual(
        rows.map(({ time, kind, count }) => [time, kind, count]),
        [
            [2, "conflict", 2],
            [3, "clip", 1],
            [4, "conflict", 1],
        ],
    );
});

test("tools use the words of scene files", () => {
    const fields = new FieldValues();
    const here = { kind: "rod" as const, on: "cable", at: 0.5 };
    const there = { kind: "rod" as const, on: "rope", at: 1 };
    assert.deepEqual(constraintFor(toolOf("pin"), fields, here, null, 0.004), {
        position: { on: "cable", at: 0.5 },
    });
    assert.deepEqual(constraintFor(toolOf("pearl"), fields, here, null, 0.004), {
        pearl: { on: "cable", at: 0.5, mass: 0.02, radius: 0.012 },
    });
    assert.deepEqual(constraintFor(toolOf("distance"), fields, here, there, 0), {
        distance: { on: "cable", at: 0.5, to: { on: "rope", at: 1 } },
    });
    fields.set(toolOf("clip"), "strength", "");
    assert.deepEqual(constraintFor(toolOf("clip"), fields, here, null, 0), {
        clip: { on: "cable", at: 0.5 },
    });
});

test("rings go in order from end to end of a strand, also between points where there are few", () => {
    for (const [points, all] of [
        [2, 2],
        [65, 65],
        [189, 9450],
        [200, 20_000],
        [5000, 150_000],
    ] as const) {
        const rings = ringPlaces(points, ringsPerSpan(all));
        assert.equal(rings[0], 0);
        assert.equal(rings.at(-1), points - 1);
        assert.ok(
            rings.every((point, i) => i === 0 || point > (rings[i - 1] as number)),
            `${points} points of ${all}`,
        );
        assert.ok(rings.length >= Math.min(points, 32));
    }
    assert.deepEqual(ringPlaces(3, 2), [0, 0.5, 1, 1.5, 2]);
    for (const all of [100, 500, 1000, 3000, 9450, 40_000])
        assert.ok(all * ringsPerSpan(all) <= 3600, `${all} points`);
});
