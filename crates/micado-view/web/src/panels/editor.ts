/**
 * The text of the scene beside the view: checked while typing, with errors marked on their line; reloads in
 * place.
 */

import type { App } from "../app.ts";
import { h } from "../ui/dom.ts";
import { wordsOf } from "../ui/notices.ts";
import { Refusal } from "../wire/connection.ts";
import type { Problem } from "../wire/generated/protocol.ts";
import type { Panel } from "./dock.ts";
import { tokens } from "./highlight.ts";

const PAUSE = 400;

export class Editor implements Panel {
    readonly word = "scene";
    readonly label = "Scene";
    readonly key = "E";
    readonly icon = "code";
    readonly element: HTMLElement;
    /** The marked error, if any. */
    error: Problem | null = null;
    readonly #text: HTMLTextAreaElement;
    readonly #paint = h("pre", { class: "paint", "aria-hidden": "true" });
    readonly #gutter = h("div", { class: "gutter", "aria-hidden": "true" });
    readonly #message = h("div", { class: "editor-message", role: "status" });
    readonly #apply = h(
        "button",
        { type: "button", class: "button main", title: "Apply (Control+Enter)" },
        "Apply",
    );
    readonly #title = h("p", { class: "dim" });
    readonly #bringBack = h("button", { type: "button", class: "button", hidden: true }, "Restore my text");
    /** The displayed lines. */
    #lines: string[] = [];
    /** The scene's text. */
    #original = "";
    /** The text that was last applied here. */
    #applied = "";
    /** Name of the file of the text, if it is from a file. */
    #file: string | null = null;
    /** The edited text, after another text has replaced it. */
    #kept: { text: string; file: string | null } | null = null;
    #timer: number | undefined;

    constructor(private readonly app: App) {
        this.#text = h("textarea", {
            spellcheck: "false",
            autocomplete: "off",
            autocapitalize: "off",
            wrap: "off",
            "aria-label": "Text of the scene",
        });
        this.#text.addEventListener("input", () => this.#typed());
        this.#text.addEventListener("scroll", () => this.#follow());
        this.#text.addEventListener("keydown", (event) => this.#key(event));
        this.#apply.addEventListener("click", () => void this.apply());
        const back = h("button", { type: "button", class: "button" }, "Discard");
        back.addEventListener("click", () => this.#take(this.#original));
        this.#bringBack.addEventListener("click", () => {
            const kept = this.#kept;
            if (kept === null) return;
            this.#replace(kept.text, kept.file);
            void this.#check();
        });
        this.element = h(
            "div",
            { class: "editor" },
            this.#title,
            h("div", { class: "code" }, this.#gutter, h("div", { class: "sheet" }, this.#paint, this.#text)),
            this.#message,
            h("div", { class: "group end" }, this.#bringBack, back, this.#apply),
        );
        app.store.on("scene", (scene) => {
            if (scene === null) return;
            this.#title.textContent = scene.description;
            // If the same scene is opened again (by a reset or another page), the edited text stays.
            if (scene.text === this.#original && this.#text.value !== "") return;
            this.#replace(scene.text, null);
            this.#original = scene.text;
            this.#draw();
        });
    }

    shown(open: boolean): void {
        if (open) this.#draw();
    }

    /** Shows the text of a refused file, with its error. */
    mend(file: string, text: string, why: Problem): void {
        this.#replace(text, file);
        this.#show(why, "", true);
        this.#text.focus();
    }

    /** Opens the text. */
    async apply(): Promise<void> {
        const { scene } = this.app.store.state;
        window.clearTimeout(this.#timer);
        // A scene with its own name keeps the overrides of the command line.
        const name = this.#file ?? scene?.name ?? "scene.toml";
        const text = this.#text.value;
        try {
            this.#original = text;
            await this.app.connection.ask({ open: { name, text } });
            this.#applied = text;
            this.#show(null, "Reloaded.");
        } catch (error) {
            this.#original = scene?.text ?? "";
            this.#fail(error, true);
        }
    }

    #typed(): void {
        this.#draw();
        window.clearTimeout(this.#timer);
        this.#timer = window.setTimeout(() => void this.#check(), PAUSE);
    }

    async #check(): Promise<void> {
        const text = this.#text.value;
        try {
            const remarks = await this.app.connection.ask({ check: { text } });
            if (text === this.#text.value)
                this.#show(null, remarks.length > 0 ? remarks.join("\n") : "All right.");
        } catch (error) {
            if (text === this.#text.value) this.#fail(error);
        }
    }

    #fail(error: unknown, reveal = false): void {
        if (!(error instanceof Refusal)) throw error;
        this.#show(error.why, "", reveal);
    }

    /** Shows an error, or another message. Scrolls to the line if it has changed, or with `reveal`. */
    #show(error: Problem | null, words: string, reveal = false): void {
        const before = this.error?.line;
        this.error = error;
        this.#message.classList.toggle("error", error !== null);
        if (error === null) this.#message.textContent = words;
        else this.#message.replaceChildren(...wordsOf(error));
        this.#text.setAttribute("aria-invalid", String(error !== null));
        this.#draw();
        if (error?.line && (reveal || error.line !== before)) this.#reveal(error.line);
    }

    #take(text: string, file: string | null = null): void {
        window.clearTimeout(this.#timer);
        this.#file = file;
        this.#text.value = text;
        this.#show(null, "");
    }

    /** Sets another text; an edited text is kept for restoring. */
    #replace(text: string, file: string | null): void {
        const now = this.#text.value;
        const written = now !== this.#original || now === this.#applied;
        if (now !== text && now !== "" && written) this.#kept = { text: now, file: this.#file };
        else if (this.#kept?.text === text) this.#kept = null;
        this.#bringBack.hidden = this.#kept === null;
        this.#take(text, file);
    }

    /** Displays the changed lines: those between equal ones at the top and at the bottom. */
    #draw(): void {
        const lines = this.#text.value.split("\n");
        const wrong = (this.error?.line ?? 0) - 1;
        const [before, paint, gutter] = [this.#lines, this.#paint, this.#gutter];
        const least = Math.min(lines.length, before.length);
        let top = 0;
        while (top < least && lines[top] === before[top]) top++;
        let bottom = 0;
        while (bottom < least - top && lines.at(-1 - bottom) === before.at(-1 - bottom)) bottom++;
        for (let i = before.length - bottom; i > top; i--) paint.children[top]?.remove();
        const below = paint.children[top] ?? null;
        for (const line of lines.slice(top, lines.length - bottom))
            paint.insertBefore(paintedLine(line), below);
        while (gutter.children.length > lines.length) gutter.lastElementChild?.remove();
        while (gutter.children.length < lines.length)
            gutter.append(h("div", {}, String(gutter.children.length + 1)));
        for (const column of [paint, gutter]) {
            column.querySelector(".wrong")?.classList.remove("wrong");
            column.children[wrong]?.classList.add("wrong");
        }
        this.#lines = lines;
        this.#apply.disabled = this.#text.value === this.#original;
        this.#follow();
    }

    #follow(): void {
        this.#paint.style.transform = `translate(${-this.#text.scrollLeft}px, ${-this.#text.scrollTop}px)`;
        this.#gutter.style.transform = `translateY(${-this.#text.scrollTop}px)`;
    }

    #reveal(line: number): void {
        const height = this.#gutter.firstElementChild?.getBoundingClientRect().height ?? 18;
        const top = (line - 1) * height;
        if (top < this.#text.scrollTop || top > this.#text.scrollTop + this.#text.clientHeight - 2 * height)
            this.#text.scrollTop = Math.max(0, top - this.#text.clientHeight / 2);
        this.#follow();
    }

    #key(event: KeyboardEvent): void {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            void this.apply();
        }
    }
}

function paintedLine(line: string): HTMLElement {
    return h(
        "div",
        { class: "line" },
        ...tokens(line).map(([kind, text]) => (kind === "" ? text : h("span", { class: `t-${kind}` }, text))),
        line === "" ? "\u200b" : null,
    );
}
