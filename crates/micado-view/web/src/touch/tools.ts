/**
 * The tools: their fields and the edits that they make. The rail, the menu at a place and the keys use this
 * list.
 */

import { type Vector3 } from "three";
import { ask, type App } from "../app.ts";
import type { ObjectPlace, Place } from "../state/store.ts";
import { grip } from "./hands.ts";
import type { ConstraintDescription, Vector } from "../wire/generated/scene.ts";

/** A number or a choice of a tool. */
export interface Field {
    word: string;
    label: string;
    unit: string;
    /** The initial value; may be empty. */
    value: string;
    choices?: string[];
}

export interface Tool {
    word: ToolWord;
    label: string;
    key: string;
    hint: string;
    takes: Place["kind"][];
    /** Prompt for a second place, if the tool needs one. */
    second?: string;
    fields?: Field[];
}

export type ToolWord =
    | "hand"
    | "gizmo"
    | "poke"
    | "pin"
    | "clip"
    | "keyhole"
    | "pearl"
    | "plane"
    | "distance"
    | "fuse"
    | "cut"
    | "release"
    | "ruler";

export const TOOLS: Tool[] = [
    {
        word: "hand",
        label: "Hand",
        key: "H",
        hint:
            "Drag a rod to pull it; with shift towards you and away. " +
            "Click a rod or a constraint to inspect it.",
        takes: [],
    },
    {
        word: "gizmo",
        label: "Move and turn",
        key: "M",
        hint:
            "Click a rod to hold it by position and direction, or another object; " +
            "then drag the arrows and rings.",
        takes: ["rod", "object"],
    },
    {
        word: "poke",
        label: "Poke",
        key: "O",
        hint: "Click a rod to push it away from you for a tenth of a second.",
        takes: ["rod", "object"],
        fields: [{ word: "force", label: "Force", unit: "N", value: "20" }],
    },
    {
        word: "pin",
        label: "Pin",
        key: "P",
        hint: "Click a rod to hold that place where it is.",
        takes: ["rod", "object"],
    },
    {
        word: "clip",
        label: "Clip",
        key: "C",
        hint: "Click a rod to put a clip there. It opens above its strength.",
        takes: ["rod"],
        fields: [{ word: "strength", label: "Strength", unit: "N", value: "20" }],
    },
    {
        word: "keyhole",
        label: "Keyhole",
        key: "K",
        hint: "Click a rod to add an eye there, through which it slides.",
        takes: ["rod"],
        fields: [{ word: "friction", label: "Friction μ", unit: "", value: "0" }],
    },
    {
        word: "pearl",
        label: "Pearl",
        key: "B",
        hint: "Click a rod to thread a pearl on it there.",
        takes: ["rod"],
        fields: [
            { word: "mass", label: "Mass", unit: "g", value: "20" },
            { word: "radius", label: "Radius", unit: "mm", value: "" },
        ],
    },
    {
        word: "plane",
        label: "Plane",
        key: "L",
        hint: "Click a rod to keep that place in a plane.",
        takes: ["rod", "object"],
        fields: [{ word: "normal", label: "Normal", unit: "", value: "z", choices: ["x", "y", "z"] }],
    },
    {
        word: "distance",
        label: "Distance",
        key: "D",
        hint: "Click two places to keep them as far apart as they are.",
        takes: ["rod", "object"],
        second: "Now click the other place.",
    },
    {
        word: "fuse",
        label: "Fuse",
        key: "F",
        hint: "Click two places to join them.",
        takes: ["rod"],
        second: "Now click the place that it is joined to.",
    },
    { word: "cut", label: "Cut", key: "X", hint: "Click a rod to cut it there.", takes: ["rod"] },
    {
        word: "release",
        label: "Release",
        key: "Delete",
        hint: "Click a constraint to release it.",
        takes: ["constraint"],
    },
    {
        word: "ruler",
        label: "Ruler",
        key: "U",
        hint: "Click two places to measure between them.",
        takes: ["rod", "object"],
        second: "Now click where to measure to.",
    },
];

