/** Rings and caps of all strands as one indexed geometry, rebuilt only when the table changes. */

import { BufferGeometry, Float32BufferAttribute, Int8BufferAttribute, Uint32BufferAttribute } from "three";

/** A line of points that is drawn as a tube. */
export interface Strand {
    /** Index of its first point. */
    first: number;
    points: number;
    closed: boolean;
}

/** Rings of a round cap, without the tip. */
const CAP_RINGS = 2;

/** Approximate largest number of rings: with more points, only every second, third, … gets one. */
const MOST_RINGS = 3600;
/** Number of rings up to which there are several between two points, so that coarse rods look smooth too. */
const MOST_FINE_RINGS = 1600;
const MOST_PER_SPAN = 4;
/** Least number of rings of a strand, if it has the points. */
const LEAST_RINGS = 32;

/** Sides of the tubes: fewer the more rings there are. */
export function sidesFor(rings: number): number {
    return rings <= 1500 ? 12 : rings <= 3000 ? 10 : 8;
}

/** Rings per span between two points, for so many points in all; less than one if some points get none. */
export function ringsPerSpan(points: number): number {
    if (points > MOST_RINGS) return 1 / Math.ceil(points / MOST_RINGS);
    return Math.min(Math.max(Math.floor(MOST_FINE_RINGS / points), 1), MOST_PER_SPAN);
}

/** The positions of the rings of a strand, in units of points, from its first to its last. */
export function ringPlaces(points: number, perSpan: number): number[] {
    if (perSpan >= 1) return Array.from({ length: perSpan * (points - 1) + 1 }, (_, i) => i / perSpan);
    const spans = Math.max(Math.min(points, LEAST_RINGS) - 1, Math.ceil((points - 1) * perSpan));
    return Array.from({ length: spans + 1 }, (_, i) => Math.round((i * (points - 1)) / spans));
}

export function tubeGeometry(strands: Strand[], points: number): BufferGeometry {
    const perSpan = ringsPerSpan(points);
    const sides = sidesFor(perSpan * points);
    const around: number[] = [];
    const ringOf: number[] = [];
    const index: number[] = [];
    const columns = sides + 1;
    let vertices = 0;
    strands.forEach((strand, rod) => {
        if (strand.points < 2) return;
        const last = strand.points - 1;
        /**
         * Index of a point; beyond an end that of the end, or of the next one in a ring, whose last point is
         * its first.
         */
        const numberOf = (point: number): number =>
            strand.first + (strand.closed ? (point + last) % last : Math.min(Math.max(point, 0), last));
        let rings = 0;
        const ring = (place: number, cap: number): void => {
            const span = Math.min(Math.floor(place), last - 1);
            const four = [span - 1, span, span + 1, span + 2].map(numberOf);
            for (let side = 0; side < columns; side++) {
                around.push(...four);
                ringOf.push(place - span, cap, (2 * Math.PI * side) / sides, rod);
            }
            rings++;
        };
        const cap = (step: number): number => (step * Math.PI) / 2 / (CAP_RINGS + 1);
        if (!strand.closed) for (let k = CAP_RINGS + 1; k > 0; k--) ring(0, -cap(k));
        for (const place of ringPlaces(strand.points, perSpan)) ring(place, 0);
        if (!strand.closed) for (let k = 1; k <= CAP_RINGS + 1; k++) ring(last, cap(k));
        for (let r = 0; r + 1 < rings; r++) {
            for (let side = 0; side < sides; side++) {
                const a = vertices + r * columns + side;
                const b = a + columns;
                index.push(a, a + 1, b, b, a + 1, b + 1);
            }
        }
        vertices += rings * columns;
    });
    const geometry = new BufferGeometry();
    geometry.setAttribute("around", new Float32BufferAttribute(around, 4));
    geometry.setAttribute("ring", new Float32BufferAttribute(ringOf, 4));
    // Without normals, three.js would use flat shading; the shader computes the true ones.
    geometry.setAttribute("normal", new Int8BufferAttribute(new Int8Array(3 * vertices), 3));
    geometry.setIndex(new Uint32BufferAttribute(index, 1));
    return geometry;
}
