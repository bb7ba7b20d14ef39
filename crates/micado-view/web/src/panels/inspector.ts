/**
 * Values of the selected place: of its object or constraint. Places can be selected here by keyboard too.
 */

import { watch, type App } from "../app.ts";
import { h, iconButton, refill } from "../ui/dom.ts";
import { digits, quantity, readText, residualText } from "../ui/numbers.ts";
import { Refusal } from "../wire/connection.ts";
import { sizeAt } from "../wire/decode.ts";
import { CONSTRAINT } from "../wire/generated/frame.ts";
import type { Reading, ReadValue } from "../wire/generated/protocol.ts";
import type { Probe, Quantity } from "../wire/generated/scene.ts";
import type { Panel } from "./dock.ts";

/** A value, and the probe that plots it. */
interface Line {
    label: string;
    value: string;
    probe?: Probe;
}

export class Inspector implements Panel {
    readonly word = "inspector";
    readonly label = "Inspector";
    readonly key = "3";
    readonly icon = "inspect";
    readonly element: HTMLElement;
    readonly #title = h("h3");
    readonly #subtitle = h("p", { class: "dim" });
    readonly #slider: HTMLInputElement;
    readonly #place: HTMLElement;
    readonly #values = h("dl");
    readonly #objects = h("div", { class: "list" });
    #lines: Line[] = [];
    #asking = false;
    #open = false;

