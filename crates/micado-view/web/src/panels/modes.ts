/** Natural vibrations about the current shape, animated in the view. */

import { ask, type App } from "../app.ts";
import { calm } from "../draw/themes.ts";
import { h, press } from "../ui/dom.ts";
import { quantity } from "../ui/numbers.ts";
import type { ModeShape } from "../wire/generated/protocol.ts";
import type { Panel } from "./dock.ts";

const COUNT = 8;
/** Displayed cycles per second, for every frequency. */
const SHOWN_FREQUENCY = 0.7;
/** Largest displacement, as a share of the size of the scene. */
const AMPLITUDE = 0.07;

export class Modes implements Panel {
    readonly word = "modes";
    readonly label = "Mode shapes";
    readonly key = "4";
    readonly icon = "wave";
    readonly element = h("div", { class: "scroll" });
    #shown: ModeShape | null = null;
    #serial = -1;
    #scratch = new Float32Array(0);
    readonly #list = h("div", { class: "list" });

    constructor(private readonly app: App) {
        const find = h(
            "button",
            { type: "button", class: "button main" },
            "Find the modes of the current shape",
        );
        find.addEventListener("click", () => void this.#find());
        this.element.append(
            h(
                "p",
                { class: "dim" },
                "Small vibrations about the current shape. " + "The run is paused; only the picture moves.",
            ),
            find,
            this.#list,
        );
        app.store.on("table", (table) => {
            this.#stop();
            // The modes belong to the points of another table.
            if (table?.serial !== this.#serial) this.#list.replaceChildren();
        });
    }

    shown(open: boolean): void {
        if (!open) this.#stop();
    }

    /** Whether a mode is shown, which needs continuous drawing. */
    get animated(): boolean {
        return this.#shown !== null;
    }

    async #find(): Promise<void> {
        await ask(this.app, "pause");
        const serial = this.app.store.state.table?.serial ?? -1;
        const modes = await ask(this.app, { modes: { count: COUNT } });
        if (modes === undefined || serial !== this.app.store.state.table?.serial) return;
        this.#serial = serial;
        const buttons = modes.map((mode, i) => {
            const button = h(
                "button",
                { type: "button", class: "list-item" },
                h("span", {}, `Mode ${i + 1}`),
                h(
                    "span",
                    { class: "number" },
                    mode.frequency === null ? "unstable" : quantity(mode.frequency, "Hz"),
                ),
            );
            button.addEventListener("click", () => {
                const on = this.#shown !== mode;
                for (const other of buttons) press(other, on && other === button);
                if (on) this.#play(mode);
                else this.#stop();
            });
            press(button, false);
            return button;
        });
        this.#list.replaceChildren(...buttons);
        if (modes.length === 0)
            this.#list.append(h("p", { class: "dim" }, "There are no modes: nothing can vibrate."));
    }

    #play(mode: ModeShape): void {
        this.#shown = mode;
        const { picture, stage } = this.app;
        const start = performance.now();
        picture.displace = (positions) => {
            if (this.#scratch.length !== positions.length) this.#scratch = new Float32Array(positions.length);
            const phase = calm()
                ? 1
                : Math.sin((2 * Math.PI * SHOWN_FREQUENCY * (performance.now() - start)) / 1000);
            const factor = AMPLITUDE * stage.size * phase;
            for (let i = 0; i < positions.length; i++)
                this.#scratch[i] = positions[i]! + factor * (mode.shape[Math.floor(i / 3)]?.[i % 3] ?? 0);
            return this.#scratch;
        };
        stage.invalidate();
    }

    #stop(): void {
        if (this.#shown === null) return;
        this.#shown = null;
        const { picture, stage } = this.app;
        picture.displace = null;
        for (const button of this.#list.children) press(button as HTMLElement, false);
        if (picture.frame !== null) picture.show(picture.frame);
        stage.invalidate();
    }
}
