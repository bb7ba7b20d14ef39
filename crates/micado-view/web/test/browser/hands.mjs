// Hands: rods dragged by mouse and finger, or held by arrows and rings.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, clickRod, dragRod, fingers, held, nothingRefused, pause, withPage } from "./bench.mjs";
import { aim, pixelOf, until, untilRead } from "./helpers.mjs";

/** Smaller than elsewhere: drags redraw often. */
const SIZE = { width: 800, height: 500 };

const constraintNames = (page) =>
    page.evaluate(() => window.micado.table.constraints.map(({ name }) => name));
const noHands = () =>
    window.micado.hand === null && window.micado.table.constraints.every(({ hand }) => !hand);

test("a dragged rope follows with a force; its pin exists after a reload, and is removed by an undo", () =>
    withPage(
        ["bridge"],
        async (page) => {
            const middle = await page.evaluate(() =>
                Math.floor(window.micado.table.objects.find(({ name }) => name === "hand_left").points / 2),
            );
            await pause(page);
            const before = await page.evaluate((i) => window.micado.rodPoint("hand_left", i), middle);
            await dragRod(page, "hand_left", middle, 0, -60);
            await ask(page, "play");
            await until(page, held);
            await until(page, ([i, z]) => window.micado.rodPoint("hand_left", i)[2] > z + 0.2, [
                middle,
                before[2],
            ]);
            const label = page.locator(".label.hand");
            await label.waitFor({ state: "visible" });
            assert.match(await label.innerText(), /^[\d.]+ (m|k)?N$/);
            await page.keyboard.press("p");
            await until(page, noHands);
            await until(page, () =>
                window.micado.table.constraints.some(({ name }) => name.startsWith("pin")),
            );
            await page.mouse.up();
            const pin = (await constraintNames(page)).find((name) => name.startsWith("pin"));
            await page.reload();
            await until(page, () => window.micado?.shown);
            assert.ok(
                (await constraintNames(page)).includes(pin),
                "the pin is a constraint of the simulation, not of the page",
            );
            assert.equal(await page.evaluate(() => window.micado.scene.name), "bridge");
            await page.keyboard.press("Control+z");
            await until(
                page,
                (name) => !window.micado.table.constraints.some((one) => one.name === name),
                pin,
            );
            await page.keyboard.press("Control+Shift+z");
            await until(
                page,
                (name) => window.micado.table.constraints.some((one) => one.name === name),
                pin,
            );
        },
        SIZE,
    ));

test("a released rope is free again; undo during a drag ends the drag, and nothing is refused", () =>
    withPage(
        ["hanging-cable"],
        async (page) => {
            await pause(page);
            await dragRod(page, "cable", 12, 30, -40);
            await ask(page, "play");
            await until(page, held);
            await page.mouse.up();
            await until(page, noHands);
            await pause(page);
            const [x, y] = await dragRod(page, "cable", 20, 20, -30);
            await ask(page, "play");
            await until(page, held);
            await page.keyboard.press("Control+z");
            await until(page, noHands);
            await page.mouse.move(x + 60, y - 60, { steps: 6 });
            await nothingRefused(page);
            await page.mouse.up();
            await nothingRefused(page);
            assert.ok(await page.evaluate(noHands));
        },
        SIZE,
    ));

test("a press grabs the highlighted rod, although it has moved since", () =>
    withPage(
        ["pendulum"],
        async (page) => {
            await pause(page);
            await ask(page, "reset");
            await until(page, () => window.micado.time === 0);
            const [x, y] = await aim(page, "bob", 0);
            // The page's clock stands from here on: it doesn't check again what is under a resting pointer.
            await page.evaluate(() => {
                const next = window.requestAnimationFrame.bind(window);
                window.requestAnimationFrame = (draw) => next(() => draw(0));
                return new Promise((done) => window.requestAnimationFrame(done));
            });
            await ask(page, { step: { count: 100 } });
            await until(page, () => window.micado.time > 0.499);
            const [nowX, nowY] = await pixelOf(page, "bob", 0);
            assert.ok(Math.hypot(nowX - x, nowY - y) > 40, "it has moved away");
            await page.mouse.down();
            await page.mouse.move(x + 20, y);
            await page.mouse.move(x + 40, y);
            await until(page, () => window.micado.hand !== null);
            assert.equal(
                await page.evaluate(() => window.micado.table.constraints.find(({ hand }) => hand).on),
                "bob",
            );
        },
        SIZE,
    ));

test("a finger drags a rope, and with a second one pushes it away", () =>
    withPage(
        ["bridge"],
        async (page) => {
            await pause(page);
            // The user has chosen a view: it no longer follows.
            await page.locator("canvas.canvas").press("ArrowRight");
            const before = await page.evaluate(() => window.micado.rodPoint("hand_right", 30));
            const [x, y] = await pixelOf(page, "hand_right", 30);
            const touch = await fingers(page);
            // A finger is less exact than a mouse.
            await touch("touchStart", [{ x: x + 3, y: y - 12, id: 1 }]);
            for (let k = 1; k <= 6; k++) await touch("touchMove", [{ x, y: y - 12 - 8 * k, id: 1 }]);
            await ask(page, "play");
            await until(page, held);
            await until(page, (z) => window.micado.rodPoint("hand_right", 30)[2] > z + 0.1, before[2]);
            const away = () =>
                Math.hypot(
                    ...window.micado
                        .rodPoint("hand_right", 30)
                        .map((part, i) => part - window.micado.view[i]),
                );
            const near = await page.evaluate(away);
            const beside = { x: 400, y: 90, id: 2 };
            const view = () => page.evaluate(() => window.micado.view.map((part) => part.toFixed(6)));
            const seen = await view();
            await touch("touchStart", [{ x, y: y - 60, id: 1 }, beside]);
            for (let k = 1; k <= 6; k++) await touch("touchMove", [{ x, y: y - 60 - 8 * k, id: 1 }, beside]);
            await untilRead(page, away, (far) => far > near + 0.2);
            assert.deepEqual(await view(), seen, "the view stays");
            await touch("touchEnd", []);
            await until(page, noHands);
        },
        { ...SIZE, touch: true },
    ));

