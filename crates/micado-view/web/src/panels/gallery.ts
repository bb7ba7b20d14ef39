/** The built-in scenes with a picture and a sentence each; also opens files. */

import { ask, type App } from "../app.ts";
import type { ThemeName } from "../draw/themes.ts";
import { closeButton, dialog, h } from "../ui/dom.ts";
import type { Card } from "../wire/generated/protocol.ts";

/** Pictures of the scenes (made by test/browser/screenshots.mjs): their URLs by `./cards/NAME-THEME.jpg`. */
const CARDS = import.meta.glob<string>("./cards/*.jpg", { eager: true, query: "?url", import: "default" });

export class Gallery {
    readonly element: HTMLDialogElement;
    readonly #grid = h("div", { class: "gallery-grid" });
    readonly #search: HTMLInputElement;
    #entries: Card[] = [];
    /** The theme of the displayed pictures. */
    #theme: ThemeName = "dark";

    /** `openFile` gets the chosen file. */
    constructor(
        private readonly app: App,
        openFile: (file: File) => void,
    ) {
        this.#search = h("input", {
            type: "search",
            placeholder: "Search",
            "aria-label": "Search scenes",
            oninput: () => this.#fill(),
        });
        const file = h("input", { type: "file", accept: ".toml,.micado", hidden: true });
        file.addEventListener("change", () => {
            const chosen = file.files?.[0];
            if (chosen !== undefined) openFile(chosen);
            file.value = "";
        });
        const open = h("button", { type: "button", class: "button" }, "Open a file…");
        open.addEventListener("click", () => file.click());
        this.element = dialog(
            { class: "gallery", "aria-label": "Gallery" },
            h(
                "header",
                {},
                h(
                    "div",
                    {},
                    h("h1", {}, "Micado"),
                    h(
                        "p",
                        {},
                        "Choose a scene and drag its rods, " + "or drop a scene file anywhere on the page.",
                    ),
                ),
                h(
                    "div",
                    { class: "group" },
                    this.#search,
                    open,
                    file,
                    closeButton("Close the gallery", () => this.close()),
                ),
            ),
            this.#grid,
        );
    }

    async open(): Promise<void> {
        if (!this.element.open) this.element.showModal();
        const { name: theme } = this.app.picture.theme;
        if (this.#entries.length > 0 && this.#theme === theme) return;
        this.#theme = theme;
        if (this.#entries.length === 0) this.#entries = (await ask(this.app, "gallery")) ?? [];
        this.#fill();
    }

    close(): void {
        this.element.close();
    }

    #fill(): void {
        const wanted = this.#search.value.trim().toLowerCase();
        const fits = ({ name, title, description }: Card): boolean =>
            `${name} ${title} ${description}`.toLowerCase().includes(wanted);
        const cards = this.#entries.filter(fits).map((entry) => {
            const source = CARDS[`./cards/${entry.name}-${this.#theme}.jpg`];
            const picture =
                source === undefined
                    ? h("div", { class: "no-picture" })
                    : h("img", { src: source, alt: "", loading: "lazy", decoding: "async" });
            const card = h(
                "button",
                { type: "button", class: "gallery-card", "data-scene": entry.name },
                picture,
                h("span", { class: "title" }, entry.title),
                h("span", { class: "sentence" }, firstSentence(entry.description)),
                h("code", {}, entry.name),
            );
            card.addEventListener("click", () => void this.#choose(entry.name));
            return card;
        });
        this.#grid.replaceChildren(...cards);
        if (cards.length === 0) this.#grid.append(h("p", { class: "empty" }, "No scene matches."));
    }

    async #choose(name: string): Promise<void> {
        this.close();
        await ask(this.app, { open: { builtin: name } });
    }
}

/** Up to the first full stop. */
function firstSentence(text: string): string {
    const end = text.search(/[.!?](\s|$)/);
    return end < 0 ? text : text.slice(0, end + 1);
}
