// Scenes: from the gallery, from files, from links, from the editor.
import assert from "node:assert/strict";
import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { ask, browser, clickRod, dropFile, folder, pause, withPage } from "./bench.mjs";
import { open, until } from "./helpers.mjs";
import { manyRods } from "./many-rods.mjs";

const STICK = 'title = "Dropped"\n[rod.stick]\nradius = "1 cm"\nyoung = "1 GPa"\ndensity = 1000\n';

test("the gallery opens with its pictures, and a scene from it", () =>
    withPage(["hanging-cable"], async (page) => {
        await page.keyboard.press("g");
        const cards = page.locator(".gallery-card");
        await cards.first().waitFor();
        assert.ok((await cards.count()) >= 28, "all built-in scenes are listed");
        await page.locator("dialog.gallery input[type=search]").fill("bridge");
        const card = page.locator('.gallery-card[data-scene="bridge"]');
        await until(
            page,
            () => document.querySelector('.gallery-card[data-scene="bridge"] img')?.naturalWidth > 100,
        );
        await card.click();
        await until(
            page,
            () =>
                window.micado.scene.name === "bridge" &&
                window.micado.shown &&
                window.micado.table.objects.some(({ name }) => name === "foot_left"),
        );
        assert.match(await page.locator(".scene-title").innerText(), /rope bridge/);
        assert.match(await page.evaluate(() => window.location.hash), /scene=bridge&camera=/);
    }));

test("a file refused in the gallery is reported there, and its error is in the editor", () =>
    withPage(["hanging-cable"], async (page) => {
        await page.keyboard.press("g");
        const file = page.locator("dialog.gallery input[type=file]");
        const junk = join(folder, "junk.micado");
        writeFileSync(junk, "no recording");
        await file.setInputFiles(junk);
        const notice = page.locator("dialog.gallery .notice.error");
        await notice.waitFor();
        // Nothing covers it: it can be dismissed.
        await notice.getByRole("button", { name: "Dismiss" }).click();
        await notice.waitFor({ state: "detached" });
        const wrong = join(folder, "wrong.toml");
        writeFileSync(wrong, STICK.replace('"1 cm"', '"-1 cm"'));
        await file.setInputFiles(wrong);
        await until(page, () => window.micado.sceneError?.line === 3);
        await page.locator("dialog.gallery").waitFor({ state: "hidden" });
        const text = page.getByLabel("Text of the scene");
        assert.match(await text.inputValue(), /-1 cm/);
        assert.equal(await page.locator(".gutter .wrong").innerText(), "3");
        await text.fill(STICK);
        await text.press("Control+Enter");
        await until(
            page,
            () =>
                window.micado.scene.name === "wrong.toml" && window.micado.table.objects[0].name === "stick",
        );
    }));

test("a scene file dropped on the page is opened; one that is too large is refused", () =>
    withPage(["bridge"], async (page) => {
        await dropFile(page, "dropped.toml", STICK);
        await until(
            page,
            () => window.micado.scene.title === "Dropped" && window.micado.table.objects[0].name === "stick",
        );
        await dropFile(page, "large.toml", "#".repeat(4 * 2 ** 20));
        await page.locator(".notice.error", { hasText: "a scene may have at most 3 MiB" }).waitFor();
        assert.equal(await page.evaluate(() => window.micado.connected), true);
    }));

