/** The help sheet: pointer gestures and keys. */

import { TOOLS } from "../touch/tools.ts";
import { closeButton, dialog, h } from "../ui/dom.ts";

export interface Shortcut {
    keys: string;
    what: string;
}

const POINTER: Shortcut[] = [
    { keys: "drag a rod", what: "pull it; shift: towards you and away" },
    { keys: "second finger beside a drag", what: "as shift: towards you and away" },
    { keys: "click a rod or constraint", what: "select it and open its menu" },
    { keys: "drag beside it", what: "look around" },
    { keys: "right drag, two fingers", what: "move the view" },
    { keys: "wheel, pinch", what: "zoom" },
];

export class Help {
    readonly element: HTMLDialogElement;

    constructor(shortcuts: Shortcut[]) {
        const list = (title: string, lines: Shortcut[]): HTMLElement =>
            h(
                "section",
                {},
                h("h3", {}, title),
                h(
                    "dl",
                    {},
                    ...lines.flatMap(({ keys, what }) => [
                        h(
                            "dt",
                            {},
                            ...keys.split(" + ").flatMap((key, i) => [i > 0 ? " + " : "", h("kbd", {}, key)]),
                        ),
                        h("dd", {}, what),
                    ]),
                ),
            );
        this.element = dialog(
            { class: "help", "aria-label": "Help" },
            h(
                "header",
                {},
                h("h1", {}, "Keys and gestures"),
                closeButton("Close the help", () => this.element.close()),
            ),
            h(
                "div",
                { class: "columns" },
                list("Pointer", POINTER),
                list("Keys", shortcuts),
                list(
                    "Tools",
                    TOOLS.map(({ key, label, hint }) => ({ keys: key, what: `${label}: ${hint}` })),
                ),
            ),
        );
    }

    toggle(): void {
        if (this.element.open) this.element.close();
        else this.element.showModal();
    }
}
