/** Passes messages of the server on to the store, the history and the notices. */

import { ENERGIES, type History } from "./state/history.ts";
import type { Store } from "./state/store.ts";
import type { Notices } from "./ui/notices.ts";
import { capital } from "./ui/words.ts";
import type { Link, Listener } from "./wire/connection.ts";
import { decodeFrame, type Frame } from "./wire/decode.ts";
import type { EventRow, Message, Problem, Status } from "./wire/generated/protocol.ts";

/** Number of newest events that are kept. */
const MOST_EVENTS = 500;

export class Receiver implements Listener {
    /** Number of frames so far. */
    frames = 0;
    #newest: Frame | null = null;
    /** Time of the newest frame of the scene, s; null before the first one. */
    #reached: number | null = null;
    /** Whether unreadable frames were reported. */
    #garbled = false;
    /** Total time spent on reading frames, ms. */
    #time = 0;

    constructor(
        private readonly store: Store,
        private readonly history: History,
        private readonly notices: Notices,
    ) {}

    /** Returns the newest frame once; null if there is no new one. */
    takeFrame(): Frame | null {
        const frame = this.#newest;
        this.#newest = null;
        return frame;
    }

    /** Time spent on reading frames since the last call, ms. */
    takeTime(): number {
        const time = this.#time;
        this.#time = 0;
        return time;
    }

    announced(message: Message): void {
        const { store } = this;
        if ("hello" in message) {
            this.#garbled = false;
            store.set("hello", message.hello);
        } else if ("scene" in message) {
            this.#reached = null;
            store.set("events", []);
            store.set("scene", message.scene);
        } else if ("meshes" in message) {
            store.set("meshes", message.meshes);
        } else if ("table" in message) {
            this.history.probes.keep(message.table.probes.map(({ name }) => name));
            store.set("table", message.table);
        } else if ("status" in message) this.#status(message.status);
        else this.#happened(message.events);
    }

    framed(buffer: ArrayBuffer): void {
        const start = performance.now();
        this.#read(buffer);
        this.#time += performance.now() - start;
    }

    #read(buffer: ArrayBuffer): void {
        let frame: Frame;
        try {
            frame = decodeFrame(buffer);
        } catch (error) {
            const problem = `A frame can't be read: ${(error as Error).message}.`;
            if (!this.#garbled) this.notices.refuse({ problem, remedy: "Reload the page." });
            this.#garbled = true;
            return;
        }
        this.#newest = frame;
        this.#reached = frame.time;
        this.frames++;
        if (this.store.state.table?.serial === frame.serial)
            this.history.probes.add(frame.time, frame.probes);
    }

    linked(state: Link, retryIn: number): void {
        this.store.set("link", { state, retryIn });
    }

    refused(why: Problem): void {
        this.notices.refuse(why);
    }

    #status(status: Status): void {
        if (this.#reached !== null)
            this.history.energies.add(
                this.#reached,
                ENERGIES.map((name) => status.energies[name]),
            );
        this.store.set("status", status);
    }

    /** Events before the first frame of a scene are old and not reported, except damage of a recording. */
    #happened(events: EventRow[]): void {
        this.store.set("events", [...this.store.state.events, ...events].slice(-MOST_EVENTS));
        const damaged = events.findLast(({ kind }) => kind === "damaged");
        if (damaged !== undefined) this.notices.say(`${capital(damaged.text)}.`);
        const recovered = events.findLast(({ kind }) => kind === "recovered");
        if (recovered !== undefined && this.#reached !== null)
            this.notices.say(`${capital(recovered.text)}. Redo restores it.`);
    }
}
