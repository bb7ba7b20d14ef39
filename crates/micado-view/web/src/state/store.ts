/** The state of the page, and its listeners. */

import type { Frame } from "../wire/decode.ts";
import type { Link } from "../wire/connection.ts";
import type { Vector } from "../wire/generated/scene.ts";
import type { Hello, EventRow, Scene, Status, Surface, Table } from "../wire/generated/protocol.ts";

/**
 * A place that the user pointed at: along a rod, on any other object, or a constraint. `point` is in the
 * axes of a body, m.
 */
export type Place =
    | { kind: "rod"; on: string; at: number }
    | { kind: "object"; on: string; point?: Vector }
    | { kind: "constraint"; name: string };
/** A place on an object. */
export type ObjectPlace = Exclude<Place, { kind: "constraint" }>;

export interface Options {
    /** Arrows for the forces of constraints. */
    forces: boolean;
    /** Markers of constraints. */
    markers: boolean;
    /** Contacts of surfaces: points, forces and cones of friction. */
    contacts: boolean;
    /** Shapes that are only drawn. */
    scenery: boolean;
    /** Draws rods thicker. */
    thick: boolean;
    /** Pins objects when the hand releases them. */
    keep: boolean;
}

export interface State {
    link: { state: Link; retryIn: number };
    hello: Hello | null;
    scene: Scene | null;
    meshes: Surface[];
    table: Table | null;
    status: Status | null;
    frame: Frame | null;
    events: EventRow[];
    /** The channel that colours the rods. */
    colour: string | null;
    selection: Place | null;
    /** The place under the pointer, on the canvas or in a table. */
    hover: Place | null;
    /** The current tool, by its word. */
    tool: string;
    options: Options;
}

type Listener<K extends keyof State> = (value: State[K], before: State[K]) => void;

export class Store {
    readonly state: State = {
        link: { state: "connecting", retryIn: 0 },
        hello: null,
        scene: null,
        meshes: [],
        table: null,
        status: null,
        frame: null,
        events: [],
        colour: null,
        selection: null,
        hover: null,
        tool: "hand",
        options: {
            forces: false,
            markers: true,
            contacts: false,
            scenery: true,
            thick: false,
            keep: false,
        },
    };
    readonly #listeners: { [K in keyof State]?: Listener<K>[] } = {};

    /** Calls `listener` whenever `key` is set, and once at the start if `now`. */
    on<K extends keyof State>(key: K, listener: Listener<K>, now = false): void {
        const list: Listener<K>[] = this.#listeners[key] ?? [];
        list.push(listener);
        (this.#listeners as Record<K, Listener<K>[]>)[key] = list;
        if (now) listener(this.state[key], this.state[key]);
    }

    set<K extends keyof State>(key: K, value: State[K]): void {
        const before = this.state[key];
        this.state[key] = value;
        for (const listener of this.#listeners[key] ?? []) listener(value, before);
    }

    option<K extends keyof Options>(key: K, value: Options[K]): void {
        this.set("options", { ...this.state.options, [key]: value });
    }

    /** Names of objects, constraints, springs, loads and winches. */
    names(): Set<string> {
        const table = this.state.table;
        if (table === null) return new Set();
        const { objects, constraints, springs, loads, winches } = table;
        return new Set(
            [objects, constraints, springs, loads, winches].flatMap((list) => list.map(({ name }) => name)),
        );
    }

    /** The first of `word-1`, `word-2`, … that is unused. */
    freeName(word: string): string {
        const taken = this.names();
        for (let number = 1; ; number++) {
            const name = `${word}-${number}`;
            if (!taken.has(name)) return name;
        }
    }
}

/** Whether two places are the same, or on the same rod if `loosely`. */
export function samePlace(a: Place | null, b: Place | null, loosely = false): boolean {
    if (a === null || b === null) return a === b;
    if (a.kind === "constraint" || b.kind === "constraint")
        return a.kind === b.kind && "name" in a && "name" in b && a.name === b.name;
    return a.on === b.on && (loosely || a.kind === "object" || (b.kind === "rod" && a.at === b.at));
}
