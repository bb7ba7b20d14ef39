// Bodies (drawn by their surface, dragged at the point under the pointer, poked, turned), scenery, gauges.
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

test("a poke on a corner of a block spins it, and a pin holds the point that was hit", async () => {
    const file = join(folder, "poked.toml");
    await writeFile(file, SCENE);
    await withPage([file], async (page) => {
        await pause(page);
        const [x, y] = await pixel(page, [0.36, -0.16, 0.6]);
        await page.keyboard.press("o");
        await page.mouse.click(x, y);
        await until(page, () => window.micado.table.loads.length === 1);
        await ask(page, { step: { count: 40 } });
        // Without a moment the block would move but not turn.
        await until(page, () => Math.abs(window.micado.pose("block")?.[6]) < 0.999);
        const turned = await page.evaluate(() => window.micado.pose("block").slice(3, 6));
        assert.ok(Math.hypot(...turned) > 0.03, `${turned}`);
        await ask(page, "reset");
        // The corner is back under the pointer.
        await until(page, () => Math.abs(window.micado.pose("block")?.[6]) > 1 - 1e-9);
        await page.keyboard.press("p");
        await page.mouse.click(x, y);
        await until(page, () => window.micado.table.constraints.some(({ name }) => name === "pin-1"));
        const text = await page.evaluate(() => window.micado.ask({ export: "scene" }));
        assert.match(text.text, /\[constraint\.pin-1\.position\][^[]*at = \[\s*0\.3[5-7]/, text.text);
        await nothingRefused(page);
    });
});

test("a ring of the gizmo turns a block, about the point that it holds", async () => {
    const file = join(folder, "turned.toml");
    await writeFile(file, SCENE);
    await withPage([file], async (page) => {
        await pause(page);
        await page.keyboard.press("m");
        const [x, y] = await pixel(page, [0.2, -0.1, 0.6]);
        await page.mouse.move(x, y);
        await until(page, () => window.micado.hover?.on === "block");
        await page.mouse.click(x, y);
        await until(page, () => window.micado.hand !== null);
        await page.getByRole("button", { name: "Turn", exact: true }).click();
        await page.getByRole("button", { name: "Move", exact: true }).waitFor();
        await page.mouse.move(x + 38, y - 40);
        await page.mouse.down();
        for (let k = 1; k <= 6; k++) await page.mouse.move(x + 38 + 7 * k, y - 40 + 7 * k);
        await page.mouse.up();
        await ask(page, "play");
        // Half of an angle of at least 0.4 rad.
        await until(page, () => Math.abs(window.micado.pose("block")[6]) < Math.cos(0.2));
        // The point that it holds stays where it is.
        const held = await page.evaluate(() => {
            const [px, py, pz, qx, qy, qz, qw] = window.micado.pose("block");
            const [rx, ry, rz] = [0.2, -0.1, 0.1];
            const [tx, ty, tz] = [qy * rz - qz * ry, qz * rx - qx * rz, qx * ry - qy * rx].map((c) => 2 * c);
            return [
                px + rx + qw * tx + qy * tz - qz * ty,
                py + ry + qw * ty + qz * tx - qx * tz,
                pz + rz + qw * tz + qx * ty - qy * tx,
            ];
        });
        [0.2, -0.1, 0.6].forEach((at, i) => assert.ok(Math.abs(held[i] - at) < 0.02, `${held}`));
        await page.keyboard.press("p");
        await until(page, () =>
            window.micado.table.constraints.some(
                ({ name, kind }) => name.startsWith("pin") && kind === "clamp",
            ),
        );
        await nothingRefused(page);
    });
});

const DRAWN = `
[settings]
step = 0.005
gravity = [0, 0, 0]
[body.lever]
shape.box.size = [0.6, 0.1, 0.1]
density = 100
[body.carriage]
shape.box.size = [0.2, 0.2, 0.2]
density = 100
position = [0, 0.6, 0]
[scenery.wall]
shape.box.size = [1.2, 0.05, 0.8]
position = [0, 1, 0]
colour = "#b06040"
[scenery.knob]
shape.sphere.radius = 0.08
on = "lever"
at = [0.3, 0, 0]
[constraint.hinge.joint]
kind = "hinge"
on = "lever"
axis = [0, 0, 1]
angle = { least = -0.5, most = 1, motor.servo = { target = 0.7, stiffness = 5, damping = 1 } }
[constraint.rail.joint]
kind = "slider"
on = "carriage"
axis = [1, 0, 0]
slide = { least = -0.2, most = 0.3, motor.force = 2 }
`;

test("scenery is drawn, moves with its body, can't be grabbed and can be hidden", async () => {
    const file = join(folder, "drawn.toml");
    await writeFile(file, DRAWN);
    await withPage([file], async (page) => {
        await pause(page);
        await until(page, () => window.micado.solids === 4);
        const { colour } = await page.evaluate(() =>
            window.micado.table.objects.find(({ name }) => name === "wall"),
        );
        assert.deepEqual(colour, [0xb0, 0x60, 0x40]);
        await ask(page, { step: { count: 20 } });
        await until(page, () => Math.abs(window.micado.pose("lever")[5]) > 0.02);
        const [lever, knob] = await page.evaluate(() => ["lever", "knob"].map(window.micado.pose));
        assert.deepEqual(knob.slice(3), lever.slice(3));
        // At the end of the lever, turned about z by 2 asin of the third part of the quaternion.
        const angle = 2 * Math.asin(lever[5]);
        assert.ok(Math.abs(knob[0] - 0.3 * Math.cos(angle)) < 1e-5, `${knob} ${lever}`);
        assert.ok(Math.abs(knob[1] - 0.3 * Math.sin(angle)) < 1e-5, `${knob} ${lever}`);
        const [x, y] = await pixel(page, [0.4, 0.97, 0.3]);
        await page.mouse.move(x, y);
        await page.waitForTimeout(200);
        assert.equal(await page.evaluate(() => window.micado.hover), null);
        if (process.env.SHOT !== undefined) await page.screenshot({ path: `${process.env.SHOT}-drawn.png` });
        await page.keyboard.press("y");
        await until(page, () => window.micado.solids === 2);
        await page.keyboard.press("y");
        await until(page, () => window.micado.solids === 4);
        await nothingRefused(page);
    });
});

test("limits and drives of joints are shown with the markers", async () => {
    const file = join(folder, "driven.toml");
    await writeFile(file, DRAWN);
    await withPage([file], async (page) => {
        await pause(page);
        await until(page, () => window.micado.gauges === 2);
        const rows = await page.evaluate(() => window.micado.table.gauges);
        assert.deepEqual(
            rows.map(({ coordinate, least, most, motor }) => [coordinate, least, most, motor]),
            [
                ["angle", -0.5, 1, "servo"],
                ["slide", -0.2, 0.3, "force"],
            ],
        );
        await ask(page, { step: { count: 5 } });
        await until(page, () => /2(\.0+)? N(?!·)/.test(document.querySelector(".labels").textContent));
        await page.keyboard.press("v");
        await until(page, () => window.micado.gauges === 0);
        await nothingRefused(page);
    });
});
