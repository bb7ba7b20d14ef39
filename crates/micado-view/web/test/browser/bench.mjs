// Shared parts of the browser tests: the browser, a folder, a page on its own server, and actions on rods.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before } from "node:test";
import { aim, launch, open, serve, stopAll, until } from "./helpers.mjs";

const binary = process.argv[2] ?? process.env.MICADO;
if (binary === undefined) throw new Error("name the program: npm run test:browser -- target/release/micado");
export const micado = resolve(binary);
export const SIZE = { width: 1000, height: 640 };

export let browser;
export let folder;
before(async () => {
    browser = await launch();
    folder = await mkdtemp(join(tmpdir(), "micado-view-"));
});
after(async () => {
    await browser.close();
    stopAll();
    await rm(folder, { recursive: true, force: true });
});

/** Runs `act` with a page on its own server; fails on any error in the page. */
export async function withPage(args, act, size = SIZE) {
    const server = await serve(micado, ...args);
    let page;
    try {
        page = await open(browser, server.address, size);
        await act(page, server);
        assert.deepEqual(page.wrong, []);
    } finally {
        await page?.context().close();
        await server.stop();
    }
}

export const ask = (page, what) => page.evaluate((asked) => window.micado.ask(asked), what);

/** Pauses, and waits until the page shows the paused state: nothing moves under the pointer then. */
export async function pause(page) {
    await ask(page, "pause");
    await until(page, () => !window.micado.playing);
}

/** Checks that no earlier request was refused; waits until all of them were handled. */
export async function nothingRefused(page) {
    await ask(page, { speed: { factor: 1 } });
    assert.deepEqual(await page.evaluate(() => window.micado.errors), []);
}

/** Presses on point `i` of a rod and drags by so many pixels; the button stays down. */
export async function dragRod(page, rod, i, dx, dy) {
    const [x, y] = await aim(page, rod, i);
    await page.mouse.down();
    for (let k = 1; k <= 8; k++) await page.mouse.move(x + (dx * k) / 8, y + (dy * k) / 8);
    return [x + dx, y + dy];
}

/** Clicks point `i` of a rod. */
export async function clickRod(page, rod, i, options) {
    await page.mouse.click(...(await aim(page, rod, i)), options);
}

export const held = () => window.micado.hand !== null && window.micado.hand.force > 0;

/** Fingers: `touch("touchStart", [{ x, y }])` and so on. */
export async function fingers(page) {
    const client = await page.context().newCDPSession(page);
    return (type, points) => client.send("Input.dispatchTouchEvent", { type, touchPoints: points });
}

/** The file that a button saves. */
export async function download(page, name) {
    const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name }).click(),
    ]);
    const path = join(folder, file.suggestedFilename());
    await file.saveAs(path);
    return { path, data: await readFile(path) };
}

/** Drops a file on the page. */
export async function dropFile(page, name, text) {
    const transfer = await page.evaluateHandle(
        ([file, content]) => {
            const data = new DataTransfer();
            data.items.add(new File([content], file));
            return data;
        },
        [name, text],
    );
    await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
}
