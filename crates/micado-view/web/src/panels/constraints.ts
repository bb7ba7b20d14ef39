/** All constraints with their force, moment, residual and the load of clips as a share of their strength. */

import { ask, watch, type App } from "../app.ts";
import { h, iconButton } from "../ui/dom.ts";
import { quantity, residualText } from "../ui/numbers.ts";
import { sizeAt } from "../wire/decode.ts";
import { CONSTRAINT } from "../wire/generated/frame.ts";
import type { ConstraintRow } from "../wire/generated/protocol.ts";
import type { Panel } from "./dock.ts";

interface Row {
    entry: ConstraintRow;
    offset: number;
    force: HTMLElement;
    moment: HTMLElement;
    residual: HTMLElement;
    used: HTMLElement;
    element: HTMLElement;
}

export class Constraints implements Panel {
    readonly word = "constraints";
    readonly label = "Constraints";
    readonly key = "2";
    readonly icon = "table";
    readonly element: HTMLElement;
    readonly #nothing = h("p", { class: "dim" }, "There are no constraints. Pin a rod with P.");
    readonly #body = h("tbody");
    readonly #table: HTMLElement;
    #rows: Row[] = [];

    constructor(private readonly app: App) {
        const head = ["name", "force", "moment", "residual", "strength", ""].map((text) =>
            h("th", { scope: "col" }, text),
        );
        this.#table = h("table", { class: "constraints" }, h("thead", {}, h("tr", {}, ...head)), this.#body);
        this.element = h("div", { class: "scroll" }, this.#nothing, this.#table);
        app.store.on("table", () => this.#build());
        app.store.on("selection", () => this.#mark());
    }

    refresh(): void {
        const frame = this.app.picture.frame;
        if (frame === null) return;
        for (const { entry, offset, force, moment, residual, used, element } of this.#rows) {
            const at = (start: number): number => frame.constraints[offset + start]!;
            const open = at(CONSTRAINT.open) > 0.5;
            force.textContent = open
                ? "open"
                : quantity(sizeAt(frame.constraints, offset + CONSTRAINT.force), "N");
            const turning = sizeAt(frame.constraints, offset + CONSTRAINT.moment);
            moment.textContent = turning === 0 ? "" : quantity(turning, "N·m");
            residual.textContent = residualText(entry.kind, at(CONSTRAINT.residual));
            const share = at(CONSTRAINT.used);
            used.textContent = entry.strength === null && share === 0 ? "" : `${Math.round(100 * share)} %`;
            used.style.setProperty("--share", String(Math.min(share, 1)));
            element.classList.toggle("strained", share > 0.8);
        }
    }

    #build(): void {
        const { table } = this.app.store.state;
        if (table === null) return;
        const before = new Map(this.#rows.map((row) => [JSON.stringify(row.entry), row]));
        this.#rows = table.constraints.map((entry, index) => {
            const row = before.get(JSON.stringify(entry));
            return row === undefined
                ? this.#row(entry, index)
                : { ...row, offset: index * CONSTRAINT.stride };
        });
        const focused = [...this.#body.children].findIndex((row) => row.contains(document.activeElement));
        // Existing rows are not replaced: the pointer may be on their buttons.
        const elements = this.#rows.map(({ element }) => element);
        for (const old of [...this.#body.children]) if (!elements.includes(old as HTMLElement)) old.remove();
        elements.forEach((element, i) => {
            if (this.#body.children[i] !== element)
                this.#body.insertBefore(element, this.#body.children[i] ?? null);
        });
        if (focused >= 0 && !this.#body.contains(document.activeElement))
            elements[Math.min(focused, elements.length - 1)]?.querySelector("button")?.focus();
        this.#nothing.hidden = elements.length > 0;
        this.#table.hidden = elements.length === 0;
        this.#table.classList.toggle(
            "unlimited",
            table.constraints.every(({ strength }) => strength === null),
        );
        this.#mark();
        this.refresh();
    }

    #row(entry: ConstraintRow, index: number): Row {
        const { store } = this.app;
        const cell = (kind = "number"): HTMLElement => h("td", { class: kind });
        const row = {
            entry,
            offset: index * CONSTRAINT.stride,
            force: cell(),
            moment: cell(),
            residual: cell(),
            used: cell("number used"),
        };
        const place = { kind: "constraint" as const, name: entry.name };
        const pick = h(
            "button",
            {
                type: "button",
                class: "name",
                title: `${entry.kind} on ${entry.on}${entry.to === null ? "" : ` to ${entry.to}`}`,
            },
            entry.name,
            h("small", {}, entry.kind),
        );
        pick.addEventListener("click", () => store.set("selection", place));
        const release = iconButton(
            "release",
            `Release ${entry.name}`,
            "",
            () => void ask(this.app, { edit: { release: entry.name } }),
        );
        const see = iconButton(
            "watch",
            `Plot the force of ${entry.name}`,
            "",
            () => void watch(this.app, { name: `${entry.name} force`, of: entry.name, read: "force" }),
        );
        for (const button of [release, see]) button.classList.add("small");
        const element = h(
            "tr",
            { "data-constraint": entry.name },
            h("th", { scope: "row" }, pick),
            row.force,
            row.moment,
            row.residual,
            row.used,
            h("td", { class: "buttons" }, see, release),
        );
        const enter = (): void => store.set("hover", place);
        const leave = (): void => store.set("hover", null);
        element.addEventListener("pointerenter", enter);
        element.addEventListener("pointerleave", leave);
        element.addEventListener("focusin", enter);
        element.addEventListener("focusout", leave);
        return { ...row, element };
    }

    #mark(): void {
        const { selection } = this.app.store.state;
        for (const { entry, element } of this.#rows)
            element.classList.toggle(
                "selected",
                selection?.kind === "constraint" && selection.name === entry.name,
            );
    }
}
