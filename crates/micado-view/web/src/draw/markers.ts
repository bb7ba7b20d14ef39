/** Markers of constraints. */

import { type Color, Vector3 } from "three";
import { CONSTRAINT } from "../wire/generated/frame.ts";
import type { ConstraintRow } from "../wire/generated/protocol.ts";
import type { Finish } from "./glyphs.ts";
import { Obstacles } from "./obstacles.ts";
import { atLeast, drawSupport, vectorAt, type Sketch } from "./sketch.ts";

export interface Held {
    sketch: Sketch;
    place: Vector3;
    direction: Vector3;
    centre: Vector3;
    /** Radius of a circle, or of a distance `at-least`, m. */
    radius: number;
    open: boolean;
    /** About the radius of the object, and large enough to be visible, m. */
    unit: number;
    /** `unit`, limited to the largest size of markers. */
    small: number;
    colour: Color;
    /** Name of the object. */
    on: string;
}

const UP = new Vector3(0, 0, 1);

export class Markers {
    /** Clips that have held something: if they are open now, they were opened. */
    readonly #held = new Set<string>();
    readonly #obstacles = new Obstacles();

    /** Another scene: forgets earlier clips. */
    forget(): void {
        this.#held.clear();
    }

    draw(sketch: Sketch): void {
        this.#obstacles.begin();
        sketch.layout.table.constraints.forEach((entry, index) =>
            this.#one(sketch, entry, index * CONSTRAINT.stride),
        );
        this.#obstacles.draw(sketch);
    }

    #one(sketch: Sketch, entry: ConstraintRow, offset: number): void {
        const { constraints } = sketch.frame;
        const place = vectorAt(constraints, offset + CONSTRAINT.place);
        if (!Number.isFinite(place.x)) return;
        const open = constraints[offset + CONSTRAINT.open]! > 0.5;
        const broken = open && this.#held.has(entry.name);
        if (!open && entry.marker.kind === "clip") this.#held.add(entry.name);
        const stands = (other: typeof sketch.hover): boolean =>
            other?.kind === "constraint" && other.name === entry.name;
        const { paints } = sketch;
        const colour =
            sketch.trouble?.constraint === entry.name || broken
                ? paints.trouble
                : stands(sketch.hover) || stands(sketch.selection)
                  ? paints.hover
                  : entry.hand
                    ? paints.hand
                    : paints.marker;
        const held: Held = {
            sketch,
            place,
            direction: vectorAt(constraints, offset + CONSTRAINT.direction),
            centre: vectorAt(constraints, offset + CONSTRAINT.centre),
            radius: constraints[offset + CONSTRAINT.radius]!,
            open,
            unit: atLeast(
                sketch,
                place,
                sketch.layout.radius(entry.on),
                entry.marker.kind === "clip" ? 3.4 : 2.2,
            ),
            small: 0,
            colour,
            on: entry.on,
        };
        held.small = Math.min(
            held.unit,
            Math.max(0.004 * sketch.stage.size, 2.2 * sketch.stage.pixelAt(place)),
        );
        if (entry.hand) drawHand(held);
        else if (!this.#obstacles.take(entry, held) && !onDrum(held, entry)) drawKind(held, entry);
        if (stands(sketch.hover) || stands(sketch.selection)) drawRing(held, 5, paints.hover, "over");
    }
}

