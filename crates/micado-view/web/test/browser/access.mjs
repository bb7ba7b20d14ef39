// Accessibility: names, keys, contrast.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pause, withPage } from "./bench.mjs";
import { until } from "./helpers.mjs";

const PANELS = ["scene", "plots", "constraints", "inspector", "modes", "solver", "events", "export"];

test("every control has a name and is reached with Tab", () =>
    withPage(["bridge"], async (page) => {
        await pause(page);
        for (const panel of PANELS) {
            await page.locator(`[data-panel=${panel}]`).click();
            const nameless = await page.evaluate(() =>
                [...document.querySelectorAll("button, input:not([type=file]), select, textarea")]
                    .filter(
                        (one) =>
                            one.checkVisibility() &&
                            (
                                one.getAttribute("aria-label") ??
                                one.labels?.[0]?.textContent ??
                                one.textContent
                            ).trim() === "",
                    )
                    .map((one) => one.outerHTML),
            );
            assert.deepEqual(nameless, [], panel);
        }
        await page.evaluate(() => {
            window.reached = new Set();
            window.addEventListener("focusin", ({ target }) => window.reached.add(target));
        });
        const unreached = () =>
            [...document.querySelectorAll("button, select, input, textarea, canvas.canvas, [role=separator]")]
                .filter((one) => one.checkVisibility() && !one.disabled && !window.reached.has(one))
                .map((one) => one.outerHTML.slice(0, 120));
        const count = (await page.evaluate(unreached)).length;
        for (let k = 0; k < count + 12; k++) await page.keyboard.press("Tab");
        assert.ok(count > 30, `${count} controls`);
        assert.deepEqual(await page.evaluate(unreached), []);
    }));

test("keys move the camera, and closing a panel keeps the focus on its button", () =>
    withPage(["pendulum"], async (page) => {
        const view = () => page.evaluate(() => window.micado.view);
        const distance = ([x, y, z, a, b, c]) => Math.hypot(x - a, y - b, z - c);
        const press = async (key) => {
            const before = await view();
            await page.locator("canvas.canvas").press(key);
            await until(
                page,
                (old) => window.micado.view.some((part, i) => Math.abs(part - old[i]) > 1e-6),
                before,
            );
            return [before, await view()];
        };
        // The user has chosen a view: it no longer follows.
        await press("ArrowRight");
        const [start, turned] = await press("ArrowRight");
        const target = ([, , , ...place]) => place.map((part) => Math.round(1e9 * part));
        assert.deepEqual(target(turned), target(start));
        assert.ok(Math.abs(distance(turned) / distance(start) - 1) < 1e-6, "it turns about its target");
        const [, raised] = await press("ArrowUp");
        assert.ok(raised[2] > turned[2]);
        const [, near] = await press("+");
        assert.ok(distance(near) < 0.95 * distance(raised));
        const [, aside] = await press("Shift+ArrowRight");
        assert.ok(Math.abs(distance(aside) / distance(near) - 1) < 1e-6);
        assert.notDeepEqual(target(aside), target(near));
        await page.keyboard.press("6");
        await page.getByRole("button", { name: "Close the panel" }).press("Enter");
        assert.equal(await page.evaluate(() => document.activeElement.dataset.panel), "events");
    }));

/** Texts with a contrast below 4.5 to 1, and edges of fields and lines of plots below 3 to 1. */
function unreadable() {
    const pen = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const once =
        (work, known = new Map()) =>
        (key) => {
            if (!known.has(key)) known.set(key, work(key));
            return known.get(key);
        };
    const rgba = once((colour) => {
        pen.clearRect(0, 0, 1, 1);
        pen.fillStyle = colour;
        pen.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
        return [r, g, b, a / 255];
    });
    const over = ([r, g, b, a], [R, G, B]) => [
        r * a + R * (1 - a),
        g * a + G * (1 - a),
        b * a + B * (1 - a),
        1,
    ];
    const ground = once((element) =>
        element === null
            ? [0, 0, 0, 1]
            : over(rgba(getComputedStyle(element).backgroundColor), ground(element.parentElement)),
    );
    const luminance = (colour) => {
        const [r, g, b] = colour
            .slice(0, 3)
            .map((part) => (part <= 10 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (colour, below) => {
        const [a, b] = [luminance(over(rgba(colour), below)), luminance(below)].sort((x, y) => y - x);
        return (a + 0.05) / (b + 0.05);
    };
    const found = new Set();
    let texts = 0;
    const check = (element, what, colour, below, least) => {
        const value = contrast(colour, below);
        const name = `${element.tagName}.${element.className} "${element.textContent.slice(0, 20)}"`;
        if (value < least) found.add(`${what} of ${name}: ${value.toFixed(2)}`);
    };
    for (const element of document.querySelectorAll("body *")) {
        if (!element.checkVisibility() || element.closest(":disabled, svg") !== null) continue;
        const style = getComputedStyle(element);
        const written = [...element.childNodes].some(
            (node) => node.nodeType === 3 && node.textContent.trim() !== "",
        );
        if (written && !element.matches("textarea, option")) {
            texts++;
            check(element, "text", style.color, ground(element), 4.5);
        }
        if (element.matches("[placeholder]"))
            check(
                element,
                "placeholder",
                getComputedStyle(element, "::placeholder").color,
                ground(element),
                4.5,
            );
        if (element.matches("select, input:not([type=range], .limit)"))
            check(element, "edge", style.borderTopColor, ground(element.parentElement), 3);
        if (element.matches(".u-marker")) check(element, "line", style.borderTopColor, ground(element), 3);
    }
    return { found: [...found], texts };
}

test("texts, edges and lines have enough contrast in both themes", () =>
    withPage(["hanging-cable"], async (page) => {
        // Nothing should be drawn meanwhile.
        await pause(page);
        let texts = 0;
        const readable = async (where) => {
            const seen = await page.evaluate(unreadable);
            assert.deepEqual(seen.found, [], where);
            texts += seen.texts;
        };
        await page.keyboard.press("e");
        const text = page.getByLabel("Text of the scene");
        const scene = await text.inputValue();
        for (const theme of ["dark", "light"]) {
            await until(page, (name) => document.documentElement.dataset.theme === name, theme);
            for (const panel of PANELS.slice(1)) {
                await page.locator(`[data-panel=${panel}]`).click();
                if (panel === "plots") await page.locator(".u-marker").first().waitFor();
                await readable(`${theme}: ${panel}`);
            }
            await page.locator("[data-panel=scene]").click();
            // Every kind of token on a line with an error, in turn.
            for (const line of ['[nothing] # and "why"', 'nothing = "so" # why', "nothing = 12 # why"]) {
                await text.fill(`${line}\n${scene}`);
                await until(
                    page,
                    (wanted) => document.querySelector(".paint .wrong")?.textContent === wanted,
                    line,
                );
                await readable(`${theme}: ${line}`);
            }
            await text.fill(scene);
            await until(page, () => window.micado.sceneError === null);
            await page.getByRole("button", { name: "Help", exact: true }).click();
            await readable(`${theme}: help`);
            await page.getByRole("button", { name: "Close the help" }).click();
            await page.locator("body").press("n");
        }
        assert.ok(texts > 500, `${texts} texts were checked`);
    }));
