// Tools: the constraints that they add, and the menu at a place.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, clickRod, nothingRefused, pause, withPage } from "./bench.mjs";
import { until } from "./helpers.mjs";

const kinds = (kind) => window.micado.table.constraints.some((one) => one.kind === kind);

test("tools add their constraints, and the menu at a place does the same", () =>
    withPage(["hanging-cable"], async (page) => {
        await pause(page);
        await page.keyboard.press("c");
        await clickRod(page, "cable", 8);
        await until(page, kinds, "clip");
        await page.keyboard.press("b");
        await clickRod(page, "cable", 20);
        await until(page, () => window.micado.table.objects.some(({ kind }) => kind === "pearl"));
        await page.keyboard.press("Escape");
        await clickRod(page, "cable", 30);
        await until(page, () => window.micado.selected?.on === "cable");
        const menu = page.locator(".menu");
        await menu
            .getByText(/tension .*N · bending moment .*N·m · length now 2\.\d+ m · least bend radius .*m/)
            .waitFor();
        await menu.getByRole("button", { name: "Cut" }).click();
        await until(
            page,
            () => window.micado.table.objects.filter(({ kind }) => kind === "rod").length === 2,
        );
        await page.keyboard.press("2");
        const release = page.getByRole("button", { name: "Release left" });
        const stays = await release.elementHandle();
        await stays.focus();
        await ask(page, { edit: { release: "clip-1" } });
        await until(page, () => document.querySelector('[data-constraint="clip-1"]') === null);
        assert.ok(
            await stays.evaluate((button) => button === document.activeElement),
            "an existing row is not replaced",
        );
        await ask(page, "undo");
        await page.getByRole("button", { name: "Release clip-1" }).click();
        await until(page, () => window.micado.table.constraints.every(({ kind }) => kind !== "clip"));
        for (let k = 0; k < 4; k++) await page.keyboard.press("Control+z");
        await until(
            page,
            () =>
                window.micado.table.objects.length === 1 &&
                window.micado.table.constraints.every(({ kind }) => kind === "position"),
        );
    }));

test("a keyhole, a plane and a poke; the right button uses no tool", () =>
    withPage(["hanging-cable"], async (page) => {
        await pause(page);
        await page.keyboard.press("x");
        await clickRod(page, "cable", 30, { button: "right" });
        await nothingRefused(page);
        assert.equal(await page.evaluate(() => window.micado.table.objects.length), 1, "nothing is cut");
        await page.keyboard.press("k");
        await clickRod(page, "cable", 10);
        await until(page, kinds, "keyhole");
        await page.keyboard.press("l");
        await page.getByLabel("Normal").selectOption("y");
        await clickRod(page, "cable", 24);
        await until(page, kinds, "plane");
        await page.keyboard.press("o");
        await page.locator(".tool-card input").fill("3");
        await clickRod(page, "cable", 36);
        await until(page, () => window.micado.table.loads.length === 1);
        // It pushes for a tenth of a second.
        await ask(page, { step: { count: 30 } });
        await until(page, () => window.micado.table.loads.length === 0);
        await nothingRefused(page);
    }));

test("distance, fusion and ruler ask for two places", () =>
    withPage(["bridge"], async (page) => {
        await pause(page);
        await page.keyboard.press("d");
        await clickRod(page, "hand_left", 10);
        await page.getByText("Now click the other place.").waitFor();
        await clickRod(page, "foot_right", 14);
        const added = (start) => window.micado.table.constraints.find(({ name }) => name === start);
        await until(page, added, "distance-1");
        const { on, to } = await page.evaluate(added, "distance-1");
        assert.deepEqual([on, to], ["hand_left", "foot_right"]);
        await page.keyboard.press("u");
        await clickRod(page, "hand_left", 20);
        await clickRod(page, "hand_left", 40);
        const ruler = page.locator(".label.ruler");
        await ruler.waitFor({ state: "visible" });
        const [straight, along] = (await ruler.innerText()).match(/[\d.]+(?= m)/g).map(Number);
        const apart = await page.evaluate(() => {
            const [a, b] = [20, 40].map((i) => window.micado.rodPoint("hand_left", i));
            return Math.hypot(...a.map((part, i) => part - b[i]));
        });
        assert.ok(
            Math.abs(straight - apart) < 0.1 * apart && along >= straight - 0.01,
            `${straight} of ${apart}, ${along} of rod`,
        );
        await page.keyboard.press("f");
        await clickRod(page, "hand_left", 50);
        await clickRod(page, "foot_left", 24);
        await until(page, added, "fuse-1");
    }));
