// Problems are reported and marked.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, browser, micado, withPage } from "./bench.mjs";
import { blank, launch, serve, until } from "./helpers.mjs";

/** Number of red pixels of the view: objects in trouble are red. */
async function redPixels(page) {
    const png = await page.screenshot({ clip: { x: 70, y: 60, width: 740, height: 480 } });
    return page.evaluate(async (text) => {
        const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
        const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
        const pen = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
        pen.drawImage(picture, 0, 0);
        const { data } = pen.getImageData(0, 0, picture.width, picture.height);
        let red = 0;
        for (let i = 0; i < data.length; i += 4)
            if (data[i] > 140 && data[i] > 1.8 * data[i + 1] && data[i] > 1.5 * data[i + 2]) red++;
        return red;
    }, png.toString("base64"));
}

test("constraints that contradict each other are named and marked, and one press releases one of them", () =>
    withPage(["hanging-cable"], async (page) => {
        await page.evaluate(() => (document.querySelector(".banners").style.opacity = 0));
        const before = await redPixels(page);
        for (const [name, z] of [
            ["high", -0.3],
            ["low", -0.5],
        ]) {
            await ask(page, {
                edit: {
                    "add-constraint": {
                        name,
                        to: { position: { on: "cable", at: "middle", target: [0, 0, z] } },
                    },
                },
            });
        }
        await until(page, () => window.micado.status.trouble !== null);
        const banner = page.locator(".banner.trouble");
        await banner.waitFor();
        assert.match(await banner.innerText(), /contradict.*(high|low)/s);
        assert.match(await page.locator("[role=alert].unseen").textContent(), /contradict/);
        const marked = await redPixels(page);
        assert.ok(marked > before + 20, `${marked} red pixels after ${before}`);
        await banner.getByRole("button", { name: /^Release (high|low)$/ }).click();
        await until(
            page,
            () => window.micado.status.trouble === null && window.micado.table.constraints.length === 3,
        );
        await banner.waitFor({ state: "hidden" });
    }));

test("a lost graphics context is reported", () =>
    withPage(["pendulum"], async (page) => {
        await page.evaluate(() =>
            document.querySelector("canvas.canvas").dispatchEvent(new Event("webglcontextlost")),
        );
        const banner = page.locator(".banner.reload");
        await banner.getByText("The picture is gone.").waitFor();
        await banner.getByRole("button", { name: "Reload the page" }).click();
        await until(page, () => window.micado?.shown);
        await banner.waitFor({ state: "hidden" });
    }));

test("a browser without WebGL shows a remedy", async () => {
    const server = await serve(micado, "pendulum");
    const browser = await launch("--disable-gpu", "--disable-3d-apis");
    try {
        const page = await blank(browser);
        await page.goto(server.address);
        await page.getByText("This browser can't draw 3D pictures").waitFor();
    } finally {
        await browser.close();
        await server.stop();
    }
});

test("another version of the server, unreadable frames and a recovery are reported, each once", async () => {
    const server = await serve(micado, "pendulum");
    const page = await blank(browser);
    try {
        const recovered = (text) => JSON.stringify({ events: [{ time: 0, kind: "recovered", text }] });
        let say;
        await page.routeWebSocket(/\/ws/, (socket) => {
            say = (message) => socket.send(message);
            socket.connectToServer().onMessage((message) => {
                const hello = typeof message === "string" && message.startsWith('{"hello"');
                socket.send(hello ? message.replace(/"version":\d+/, '"version":999') : message);
                // Events before the page was opened.
                if (typeof message === "string" && message.startsWith('{"scene"'))
                    socket.send(recovered("Long ago"));
            });
        });
        await page.goto(server.address);
        await until(page, () => window.micado?.shown);
        await page.locator(".banner.reload").getByText("This page has another version.").waitFor();
        const notices = page.locator(".notice");
        assert.equal(await notices.count(), 0);
        say(recovered("the grab was undone"));
        await notices.getByText("The grab was undone. Redo restores it.").waitFor();
        for (let k = 0; k < 3; k++) say(Buffer.from("no frame at all"));
        await page.locator(".notice.error", { hasText: "A frame can't be read" }).waitFor();
        const frames = await page.evaluate(() => window.micado.frames);
        await until(page, (before) => window.micado.frames > before, frames);
        assert.equal(await page.evaluate(() => window.micado.errors.length), 1);
        assert.deepEqual(page.wrong, []);
    } finally {
        await page.context().close();
        await server.stop();
    }
});
