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
