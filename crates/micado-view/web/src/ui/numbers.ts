/** Readable numbers: three digits, with a prefix before the unit if it helps. */

import type { ReadValue } from "../wire/generated/protocol.ts";

const PREFIXES: [number, string][] = [
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
    [1, ""],
    [1e-3, "m"],
    [1e-6, "µ"],
    [1e-9, "n"],
];

/** Units that take a prefix; others get a power of ten. */
const PREFIXED = new Set(["N", "m", "N·m", "J", "s", "Hz", "W", "N/m", "m/s", "Pa", "rad"]);

/** Three significant digits, without an exponent if that is short. */
export function digits(value: number, count = 3): string {
    if (!Number.isFinite(value)) return "–";
    if (value === 0) return "0";
    const size = Math.abs(value);
    if (size >= 1e5 || size < 1e-4)
        return value
            .toExponential(count - 1)
            .replace("e+", "e")
            .replace("-", "−");
    const rounded = Number(value.toPrecision(count));
    return (Math.abs(rounded) >= 10 ** count ? String(rounded) : value.toPrecision(count)).replace("-", "−");
}

/** A value with its unit: `12.3 mm`, `4.50 kN`. */
export function quantity(value: number | null | undefined, unit: string): string {
    if (value === null || value === undefined || !Number.isFinite(value)) return "–";
    const size = Math.abs(value);
    if (size === 0) return `0 ${unit}`;
    if (!PREFIXED.has(unit)) return `${digits(value)} ${unit}`.trimEnd();
    const [factor, prefix] = PREFIXES.find(([one]) => size >= 0.9995 * one) ?? [1, ""];
    if (size < 1e-9) return `0 ${unit}`;
    return `${digits(value / factor)} ${prefix}${unit}`;
}

const ANGLES = new Set(["tangent", "roll"]);
/** Kinds with rows for lengths and for angles: the residual is the larger number. */
const BOTH = new Set(["clamp", "clip", "fusion", "keyhole"]);

/** Residual of a constraint of this kind, with its unit. */
export function residualText(kind: string, value: number): string {
    return quantity(value, ANGLES.has(kind) ? "rad" : BOTH.has(kind) ? "m or rad" : "m");
}

/** Seconds as `12.34 s`. */
export function clock(seconds: number): string {
    return `${seconds.toFixed(seconds < 100 ? 2 : 1)} s`;
}

/** A value of an object with its unit: a number, or the components of a vector. */
export function readText({ value, unit }: ReadValue): string {
    if (value.length > 1)
        return `${value.map((part) => (part === null ? "–" : digits(part))).join(", ")} ${unit}`.trimEnd();
    const number = value[0] ?? null;
    if (number !== null && unit === "kg") return mass(number);
    if (number !== null && unit === "") return digits(number, 5);
    return quantity(number, unit);
}

function mass(kilograms: number): string {
    return kilograms >= 1 ? `${digits(kilograms)} kg` : `${digits(1000 * kilograms)} g`;
}
