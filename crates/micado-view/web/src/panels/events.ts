/** Events: opened clips, actions, retried steps. */

import type { App } from "../app.ts";
import { h } from "../ui/dom.ts";
import { clock } from "../ui/numbers.ts";
import type { EventRow } from "../wire/generated/protocol.ts";
import type { Panel } from "./dock.ts";

export class Events implements Panel {
    readonly word = "events";
    readonly label = "Events";
    readonly key = "6";
    readonly icon = "events";
    readonly element = h("div", { class: "scroll" });
    readonly #list = h("ol", { class: "events", "aria-live": "polite" });
    #open = false;

    constructor(private readonly app: App) {
        this.element.append(this.#list);
        app.store.on("events", () => this.#open && this.#fill());
    }

    shown(open: boolean): void {
        this.#open = open;
        if (open) this.#fill();
    }

    #fill(): void {
        const rows = foldEvents(this.app.store.state.events).reverse();
        this.#list.replaceChildren(
            ...rows.map(({ time, kind, text, count }) =>
                h(
                    "li",
                    {},
                    h("span", { class: "number" }, clock(time)),
                    h("span", { class: "kind" }, kind),
                    h("span", {}, text, count > 1 ? h("span", { class: "dim number" }, ` × ${count}`) : null),
                ),
            ),
        );
        if (rows.length === 0) this.#list.append(h("li", { class: "dim" }, "There are no events yet."));
    }
}

/** Merges consecutive equal events, with the time of the newest and their number. */
export function foldEvents(events: EventRow[]): (EventRow & { count: number })[] {
    const rows: (EventRow & { count: number })[] = [];
    for (const event of events) {
        const last = rows.at(-1);
        if (last?.kind === event.kind && last.text === event.text) {
            last.time = event.time;
            last.count++;
        } else rows.push({ ...event, count: 1 });
    }
    return rows;
}
