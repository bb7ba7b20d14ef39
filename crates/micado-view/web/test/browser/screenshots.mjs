// Takes pictures of every built-in scene at a good moment, also small ones for the page's gallery, and of the
// whole page: `npm run screenshots -- PATH_TO_MICADO OUTDIR [NAME…]`.
import { mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { launch, open, serve, until } from "./helpers.mjs";

/** Time of the picture, s; the end of the run unless given. */
const MOMENTS = {
    bow: 1.08,
    bridge: 2.75,
    "cable-and-bodies": 0.35,
    "cable-bundle": 3.2,
    "car-door": 5.2,
    clips: 3.6,
    "closed-loop": 0.6,
    crane: 4.5,
    crank: 1.3,
    "cube-chain": 0.5,
    dna: 0.6,
    "domino-pearls": 0.52,
    "door-panel": 5,
    "falling-cube-chain": 0.2,
    "fly-in-the-net": 0.19,
    gyroscope: 0.6,
    "hanging-cable": 0.45,
    "helix-slide": 1.2,
    "hinged-harness": 1.2,
    lasso: 2.6,
    necklace: 3.2,
    pendulum: 0.9,
    pulley: 5,
    release: 1.6,
    slipknot: 0.9,
    "spider-net": 0.32,
    "spring-weights": 0.7,
    "torque-transducer": 0.2,
    tree: 3,
    "two-cubes-on-incline": 0.5,
    wilberforce: 0.6,
    winch: 7,
    "wind-cable": 3,
};
/** Small enough for the repository. */
const PHOTO = { type: "jpeg", quality: 85 };
const SIZE = { width: 1280, height: 800 };
/** Cards of the gallery, taken larger than they are shown, for finer lines. */
const CARD = { width: 800, height: 500 };
const CARD_SHOWN = { width: 480, height: 300 };
const CARDS = fileURLToPath(new URL("../../src/panels/cards/", import.meta.url));
/** Hides the controls. */
const BARE = `
    .top, .rail, .transport, .notices, .menu { display: none !important; }
    .legend .text-button { visibility: hidden; }
`;

const [binary, out, ...only] = process.argv.slice(2);
if (binary === undefined || out === undefined)
    throw new Error("npm run screenshots -- PATH_TO_MICADO OUTDIR [NAME…]");
for (const folder of [out, CARDS]) mkdirSync(folder, { recursive: true });

/** Waits two pictures after the last change: everything is in place then. */
const settled = (page) =>
    page.evaluate(
        () =>
            new Promise((done) =>
                requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))),
            ),
    );
const ask = (page, what) => page.evaluate((asked) => window.micado.ask(asked), what);

/** Opens a scene and advances it to its moment, paused. */
async function bring(page, name) {
    await ask(page, { open: { builtin: name } });
    await until(page, (wanted) => window.micado.scene.name === wanted && window.micado.shown, name);
    await ask(page, "pause");
    await ask(page, "reset");
    const { step, duration } = await page.evaluate(() => window.micado.scene);
    const time = Math.min(MOMENTS[name] ?? duration, duration);
    const parts = 12;
    const steps = Math.max(1, Math.round(time / step));
    // In parts, so that camera and colours follow.
    for (let k = 0; k < parts; k++) {
        const count = Math.floor(((k + 1) * steps) / parts) - Math.floor((k * steps) / parts);
        if (count === 0) continue;
        await ask(page, { step: { count } });
        await settled(page);
    }
    await until(page, (at) => window.micado.time >= at, (steps - 0.5) * step);
    await page.keyboard.press("0");
    await settled(page);
}

/** Takes pictures of the open scene for the gallery, in both themes; restores the page. */
async function takeCards(page, name, shrink) {
    const style = await page.addStyleTag({ content: ".legend { display: none }" });
    await page.setViewportSize(CARD);
    for (const theme of ["dark", "light"]) {
        await page.keyboard.press("0");
        await settled(page);
        writeFileSync(`${CARDS}${name}-${theme}.jpg`, await shrink(await page.screenshot()));
        await page.keyboard.press("n");
    }
    await style.evaluate((element) => element.remove());
    await page.setViewportSize(SIZE);
}

/** Shrinks pictures, in its own page. */
async function shrinker(browser) {
    const page = await browser.newPage();
    return async (png) => {
        const small = await page.evaluate(
            async ([data, { width, height }]) => {
                const image = new Image();
                image.src = `data:image/png;base64,${data}`;
                await image.decode();
                const canvas = document.createElement("canvas");
                Object.assign(canvas, { width, height });
                const pen = canvas.getContext("2d");
                pen.imageSmoothingQuality = "high";
                pen.drawImage(image, 0, 0, width, height);
                return canvas.toDataURL("image/jpeg", 0.72).split(",")[1];
            },
            [png.toString("base64"), CARD_SHOWN],
        );
        return Buffer.from(small, "base64");
    };
}

const browser = await launch();
const server = await serve(resolve(binary), "bridge");
const shrink = await shrinker(browser);
for (const theme of ["dark", "light"]) {
    const page = await open(browser, server.address, { ...SIZE, theme });
    const names = (await ask(page, "gallery"))
        .map(({ name }) => name)
        .filter((name) => only.length === 0 || only.includes(name));
    const style = theme === "dark" ? await page.addStyleTag({ content: BARE }) : null;
    for (const name of theme === "dark" ? names : []) {
        await bring(page, name);
        await page.screenshot({ path: `${out}/${name}.jpg`, ...PHOTO });
        await takeCards(page, name, shrink);
        console.log(`${name}: ${await page.evaluate(() => window.micado.time.toFixed(2))} s`);
    }
    await style?.evaluate((element) => element.remove());
    if (only.length === 0 || only.includes("page")) {
        await bring(page, "bridge");
        await page.locator(theme === "dark" ? "[data-panel=plots]" : "[data-panel=scene]").click();
        if (theme === "dark") await page.keyboard.press("a");
        await page.keyboard.press("0");
        await settled(page);
        await page.screenshot({ path: `${out}/page-${theme}.jpg`, ...PHOTO });
        await page.keyboard.press("Escape");
        if (theme === "dark") {
            // The upper panel is closed again: contacts alone.
            await page.locator("[data-panel=plots]").click();
            await page.keyboard.press("a");
            await bring(page, "two-cubes-on-incline");
            await page.keyboard.press("s");
            // From near by.
            await page.evaluate(() => window.location.assign("#camera=0.9,-1,0.5,0.24,0,-0.06"));
            await until(page, () => window.micado.view[0] === 0.9);
            await settled(page);
            await page.screenshot({ path: `${out}/contacts.jpg`, ...PHOTO });
            await page.keyboard.press("s");
            await bring(page, "bridge");
        }
        await page.locator(".scene-title").click();
        await page.locator(".gallery-card").first().waitFor();
        await page.evaluate(() =>
            Promise.all(
                [...document.querySelectorAll(".gallery-card img")]
                    .slice(0, 12)
                    .map((image) => image.decode()),
            ),
        );
        await page.screenshot({ path: `${out}/gallery-${theme}.jpg`, ...PHOTO });
    }
    if (page.wrong.length > 0) throw new Error(page.wrong.join("\n"));
    await page.context().close();
}
await browser.close();
await server.stop();