function drawKind(held: Held, entry: ConstraintRow): void {
    const { place, direction, centre, radius, unit, small, colour, open } = held;
    const { glyphs, stage, paints } = held.sketch;
    const finish = open ? "ghost" : "solid";
    switch (entry.marker.kind) {
        case "point": {
            if (crowded(held, entry)) {
                drawStud(held);
                break;
            }
            const ball = Math.max(1.12 * unit, 1.7 * small);
            glyphs.put("ball", "solid", place, UP, null, [ball, ball, ball], colour);
            const foot = place.clone().addScaledVector(UP, -ball - 3.6 * small);
            glyphs.put(
                "cone",
                "solid",
                foot,
                UP,
                null,
                [2.6 * small, 2.6 * small, 3.6 * small + 0.4 * ball],
                colour,
            );
            glyphs.put(
                "box",
                "solid",
                foot.addScaledVector(UP, -0.3 * small),
                UP,
                null,
                [6.4 * small, 6.4 * small, 0.7 * small],
                colour,
            );
            break;
        }
        case "target":
            glyphs.put("ball", "solid", place, UP, null, [1.6 * unit, 1.6 * unit, 1.6 * unit], colour);
            drawRing(held, 3.4, colour, "bare");
            break;
        case "clamp": {
            const half = Math.max(1.9 * unit, 4 * small);
            glyphs.put("wall", "solid", place, direction, null, [half, half, 0.7 * half], colour);
            glyphs.put(
                "ring",
                "solid",
                place.clone().addScaledVector(direction, 0.2 * unit),
                direction,
                null,
                [1.25 * unit, 1.25 * unit, 1.25 * unit],
                colour,
            );
            break;
        }
        case "jaws":
            glyphs.put("jaws", "solid", place, direction, UP, [1.15 * unit, 1.15 * unit, 1.4 * unit], colour);
            break;
        case "tangent":
            for (const sign of [1, -1]) {
                const along = direction.clone().multiplyScalar(sign);
                glyphs.bar("bare", place, place.clone().addScaledVector(along, 6 * unit), 0.4 * unit, colour);
                glyphs.put(
                    "cone",
                    "bare",
                    place.clone().addScaledVector(along, 6 * unit),
                    along,
                    null,
                    [unit, unit, 2.4 * unit],
                    colour,
                );
            }
            break;
        case "roll":
            glyphs.put("ring", "solid", place, direction, null, [1.9 * unit, 1.9 * unit, 1.9 * unit], colour);
            break;
        case "plane":
            drawDot(held, 1.5);
            break;
        case "axis": {
            const along = direction.clone().multiplyScalar(0.14 * stage.size);
            glyphs.bar("ghost", place.clone().sub(along), place.clone().add(along), 0.5 * small, colour);
            glyphs.put("eye", "solid", place, direction, null, [unit, unit, unit], colour);
            break;
        }
        case "distance": {
            const link = colour === paints.marker ? paints.link : colour;
            glyphs.bar(finish, place, centre, 0.55 * small, link);
            for (const end of [place, centre])
                glyphs.put("ball", finish, end, UP, null, [1.35 * small, 1.35 * small, 1.35 * small], link);
            if (entry.to === null)
                drawSupport(held.sketch, centre, place.clone().sub(centre), 4.5 * small, colour);
            break;
        }
        case "circle": {
            glyphs.put("hoop", "bare", centre, direction, null, [radius, radius, radius], colour);
            glyphs.put("ball", "solid", place, UP, null, [1.6 * unit, 1.6 * unit, 1.6 * unit], colour);
            break;
        }
        case "curve":
            glyphs.put("eye", "solid", place, tangentOf(held), null, [unit, unit, unit], colour);
            break;
        case "ring":
            glyphs.put(
                "eye",
                finish,
                place,
                tangentOf(held),
                null,
                [1.1 * unit, 1.1 * unit, 1.1 * unit],
                colour,
            );
            break;
        case "hinge":
            drawBearing(held, 1.2, 3.2);
            break;
        case "slider":
            drawBearing(held, 0.5, 7);
            glyphs.put(
                "box",
                "over",
                place,
                direction,
                null,
                [3.4 * small, 3.4 * small, 3.8 * small],
                colour,
            );
            break;
        case "cylindrical":
            drawBearing(held, 0.5, 7);
            drawBearing(held, 1.4, 2.6);
            break;
        case "ball":
            glyphs.put("ball", "over", place, UP, null, [2.1 * small, 2.1 * small, 2.1 * small], colour);
            drawRing(held, 3, colour, "over");
            break;
        case "universal": {
            drawBearing(held, 0.7, 3.4);
            const across = new Vector3(direction.y, -direction.x, 0);
            if (across.lengthSq() < 1e-6) across.set(1, 0, 0);
            drawBearing({ ...held, direction: across.normalize() }, 0.7, 3.4);
            break;
        }
        case "planar":
            glyphs.put("box", "over", place, direction, null, [9 * small, 9 * small, 0.6 * small], colour);
            break;
        case "weld":
            glyphs.put("box", "over", place, UP, null, [2.6 * small, 2.6 * small, 2.6 * small], colour);
            break;
        case "joint":
            glyphs.put("ball", finish, place, UP, null, [1.75 * unit, 1.75 * unit, 1.75 * unit], colour);
            break;
        case "clip":
            glyphs.put(
                "fork",
                finish,
                place,
                direction,
                tangentOf(held),
                [1.25 * unit, 1.25 * unit, 1.25 * unit],
                colour,
            );
            break;
        case "pearl":
            break; // The pearl itself is an object.
    }
}

