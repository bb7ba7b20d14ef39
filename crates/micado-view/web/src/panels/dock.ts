/** The panels at the right edge: one is open at a time. */

import type { Stage } from "../draw/stage.ts";
import { closeButton, h, iconButton, press, type IconName } from "../ui/dom.ts";

export interface Panel {
    word: string;
    label: string;
    key: string;
    icon: IconName;
    element: HTMLElement;
    /** Called when it is opened or closed. */
    shown?(open: boolean): void;
    /** Called a few times a second while it is open, to show the newest state. */
    refresh?(): void;
}

const KEY = "micado-dock-width";
const LEAST = 300;
const LARGEST_SHARE = 0.7;
/** Least width of the view that has room for the legend beside the time bar, px. */
const ROOMY = 1100;

export class Dock {
    readonly element: HTMLElement;
    /** One button for each panel: at the top of the page, and at the top of the dock while that is open. */
    readonly home = h("div", { class: "group" });
    readonly #buttons = h("div", { class: "group", role: "group", "aria-label": "Panels" });
    readonly #header: HTMLElement;
    #open: Panel | null = null;
    readonly #body = h("div", { class: "dock-body" });
    readonly #title = h("h2");
    readonly #edge = h("div", {
        class: "dock-edge",
        role: "separator",
        "aria-orientation": "vertical",
        "aria-label": "Width of the panel",
        "aria-valuemin": LEAST,
        tabindex: 0,
    });
    readonly #pressed = new Map<string, HTMLElement>();
    #width: number;

    constructor(
        readonly panels: Panel[],
        private readonly stage: Stage,
    ) {
        this.#width = Number(window.localStorage.getItem(KEY)) || 440;
        const close = closeButton("Close the panel", () => this.show(null));
        close.classList.add("small");
        const edge = this.#edge;
        edge.addEventListener("pointerdown", (event) => edge.setPointerCapture(event.pointerId));
        edge.addEventListener(
            "pointermove",
            (event) =>
                edge.hasPointerCapture(event.pointerId) &&
                this.#resize(window.innerWidth - event.clientX - 12),
        );
        edge.addEventListener("keydown", (event) => {
            if (event.key === "ArrowLeft") this.#resize(this.#width + 24);
            if (event.key === "ArrowRight") this.#resize(this.#width - 24);
        });
        this.#header = h("header", {}, close);
        this.element = h(
            "aside",
            { class: "dock card", hidden: true, "aria-label": "Panel" },
            edge,
            this.#header,
            this.#title,
            this.#body,
        );
        this.home.append(this.#buttons);
        for (const panel of panels) {
            const button = iconButton(panel.icon, panel.label, panel.key, () => this.toggle(panel.word));
            button.dataset.panel = panel.word;
            press(button, false);
            this.#pressed.set(panel.word, button);
            this.#buttons.append(button);
        }
        window.addEventListener("resize", () => this.#cover());
        this.#cover();
    }

    get open(): string | null {
        return this.#open?.word ?? null;
    }

    toggle(word: string): void {
        this.show(this.open === word ? null : word);
    }

    show(word: string | null): void {
        if (word === this.open) return;
        const before = this.#open;
        const focused = document.activeElement;
        const within = this.element.contains(focused);
        this.#open = this.panels.find((panel) => panel.word === word) ?? null;
        before?.shown?.(false);
        this.element.hidden = this.#open === null;
        if (this.#open === null) this.home.append(this.#buttons);
        else this.#header.prepend(this.#buttons);
        // If the focused element was moved or hidden, the button of the panel gets the focus.
        if (focused instanceof HTMLElement && this.#buttons.contains(focused)) focused.focus();
        else if (within && before !== null) this.#pressed.get((this.#open ?? before).word)?.focus();
        for (const [name, button] of this.#pressed) press(button, name === this.open);
        if (this.#open !== null) {
            this.#title.textContent = this.#open.label;
            this.#body.replaceChildren(this.#open.element);
            this.#open.shown?.(true);
            this.#open.refresh?.();
        }
        this.#cover();
    }

    refresh(): void {
        this.#open?.refresh?.();
    }

    #resize(width: number): void {
        this.#width = Math.min(Math.max(width, LEAST), LARGEST_SHARE * window.innerWidth);
        window.localStorage.setItem(KEY, String(Math.round(this.#width)));
        this.#cover();
        this.#open?.shown?.(true);
    }

    /** Width of the view that is covered, px. */
    get covered(): number {
        return this.#open !== null && this.#wide ? this.#width + 12 : 0;
    }

    get #wide(): boolean {
        return window.innerWidth > 760;
    }

    #cover(): void {
        const { covered } = this;
        this.element.style.width = this.#wide ? `${this.#width}px` : "";
        this.#edge.setAttribute("aria-valuenow", String(Math.round(this.#width)));
        this.#edge.setAttribute("aria-valuemax", String(Math.round(LARGEST_SHARE * window.innerWidth)));
        document.documentElement.style.setProperty("--covered", `${covered}px`);
        document.documentElement.toggleAttribute("data-narrow", window.innerWidth - covered < ROOMY);
        this.stage.cover(covered);
    }
}
