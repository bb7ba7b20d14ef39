/**
 * Obstacles that several constraints share: planes, and balls of distances `at-least`. Each is drawn once.
 */

import { type Color, Vector3 } from "three";
import type { ConstraintRow } from "../wire/generated/protocol.ts";
import type { Held } from "./markers.ts";
import type { Sketch } from "./sketch.ts";

interface Plane {
    normal: Vector3;
    /** A point of it. */
    point: Vector3;
    /** Projections of the held places on it. */
    feet: Vector3[];
    oneSided: boolean;
    colour: Color;
}

interface Ball {
    centre: Vector3;
    radius: number;
    colour: Color;
}

const UP = new Vector3(0, 0, 1);

export class Obstacles {
    #planes: Plane[] = [];
    #balls: Ball[] = [];

    begin(): void {
        this.#planes = [];
        this.#balls = [];
    }

    /** Collects a constraint; returns whether there is nothing else to draw for it. */
    take(
        { marker, on }: ConstraintRow,
        { sketch, place, centre, radius: reach, direction, colour }: Held,
    ): boolean {
        const near = 1e-4 * sketch.stage.size;
        const oneSided = marker.limit === "at-least";
        if (marker.kind === "plane") {
            const same = (plane: Plane): boolean =>
                plane.oneSided === oneSided &&
                plane.colour === colour &&
                plane.normal.dot(direction) > 1 - 1e-6 &&
                Math.abs(plane.normal.dot(centre) - plane.normal.dot(plane.point)) < near;
            let plane = this.#planes.find(same);
            if (plane === undefined)
                this.#planes.push((plane = { normal: direction, point: centre, feet: [], oneSided, colour }));
            plane.feet.push(
                place.clone().addScaledVector(direction, direction.dot(centre) - direction.dot(place)),
            );
            return oneSided;
        }
        if (marker.kind !== "distance" || !oneSided) return false;
        // The ball ends at the surface of the object that stays outside.
        const radius = Math.max(reach - sketch.layout.radius(on), 0.5 * reach);
        const same = (ball: Ball): boolean =>
            ball.colour === colour &&
            Math.abs(ball.radius - radius) < near &&
            ball.centre.distanceTo(centre) < near;
        if (!this.#balls.some(same)) this.#balls.push({ centre, radius, colour });
        return true;
    }

    draw(sketch: Sketch): void {
        for (const plane of this.#planes) drawPlane(sketch, plane);
        for (const { centre, radius, colour } of this.#balls)
            sketch.glyphs.put("globe", "solid", centre, UP, null, [radius, radius, radius], colour);
    }
}

/**
 * A sheet under all places of the plane; if one side is forbidden, arrows at its corners point to the other.
 */
function drawPlane({ glyphs, stage }: Sketch, { normal, point, feet, oneSided, colour }: Plane): void {
    const beside = Math.abs(normal.z) < 0.9 ? new Vector3(0, 0, 1) : new Vector3(0, 1, 0);
    beside.addScaledVector(normal, -normal.dot(beside)).normalize();
    const across = new Vector3().crossVectors(beside, normal);
    const margin = 0.035 * stage.size;
    const [x, y] = [across, beside].map((axis) => {
        const places = feet.map((foot) => foot.dot(axis));
        const [low, high] = [Math.min(...places) - margin, Math.max(...places) + margin];
        return { middle: (low + high) / 2, half: (high - low) / 2 };
    }) as [{ middle: number; half: number }, { middle: number; half: number }];
    const middle = normal
        .clone()
        .multiplyScalar(normal.dot(point))
        .addScaledVector(across, x.middle)
        .addScaledVector(beside, y.middle);
    glyphs.put("patch", "ghost", middle, normal, beside, [x.half, y.half, 1], colour);
    const corners = [
        [-1, -1],
        [1, -1],
        [1, 1],
        [-1, 1],
    ].map(([u, v]) =>
        middle
            .clone()
            .addScaledVector(across, u! * x.half)
            .addScaledVector(beside, v! * y.half),
    );
    const pixel = stage.pixelAt(middle);
    corners.forEach((corner, i) => {
        glyphs.bar("bare", corner, corners[(i + 1) % 4]!, 0.8 * pixel, colour);
        if (!oneSided) return;
        const neck = corner.clone().addScaledVector(normal, 12 * pixel);
        glyphs.bar("bare", corner, neck, 0.9 * pixel, colour);
        glyphs.put("cone", "bare", neck, normal, null, [3.4 * pixel, 3.4 * pixel, 8 * pixel], colour);
    });
}
