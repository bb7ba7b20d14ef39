/** Hands: real constraints that follow the pointer. */

import type { Vector3 } from "three";
import { ask, type App } from "../app.ts";
import type { ObjectPlace } from "../state/store.ts";
import type { How } from "../wire/generated/protocol.ts";
import type { Vector } from "../wire/generated/scene.ts";

/** A place of a grab or a poke: the arc length on a rod, or the point that was hit on a body. */
export function grip(place: ObjectPlace): { on: string; at?: number; point?: Vector } {
    if (place.kind === "rod") return { on: place.on, at: place.at };
    return place.point === undefined ? { on: place.on } : { on: place.on, point: place.point };
}

/** One grab, from start to release. Moves before the server's answer are sent after it. */
export class Hand {
    name: string | null = null;
    /** Whether a table has contained it. */
    seen = false;
    #gone = false;
    #waiting: { position: Vector; rotation?: Vector } | null = null;
    #wantsDrop: How | null = null;

    constructor(
        private readonly app: App,
        readonly place: ObjectPlace,
        readonly orientation: boolean,
        private readonly ended: (hand: Hand) => void,
    ) {
        void this.#take();
    }

    async #take(): Promise<void> {
        const answer = await ask(this.app, {
            grab: { ...grip(this.place), orientation: this.orientation },
        });
        if (answer === undefined) {
            this.end();
            return;
        }
        this.name = answer.name;
        if (this.#gone) {
            this.#leave(this.name);
            return;
        }
        if (this.#waiting !== null) this.#tell(this.name, this.#waiting);
        if (this.#wantsDrop !== null) this.drop(this.#wantsDrop);
    }

    move(position: Vector3, rotation?: Vector3): void {
        if (this.#gone) return;
        const to =
            rotation === undefined
                ? { position: position.toArray() }
                : { position: position.toArray(), rotation: rotation.toArray() };
        if (this.name === null) this.#waiting = to;
        else this.#tell(this.name, to);
    }

    #tell(name: string, to: { position: Vector; rotation?: Vector }): void {
        this.app.connection.tell({ move: { name, ...to } }, () => {
            this.end();
            this.#leave(name);
        });
    }

    /** Releases it, if the server still has it. */
    #leave(name: string): void {
        this.app.connection.ask({ drop: { name, how: "release" } }).catch(() => undefined);
    }

    drop(how: How): void {
        if (this.#gone) return;
        if (this.name === null) {
            this.#wantsDrop = how;
            return;
        }
        void ask(this.app, { drop: { name: this.name, how } });
        this.end();
    }

    /** Ends the grab on this page. */
    end(): void {
        if (this.#gone) return;
        this.#gone = true;
        this.ended(this);
    }
}

export class Hands {
    readonly held: Hand[] = [];

    /** The server releases hands when the page is gone, another scene is opened, or time jumps back. */
    constructor(private readonly app: App) {
        app.store.on("link", ({ state }) => state === "lost" && this.#endAll());
        app.store.on("scene", () => this.#endAll());
        app.store.on("table", (table) => {
            for (const hand of [...this.held]) {
                const there = table?.constraints.some(({ name }) => name === hand.name) ?? false;
                if (hand.seen && !there) hand.end();
                hand.seen ||= there;
            }
        });
    }

    /** Grabs a place; calls `ended` when the grab is over, whoever ended it. */
    grab(place: ObjectPlace, orientation: boolean, ended: () => unknown = () => undefined): Hand {
        const hand = new Hand(this.app, place, orientation, (gone) => {
            const index = this.held.indexOf(gone);
            if (index >= 0) this.held.splice(index, 1);
            ended();
        });
        this.held.push(hand);
        return hand;
    }

    /** Releases or pins all held objects in place. */
    dropAll(how: How): boolean {
        const any = this.held.length > 0;
        for (const hand of [...this.held]) hand.drop(how);
        return any;
    }

    #endAll(): void {
        for (const hand of [...this.held]) hand.end();
    }
}
