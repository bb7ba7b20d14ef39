/** The workbench: the current tool, its first place, and its use. */

import { Vector3 } from "three";
import type { App } from "../app.ts";
import type { ObjectPlace, Place } from "../state/store.ts";
import { FieldValues, toolOf, useTool, type Tool } from "./tools.ts";

/** Parts of the page that tools use beside edits. */
export interface BenchParts {
    gizmo(place: ObjectPlace): void;
    ruler(first: ObjectPlace, second: ObjectPlace): void;
}

export class Bench {
    readonly fields = new FieldValues();
    /** The first of two places. */
    first: ObjectPlace | null = null;
    /** Called when the tool or the first place has changed. */
    changed: () => void = () => undefined;

    constructor(
        private readonly app: App,
        private readonly parts: BenchParts,
    ) {}

    get tool(): Tool {
        return toolOf(this.app.store.state.tool);
    }

    /** Selects a tool; `first` if its first place is already known. */
    take(word: string, first: ObjectPlace | null = null): void {
        this.first = first;
        this.app.store.set("tool", toolOf(word).word);
        this.changed();
    }

    /** Back to the hand; returns whether there was another tool. */
    putAway(): boolean {
        const had = this.tool.word !== "hand";
        this.take("hand");
        return had;
    }

    /** Applies the tool to a place. */
    async point(place: Place): Promise<void> {
        const { store } = this.app;
        const tool = this.tool;
        if (tool.word === "hand") {
            store.set("selection", place);
            return;
        }
        if (!tool.takes.includes(place.kind)) {
            this.app.notices.say(`${tool.label}: ${tool.hint}`);
            return;
        }
        await this.use(tool, place);
    }

    /** Uses a tool at a place; selects it only if it needs a second place. */
    async use(tool: Tool, place: Place): Promise<void> {
        if (tool.second !== undefined && place.kind !== "constraint") {
            if (this.first === null || this.tool.word !== tool.word) {
                this.take(tool.word, place);
                return;
            }
            const first = this.first;
            this.first = null;
            if (tool.word === "ruler") this.parts.ruler(first, place);
            else await useTool(this.app, tool, this.fields, first, place, this.#gaze());
            this.changed();
            return;
        }
        if (tool.word === "gizmo" && place.kind !== "constraint") this.parts.gizmo(place);
        else await useTool(this.app, tool, this.fields, place, null, this.#gaze());
    }

    #gaze(): Vector3 {
        return this.app.stage.camera.getWorldDirection(new Vector3());
    }
}
