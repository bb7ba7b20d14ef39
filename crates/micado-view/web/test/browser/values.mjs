// Values: plots, inspector, legend, arrows, vibrations, exports.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, download, pause, withPage } from "./bench.mjs";
import { PATIENCE, until, untilRead } from "./helpers.mjs";

test("watched values are plotted, also after a reset, and can be exported", () =>
    withPage(["bridge"], async (page) => {
        await pause(page);
        await page.keyboard.press("3");
        await page.locator(".inspector .list-item", { hasText: "foot_left" }).click();
        await page.locator("dt", { hasText: "Least bend radius" }).waitFor();
        await page.getByRole("button", { name: "Plot tension" }).click();
        const watched = () =>
            window.micado.table.probes.some(({ of, read }) => of === "foot_left" && read === "tension");
        await until(page, watched);
        await page.keyboard.press("1");
        const chart = page.locator(".chart").filter({ hasText: "foot_left tension" });
        await chart.waitFor();
        await page.keyboard.press("r");
        await until(page, () => window.micado.time === 0);
        await until(page, watched);
        await ask(page, { step: { count: 10 } });
        await chart
            .locator(".u-series", { hasText: "foot_left tension" })
            .locator(".u-value", { hasText: /^−?[\d.e−]+$/ })
            .waitFor();
        await page.keyboard.press("7");
        assert.match(
            (await download(page, /^Probes/)).data.toString().split("\n")[0],
            /plank_tension.*foot_left tension/,
        );
        const scene = (await download(page, /^Scene \(/)).data.toString();
        assert.match(scene, /^\[rod\.foot_left\]$|^\[rod\]\n(.*\n)*foot_left\b/m);
        assert.match(scene, /^\[settings\]/m);
        const png = (await download(page, /^Picture/)).data;
        assert.equal(png.toString("latin1", 1, 4), "PNG");
        assert.ok(png.length > 20_000, "the picture is not empty");
    }));

test("colours, their fixed range, arrows of forces and the theme are chosen", () =>
    withPage(["bridge"], async (page) => {
        await pause(page);
        await page.getByLabel("Colour rods by").selectOption("tension");
        const high = page.getByLabel("Largest value of the colours");
        await high.waitFor();
        assert.equal(await page.locator(".limits .unit").innerText(), "N");
        await page.getByLabel("Least value of the colours").fill("0");
        await high.fill("1234");
        await high.press("Enter");
        await page.getByRole("button", { name: "Reset" }).click();
        await until(page, () => window.micado.time === 0 && window.micado.shown);
        assert.match(await high.inputValue(), /^123[04]$/, "the range stays fixed");
        await page.getByRole("button", { name: "auto" }).click();
        await until(page, () => !/^123[04]$/.test(document.querySelector("input.limit").value));
        const labels = () =>
            [...document.querySelectorAll(".labels .label:not([hidden])")].filter((one) =>
                /N$/.test(one.textContent),
            ).length;
        const before = await page.evaluate(labels);
        await page.locator("body").press("a");
        await untilRead(page, labels, (now) => now > before + 3);
        assert.equal(
            await page.getByRole("button", { name: "Forces of constraints" }).getAttribute("aria-pressed"),
            "true",
        );
        const ground = () =>
            page.evaluate(() => getComputedStyle(document.querySelector(".bar")).backgroundColor);
        const dark = await ground();
        await page.locator("body").press("n");
        await until(page, () => document.documentElement.dataset.theme === "light");
        assert.notEqual(await ground(), dark);
    }));

/** The largest difference of a colour channel between two pictures, of 255. */
function difference(page, ...pictures) {
    return page.evaluate(
        async (both) => {
            const pixels = async (picture) => {
                const bitmap = await createImageBitmap(new Blob([Uint8Array.from(picture)]));
                const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
                context.drawImage(bitmap, 0, 0);
                return context.getImageData(0, 0, bitmap.width, bitmap.height).data;
            };
            const [a, b] = await Promise.all(both.map(pixels));
            return a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0);
        },
        pictures.map((picture) => [...picture]),
    );
}

test("vibrations are found and move only the picture, and the matrix is drawn", () =>
    withPage(["hanging-cable"], async (page) => {
        // The range of colours settles for a while.
        await page.getByLabel("Colour rods by").selectOption("");
        await page.keyboard.press("4");
        await page.getByText("Find the modes").click();
        const first = page.locator(".list-item", { hasText: "Mode 1" });
        await first.waitFor();
        await until(page, () => !window.micado.playing);
        const clip = { x: 80, y: 80, width: 380, height: 420 };
        const still = await page.screenshot({ clip });
        const points = await page.evaluate(() => window.micado.rodPoint("cable", 20));
        await first.click();
        assert.equal(await first.getAttribute("aria-pressed"), "true");
        /** Waits until the picture equals the first one, apart from the edges of its shadow, or differs. */
        const pictureIsStill = async (same) => {
            for (
                const end = Date.now() + PATIENCE;
                (await difference(page, still, await page.screenshot({ clip }))) < 40 !== same;
            )
                assert.ok(Date.now() < end, same ? "the picture is unchanged" : "it moves");
        };
        await pictureIsStill(false);
        assert.deepEqual(await page.evaluate(() => window.micado.rodPoint("cable", 20)), points);
        await first.click();
        await pictureIsStill(true);
        // The modes of another structure are dropped.
        await ask(page, {
            edit: { "add-constraint": { name: "pin-9", to: { position: { on: "cable", at: "middle" } } } },
        });
        await first.waitFor({ state: "detached" });
        // A matrix needs a step with this structure.
        await ask(page, { step: { count: 1 } });
        await page.keyboard.press("5");
        await page.getByText("Draw the matrix").click();
        await page.locator(".matrix img").waitFor();
        await until(page, () => document.querySelector(".matrix img").naturalWidth > 0);
    }));

test("values at arrows overlap neither each other nor bars and panels", () =>
    withPage(["bridge"], async (page) => {
        await pause(page);
        await page.locator("[data-panel=plots]").click();
        await page.keyboard.press("a");
        await page.keyboard.press("0");
        await until(
            page,
            () =>
                [...document.querySelectorAll(".label.force")].filter((one) => one.checkVisibility())
                    .length >= 4,
        );
        await page.evaluate(
            () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
        );
        const over = await page.evaluate(() => {
            const boxes = (selector) =>
                [...document.querySelectorAll(selector)]
                    .filter((one) => one.checkVisibility())
                    .map((one) => ({ text: one.textContent, box: one.getBoundingClientRect() }));
            const labels = boxes(".label");
            const bars = boxes(".top .bar, .rail .bar, .transport, .legend, .dock");
            const meet = (a, b) =>
                a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
            return labels.flatMap((label, i) =>
                [...labels.slice(i + 1), ...bars]
                    .filter((other) => meet(label.box, other.box))
                    .map((other) => `${label.text} on ${other.text}`),
            );
        });
        assert.deepEqual(over, []);
    }));