test("an error in the scene is marked on its line; fixed, it reloads in place; edits can be restored", () =>
    withPage(["hanging-cable"], async (page) => {
        await pause(page);
        await page.getByLabel("Colour rods by").selectOption("speed");
        await clickRod(page, "cable", 20);
        await until(page, () => window.micado.selected?.on === "cable");
        await page.keyboard.press("e");
        const text = page.getByLabel("Text of the scene");
        const scene = await text.inputValue();
        const line = scene.split("\n").findIndex((one) => one.startsWith("radius")) + 1;
        await text.fill(scene.replace(/^radius = .*$/m, 'radius = "-6 mm"'));
        await until(page, () => window.micado.sceneError !== null);
        assert.equal(await page.locator(".gutter .wrong").innerText(), String(line));
        assert.match(await page.locator(".editor-message.error").innerText(), new RegExp(`Line ${line}`));
        const mended = scene.replace(/^radius = .*$/m, 'radius = "9 mm"');
        await text.fill(mended);
        await until(page, () => window.micado.sceneError === null);
        await text.press("Control+Enter");
        await until(page, () => window.micado.table.objects[0].radii[0] > 0.0089);
        assert.equal(await page.evaluate(() => window.micado.scene.name), "hanging-cable");
        assert.equal(await page.getByLabel("Colour rods by").inputValue(), "speed");
        assert.equal(await page.evaluate(() => window.micado.selected?.on), "cable");
        await ask(page, { open: { builtin: "hanging-cable" } });
        await until(page, () => window.micado.table.objects[0].radii[0] < 0.0061);
        assert.equal(await text.inputValue(), scene);
        await page.getByRole("button", { name: "Restore my text" }).click();
        assert.equal(await text.inputValue(), mended);
    }));

/** Two pages are drawn at once: they are small. */
const SMALL = { width: 640, height: 420 };

test("a link opens its scene with camera and colours, in a new page and in an open one", () =>
    withPage(
        ["bridge"],
        async (page, server) => {
            await pause(page);
            const link = "#scene=pendulum&camera=1,-4,0.5,0,0,-0.25&colour=speed";
            const other = await open(browser, server.address + link, SMALL);
            await until(other, () => window.micado.scene.name === "pendulum" && window.micado.shown);
            await until(other, () => /camera=1,-4,0.5,0,0,-0.25/.test(window.location.hash));
            assert.match(await other.evaluate(() => window.location.hash), /scene=pendulum.*colour=speed/);
            await until(page, () => window.micado.scene.name === "pendulum");
            await other.context().close();
            for (const [camera, colour] of [
                ["2,-5,1,0,0,0", "tension"],
                ["0,-6,1,0,0,0", ""],
            ]) {
                const to = `#scene=hanging-cable&camera=${camera}&colour=${colour}`;
                await page.evaluate((hash) => window.location.assign(hash), to);
                await until(page, (hash) => window.location.hash === hash && window.micado.shown, to);
                await until(
                    page,
                    (words) => window.micado.view.map((part) => +part.toPrecision(5)).join(",") === words,
                    camera,
                );
                assert.equal(await page.evaluate(() => window.micado.scene.name), "hanging-cable");
                assert.equal(await page.getByLabel("Colour rods by").inputValue(), colour);
            }
        },
        SMALL,
    ));

test("swinging objects stay in view", () =>
    withPage(
        ["pendulum"],
        async (page) => {
            await pause(page);
            const start = await page.evaluate(() => window.micado.time);
            const seen = [];
            // Two periods of 2 s each.
            for (let k = 1; k <= 32; k++) {
                await ask(page, { step: { count: 25 } });
                await until(page, (time) => window.micado.time > time, start + 0.125 * k - 1e-3);
                seen.push(
                    await page.evaluate(() => window.micado.screenOf(...window.micado.rodPoint("bob", 0))),
                );
            }
            const way = seen.slice(16).map(([x]) => x);
            assert.ok(
                way.every((x) => x > 0 && x < 800) && Math.max(...way) > Math.min(...way) + 100,
                String(way.map(Math.round)),
            );
        },
        { width: 800, height: 500 },
    ));

test("fifty rods of fifty control points are drawn with 32 000 vertices at most", async () => {
    const path = join(folder, "many-rods.toml");
    writeFileSync(path, manyRods(50, 47));
    await withPage([path], async (page) => {
        const { rods, vertices } = await page.evaluate(() => ({
            rods: window.micado.table.objects.length,
            vertices: window.micado.vertices,
        }));
        assert.equal(rods, 50);
        assert.ok(vertices > 50 * 50 && vertices <= 32_000, `${vertices} vertices`);
    });
});
