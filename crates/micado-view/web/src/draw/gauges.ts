/** Gauges of joints: limits as an arc or a bar, the present value, the target of the motor and its force. */

import { type Color, Vector3 } from "three";
import { quantity } from "../ui/numbers.ts";
import { CONSTRAINT, GAUGE } from "../wire/generated/frame.ts";
import type { GaugeRow } from "../wire/generated/protocol.ts";
import { vectorAt, type Sketch } from "./sketch.ts";

/** Radius of an arc, and half the length of a tick of a bar, px. */
const ARC = 44;
const TICK = 9;
/** Angle of a piece of an arc, rad. */
const PIECE = 0.12;
/** A value counts as at its limit within this share of the larger limit. */
const AT_LIMIT = 0.01;

/** A coordinate in the present frame. */
interface Reading {
    sketch: Sketch;
    row: GaugeRow;
    place: Vector3;
    axis: Vector3;
    /** Unit vector from which an angle counts. */
    zero: Vector3;
    value: number;
    /** Target of a position motor or a servo; NaN if there is none. */
    target: number;
    /** Size of a pixel at the place, m. */
    pixel: number;
    /** Colour of the present value. */
    colour: Color;
}

/** Draws all gauges; returns their number. */
export function drawGauges(sketch: Sketch): number {
    const { gauges, constraints } = sketch.frame;
    let drawn = 0;
    sketch.layout.table.gauges.forEach((row, index) => {
        const at = index * GAUGE.stride;
        const offset = row.constraint * CONSTRAINT.stride;
        const place = vectorAt(constraints, offset + CONSTRAINT.place);
        if (!Number.isFinite(place.x + gauges[at + GAUGE.value]!)) return;
        const value = gauges[at + GAUGE.value]!;
        const follows = row.motor === "position" || row.motor === "servo";
        const reading: Reading = {
            sketch,
            row,
            place,
            axis: vectorAt(constraints, offset + CONSTRAINT.direction).normalize(),
            zero: vectorAt(gauges, at + GAUGE.zero),
            value,
            target: follows ? gauges[at + GAUGE.target]! : NaN,
            pixel: sketch.stage.pixelAt(place),
            colour: isAtLimit(row, value) ? sketch.paints.trouble : sketch.paints.hand,
        };
        const tip = row.coordinate === "angle" ? drawArc(reading) : drawBar(reading);
        const unit = row.coordinate === "angle" ? "N·m" : "N";
        if (row.motor !== null)
            sketch.labels.putBeyond(place, tip, quantity(gauges[at + GAUGE.drive], unit), "hand");
        drawn++;
    });
    return drawn;
}

function isAtLimit({ least, most }: GaugeRow, value: number): boolean {
    const room = AT_LIMIT * Math.max(Math.abs(least ?? 0), Math.abs(most ?? 0), 1e-6);
    return (least !== null && value < least + room) || (most !== null && value > most - room);
}

/** Draws an arc between the limits, a pointer at the value, a tick at the target; returns the pointer tip. */
function drawArc({ sketch, row, place, axis, zero, value, target, pixel, colour }: Reading): Vector3 {
    const { glyphs, paints } = sketch;
    const across = new Vector3().crossVectors(axis, zero);
    const at = (angle: number, radius: number): Vector3 =>
        place
            .clone()
            .addScaledVector(zero, radius * Math.cos(angle))
            .addScaledVector(across, radius * Math.sin(angle));
    const radius = ARC * pixel;
    // On a side without a limit, the arc extends half a turn beyond the value.
    const [from, to] = [row.least ?? value - Math.PI, row.most ?? value + Math.PI];
    const pieces = Math.min(200, Math.max(1, Math.ceil((to - from) / PIECE)));
    for (let i = 0; i < pieces; i++) {
        const ends = [i, i + 1].map((k) => at(from + ((to - from) * k) / pieces, radius));
        glyphs.bar("over", ends[0]!, ends[1]!, 1.1 * pixel, paints.link);
    }
    for (const limit of [row.least, row.most])
        if (limit !== null)
            glyphs.bar(
                "over",
                at(limit, 0.82 * radius),
                at(limit, 1.18 * radius),
                1.8 * pixel,
                paints.marker,
            );
    if (Number.isFinite(target))
        glyphs.bar("over", at(target, 0.7 * radius), at(target, 1.3 * radius), 1.8 * pixel, paints.load);
    const tip = at(value, radius);
    glyphs.bar("over", place, tip, 1.6 * pixel, colour);
    glyphs.put("ball", "over", tip, axis, null, [3.6 * pixel, 3.6 * pixel, 3.6 * pixel], colour);
    return tip;
}

/** Draws a bar between the limits along the axis, with a ball at the value; returns the place of the ball. */
function drawBar({ sketch, row, place, axis, zero, value, target, pixel, colour }: Reading): Vector3 {
    const { glyphs, paints } = sketch;
    // Beside the axis, so that the joint doesn't cover it.
    const at = (slide: number, aside: number): Vector3 =>
        place
            .clone()
            .addScaledVector(axis, slide - value)
            .addScaledVector(zero, (2.2 * TICK + aside) * pixel);
    const reach = 60 * pixel;
    glyphs.bar(
        "over",
        at(row.least ?? value - reach, 0),
        at(row.most ?? value + reach, 0),
        pixel,
        paints.link,
    );
    for (const limit of [row.least, row.most])
        if (limit !== null) glyphs.bar("over", at(limit, -TICK), at(limit, TICK), 1.8 * pixel, paints.marker);
    if (Number.isFinite(target))
        glyphs.bar("over", at(target, -1.4 * TICK), at(target, 1.4 * TICK), 1.8 * pixel, paints.load);
    const tip = at(value, 0);
    glyphs.put("ball", "over", tip, axis, null, [4 * pixel, 4 * pixel, 4 * pixel], colour);
    return tip;
}
