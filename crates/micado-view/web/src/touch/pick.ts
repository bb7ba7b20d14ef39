/** Finds objects under the pointer by their distance in pixels, on the CPU. */

import type { Matrix4Tuple } from "three";
import type { Layout } from "../state/layout.ts";
import type { Place } from "../state/store.ts";
import type { Frame } from "../wire/decode.ts";
import { CONSTRAINT } from "../wire/generated/frame.ts";
import type { Vector } from "../wire/generated/scene.ts";

/** Projects points of the world to pixels and depth: a 4 × 4 matrix, and the size of the view. */
export interface Projection {
    /** Elements in columns, as in three.js. */
    matrix: Matrix4Tuple;
    width: number;
    height: number;
    /** The size of a pixel at distance 1. */
    pixel: number;
}

export interface Pick {
    place: Place;
    /** Distance on the screen, px. */
    distance: number;
    depth: number;
}

/** Largest distance of rods from the pointer, px; fingers are less exact. */
export const REACH = { mouse: 9, touch: 22 } as const;
/** A nearer object wins if it is at most this much further away on the screen, px. */
const TIE = 4;

/** Pixels and depth (w, the distance along the direction of view) of all points. */
export function projectPoints(
    positions: Float32Array,
    { matrix: m, width, height }: Projection,
): Float64Array {
    const points = positions.length / 3;
    const seen = new Float64Array(3 * points);
    const [m0, m1, , m3, m4, m5, , m7, m8, m9, , m11, m12, m13, , m15] = m;
    for (let i = 0; i < seen.length; i += 3) {
        const [x, y, z] = [positions[i]!, positions[i + 1]!, positions[i + 2]!];
        const w = m3 * x + m7 * y + m11 * z + m15;
        const inverse = w > 0 ? 1 / w : NaN;
        seen[i] = (0.5 + 0.5 * (m0 * x + m4 * y + m8 * z + m12) * inverse) * width;
        seen[i + 1] = (0.5 - 0.5 * (m1 * x + m5 * y + m9 * z + m13) * inverse) * height;
        seen[i + 2] = w;
    }
    return seen;
}

function better(found: Pick | null, distance: number, depth: number): boolean {
    if (found === null) return true;
    if (distance < found.distance - TIE) return true;
    return distance < found.distance + TIE && depth < found.depth;
}

/** The place of an object at pixel (x, y), no further than `reach` from it. */
export function pickObject(
    layout: Layout,
    frame: Frame,
    projection: Projection,
    x: number,
    y: number,
    reach: number,
): Pick | null {
    const seen = projectPoints(frame.positions, projection);
    let found: Pick | null = null;
    for (const { entry, first } of layout.objects) {
        // A ray finds bodies by their surface. The floor can't be grabbed.
        if (entry.mesh !== null || entry.kind === "floor") continue;
        if (entry.kind !== "rod") {
            const [px, py, depth] = [seen[3 * first]!, seen[3 * first + 1]!, seen[3 * first + 2]!];
            const radius = (entry.radii[0] ?? 0) / Math.max(projection.pixel * depth, 1e-12);
            const distance = Math.max(0, Math.hypot(px - x, py - y) - radius);
            // A pearl is picked by its constraint.
            if (entry.kind !== "pearl" && distance <= reach && better(found, distance, depth)) {
                found = { place: { kind: "object", on: entry.name }, distance, depth };
            }
            continue;
        }
        for (let i = 0; i + 1 < entry.points; i++) {
            const a = 3 * (first + i);
            const [ax, ay, bx, by] = [seen[a]!, seen[a + 1]!, seen[a + 3]!, seen[a + 4]!];
            // Bounding boxes first: most spans are far away. NaN (behind the camera) is never near.
            if (!(
                Math.min(ax, bx) - reach <= x &&
                x <= Math.max(ax, bx) + reach &&
                Math.min(ay, by) - reach <= y &&
                y <= Math.max(ay, by) + reach
            ))
                continue;
            const [dx, dy] = [bx - ax, by - ay];
            const square = dx * dx + dy * dy;
            const onScreen =
                square > 0 ? Math.min(Math.max(((x - ax) * dx + (y - ay) * dy) / square, 0), 1) : 0;
            const distance = Math.hypot(ax + onScreen * dx - x, ay + onScreen * dy - y);
            if (distance > reach) continue;
            // Perspective: weigh by the depths.
            const [near, far] = [seen[a + 2]!, seen[a + 5]!];
            const share = (onScreen * near) / ((1 - onScreen) * far + onScreen * near);
            const depth = near + share * (far - near);
            if (!better(found, distance, depth)) continue;
            const at = ((i + share) / (entry.points - 1)) * entry.length;
            found = { place: { kind: "rod", on: entry.name, at }, distance, depth };
        }
    }
    return found;
}

/** The nearer of an object and of a body that a ray meets at `depth`. */
export function nearer(object: Pick | null, on: string, point: Vector, depth: number): Pick {
    if (object !== null && object.depth < depth) return object;
    return { place: { kind: "object", on, point }, distance: 0, depth };
}

/** The constraint whose marker is at pixel (x, y). */
export function pickConstraint(
    layout: Layout,
    frame: Frame,
    projection: Projection,
    x: number,
    y: number,
    reach: number,
): Pick | null {
    let found: Pick | null = null;
    layout.table.constraints.forEach((entry, index) => {
        if (entry.hand || entry.marker.kind === "pearl") return;
        const offset = index * CONSTRAINT.stride;
        const place = frame.constraints.slice(offset, offset + 3);
        const link = entry.marker.kind === "distance";
        // A link is best picked in its middle, away from rods.
        if (link)
            for (let c = 0; c < 3; c++)
                place[c] = 0.5 * (place[c]! + frame.constraints[offset + CONSTRAINT.centre + c]!);
        const seen = projectPoints(place, projection);
        const distance = Math.hypot(seen[0]! - x, seen[1]! - y);
        const depth = seen[2]!;
        if (distance <= reach && better(found, distance, depth)) {
            found = { place: { kind: "constraint", name: entry.name }, distance, depth };
        }
    });
    return found;
}
