// Bodies: drawn by their surface, dragged at the point under the pointer, and turned.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { ask, folder, held, nothingRefused, pause, withPage } from "./bench.mjs";
import { until } from "./helpers.mjs";

const SCENE = `
[settings]
step = 0.005
gravity = [0, 0, 0]
[body.block]
shape.box.size = [0.8, 0.4, 0.2]
density = 100
position = [0, 0, 0.5]
[body.drum]
shape.cylinder = { radius = 0.15, length = 0.3 }
density = 100
position = [0, 0.5, 0.5]
[constraint.axle.joint]
kind = "hinge"
on = "drum"
axis = [1, 0, 0]
`;

/** The pixel of a point of the world. */
const pixel = (page, place) => page.evaluate(([x, y, z]) => window.micado.screenOf(x, y, z), place);

test("a block is picked by its surface; a hand at one of its corners lifts and turns it", async () => {
    const file = join(folder, "bodies.toml");
    await writeFile(file, SCENE);
    await withPage([file], async (page) => {
        await pause(page);
        const meshes = await page.evaluate(() => window.micado.table.objects.map(({ mesh }) => mesh));
        assert.deepEqual(meshes, [0, 1]);
        // A corner of the upper face: far from the centre.
        const corner = [0.36, -0.16, 0.6];
        const [x, y] = await pixel(page, corner);
        await page.mouse.move(x, y);
        await until(page, () => window.micado.hover?.on === "block");
        const { point } = await page.evaluate(() => window.micado.hover);
        [0.36, -0.16, 0.1].forEach((at, i) => assert.ok(Math.abs(point[i] - at) < 0.02, `${point}`));
        if (process.env.SHOT !== undefined) await page.screenshot({ path: process.env.SHOT });
        await page.mouse.down();
        for (let k = 1; k <= 8; k++) await page.mouse.move(x, y - 10 * k);
        await ask(page, "play");
        await until(page, held);
        // Pulled up at a corner, it rises and turns.
        await until(page, () => window.micado.pose("block")[2] > 0.52);
        await until(page, () => Math.abs(window.micado.pose("block")[6]) < 0.999);
        await page.mouse.up();
        await until(page, () => window.micado.hand === null);
        await nothingRefused(page);
    });
});
