/** The menu at the selected place: its main values and actions. */

import { Vector3 } from "three";
import { ask, type App } from "../app.ts";
import { samePlace, type ObjectPlace, type Place } from "../state/store.ts";
import { h, icon, refill, type IconName } from "../ui/dom.ts";
import { quantity, readText } from "../ui/numbers.ts";
import { sizeAt } from "../wire/decode.ts";
import { CONSTRAINT } from "../wire/generated/frame.ts";
import type { Reading } from "../wire/generated/protocol.ts";
import type { Bench } from "./bench.ts";
import { TOOLS } from "./tools.ts";

export class Menu {
    readonly element = h("div", {
        class: "menu card",
        role: "group",
        "aria-label": "At the selected place",
        hidden: true,
    });
    readonly #title = h("div", { class: "menu-title" });
    readonly #values = h("div", { class: "menu-values number" });
    readonly #buttons = h("div", { class: "menu-buttons" });
    #asking = false;

    /** `inspect` opens the inspector; `covered` is the width that panels cover on the right, px. */
    constructor(
        private readonly app: App,
        private readonly bench: Bench,
        private readonly inspect: () => void,
        private readonly covered: () => number,
    ) {
        this.element.append(this.#title, this.#values, this.#buttons);
        app.store.on("selection", (place, before) => {
            if (!samePlace(place, before)) this.#values.textContent = "";
            this.#fill(place);
        });
        app.store.on("table", () => this.#fill(app.store.state.selection));
        app.store.on("tool", () => this.#fill(app.store.state.selection));
    }

    /** Follows the place. */
    follow(): void {
        if (this.element.hidden) return;
        const { selection } = this.app.store.state;
        const { layout, frame } = this.app.picture;
        if (selection === null || layout === null || frame === null) return;
        const at = layout.where(selection, frame);
        const pixel = at === null ? null : this.app.stage.toScreen(new Vector3(...at));
        if (pixel === null) return;
        const { width, height } = this.app.stage;
        const { offsetWidth, offsetHeight } = this.element;
        const x = Math.min(
            Math.max(pixel.x - offsetWidth / 2, 70),
            Math.max(70, width - this.covered() - offsetWidth - 12),
        );
        const below = pixel.y + 26;
        const y = below + offsetHeight > height - 110 ? pixel.y - offsetHeight - 26 : below;
        this.element.style.transform = `translate(${Math.round(x)}px, ${Math.round(Math.max(y, 60))}px)`;
    }

    /** Shows the newest values; called a few times a second. */
    refresh(): void {
        const { selection } = this.app.store.state;
        if (this.element.hidden || selection === null) return;
        if (selection.kind === "constraint") this.#show(this.#force(selection.name));
        else void this.#read(selection);
    }

    #fill(place: Place | null): void {
        if (place !== null && !this.#exists(place)) {
            this.app.store.set("selection", null);
            return;
        }
        const hidden =
            place === null ||
            this.app.store.state.tool !== "hand" ||
            this.app.store.state.scene?.recording != null;
        this.element.hidden = hidden;
        if (hidden) return;
        if (place.kind === "constraint") this.#constraint(place.name);
        else this.#object(place);
        this.follow();
        this.refresh();
    }

    #exists(place: Place): boolean {
        const { table } = this.app.store.state;
        if (place.kind === "constraint")
            return table?.constraints.some(({ name }) => name === place.name) ?? false;
        return table?.objects.some(({ name }) => name === place.on) ?? false;
    }

    #object(place: ObjectPlace): void {
        this.#title.textContent =
            place.kind === "rod" ? `${place.on} at ${quantity(place.at, "m")}` : place.on;
        const tools = TOOLS.filter(({ takes }) => takes.includes(place.kind));
        refill(this.#buttons, JSON.stringify(place), () => [
            ...tools.map((tool) =>
                button(tool.word, tool.second === undefined ? tool.label : `${tool.label}…`, () => {
                    void this.bench.use(tool, place);
                }),
            ),
            button("inspect", "Inspect", this.inspect),
        ]);
    }

    #constraint(name: string): void {
        const entry = this.app.store.state.table?.constraints.find((one) => one.name === name);
        this.#title.textContent = `${name}: ${entry?.kind ?? ""} on ${entry?.on ?? ""}`;
        refill(this.#buttons, JSON.stringify([name, entry?.kind]), () => [
            button("release", "Release", () => void ask(this.app, { edit: { release: name } })),
            entry?.kind === "clip" &&
                button("clip", "Open", () => void ask(this.app, { edit: { "open-clip": name } })),
            button("inspect", "Inspect", this.inspect),
        ]);
    }

    #force(name: string): string {
        const { layout, frame } = this.app.picture;
        const index = layout?.table.constraints.findIndex((entry) => entry.name === name) ?? -1;
        if (frame === null || index < 0) return "";
        const size = (part: number): number => sizeAt(frame.constraints, index * CONSTRAINT.stride + part);
        const [force, moment] = [size(CONSTRAINT.force), size(CONSTRAINT.moment)];
        const turning = moment === 0 ? "" : ` · moment ${quantity(moment, "N·m")}`;
        return `force ${quantity(force, "N")}${turning}`;
    }

    async #read(place: ObjectPlace): Promise<void> {
        if (this.#asking) return;
        this.#asking = true;
        try {
            const at = place.kind === "rod" ? { at: place.at } : {};
            const reading = await this.app.connection.ask({ inspect: { on: place.on, ...at } });
            if (samePlace(place, this.app.store.state.selection)) this.#show(mainValues(reading));
        } catch {
            // The object or the server is gone: both are reported elsewhere.
        } finally {
            this.#asking = false;
        }
    }

    #show(values: string): void {
        if (this.#values.textContent !== values) this.#values.textContent = values;
    }
}

/** The main values of a place, in a line. */
export function mainValues(reading: Reading): string {
    const main = reading.values.filter((value) => value.main);
    return main.map((value) => `${value.name.toLowerCase()} ${readText(value)}`).join(" · ");
}

function button(name: IconName, label: string, onclick: () => void): HTMLButtonElement {
    return h("button", { type: "button", class: "menu-button", onclick }, icon(name), h("span", {}, label));
}
