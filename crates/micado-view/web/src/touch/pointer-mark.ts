/**
 * Marks in the view: the place under the pointer, the selected one, the first of two, and the force of each
 * hand.
 */

import { type Color, Vector3 } from "three";
import { vectorAt, type Sketch } from "../draw/sketch.ts";
import type { Place } from "../state/store.ts";
import { quantity } from "../ui/numbers.ts";
import { sizeAt } from "../wire/decode.ts";
import { CONSTRAINT } from "../wire/generated/frame.ts";
import type { Bench } from "./bench.ts";

const UP = new Vector3(0, 0, 1);

function mark(
    { layout, frame, glyphs, stage }: Sketch,
    place: Place | null,
    pixels: number,
    colour: Color,
): void {
    if (place?.kind !== "rod") return;
    const at = layout.where(place, frame);
    if (at === null) return;
    const point = new Vector3(...at);
    const size = Math.max(1.35 * layout.radius(place.on, place.at), pixels * stage.pixelAt(point));
    glyphs.put(
        "halo",
        "over",
        point,
        stage.camera.position.clone().sub(point),
        null,
        [size, size, 0.5 * size],
        colour,
    );
    glyphs.put("ball", "over", point, UP, null, [0.3 * size, 0.3 * size, 0.3 * size], colour);
}

export function drawMarks(sketch: Sketch, bench: Bench): void {
    const { hover, selection, paints, layout, frame, labels } = sketch;
    mark(sketch, hover, 7, paints.hover);
    mark(sketch, selection, 8, paints.hand);
    mark(sketch, bench.first, 8, paints.force);
    layout.table.constraints.forEach((entry, index) => {
        if (!entry.hand) return;
        const offset = index * CONSTRAINT.stride;
        const force = quantity(sizeAt(frame.constraints, offset + CONSTRAINT.force), "N");
        labels.put(vectorAt(frame.constraints, offset + CONSTRAINT.place), force, "hand");
    });
}
