// Time: play, pause, step, reset, record; a server that is lost and restarted.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, browser, download, micado, pause, SIZE, withPage } from "./bench.mjs";
import { open, serve, until, untilRead } from "./helpers.mjs";

test("time is played, paused, stepped and reset by keys; speed and mode are chosen", () =>
    withPage(["pendulum"], async (page) => {
        await page.keyboard.press("Space");
        await until(page, () => !window.micado.status.playing);
        await page.keyboard.down("r");
        await page.keyboard.down("r");
        await page.keyboard.up("r");
        await until(page, () => window.micado.time === 0);
        assert.deepEqual(await ask(page, "undo"), { what: "reset" }, "a key that is held down resets once");
        await assert.rejects(ask(page, "undo"));
        await page.keyboard.press("r");
        await until(page, () => window.micado.time === 0);
        await page.keyboard.press(".");
        await until(page, () => Math.abs(window.micado.time - window.micado.scene.step) < 1e-9);
        await page.getByLabel("Speed: simulated seconds per second").selectOption("0.5");
        await until(page, () => window.micado.status.speed === 0.5);
        await page.getByLabel("Mode of the steps").selectOption("quasi-dynamic");
        await until(page, () => window.micado.status.mode === "quasi-dynamic");
    }));

test("a recording is made, saved, opened again and played back and forth", () =>
    withPage(["pendulum"], async (page) => {
        const record = page.getByRole("button", { name: "Record", exact: true });
        await record.click();
        await until(page, () => window.micado.status.recording);
        const start = await page.evaluate(() => window.micado.time);
        await until(page, (time) => window.micado.time > time + 0.5, start);
        await record.click();
        await until(page, () => !window.micado.status.recording);
        await page.keyboard.press("7");
        const { path, data } = await download(page, /^Recording/);
        assert.ok(data.length > 1000);
        await page.keyboard.press("g");
        await page.locator("dialog.gallery input[type=file]").setInputFiles(path);
        await until(page, () => window.micado.scene.recording !== null && window.micado.shown);
        const frames = await page.evaluate(() => window.micado.scene.recording.frames);
        assert.ok(frames > 5, `${frames} frames`);
        await pause(page);
        const line = page.getByLabel("Timeline");
        const seek = async (frame) => {
            await line.fill(String(frame));
            await until(page, (wanted) => window.micado.recordingFrame === wanted, frame);
            return page.evaluate(() => {
                const { name, points } = window.micado.table.objects[0];
                return window.micado.rodPoint(name, points - 1);
            });
        };
        const early = await seek(4);
        const last = await seek(frames - 1);
        assert.ok(Math.hypot(...last.map((part, i) => part - early[i])) > 0.01, "it has moved");
        assert.equal(await line.inputValue(), String(frames - 1));
        assert.deepEqual(await seek(4), early);
        await page.keyboard.press("r");
        await until(page, () => window.micado.recordingFrame === 0);
        await page.keyboard.press("Space");
        await until(page, () => window.micado.recordingFrame > 2);
    }));

test("a lost server is reported; the page reconnects, and keeps its probes and the edited text", async () => {
    const server = await serve(micado, "bridge");
    const page = await open(browser, server.address, SIZE);
    await page.keyboard.press("2");
    await page
        .locator("tr[data-constraint]")
        .first()
        .getByRole("button", { name: /^Plot the force/ })
        .click();
    const watched = () =>
        window.micado.table.probes.map(({ name }) => name).filter((name) => name.endsWith(" force"));
    await untilRead(page, watched, ({ length }) => length === 1);
    const names = await page.evaluate(watched);
    await page.keyboard.press("e");
    const text = page.getByLabel("Text of the scene");
    const written = `# mine\n${await text.inputValue()}`;
    await text.fill(written);
    await text.press("Control+Enter");
    await until(page, (words) => window.micado.scene.text === words, written);
    await untilRead(page, watched, ({ length }) => length === 1);
    await server.stop();
    await until(page, () => !window.micado.connected);
    await page.getByText("The server is gone.").waitFor();
    const again = await serve(micado, "bridge", "--port", String(server.port));
    try {
        const frames = await page.evaluate(() => window.micado.frames);
        await until(page, (before) => window.micado.connected && window.micado.frames > before, frames);
        await page.getByText("The server is gone.").waitFor({ state: "hidden" });
        await untilRead(page, watched, ({ length }) => length === 1);
        assert.deepEqual(await page.evaluate(watched), names);
        await page.getByRole("button", { name: "Restore my text" }).click();
        assert.equal(await text.inputValue(), written);
        assert.deepEqual(page.wrong, []);
    } finally {
        await page.context().close();
        await again.stop();
    }
});
