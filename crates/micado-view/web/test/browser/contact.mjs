// Surfaces that touch: a floor, a stack of cubes and a rope on a post.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { ask, folder, held, nothingRefused, pause, withPage } from "./bench.mjs";
import { until } from "./helpers.mjs";

const cube = (name, height) => `
[body.${name}]
shape.box.size = [0.2, 0.2, 0.2]
density = 500
position = [0, 0, ${height}]
`;

const SCENE = `
floor = true
[settings]
step = 0.005
[contact]
friction = 0.5
${cube("low", 0.1)}${cube("middle", 0.3)}${cube("high", 0.5)}
[body.post]
shape.cylinder = { radius = 0.08, length = 0.4 }
position = [0.7, 0, 0.4]
rotation = [0, 0, 1.5707963267948966]
fixed = true
[rod.rope]
shape.points.through = [[0.45, 0, 0.35], [0.58, 0, 0.46], [0.7, 0, 0.5], [0.82, 0, 0.46], [0.95, 0, 0.35]]
segments = 16
radius = 0.01
young = "0.1 MPa"
density = 1000
damping = { mass = 2, internal = "20 ms" }
`;

// Null while the newest table has no frame yet.
const height = (name) => window.micado.pose(name)?.[2];

test("a floor, a stack of cubes and a rope on a post", async () => {
    const file = join(folder, "touching.toml");
    await writeFile(file, SCENE);
    await withPage([file], async (page) => {
        await pause(page);
        // The ground is the floor, which is no solid: three cubes and the post.
        assert.deepEqual(
            await page.evaluate(() => [window.micado.ground, window.micado.solids, window.micado.contacts]),
            [0, 4, 0],
        );
        await ask(page, { step: { count: 100 } });
        await until(page, () => window.micado.time > 0.49);
        // Everything rests where it was put.
        for (const [name, there] of [
            ["low", 0.1],
            ["middle", 0.3],
            ["high", 0.5],
        ]) {
            const now = await page.evaluate(height, name);
            assert.ok(Math.abs(now - there) < 1e-4, `${name}: ${now}`);
        }
        const rope = await page.evaluate(() => window.micado.rodPoint("rope", 32)[2]);
        assert.ok(Math.abs(rope - 0.49) < 0.02, `${rope}`);
        // Four contacts below each cube, and those of the rope; the switch draws them.
        await page.keyboard.press("s");
        await until(page, () => window.micado.contacts >= 13);
        if (process.env.SHOT !== undefined) await page.screenshot({ path: process.env.SHOT });
        await page.keyboard.press("s");
        await until(page, () => window.micado.contacts === 0);
        // The inspector shows the force of contact: three cubes of 4 kg stand on the floor.
        const { values } = await ask(page, { inspect: { on: "floor" } });
        const force = values.find(({ name }) => name === "contact force").value[2];
        assert.ok(Math.abs(force + 3 * 4 * 9.81) < 0.1, `${force}`);

        // The highest cube is grabbed in the middle of its upper face and lifted.
        const [x, y] = await page.evaluate(() => window.micado.screenOf(0, 0, 0.6));
        await page.mouse.move(x, y);
        await until(page, () => window.micado.hover?.on === "high");
        await page.mouse.down();
        for (let k = 1; k <= 10; k++) await page.mouse.move(x, y - 8 * k);
        await ask(page, "play");
        await until(page, held);
        await until(page, () => window.micado.pose("high")?.[2] > 0.55);
        await page.mouse.up();
        await until(page, () => window.micado.hand === null);
        // It falls back onto the stack, or beside it; nothing sinks into the floor.
        await until(page, () => {
            const lowest = ["low", "middle", "high"].map((name) => window.micado.pose(name)?.[2]);
            return lowest[2] < 0.51 && lowest.every((z) => z > 0.095);
        });
        await nothingRefused(page);
    });
});

