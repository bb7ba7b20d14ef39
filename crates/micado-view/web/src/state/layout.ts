/** The points of each object in a frame, and the position at a rest arc length. */

import { onBody } from "../draw/solids.ts";
import type { Frame } from "../wire/decode.ts";
import { CONSTRAINT } from "../wire/generated/frame.ts";
import type { ObjectRow, Table } from "../wire/generated/protocol.ts";
import type { Vector } from "../wire/generated/scene.ts";
import type { Place } from "./store.ts";

export interface Placed {
    entry: ObjectRow;
    /** Index of its first point. */
    first: number;
    /** Index among the rods; −1 for other objects. */
    rod: number;
    /** Index among the objects that have an orientation; −1 for others. */
    body: number;
}

export class Layout {
    readonly objects: Placed[] = [];
    readonly rods: Placed[] = [];
    /** The floor, which the ground shows. */
    readonly floor: Placed | null = null;
    readonly points: number;
    readonly #byName = new Map<string, Placed>();
    readonly #held = new Map<string, number>();

    constructor(readonly table: Table) {
        let first = 0;
        let bodies = 0;
        for (const entry of table.objects) {
            const body = entry.kind === "body" || entry.kind === "scenery" ? bodies++ : -1;
            const placed = { entry, first, rod: entry.kind === "rod" ? this.rods.length : -1, body };
            this.objects.push(placed);
            if (entry.kind === "rod") this.rods.push(placed);
            if (entry.kind === "floor") this.floor = placed;
            this.#byName.set(entry.name, placed);
            first += entry.points;
        }
        this.points = first;
        for (const { on, marker } of table.constraints)
            if (marker.kind === "point") this.#held.set(on, (this.#held.get(on) ?? 0) + 1);
    }

    /** Height of the floor, m; null without one. */
    floorHeight({ positions }: Frame): number | null {
        return this.floor === null ? null : positions[3 * this.floor.first + 2]!;
    }

    object(name: string): Placed | undefined {
        return this.#byName.get(name);
    }

    /** Number of constraints on an object. */
    held(name: string): number {
        return this.#held.get(name) ?? 0;
    }

    /** Whether a frame belongs to this table. */
    fits(frame: Frame): boolean {
        return frame.serial === this.table.serial && frame.points === this.points;
    }

    /**
     * Current position at a rest arc length of an object (others than rods have one place); null if there is
     * no such object.
     */
    place(name: string, at: number, positions: Float32Array): Vector | null {
        const object = this.#byName.get(name);
        if (object === undefined) return null;
        const { entry, first } = object;
        const spans = entry.points - 1;
        const place = entry.length > 0 ? Math.min(Math.max(at / entry.length, 0), 1) * spans : 0;
        const index = Math.min(Math.floor(place), Math.max(spans - 1, 0));
        const share = place - index;
        const from = 3 * (first + index);
        const to = 3 * (first + Math.min(index + 1, spans));
        return [0, 1, 2].map(
            (c) => (1 - share) * positions[from + c]! + share * positions[to + c]!,
        ) as Vector;
    }

    /** Current position of a place; null if it no longer exists. */
    where(place: Place, frame: Frame): Vector | null {
        if (place.kind === "object" && place.point !== undefined) {
            const placed = this.#byName.get(place.on);
            return placed === undefined || placed.body < 0 ? null : onBody(placed, place.point, frame);
        }
        if (place.kind !== "constraint")
            return this.place(place.on, place.kind === "rod" ? place.at : 0, frame.positions);
        const index = this.table.constraints.findIndex(({ name }) => name === place.name);
        const from = index * CONSTRAINT.stride + CONSTRAINT.place;
        return index < 0 ? null : ([...frame.constraints.subarray(from, from + 3)] as Vector);
    }

    /** Radius of an object at an arc length, m; 0 for a body, whose surface is a mesh. */
    radius(name: string, at = 0): number {
        const entry = this.#byName.get(name)?.entry;
        if (entry?.mesh !== null) return 0;
        if (entry.radii.length <= 1) return entry.radii[0] ?? 0;
        return entry.radii[Math.round((at / Math.max(entry.length, 1e-30)) * (entry.radii.length - 1))] ?? 0;
    }
}
