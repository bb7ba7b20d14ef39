/** Masses, pearls, bodies without a surface, and springs. */

import { Line3, Vector3 } from "three";
import type { Layout } from "../state/layout.ts";
import type { Frame } from "../wire/decode.ts";
import { SPRING } from "../wire/generated/frame.ts";
import { atLeast, drawSupport, vectorAt, type Sketch } from "./sketch.ts";

const UP = new Vector3(0, 0, 1);

export function drawBodies(sketch: Sketch): void {
    const { layout, frame, glyphs, paints } = sketch;
    for (const { entry, first } of layout.objects) {
        // Meshes of bodies are drawn by `solids.ts`; those of solids not yet.
        if (entry.kind === "rod" || entry.kind === "solid" || entry.mesh !== null) continue;
        // The ground shows the floor.
        if (entry.kind === "floor") continue;
        const place = vectorAt(frame.positions, 3 * first);
        const radius = atLeast(sketch, place, entry.radii[0] ?? 0, entry.kind === "mass" ? 7 : 4);
        const looked = sketch.hover?.kind === "object" && sketch.hover.on === entry.name;
        const colour =
            sketch.trouble?.object === entry.name
                ? paints.trouble
                : looked
                  ? paints.hover
                  : paints[entry.kind === "pearl" ? "pearl" : "mass"];
        glyphs.put(
            entry.kind === "mass" ? "globe" : "ball",
            "solid",
            place,
            UP,
            null,
            [radius, radius, radius],
            colour,
        );
    }
    for (const { on, at } of layout.table.winches) drawDrum(sketch, on, at);
    const fixed = fixedEnds(layout, frame);
    layout.table.springs.forEach((_, index) => {
        const from = vectorAt(frame.springs, index * SPRING.stride + SPRING.from);
        const to = vectorAt(frame.springs, index * SPRING.stride + SPRING.to);
        const length = from.distanceTo(to);
        if (!(length > 1e-9)) return;
        const radius = Math.min(
            0.12 * length,
            Math.max(0.014 * sketch.stage.size, 4 * sketch.stage.pixelAt(from)),
        );
        drawCoil(sketch, from, to, radius);
        if (fixed[2 * index]) drawSupport(sketch, from, to.clone().sub(from), 1.6 * radius, paints.marker);
        if (fixed[2 * index + 1]) drawSupport(sketch, to, from.clone().sub(to), 1.6 * radius, paints.marker);
    });
}

const fixedOf = new WeakMap<Layout, boolean[]>();

/** Whether the ends of springs, two each, are fixed in the world: those on no object in the first frame. */
function fixedEnds(layout: Layout, { springs, positions }: Frame): boolean[] {
    const known = fixedOf.get(layout);
    if (known !== undefined) return known;
    const onObject = (place: Vector3): boolean =>
        layout.objects.some(({ entry, first }) => {
            for (let i = 0; i < entry.points; i++) {
                const point = vectorAt(positions, 3 * (first + i));
                const next = vectorAt(positions, 3 * (first + Math.min(i + 1, entry.points - 1)));
                const span = new Line3(point, next);
                const nearest =
                    span.distance() > 0 ? span.closestPointToPoint(place, true, new Vector3()) : point;
                if (nearest.distanceTo(place) < 0.01 * span.distance() + 1e-6) return true;
            }
            return false;
        });
    const fixed = layout.table.springs.flatMap((_, index) =>
        [SPRING.from, SPRING.to].map((end) => !onObject(vectorAt(springs, index * SPRING.stride + end))),
    );
    fixedOf.set(layout, fixed);
    return fixed;
}

/** The drum of a winch, at its end of the rod. */
function drawDrum(sketch: Sketch, on: string, at: "start" | "end"): void {
    const rod = sketch.layout.object(on);
    if (rod === undefined || rod.entry.points < 2) return;
    const end = rod.first + (at === "start" ? 0 : rod.entry.points - 1);
    const place = vectorAt(sketch.frame.positions, 3 * end);
    const along = vectorAt(sketch.frame.positions, 3 * (at === "start" ? end + 1 : end - 1)).sub(place);
    const axis = new Vector3(along.y, -along.x, 0);
    if (axis.lengthSq() < 1e-4 * along.lengthSq()) axis.set(0, 1, 0);
    axis.normalize();
    const radius = Math.min(
        atLeast(sketch, place, 3 * sketch.layout.radius(on), 11),
        0.05 * sketch.stage.size,
    );
    const middle = place.clone().addScaledVector(new Vector3().crossVectors(axis, along).normalize(), radius);
    const half = axis.clone().multiplyScalar(1.2 * radius);
    sketch.glyphs.bar(
        "solid",
        middle.clone().sub(half),
        middle.clone().add(half),
        0.92 * radius,
        sketch.paints.mass,
    );
    const axle = axis.clone().multiplyScalar(1.9 * radius);
    sketch.glyphs.bar(
        "solid",
        middle.clone().sub(axle),
        middle.clone().add(axle),
        0.4 * radius,
        sketch.paints.link,
    );
    for (const side of [-1, 1]) {
        const outer = middle.clone().addScaledVector(half, side);
        sketch.glyphs.bar(
            "solid",
            outer,
            outer.clone().addScaledVector(axis, 0.25 * radius * side),
            1.45 * radius,
            sketch.paints.marker,
        );
    }
}

const TURNS = 9;
const PARTS = 12;

/** A coil between two points, of short bars, with straight ends. */
function drawCoil({ glyphs, paints, stage }: Sketch, from: Vector3, to: Vector3, radius: number): void {
    const along = to.clone().sub(from);
    const across = new Vector3(along.y, -along.x, 0);
    if (across.lengthSq() < 1e-12 * along.lengthSq()) across.set(1, 0, 0);
    across.normalize();
    const beside = new Vector3().crossVectors(along, across).normalize();
    const thickness = Math.max(0.13 * radius, 1.3 * stage.pixelAt(from));
    const count = TURNS * PARTS;
    let before = from;
    for (let i = 0; i <= count; i++) {
        const inner = i / count;
        const wide = radius * Math.min(1, 14 * inner, 14 * (1 - inner));
        const angle = (2 * Math.PI * i) / PARTS;
        const point = from
            .clone()
            .addScaledVector(along, 0.08 + 0.84 * inner)
            .addScaledVector(across, wide * Math.cos(angle))
            .addScaledVector(beside, wide * Math.sin(angle));
        glyphs.bar("solid", before, point, thickness, paints.link);
        before = point;
    }
    glyphs.bar("solid", before, to, thickness, paints.link);
}
