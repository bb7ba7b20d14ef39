/** Problems with their remedy: a lost server, a failed step, a page that can't draw. */

import { ask, type App } from "../app.ts";
import { h } from "../ui/dom.ts";
import { capital } from "../ui/words.ts";
import { PROTOCOL_VERSION, type Request, type Trouble } from "../wire/generated/protocol.ts";

/** Headlines of the kinds of trouble. */
const HEADS: Record<string, string> = {
    conflict: "Constraints contradict each other",
    "not-converged": "No equilibrium was found",
    panic: "The program failed",
    passed: "Rods passed through each other",
};

export class Banner {
    readonly element = h("div", { class: "banners" });
    readonly #link = h("div", { class: "banner lost", role: "alert", hidden: true });
    readonly #reload = h("div", { class: "banner reload", role: "alert", hidden: true });
    readonly #trouble: HTMLElement;
    readonly #head = h("strong");
    readonly #text = h("span");
    readonly #remedy = h("div", { class: "remedy" });
    readonly #release: HTMLButtonElement;
    /** Read aloud when the kind of trouble changes; its text may change with each step. */
    readonly #aloud = h("div", { class: "unseen", role: "alert" });
    #kind: string | null = null;

    constructor(private readonly app: App) {
        const { store, stage, connection } = app;
        this.#release = this.#button("Release", () => ({
            edit: { release: store.state.status?.trouble?.constraint ?? "" },
        }));
        const buttons = h(
            "div",
            { class: "group" },
            this.#release,
            this.#button("Undo", () => "undo"),
            this.#button("Reset", () => "reset"),
        );
        this.#trouble = h(
            "div",
            { class: "banner trouble", hidden: true },
            h("div", {}, this.#head, " ", this.#text, this.#remedy),
            buttons,
        );
        this.element.append(this.#reload, this.#link, this.#trouble, this.#aloud);
        store.on("link", ({ state, retryIn }) => {
            if (state === "open") this.#link.hidden = true;
            if (state !== "lost") return;
            const wait = `this page reconnects automatically (next try in ${retryIn.toFixed(1)} s).`;
            const text = `The picture shows the last state received. Start micado view again: ${wait}`;
            fill(this.#link, "The server is gone.", text, "Try now", () => connection.connect());
        });
        store.on("status", (status) => this.#tell(status?.trouble ?? null));
        store.on("hello", (hello) => {
            this.#reload.hidden = true;
            if (hello === null || hello.version === PROTOCOL_VERSION) return;
            this.#needsReload("This page has another version.", `Reload it for ${hello.program}.`);
        });
        const canvas = stage.renderer.domElement;
        canvas.addEventListener("webglcontextlost", () =>
            this.#needsReload(
                "The picture is gone.",
                "The browser or the graphics card has stopped drawing it. The simulation continues.",
            ),
        );
        canvas.addEventListener("webglcontextrestored", () => {
            this.#reload.hidden = true;
            stage.invalidate();
        });
    }

    #button(label: string, what: () => Request): HTMLButtonElement {
        const button = h("button", { type: "button", class: "text-button" }, label);
        button.addEventListener("click", () => void ask(this.app, what()));
        return button;
    }

    #needsReload(head: string, text: string): void {
        fill(this.#reload, head, text, "Reload the page", () => window.location.reload());
    }

    /** Changes only texts: buttons stay in place, even if the trouble changes with each step. */
    #tell(trouble: Trouble | null): void {
        this.#trouble.hidden = trouble === null;
        const kind = trouble?.kind ?? null;
        if (kind !== this.#kind)
            this.#aloud.textContent = trouble === null ? "" : `${headOf(trouble)} ${capital(trouble.text)}.`;
        this.#kind = kind;
        if (trouble === null) return;
        const set = (element: HTMLElement, text: string): void => {
            if (element.textContent !== text) element.textContent = text;
        };
        set(this.#head, headOf(trouble));
        set(this.#text, `${capital(trouble.text)}.`);
        set(this.#remedy, trouble.remedy);
        this.#release.hidden = trouble.constraint === null;
        set(this.#release, `Release ${trouble.constraint ?? ""}`);
    }
}

function headOf(trouble: Trouble): string {
    const where = trouble.constraint ?? trouble.object;
    return `${HEADS[trouble.kind] ?? "The step failed"}${where === null ? "." : ` at ${where}.`}`;
}

/** Puts a text and one button into a banner, and shows it. */
function fill(banner: HTMLElement, head: string, text: string, label: string, onclick: () => void): void {
    banner.replaceChildren(
        h("div", {}, h("strong", {}, head), ` ${text}`),
        h("button", { type: "button", class: "text-button", onclick }, label),
    );
    banner.hidden = false;
}

/** The message when nothing can be drawn. */
export function undrawable(): HTMLElement {
    return h(
        "div",
        { class: "banners" },
        h(
            "div",
            { class: "banner", role: "alert" },
            h(
                "div",
                {},
                h("strong", {}, "This browser can't draw 3D pictures (WebGL 2)."),
                h(
                    "div",
                    { class: "remedy" },
                    "Switch hardware acceleration on in its settings, or use another browser.",
                ),
            ),
        ),
    );
}
