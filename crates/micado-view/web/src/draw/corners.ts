/** Discrete rods are polygons with points on their edges; they are drawn as smooth curves. */

import type { Layout } from "../state/layout.ts";

/** A rod that turns less than this between points can't be classified yet, rad. */
const STRAIGHT = 0.01;
/**
 * Two points away from a corner, a polygon turns less than this share of the corner: the rest is rounding.
 */
const BESIDE = 0.05;

/**
 * Whether a line of points is a polygon with some points on each edge, judged at its sharpest turn; null
 * while it is straight.
 */
export function isPolygon(positions: Float32Array, first: number, points: number): boolean | null {
    let [sharpest, at] = [0, 0];
    for (let i = 1; i + 1 < points; i++) {
        const turn = turnAt(positions, first + i);
        if (turn > sharpest) [sharpest, at] = [turn, i];
    }
    if (sharpest < STRAIGHT) return null;
    const inside = [at - 2, at + 2].filter((i) => i > 0 && i + 1 < points);
    return inside.length > 0 && inside.every((i) => turnAt(positions, first + i) < BESIDE * sharpest);
}

/** The sine of the angle by which the line turns at a point. */
function turnAt(p: Float32Array, point: number): number {
    const at = 3 * point;
    const [x, y, z] = [p[at]!, p[at + 1]!, p[at + 2]!];
    const [ax, ay, az] = [x - p[at - 3]!, y - p[at - 2]!, z - p[at - 1]!];
    const [bx, by, bz] = [p[at + 3]! - x, p[at + 4]! - y, p[at + 5]! - z];
    const across = Math.hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx);
    const lengths = Math.hypot(ax, ay, az) * Math.hypot(bx, by, bz);
    return lengths > 0 ? across / lengths : 0;
}

/**
 * Writes the mean of a polygon over one edge (four spans) around each point to `target`: the curve that
 * touches the middles of its edges. Ends stay in place.
 */
export function roundOff(
    positions: Float32Array,
    target: Float32Array,
    first: number,
    points: number,
    closed: boolean,
): void {
    const last = points - 1;
    for (let i = 0; i < points; i++) {
        const reach = closed ? 2 : Math.min(2, i, last - i);
        for (let c = 0; c < 3; c++) {
            let sum = 0;
            for (let k = -reach; k <= reach; k++) {
                const point = closed ? (i + k + last) % last : i + k;
                sum += (Math.abs(k) === reach ? 0.5 : 1) * positions[3 * (first + point) + c]!;
            }
            target[3 * (first + i) + c] = reach === 0 ? positions[3 * (first + i) + c]! : sum / (2 * reach);
        }
    }
}

export class Corners {
    /** Classified rods, by name. */
    readonly #known = new Map<string, boolean>();
    #rounded = new Float32Array();

    /** Another scene. */
    forget(): void {
        this.#known.clear();
    }

    /** The drawn points: those of polygons lie on curves. */
    round(layout: Layout, positions: Float32Array): Float32Array {
        for (const { entry, first } of layout.rods) {
            if (this.#known.has(entry.name)) continue;
            const polygon = isPolygon(positions, first, entry.points);
            if (polygon !== null) this.#known.set(entry.name, polygon);
        }
        const polygons = layout.rods.filter(({ entry }) => this.#known.get(entry.name) === true);
        if (polygons.length === 0) return positions;
        if (this.#rounded.length !== positions.length) this.#rounded = new Float32Array(positions.length);
        this.#rounded.set(positions);
        for (const { entry, first } of polygons)
            roundOff(positions, this.#rounded, first, entry.points, entry.closed);
        return this.#rounded;
    }
}