test("equilibria and modes of what touches are refused with the reason, and nothing is lost", async () => {
    const file = join(folder, "touching.toml");
    await writeFile(file, SCENE);
    await withPage([file], async (page) => {
        await pause(page);
        await ask(page, { step: { count: 10 } });
        const refused = (what) =>
            page.evaluate(
                (asked) =>
                    window.micado.ask(asked).then(
                        () => null,
                        ({ why }) => why,
                    ),
                what,
            );
        for (const what of [{ mode: "static" }, { mode: "quasi-dynamic" }, { modes: { count: 3 } }]) {
            const why = await refused(what);
            assert.match(why?.problem ?? "", /surfaces don't touch in equilibria/, JSON.stringify(what));
            assert.match(why.remedy, /remove `contact` and `floor`/);
        }
        assert.equal(await page.evaluate(() => window.micado.status.mode), "dynamic");
        await ask(page, { step: { count: 10 } });
        await until(page, () => window.micado.time > 0.09);
        assert.ok(Math.abs((await page.evaluate(height, "high")) - 0.5) < 1e-4);
    });
});

const pixel = (page, place) => page.evaluate(([x, y, z]) => window.micado.screenOf(x, y, z), place);

/** Waits so many seconds of the simulation. */
async function later(page, seconds) {
    const now = await page.evaluate(() => window.micado.time);
    await until(page, (end) => window.micado.time > end, now + seconds);
}

/** Stops the view from following what moves. */
async function standStill(page) {
    await page.locator("canvas.canvas").press("ArrowRight");
    await page.locator("canvas.canvas").press("ArrowLeft");
}

/**
 * Drags the pointer from a point of the world through others, in the plane of the screen, as a user does: in
 * small steps. The button stays down. `near` gets the name and each point, and holds when the object has
 * followed. The pointer may be so many pixels beside the point.
 */
async function drag(page, name, from, way, near, [beside, below] = [0, 0]) {
    const [pressX, pressY] = await pixel(page, from);
    await page.mouse.move(pressX + beside, pressY + below);
    await page.mouse.down();
    let [atX, atZ] = [from[0], from[2]];
    for (const [x, z] of way) {
        for (let k = 1; k <= 20; k++) {
            const [right, down] = await pixel(page, [
                atX + ((x - atX) * k) / 20,
                from[1],
                atZ + ((z - atZ) * k) / 20,
            ]);
            await page.mouse.move(right + beside, down + below);
        }
        [atX, atZ] = [x, z];
        await until(page, near, [name, x, z]);
    }
}

const over = async (page, name, place) => {
    await page.mouse.move(...(await pixel(page, place)));
    await until(page, (wanted) => window.micado.hover?.on === wanted, name);
};

/**
 * Holds a body with the gizmo, which keeps its direction, and drags it in its plane of x and z, by the
 * square between both arrows.
 */
async function carry(page, name, place, way, near) {
    await page.keyboard.press("m");
    await over(page, name, place);
    await page.mouse.click(...(await pixel(page, place)));
    await until(page, () => window.micado.hand !== null);
    await drag(page, name, place, way, near, [20, -18]);
    await page.mouse.up();
}

const letGo = async (page) => {
    await page.keyboard.press("Escape");
    await until(page, () => window.micado.hand === null);
};

/** The upper face of a cube of 0.2 m is near this point, seen from the front. */
const cubeIsNear = ([name, x, z]) => {
    const [px, , pz] = window.micado.pose(name) ?? [NaN, NaN, NaN];
    return Math.hypot(px - x, pz + 0.1 - z) < 0.05;
};

/** Force of all contacts on an object, N. */
async function contactForce(page, on) {
    const { values } = await ask(page, { inspect: { on } });
    return values.find(({ name }) => name === "contact force").value;
}

const FRONT = "[picture]\nview_from = [0, -1, 0.15]\n";
const TWO_CUBES = `
floor = true
[settings]
step = 0.005
[contact]
friction = 0.5
${cube("low", 0.1)}${cube("loose", 0.1).replace("[0, 0,", "[0.5, 0,")}${FRONT}`;

test("cubes are stacked by hand, taken apart and dropped to the floor", async () => {
    const file = join(folder, "two-cubes.toml");
    await writeFile(file, TWO_CUBES);
    await withPage([file], async (page) => {
        await standStill(page);
        await ask(page, "play");
        // Up, over the other cube, and down to a finger's breadth above it.
        const way = [
            [0.5, 0.5],
            [0, 0.5],
            [0, 0.415],
        ];
        await carry(page, "loose", [0.5, 0, 0.2], way, cubeIsNear);
        await letGo(page);
        // It lies flat on the other cube, which has not moved and carries both to the floor. Slow pages draw
        // later than the world moves.
        await until(page, () => {
            const [px, py, pz] = window.micado.pose("loose") ?? [];
            return Math.abs(pz - 0.3) < 1e-4 && Math.hypot(px, py) < 0.08;
        });
        await later(page, 1);
        const [x, y, z] = await page.evaluate(() => window.micado.pose("loose"));
        assert.ok(Math.abs(z - 0.3) < 1e-4, `${x} ${y} ${z}`);
        const low = await page.evaluate(() => window.micado.pose("low"));
        assert.ok(Math.hypot(low[0], low[1], low[2] - 0.1) < 0.01, `${low}`);
        assert.ok(Math.abs((await contactForce(page, "floor"))[2] + 2 * 4 * 9.81) < 0.5);
        await page.keyboard.press("s");
        await until(page, () => window.micado.contacts >= 8);
        if (process.env.SHOT !== undefined) await page.screenshot({ path: `${process.env.SHOT}-stack.png` });

        // Apart again: nothing touches it any more, and it falls to the floor beside the other one.
        const apart = [
            [x, 0.45],
            [0.5, 0.45],
        ];
        await carry(page, "loose", [x, y, z + 0.1], apart, cubeIsNear);
        await until(page, () => window.micado.contacts === 4);
        assert.equal(Math.hypot(...(await contactForce(page, "loose"))), 0);
        await letGo(page);
        const lies = () => {
            const [px, , pz] = window.micado.pose("loose") ?? [];
            return Math.abs(pz - 0.1) < 1e-4 && px > 0.25;
        };
        await until(page, lies);
        assert.ok(Math.abs((await contactForce(page, "loose"))[2] - 4 * 9.81) < 0.5);
        await nothingRefused(page);
    });
});

const POST = `
floor = true
[settings]
step = 0.005
[contact]
friction = 0.3
[body.post]
shape.cylinder = { radius = 0.08, length = 0.3 }
position = [0, 0, 0.4]
rotation = [0, 0, 1.5707963267948966]
fixed = true
[rod.rope]
shape.points.through = [[-0.25, 0, 0.35], [-0.12, 0, 0.46], [0, 0, 0.5], [0.12, 0, 0.46], [0.25, 0, 0.35]]
segments = 16
radius = 0.01
young = "0.1 MPa"
density = 1000
damping = { mass = 2, internal = "20 ms" }
${FRONT}`;

test("a rope rests on a post; pulled off, it falls to the floor and lies there", async () => {
    const file = join(folder, "post.toml");
    await writeFile(file, POST);
    await withPage([file], async (page) => {
        await standStill(page);
        await ask(page, "play");
        await later(page, 1);
        const middle = () => {
            const { points } = window.micado.table.objects.find(({ name }) => name === "rope");
            return window.micado.rodPoint("rope", (points - 1) / 2);
        };
        const [x, y, z] = await page.evaluate(middle);
        // One radius of the rope above the post.
        assert.ok(Math.abs(z - 0.49) < 2e-3, `${z}`);
        const weight = 9.81 * 1000 * Math.PI * 1e-4;
        const { rest_length: length } = await ask(page, { inspect: { on: "rope" } });
        assert.ok(Math.abs((await contactForce(page, "post"))[2] / (weight * length) + 1) < 0.02);
        const near = ([name, toX, toZ]) => {
            const { points } = window.micado.table.objects.find((one) => one.name === name);
            const at = window.micado.rodPoint(name, (points - 1) / 2);
            return at !== null && Math.hypot(at[0] - toX, at[2] - toZ) < 0.05;
        };
        const way = [
            [x, 0.75],
            [0.4, 0.75],
            [0.55, 0.5],
        ];
        await over(page, "rope", [x, y, z]);
        await drag(page, "rope", [x, y, z], way, near);
        await page.mouse.up();
        await until(page, () => window.micado.hand === null);
        // All of it lies on the floor, one radius above it, or over itself.
        const lies = () => {
            const { points } = window.micado.table.objects.find(({ name }) => name === "rope");
            const heights = Array.from(
                { length: points },
                (_, i) => (window.micado.rodPoint("rope", i) ?? [])[2],
            );
            return heights.every((height) => height > 0.0095 && height < 0.06);
        };
        await until(page, lies);
        await later(page, 1);
        assert.ok(await page.evaluate(lies));
        assert.ok(Math.hypot(...(await contactForce(page, "post"))) === 0);
        assert.ok(Math.abs((await contactForce(page, "floor"))[2] / (weight * length) + 1) < 0.02);
        await nothingRefused(page);
    });
});
