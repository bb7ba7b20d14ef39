/**
 * Forces as straight arrows and moments as curved ones, with values: of loads always, of constraints on
 * request.
 */

import { Vector3, type Color } from "three";
import type { Frame } from "../wire/decode.ts";
import { CONSTRAINT, LOAD } from "../wire/generated/frame.ts";
import type { MarkerKind } from "../wire/generated/protocol.ts";
import { quantity } from "../ui/numbers.ts";
import { vectorAt, type Sketch } from "./sketch.ts";

interface Arrow {
    kind: "force" | "moment";
    place: Vector3;
    vector: Vector3;
    /** Magnitude of the vector, N or N·m. */
    size: number;
    colour: Color;
    look: "load" | "force";
    hand: boolean;
    /** The rod that it acts on, if known. */
    on: string | null;
}

/** The longest arrow, as a share of the size of the scene. */
const LONGEST = 0.16;
/** Arrows of less than this share of the largest force or moment are left out. */
const LEAST = 0.01;
/** Shortest lever, as a share of the size of the scene, at which the largest force scales the moments. */
const LEAST_LEVER = 0.02;
const MOST_LABELS = 24;
/** Constraints on directions, whose moment is shown. */
const TURNING = new Set<MarkerKind>(["clamp", "jaws", "roll", "tangent"]);
/** Width of the edge of an arrow, px. */
const EDGE = 1.3;

export class Arrows {
    /**
     * The largest force and moment, N and N·m: they grow at once and shrink slowly, so that arrows stay
     * comparable.
     */
    readonly #scales = { force: 0, moment: 0 };

    forget(): void {
        this.#scales.force = this.#scales.moment = 0;
    }

    draw(sketch: Sketch, constraints: boolean): void {
        const arrows = this.#collect(sketch, constraints);
        const scales = this.#scales;
        scales.force *= 0.995;
        scales.moment *= 0.995;
        for (const { kind, size } of arrows) scales[kind] = Math.max(scales[kind], size);
        // Moments that are small next to the forces at a lever of the scene's size are not scaled up.
        scales.moment = Math.max(scales.moment, LEAST_LEVER * sketch.stage.size * scales.force);
        const share = ({ kind, size }: Arrow): number => size / scales[kind];
        arrows.sort((a, b) => share(b) - share(a));
        let labels = 0;
        for (const arrow of arrows) {
            if (share(arrow) < LEAST) continue;
            const [tail, tip] =
                arrow.kind === "force"
                    ? drawArrow(sketch, arrow, share(arrow))
                    : drawTurn(sketch, arrow, share(arrow));
            sketch.stage.sink(Math.min(tail.z, tip.z));
            if (arrow.hand || labels++ >= MOST_LABELS) continue;
            const text = quantity(arrow.size, arrow.kind === "force" ? "N" : "N·m");
            sketch.labels.putBeyond(tail, tip, text, arrow.look);
        }
    }

    #collect({ frame, layout, paints }: Sketch, all: boolean): Arrow[] {
        const arrows: Arrow[] = [];
        const add = (
            list: Float32Array,
            place: number,
            vector: number,
            rest: Omit<Arrow, "place" | "vector" | "size">,
        ): void => {
            const size = Math.hypot(list[vector]!, list[vector + 1]!, list[vector + 2]!);
            if (!(size > 0) || !Number.isFinite(list[place])) return;
            arrows.push({ place: vectorAt(list, place), vector: vectorAt(list, vector), size, ...rest });
        };
        layout.table.loads.forEach(({ kind }, i) => {
            const offset = i * LOAD.stride;
            add(frame.loads, offset + LOAD.place, offset + LOAD.force, {
                kind: kind === "moment" ? "moment" : "force",
                colour: paints.load,
                look: "load",
                hand: false,
                on: null,
            });
        });
        layout.table.constraints.forEach(({ hand, on, marker }, i) => {
            if (!all && !hand) return;
            const offset = i * CONSTRAINT.stride;
            const rest = { colour: hand ? paints.hand : paints.force, look: "force", hand, on } as const;
            add(frame.constraints, offset + CONSTRAINT.place, offset + CONSTRAINT.force, {
                kind: "force",
                ...rest,
            });
            if (TURNING.has(marker.kind))
                add(frame.constraints, offset + CONSTRAINT.place, offset + CONSTRAINT.moment, {
                    kind: "moment",
                    ...rest,
                });
        });
        return arrows;
    }
}

