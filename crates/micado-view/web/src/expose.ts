/** `window.micado`: the state of the page, for tests and for the console. */

import { Vector3 } from "three";
import type { App } from "./app.ts";
import type { Receiver } from "./receiver.ts";
import type { Work } from "./state/work.ts";
import { sizeAt } from "./wire/decode.ts";
import { CONSTRAINT } from "./wire/generated/frame.ts";
import type { Problem } from "./wire/generated/protocol.ts";
import type { Vector } from "./wire/generated/scene.ts";

export interface Exposed {
    readonly frames: number;
    readonly connected: boolean;
    readonly scene: unknown;
    readonly table: unknown;
    readonly status: unknown;
    readonly time: number;
    /** Whether time runs in the current frame. */
    readonly playing: boolean;
    readonly recordingFrame: number;
    readonly selected: unknown;
    readonly hover: unknown;
    readonly tool: string;
    readonly hand: { name: string; force: number } | null;
    readonly errors: Problem[];
    readonly sceneError: Problem | null;
    readonly events: unknown;
    readonly workMs: { median: number; p95: number; worst: number; count: number };
    readonly renderMs: { median: number; p95: number; worst: number; count: number };
    readonly vertices: number;
    readonly shown: boolean;
    /** Number of bodies and scenery in view, and of gauges of joints. */
    readonly solids: number;
    readonly gauges: number;
    /** Number of contacts in view. */
    readonly contacts: number;
    /** Height of the drawn ground, m. */
    readonly ground: number;
    /** Camera and its target, six numbers. */
    readonly view: number[];
    clearWork(): void;
    /** Position of point `i` of an object, m. */
    rodPoint(name: string, i: number): Vector | null;
    /** Position and orientation (x, y, z, w) of a body. */
    pose(name: string): number[] | null;
    /** Pixels on the page of a point of the world. */
    screenOf(x: number, y: number, z: number): [number, number] | null;
    ask(what: unknown): Promise<unknown>;
}

declare global {
    interface Window {
        micado: Exposed;
    }
}

export interface Counters {
    /** Durations from message to picture, without the renderer. */
    work: Work;
    render: Work;
}

export function expose(
    app: App,
    receiver: Receiver,
    counters: Counters,
    sceneError: () => Problem | null,
): void {
    const { store, picture, stage, connection } = app;
    const hand = (): { name: string; force: number } | null => {
        const index = picture.layout?.table.constraints.findIndex((entry) => entry.hand) ?? -1;
        const entry = picture.layout?.table.constraints[index];
        if (entry === undefined || picture.frame === null) return null;
        return {
            name: entry.name,
            force: sizeAt(picture.frame.constraints, index * CONSTRAINT.stride + CONSTRAINT.force),
        };
    };
    window.micado = {
        get frames() {
            return receiver.frames;
        },
        get connected() {
            return store.state.link.state === "open";
        },
        get scene() {
            return store.state.scene;
        },
        get table() {
            return store.state.table;
        },
        get status() {
            return store.state.status;
        },
        get time() {
            return picture.frame?.time ?? 0;
        },
        get playing() {
            return picture.frame?.playing ?? false;
        },
        get recordingFrame() {
            return picture.frame?.recordingFrame ?? 0;
        },
        get selected() {
            return store.state.selection;
        },
        get hover() {
            return store.state.hover;
        },
        get tool() {
            return store.state.tool;
        },
        get hand() {
            return hand();
        },
        get errors() {
            return app.notices.errors;
        },
        get sceneError() {
            return sceneError();
        },
        get events() {
            return store.state.events;
        },
        get workMs() {
            return counters.work.report;
        },
        get renderMs() {
            return counters.render.report;
        },
        get vertices() {
            return picture.vertices;
        },
        get shown() {
            return picture.frame !== null;
        },
        get solids() {
            return picture.solids.shown;
        },
        get gauges() {
            return picture.gauges;
        },
        get contacts() {
            return picture.contacts;
        },
        get ground() {
            return stage.ground.object.position.z;
        },
        get view() {
            return stage.view;
        },
        clearWork() {
            counters.work.clear();
            counters.render.clear();
        },
        rodPoint(name, i) {
            const object = picture.layout?.object(name);
            if (object === undefined || picture.frame === null || i < 0 || i >= object.entry.points)
                return null;
            const at = 3 * (object.first + i);
            return [...picture.frame.positions.subarray(at, at + 3)] as Vector;
        },
        pose(name) {
            const object = picture.layout?.object(name);
            if (object === undefined || object.body < 0 || picture.frame === null) return null;
            const { positions, orientations } = picture.frame;
            const [at, turn] = [3 * object.first, 4 * object.body];
            return [...positions.subarray(at, at + 3), ...orientations.subarray(turn, turn + 4)];
        },
        screenOf(x, y, z) {
            stage.camera.updateMatrixWorld();
            const pixel = stage.toScreen(new Vector3(x, y, z));
            const box = stage.host.getBoundingClientRect();
            return pixel === null ? null : [pixel.x + box.left, pixel.y + box.top];
        },
        ask(what) {
            return connection.ask(what as never);
        },
    };
}
