import assert from "node:assert/strict";
import { test } from "node:test";
import { colourAt, colourStrip, type Rgb } from "../src/draw/colour-map.ts";
import { ColourRange, robustRange } from "../src/draw/colour-range.ts";
import { THEMES } from "../src/draw/themes.ts";

/** CIE lightness of an sRGB colour. */
function lightness(rgb: Rgb): number {
    const [r, g, b] = rgb.map((c) =>
        c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4,
    ) as Rgb;
    return 116 * Math.cbrt(0.2126 * r + 0.7152 * g + 0.0722 * b) - 16;
}

const THEME_NAMES = ["dark", "light"] as const;

test("the sequential maps become lighter all along, in even steps", () => {
    for (const theme of THEME_NAMES) {
        const at = (i: number): number => lightness(colourAt("sequential", theme, i / 9));
        const steps = Array.from({ length: 9 }, (_, i) => at(i + 1) - at(i));
        const mean = steps.reduce((sum, step) => sum + step, 0) / steps.length;
        for (const step of steps)
            assert.ok(step > 0.6 * mean && step < 1.5 * mean, `${theme}: ${step} against a mean of ${mean}`);
    }
});

test("the diverging maps differ most from the background in their middle, and are symmetric", () => {
    for (const theme of THEME_NAMES) {
        const sign = theme === "dark" ? 1 : -1;
        const middle = lightness(colourAt("diverging", theme, 0.5));
        for (const t of [0.1, 0.25, 0.4]) {
            const [left, right] = [
                lightness(colourAt("diverging", theme, t)),
                lightness(colourAt("diverging", theme, 1 - t)),
            ];
            assert.ok(sign * left < sign * middle && sign * right < sign * middle, theme);
            assert.ok(Math.abs(left - right) < 8, `${theme}: ${left} and ${right} at ${t}`);
        }
        // Blue and orange: distinct without red or green.
        assert.ok(colourAt("diverging", theme, 0)[2] > 150 && colourAt("diverging", theme, 1)[2] < 50);
    }
});

/** Contrast as WCAG has it, of two lightnesses. */
function contrast(a: number, b: number): number {
    const luminance = (value: number): number => ((value + 16) / 116) ** 3;
    return (luminance(Math.max(a, b)) + 0.05) / (luminance(Math.min(a, b)) + 0.05);
}

test("all colours of the dark maps have a contrast of 3 to 1 with the sky", () => {
    const sky = lightness(rgbOf(THEMES.dark.sky[1]));
    for (const kind of ["sequential", "diverging"] as const)
        for (let i = 0; i <= 20; i++) {
            const found = contrast(lightness(colourAt(kind, "dark", i / 20)), sky);
            assert.ok(found >= 3, `${kind} at ${i / 20}: ${found}`);
        }
});

test("the colour of arrows is in no map", () => {
    for (const theme of THEME_NAMES)
        for (const paint of [THEMES[theme].force, THEMES[theme].load])
            for (const kind of ["sequential", "diverging"] as const)
                for (let i = 0; i <= 20; i++) {
                    const apart = Math.hypot(
                        ...colourAt(kind, theme, i / 20).map((c, k) => c - (rgbOf(paint)[k] as number)),
                    );
                    assert.ok(apart > 60, `${theme}: ${paint} against ${kind} at ${i / 20}: ${apart}`);
                }
});

/** The three numbers of `#rrggbb`. */
function rgbOf(hex: string): Rgb {
    return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as Rgb;
}

test("values beyond the range get the colour of its end; NaN that of its start", () => {
    const at = (t: number): Rgb => colourAt("sequential", "dark", t);
    assert.deepEqual(at(7), at(1));
    assert.deepEqual(at(-7), at(0));
    assert.deepEqual(at(NaN), at(0));
    assert.deepEqual([...colourStrip("sequential", "dark", 64).slice(-4, -1)], at(1));
});

test("a spike among a hundred values doesn't set the range", () => {
    const values = Array.from({ length: 200 }, (_, i) => i / 200);
    values[17] = 1e9;
    const range = robustRange(values);
    assert.ok(range !== null && range.high < 1.01 && range.low >= 0);
    assert.equal(robustRange([NaN, NaN]), null);
});

test("a quantity of one sign is shown from zero; with two signs zero has the middle colour", () => {
    const range = new ColourRange();
    range.see([2, 3, 5], false);
    assert.deepEqual(
        [range.kind, range.shown, range.scale],
        ["sequential", { low: 0, high: 5 }, { low: 0, high: 5 }],
    );
    range.see([-1, 3, 5], false);
    assert.deepEqual(
        [range.kind, range.shown, range.scale],
        ["diverging", { low: -1, high: 5 }, { low: -5, high: 5 }],
    );
    range.see([2, 3, 5], false);
    assert.equal(range.kind, "diverging", "values near zero don't switch the map repeatedly");
    settle(range, 2000);
    range.see([-0.01, 3, 5], false);
    assert.equal(range.kind, "sequential", "values of one sign do in the end");
    range.see([-1, 3, 5], false);
    range.see([-0.01, 3, 5], true);
    assert.deepEqual([range.kind, range.shown], ["sequential", { low: 0, high: 5 }]);
    range.fix({ low: -4, high: 2 });
    assert.deepEqual([range.kind, range.scale], ["diverging", { low: -4, high: 4 }]);
});

/** Settles over a time, in pictures of 20 ms; returns the upper ends of the range. */
function settle(range: ColourRange, milliseconds: number): number[] {
    return Array.from({ length: milliseconds / 20 }, (_, i) => {
        range.settle(1e6 + 20 * i);
        return range.shown?.high ?? NaN;
    });
}

test("the range grows at once, settles in a second, or at once after a jump, and stays when fixed", () => {
    const range = new ColourRange();
    const see = (value: number, atOnce = false): void => range.see(new Array<number>(50).fill(value), atOnce);
    see(10);
    assert.equal(range.shown?.high, 10);
    see(40);
    assert.equal(range.shown?.high, 40);
    range.settle(1e6 - 20);
    see(10);
    assert.equal(range.shown?.high, 40);
    const highs = settle(range, 1000);
    assert.ok(
        highs.every((high, i) => i === 0 || high <= (highs[i - 1] as number)),
        "gradually",
    );
    assert.ok((highs[0] as number) > 36 && (highs[24] as number) < 20, String(highs));
    assert.equal(highs.at(-1), 10);
    assert.equal(range.settle(1e7), false, "no further pictures are needed");
    see(3, true);
    assert.equal(range.shown?.high, 3);
    range.fix({ low: 1, high: 2 });
    see(100);
    assert.deepEqual(range.shown, { low: 1, high: 2 });
});