/**
 * Where arrows may end in a scene of that size, on either side of their places: the side is chosen when they
 * are drawn. The camera includes them.
 */
export function arrowEnds({ loads, constraints }: Frame, size: number, all: boolean): Vector3[] {
    const lists = [{ list: loads, ...LOAD }, ...(all ? [{ list: constraints, ...CONSTRAINT }] : [])];
    const arrows = lists.flatMap(({ list, stride, place, force }) =>
        Array.from(
            { length: list.length / stride },
            (_, i) => [vectorAt(list, i * stride + place), vectorAt(list, i * stride + force)] as const,
        ),
    );
    const largest = Math.max(...arrows.map(([, force]) => force.length()));
    if (!(largest > 0)) return [];
    const longest = (LONGEST * size) / (1 - LONGEST);
    return arrows.flatMap(([place, force]) =>
        [-1, 1].map((side) => place.clone().addScaledVector(force, (side * longest) / largest)),
    );
}

/** Draws one arrow, `share` of the longest; returns its blunt end and the place of its label. */
function drawArrow(sketch: Sketch, arrow: Arrow, share: number): [Vector3, Vector3] {
    const { stage, glyphs, paints } = sketch;
    const pixel = stage.pixelAt(arrow.place);
    const along = arrow.vector.clone().divideScalar(arrow.size);
    const length = Math.max(LONGEST * stage.size * share, 16 * pixel);
    const head = Math.min(0.45 * length, 14 * pixel);
    const ends = endsThere(sketch, arrow, along);
    const start = ends ? arrow.place.clone().addScaledVector(along, -length) : arrow.place;
    const neck = start.clone().addScaledVector(along, length - head);
    const tip = neck.clone().addScaledVector(along, head);
    const edge = EDGE * pixel;
    const wide = 0.42 * head;
    glyphs.bar("edge", start.clone().addScaledVector(along, -edge), neck, 1.7 * pixel + edge, paints.edge);
    const below = neck.clone().addScaledVector(along, -edge);
    glyphs.put(
        "cone",
        "edge",
        below,
        along,
        null,
        [wide + 1.6 * edge, wide + 1.6 * edge, head + 4 * edge],
        paints.edge,
    );
    glyphs.bar("bare", start, neck, 1.7 * pixel, arrow.colour);
    glyphs.put("cone", "bare", neck, along, null, [wide, wide, head], arrow.colour);
    return ends ? [tip, start] : [start, tip];
}

/**
 * Whether an arrow ends at its place instead of starting there: true for loads; for reactions only if it
 * would otherwise lie in the rod that ends there.
 */
function endsThere({ layout, frame, stage }: Sketch, { on, place, look }: Arrow, along: Vector3): boolean {
    const { positions } = frame;
    const usual = look === "load";
    const held = on === null ? undefined : layout.object(on);
    for (const { entry, first } of held === undefined ? layout.rods : [held]) {
        if (entry.points < 2) continue;
        const last = first + entry.points - 1;
        for (const [end, inner] of [
            [first, first + 1],
            [last, last - 1],
        ] as const) {
            const [x, y, z] = [positions[3 * end]!, positions[3 * end + 1]!, positions[3 * end + 2]!];
            if (Math.hypot(x - place.x, y - place.y, z - place.z) > 1e-3 * stage.size) continue;
            const inward = vectorAt(positions, 3 * inner).sub(vectorAt(positions, 3 * end));
            const slant = inward.dot(along) / Math.max(inward.length(), 1e-30);
            return usual ? slant > -0.5 : slant > 0.5;
        }
    }
    return usual;
}

/** Draws a curved arrow about its moment; returns its middle and the place of its label. */
function drawTurn(
    { stage, glyphs, paints }: Sketch,
    { place, vector, colour }: Arrow,
    share: number,
): [Vector3, Vector3] {
    const pixel = stage.pixelAt(place);
    const radius = (18 + 16 * share) * pixel;
    const size: [number, number, number] = [radius, radius, radius];
    glyphs.put("turnEdge", "edge", place, vector, null, size, paints.edge);
    glyphs.put("turn", "bare", place, vector, null, size, colour);
    const up = new Vector3().setFromMatrixColumn(stage.camera.matrixWorld, 1);
    return [place, place.clone().addScaledVector(up, radius)];
}