/**
 * A cylinder about the axis: its radius and half its length, in sizes of small markers. Joints are often
 * inside bodies, so they are seen through them.
 */
function drawBearing({ sketch, place, direction, small, colour }: Held, radius: number, half: number): void {
    const along = direction.clone().multiplyScalar(half * small);
    sketch.glyphs.bar("over", place.clone().sub(along), place.clone().add(along), radius * small, colour);
}

/** Whether a winch is at the same end of the rod: its drum is the marker. */
function onDrum({ sketch, place }: Held, { on, marker }: ConstraintRow): boolean {
    if (marker.kind !== "point" && marker.kind !== "target" && marker.kind !== "roll") return false;
    const winch = sketch.layout.table.winches.find((one) => one.on === on);
    const rod = sketch.layout.object(on);
    if (winch === undefined || rod === undefined) return false;
    const end = rod.first + (winch.at === "start" ? 0 : rod.entry.points - 1);
    return vectorAt(sketch.frame.positions, 3 * end).distanceTo(place) < 1e-3 * sketch.stage.size;
}

/** A ball at the place, `size` times as thick as the rod. */
function drawDot({ sketch, place, unit, colour }: Held, size: number): void {
    sketch.glyphs.put("ball", "solid", place, UP, null, [size * unit, size * unit, size * unit], colour);
}

/** A small ball on the upper side of the rod: even many of them leave it visible. */
function drawStud(held: Held): void {
    const tangent = tangentOf(held);
    const upward = UP.clone().addScaledVector(tangent, -tangent.z);
    if (upward.lengthSq() < 1e-4) upward.set(1, 0, 0).addScaledVector(tangent, -tangent.x);
    const size = 0.35 * held.unit;
    const place = held.place.clone().addScaledVector(upward.normalize(), held.unit);
    held.sketch.glyphs.put("ball", "solid", place, UP, null, [size, size, size], held.colour);
}

/** Number of supports on one object from which they are drawn small. */
const CROWD = 8;

function crowded({ sketch }: Held, { on }: ConstraintRow): boolean {
    return sketch.layout.held(on) > CROWD;
}

/** A hand: its place, its target, and a ring that faces the camera. */
function drawHand(held: Held): void {
    const { place, centre, unit, colour } = held;
    const { glyphs, stage } = held.sketch;
    glyphs.put("ball", "over", place, UP, null, [1.3 * unit, 1.3 * unit, 1.3 * unit], colour);
    if (centre.distanceTo(place) > 3 * stage.pixelAt(place))
        glyphs.bar("over", place, centre, 0.8 * stage.pixelAt(place), colour);
    drawRing(held, 4.5, colour, "over");
}

/** A ring that faces the camera. */
function drawRing(held: Held, size: number, colour: Color, finish: Finish): void {
    const { stage, glyphs } = held.sketch;
    const radius = Math.max(size * held.unit, 9 * stage.pixelAt(held.place));
    glyphs.put(
        "halo",
        finish,
        held.place,
        stage.camera.position.clone().sub(held.place),
        null,
        [radius, radius, radius],
        colour,
    );
}

/** The direction of the rod at its point nearest to the place; up if there is no rod. */
function tangentOf({ sketch, on, place }: Held): Vector3 {
    const rod = sketch.layout.object(on);
    if (rod === undefined || rod.entry.points < 2) return UP;
    const { positions } = sketch.frame;
    let nearest = Infinity;
    let best = 0;
    for (let i = 0; i < rod.entry.points; i++) {
        const at = 3 * (rod.first + i);
        const [dx, dy, dz] = [
            positions[at]! - place.x,
            positions[at + 1]! - place.y,
            positions[at + 2]! - place.z,
        ];
        const distance = dx * dx + dy * dy + dz * dz;
        if (distance < nearest) [nearest, best] = [distance, i];
    }
    const before = vectorAt(positions, 3 * (rod.first + Math.max(best - 1, 0)));
    return vectorAt(positions, 3 * (rod.first + Math.min(best + 1, rod.entry.points - 1)))
        .sub(before)
        .normalize();
}