export function toolOf(word: string): Tool {
    return TOOLS.find((tool) => tool.word === word) ?? TOOLS[0]!;
}

/** The current values of the tools' fields. */
export class FieldValues {
    readonly #values = new Map<string, string>();

    get(tool: Tool, word: string): string {
        return (
            this.#values.get(`${tool.word} ${word}`) ??
            tool.fields?.find((field) => field.word === word)?.value ??
            ""
        );
    }

    set(tool: Tool, word: string, value: string): void {
        this.#values.set(`${tool.word} ${word}`, value);
    }

    /** The number in a field; null if there is none. */
    number(tool: Tool, word: string): number | null {
        const text = this.get(tool, word).trim();
        const value = Number(text);
        return text === "" || !Number.isFinite(value) ? null : value;
    }
}

/** `on` and `at` of a place, as in scene files: on a rod its arc length, on a body the point that was hit. */
function anchor(place: ObjectPlace): { on: string; at?: number | Vector } {
    if (place.kind === "rod") return { on: place.on, at: place.at };
    return place.point === undefined ? { on: place.on } : { on: place.on, at: place.point };
}

const UP: Vector = [0, 0, 1];
const NORMALS: Record<string, Vector> = { x: [1, 0, 0], y: [0, 1, 0], z: UP };

/** The constraint that a tool adds, as in a scene file; null if it adds none. */
export function constraintFor(
    tool: Tool,
    fields: FieldValues,
    first: ObjectPlace,
    second: ObjectPlace | null,
    rodRadius: number,
): ConstraintDescription | null {
    const here = anchor(first);
    const onRod = first.kind === "rod" ? { on: first.on, at: first.at } : null;
    const to = second === null ? null : anchor(second);
    switch (tool.word) {
        case "pin":
            return { position: here };
        case "clip": {
            const strength = fields.number(tool, "strength");
            return { clip: { ...here, ...(strength === null ? {} : { strength }) } };
        }
        case "keyhole":
            return onRod && { keyhole: { ...onRod, friction: fields.number(tool, "friction") ?? 0 } };
        case "pearl": {
            const radius = fields.number(tool, "radius");
            return (
                onRod && {
                    pearl: {
                        ...onRod,
                        mass: (fields.number(tool, "mass") ?? 20) / 1000,
                        radius: radius === null ? 3 * rodRadius : radius / 1000,
                    },
                }
            );
        }
        case "plane":
            return { plane: { ...here, normal: NORMALS[fields.get(tool, "normal")] ?? UP } };
        case "distance":
            return to && { distance: { ...here, to } };
        case "fuse":
            return to && { fusion: { ...here, to } };
        default:
            return null;
    }
}

/** Applies a tool to one place or two. `gaze` is the direction of view. */
export async function useTool(
    app: App,
    tool: Tool,
    fields: FieldValues,
    first: Place,
    second: Place | null,
    gaze: Vector3,
): Promise<void> {
    const { store } = app;
    if (first.kind === "constraint") {
        await ask(app, { edit: { release: first.name } });
        return;
    }
    if (tool.word === "poke") {
        const force = gaze
            .clone()
            .multiplyScalar(fields.number(tool, "force") ?? 20)
            .toArray();
        await ask(app, { poke: { ...grip(first), force } });
        return;
    }
    if (tool.word === "cut" && first.kind === "rod") {
        const closed = store.state.table?.objects.find((object) => object.name === first.on)?.closed ?? false;
        await ask(app, {
            edit: {
                cut: { rod: first.on, at: first.at, ...(closed ? {} : { second: store.freeName(first.on) }) },
            },
        });
        return;
    }
    if (second?.kind === "constraint") return;
    const radius = app.picture.layout?.radius(first.on) ?? 0;
    const constraint = constraintFor(tool, fields, first, second, radius);
    if (constraint !== null)
        await ask(app, { edit: { "add-constraint": { name: store.freeName(tool.word), to: constraint } } });
}