    constructor(private readonly app: App) {
        this.#slider = h("input", {
            type: "range",
            min: 0,
            max: 1,
            step: "any",
            oninput: () => this.#slide(),
        });
        this.#place = h("label", { class: "field" }, "Place", this.#slider);
        this.element = h(
            "div",
            { class: "scroll inspector" },
            this.#title,
            this.#subtitle,
            this.#place,
            this.#values,
            this.#objects,
        );
        app.store.on("selection", () => this.refresh());
        app.store.on("table", () => {
            this.#list();
            this.refresh();
        });
    }

    shown(open: boolean): void {
        this.#open = open;
    }

    refresh(): void {
        if (!this.#open) return;
        const { selection } = this.app.store.state;
        this.#objects.hidden = selection !== null;
        this.#place.hidden = selection?.kind !== "rod";
        if (selection === null)
            this.#show("Nothing is selected", "Click an object or a constraint, or choose here:", []);
        else if (selection.kind === "constraint") this.#constraint(selection.name);
        else void this.#object(selection.on, selection.kind === "rod" ? selection.at : undefined);
    }

    /** All objects, to choose from. */
    #list(): void {
        const all = this.app.store.state.table?.objects ?? [];
        const objects = all.filter(({ kind }) => kind !== "pearl" && kind !== "scenery");
        refill(
            this.#objects,
            JSON.stringify(objects.map(({ name, kind, length }) => [name, kind, length])),
            () =>
                objects.map(({ name, kind, length }) => {
                    const button = h(
                        "button",
                        { type: "button", class: "list-item" },
                        h("span", {}, name),
                        h("span", { class: "dim number" }, kind === "rod" ? quantity(length, "m") : kind),
                    );
                    button.addEventListener("click", () =>
                        this.app.store.set(
                            "selection",
                            kind === "rod"
                                ? { kind, on: name, at: length / 2 }
                                : { kind: "object", on: name },
                        ),
                    );
                    return button;
                }),
        );
    }

    #slide(): void {
        const { selection, table } = this.app.store.state;
        if (selection?.kind !== "rod") return;
        const length = table?.objects.find(({ name }) => name === selection.on)?.length ?? 0;
        this.app.store.set("selection", { ...selection, at: Number(this.#slider.value) * length });
    }

    #constraint(name: string): void {
        const { table } = this.app.store.state;
        const frame = this.app.picture.frame;
        const index = table?.constraints.findIndex((entry) => entry.name === name) ?? -1;
        const entry = table?.constraints[index];
        if (entry === undefined || frame === null) return;
        const offset = index * CONSTRAINT.stride;
        const at = (start: number): number => frame.constraints[offset + start]!;
        const size = (start: number): number => sizeAt(frame.constraints, offset + start);
        const probe = (read: Quantity): { probe: Probe } => ({
            probe: { name: `${name} ${read}`, of: name, read },
        });
        const force = [
            ...frame.constraints.subarray(offset + CONSTRAINT.force, offset + CONSTRAINT.force + 3),
        ];
        const lines: Line[] = [
            { label: "On", value: entry.to === null ? entry.on : `${entry.on}, to ${entry.to}` },
            { label: "Force", value: quantity(size(CONSTRAINT.force), "N"), ...probe("force") },
            { label: "Force x, y, z", value: `${force.map((part) => digits(part)).join(", ")} N` },
            { label: "Moment", value: quantity(size(CONSTRAINT.moment), "N·m"), ...probe("moment") },
            {
                label: "Residual",
                value: residualText(entry.kind, at(CONSTRAINT.residual)),
                ...probe("residual"),
            },
        ];
        if (Number.isFinite(at(CONSTRAINT.at)))
            lines.push({
                label: "Place on the rod",
                value: quantity(at(CONSTRAINT.at), "m"),
                ...probe("place"),
            });
        if (entry.strength !== null)
            lines.push(
                { label: "Strength", value: quantity(entry.strength, "N") },
                { label: "Strength used", value: `${Math.round(100 * at(CONSTRAINT.used))} %` },
            );
        this.#show(name, entry.kind, lines);
    }

    async #object(on: string, at: number | undefined): Promise<void> {
        if (this.#asking) return;
        this.#asking = true;
        try {
            const reading = await this.app.connection.ask({
                inspect: at === undefined ? { on } : { on, at },
            });
            this.#read(on, reading);
        } catch (error) {
            if (!(error instanceof Refusal)) throw error;
            this.#show(on, error.why.problem, []);
        } finally {
            this.#asking = false;
        }
    }

    #read(on: string, { kind, at, rest_length, values }: Reading): void {
        let subtitle = kind;
        if (at !== null && rest_length !== null) {
            subtitle = `${kind}, at ${quantity(at, "m")} of ${quantity(rest_length, "m")}`;
            if (document.activeElement !== this.#slider) this.#slider.value = String(at / rest_length);
        }
        const lines = values.map((value): Line => {
            const probe = probeOf(on, value.local ? at : null, value);
            return { label: value.name, value: readText(value), ...(probe === null ? {} : { probe }) };
        });
        this.#show(on, subtitle, lines);
    }

    /** Shows the lines; existing ones only get new values, so that nothing moves under the pointer. */
    #show(title: string, subtitle: string, lines: Line[]): void {
        this.#title.textContent = title;
        this.#subtitle.textContent = subtitle;
        const same =
            this.#lines.length === lines.length &&
            this.#lines.every(({ label }, i) => label === lines[i]?.label);
        this.#lines = lines;
        const texts = this.#values.querySelectorAll(".value");
        if (same) lines.forEach(({ value }, i) => texts[i]?.replaceChildren(value));
        else
            this.#values.replaceChildren(
                ...lines.flatMap(({ label, value, probe }, i) => [
                    h("dt", {}, label),
                    h(
                        "dd",
                        {},
                        h("span", { class: "value" }, value),
                        probe === undefined ? null : this.#watch(label, i),
                    ),
                ]),
            );
    }

    #watch(label: string, index: number): HTMLElement {
        const button = iconButton("watch", `Plot ${label.toLowerCase()}`, "", () => {
            const probe = this.#lines[index]?.probe;
            if (probe !== undefined) void watch(this.app, probe);
        });
        button.classList.add("small");
        return button;
    }
}

/** The probe that measures a value of an object, at a place if it depends on it; null if none can. */
function probeOf(on: string, at: number | null, { value, quantity: read }: ReadValue): Probe | null {
    if (read === null) return null;
    const place = at === null ? {} : { at };
    const where = at === null ? "" : ` at ${digits(at)} m`;
    // Of a vector the height is plotted.
    return value.length === 3
        ? { name: `${on} ${read} z${where}`, of: on, read, component: "z", ...place }
        : { name: `${on} ${read}${where}`, of: on, read, ...place };
}