test("a drag on the background rotates the view; with shift a rod is pushed away from the camera", () =>
    withPage(
        ["bridge"],
        async (page) => {
            await pause(page);
            const camera = () =>
                page.evaluate(() =>
                    new URLSearchParams(location.hash.slice(1)).get("camera").split(",").map(Number),
                );
            const turn = async () => {
                const before = await page.evaluate(() => location.hash);
                await page.mouse.move(400, 110);
                await page.mouse.down();
                await page.mouse.move(460, 130, { steps: 4 });
                await page.mouse.up();
                await until(page, (old) => location.hash !== old, before);
            };
            await turn();
            const before = await camera();
            await turn();
            const [x, y, z, ...target] = await camera();
            assert.deepEqual(target, before.slice(3), "it turns about its target");
            const from = await page.evaluate(() => window.micado.rodPoint("hand_left", 32));
            const away = (point) => Math.hypot(point[0] - x, point[1] - y, point[2] - z);
            await aim(page, "hand_left", 32);
            await page.keyboard.down("Shift");
            await dragRod(page, "hand_left", 32, 0, -60);
            await ask(page, "play");
            await until(
                page,
                ([eye, least]) =>
                    Math.hypot(...window.micado.rodPoint("hand_left", 32).map((part, i) => part - eye[i])) >
                    least,
                [[x, y, z], away(from) + 0.1],
            );
            await page.keyboard.up("Shift");
            await page.mouse.up();
            await until(page, noHands);
        },
        { ...SIZE, calm: true },
    ));

test("the gizmo's arrow moves, its ring turns, and it pins both", () =>
    withPage(["bridge"], async (page) => {
        await pause(page);
        await page.keyboard.press("m");
        await clickRod(page, "hand_left", 34);
        await until(page, () => window.micado.hand !== null);
        const before = await page.evaluate(() => window.micado.rodPoint("hand_left", 34));
        const drag = async ([x, y], [dx, dy]) => {
            await page.mouse.move(x, y);
            await page.mouse.down();
            for (let k = 1; k <= 6; k++) await page.mouse.move(x + (dx * k) / 6, y + (dy * k) / 6);
            await page.mouse.up();
        };
        const [x, y] = await pixelOf(page, "hand_left", 34);
        // The arrow along z points up, and is longer than this.
        await drag([x, y - 42], [0, -50]);
        await ask(page, "play");
        await until(page, (z) => window.micado.rodPoint("hand_left", 34)[2] > z + 0.2, before[2]);
        await pause(page);
        await page.getByRole("button", { name: "Turn", exact: true }).click();
        await page.getByRole("button", { name: "Move", exact: true }).waitFor();
        const along = () => {
            const [a, b] = [33, 35].map((i) => window.micado.rodPoint("hand_left", i));
            const chord = b.map((part, i) => part - a[i]);
            return chord.map((part) => part / Math.hypot(...chord));
        };
        const straight = await page.evaluate(along);
        const [cx, cy] = await pixelOf(page, "hand_left", 34);
        await drag([cx + 38, cy - 40], [40, 40]);
        await ask(page, "play");
        await untilRead(
            page,
            along,
            (turned) => turned.reduce((sum, part, i) => sum + part * straight[i], 0) < 0.97,
        );
        await page.keyboard.press("p");
        await until(page, () =>
            window.micado.table.constraints.some(
                ({ name, kind }) => name.startsWith("pin") && kind === "clamp",
            ),
        );
        await page.getByRole("button", { name: "Let go", exact: true }).waitFor({ state: "detached" });
        await pause(page);
        await ask(page, "reset");
        await until(page, () => window.micado.time === 0);
        await clickRod(page, "hand_right", 30);
        await until(page, () => window.micado.hand !== null);
        // Undo ends the grab.
        await page.keyboard.press("Control+z");
        await until(page, noHands);
        await page.getByRole("button", { name: "Let go", exact: true }).waitFor({ state: "detached" });
        await nothingRefused(page);
    }));

test("a finger moves a mass by an arrow, and releases it by a button", () =>
    withPage(
        ["spring-weights"],
        async (page) => {
            await pause(page);
            const touch = await fingers(page);
            const tap = async (x, y) => {
                await touch("touchStart", [{ x, y }]);
                await touch("touchEnd", []);
            };
            await page.getByRole("button", { name: "Move and turn" }).tap();
            await tap(...(await pixelOf(page, "upper", 0)));
            await until(page, () => window.micado.hand !== null);
            assert.equal(
                await page.getByRole("button", { name: "Turn", exact: true }).count(),
                0,
                "a mass has no direction",
            );
            const before = await page.evaluate(() => window.micado.rodPoint("upper", 0));
            const [x, y] = await pixelOf(page, "upper", 0);
            await touch("touchStart", [{ x, y: y - 42 }]);
            for (let k = 1; k <= 6; k++) await touch("touchMove", [{ x, y: y - 42 - 8 * k }]);
            await touch("touchEnd", []);
            await ask(page, "play");
            await until(page, (z) => window.micado.rodPoint("upper", 0)[2] > z + 0.05, before[2]);
            await page.getByRole("button", { name: "Let go", exact: true }).tap();
            await until(page, noHands);
            await nothingRefused(page);
        },
        { ...SIZE, touch: true },
    ));
