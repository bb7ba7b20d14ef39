// A scene of many rods (hanging cables side by side, held at both ends, shaken at one), and the page's work
// for a frame of it.
import { pixelOf, until } from "./helpers.mjs";

/** `count` rods of `segments` segments each, with three more control points than segments. */
export function manyRods(count, segments) {
    const lines = ['title = "Many rods"', "", "[settings]", "duration = 600", 'step = "20 ms"', ""];
    for (let k = 0; k < count; k++) {
        const y = 0.1 * k;
        lines.push(
            `[rod.r${k}]`,
            `shape.slack = { from = [0, ${y}, 0], to = [2, ${y}, 0], length = 2.4 }`,
            'radius = "6 mm"',
            'young = "20 MPa"',
            "density = 1200",
            `segments = ${segments}`,
            'damping = { internal = "5 ms", mass = 1 }',
            "",
            `[constraint.left${k}.position]`,
            `on = "r${k}"`,
            'at = "start"',
            "displacement.harmonic.amplitude = [0, 0, 0.15]",
            "displacement.harmonic.frequency = 0.7",
            `displacement.harmonic.phase = ${(0.3 * k).toFixed(2)}`,
            "",
            `[constraint.right${k}.position]`,
            `on = "r${k}"`,
            'at = "end"',
            "",
        );
    }
    return lines.join("\n");
}

/** Number of measured frames: enough for a meaningful maximum. */
const FRAMES = 60;

/**
 * The page's own work for a frame, as text: reading the message, state, panels, picking, and drawing up to
 * the calls to the renderer. With everything that costs: arrows and their labels, the constraints panel, and
 * the pointer on the middle of rod `name`.
 */
export async function measureWork(page, name) {
    // Coarse pixels: the software renderer of the tests does not count.
    const client = await page.context().newCDPSession(page);
    const { width, height } = page.viewportSize();
    await client.send("Emulation.setDeviceMetricsOverride", {
        width: width + 1,
        height,
        deviceScaleFactor: 0.25,
        mobile: false,
    });
    await page.locator("button[aria-label='Forces of constraints']").click();
    await page.locator("[data-panel=constraints]").click();
    const points = await page.evaluate(
        (rod) => window.micado.table.objects.find((one) => one.name === rod).points,
        name,
    );
    await page.mouse.move(...(await pixelOf(page, name, Math.floor(points / 2))));
    // Some rod passes by.
    await until(page, () => window.micado.hover !== null);
    await page.evaluate(() => window.micado.clearWork());
    await until(page, (count) => window.micado.workMs.count >= count, FRAMES);
    const { work, render, vertices, all } = await page.evaluate(() => ({
        work: window.micado.workMs,
        render: window.micado.renderMs,
        vertices: window.micado.vertices,
        all: window.micado.table.objects.reduce((sum, one) => sum + one.points, 0),
    }));
    const words = ({ median, p95, worst }) =>
        `median ${median.toFixed(2)}, 95 % ${p95.toFixed(2)}, worst ${worst.toFixed(2)} ms`;
    const times = `own work a frame: ${words(work)}; calls to the renderer: ${words(render)}`;
    return `${all} points, ${vertices} vertices; ${times}`;
}
