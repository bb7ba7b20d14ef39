/** The tools at the left edge, and the fields of the current one. */

import type { App } from "../app.ts";
import type { Bench } from "../touch/bench.ts";
import type { Gizmo } from "../touch/gizmo.ts";
import { TOOLS, type Field, type Tool } from "../touch/tools.ts";
import { h, iconButton, press, refill } from "../ui/dom.ts";

export class Rail {
    readonly element: HTMLElement;
    readonly #card = h("div", { class: "tool-card card", role: "status" });

    constructor(
        app: App,
        private readonly bench: Bench,
        private readonly gizmo: Gizmo,
    ) {
        const buttons = TOOLS.map((tool) => {
            const button = iconButton(tool.word, tool.label, tool.key, () => bench.take(tool.word));
            button.title += `: ${tool.hint}`;
            button.dataset.tool = tool.word;
            return { tool, button };
        });
        const keep = iconButton("keep", "Pin on release", "", () =>
            app.store.option("keep", !app.store.state.options.keep),
        );
        app.store.on("options", ({ keep: on }) => press(keep, on), true);
        this.element = h(
            "div",
            { class: "rail" },
            h(
                "div",
                { class: "bar column", role: "group", "aria-label": "Tools" },
                ...buttons.map(({ button }) => button),
                h("hr"),
                keep,
            ),
            this.#card,
        );
        bench.changed = () => {
            for (const { tool, button } of buttons) press(button, tool === bench.tool);
            this.#explain();
            app.stage.invalidate();
        };
        gizmo.changed = () => this.#explain();
        bench.changed();
        app.store.on("scene", (scene) => {
            this.element.hidden = scene?.recording !== null && scene?.recording !== undefined;
        });
    }

    #explain(): void {
        const { tool, first } = this.bench;
        this.#card.hidden = tool.word === "hand" && !this.gizmo.holds;
        const hint = first !== null && tool.second !== undefined ? tool.second : tool.hint;
        const { holds, canTurn, turns } = this.gizmo;
        refill(this.#card, JSON.stringify([tool.word, hint, holds, canTurn, turns]), () => [
            ...(tool.word === "hand"
                ? []
                : [
                      h("strong", {}, tool.label),
                      h("p", {}, hint),
                      ...(tool.fields ?? []).map((field) => fieldControl(tool, field, this.bench)),
                  ]),
            holds && this.#held(),
        ]);
    }

    /** Actions on the object that the gizmo holds; keys do the same. */
    #held(): HTMLElement {
        const { gizmo } = this;
        const button = (label: string, key: string, onclick: () => void): HTMLElement =>
            h(
                "button",
                {
                    type: "button",
                    class: "button",
                    title: `${label} (${key})`,
                    "aria-keyshortcuts": key,
                    onclick,
                },
                label,
            );
        return h(
            "div",
            { class: "group held", role: "group", "aria-label": "Held object" },
            gizmo.canTurn ? button(gizmo.turns ? "Move" : "Turn", "M", () => gizmo.toggle()) : null,
            button("Pin", "P", () => gizmo.letGo("pin")),
            button("Let go", "Escape", () => gizmo.letGo("release")),
        );
    }
}

function fieldControl(tool: Tool, field: Field, bench: Bench): HTMLElement {
    const value = bench.fields.get(tool, field.word);
    const keep = (control: HTMLInputElement | HTMLSelectElement) => (): void =>
        bench.fields.set(tool, field.word, control.value);
    if (field.choices !== undefined) {
        const select = h(
            "select",
            {},
            ...field.choices.map((choice) => h("option", { value: choice }, choice)),
        );
        select.value = value;
        select.addEventListener("change", keep(select));
        return h("label", { class: "field" }, field.label, select);
    }
    const input = h("input", { type: "number", step: "any", min: 0, value, placeholder: "auto" });
    input.addEventListener("input", keep(input));
    return h("label", { class: "field" }, field.label, h("span", { class: "with-unit" }, input, field.unit));
}
