/** The channel of the colours with its range in units; and the spacing of the grid. */

import { ask, type App } from "../app.ts";
import { colourGradient } from "../draw/colour-map.ts";
import { h } from "../ui/dom.ts";
import { digits, quantity } from "../ui/numbers.ts";
import { capital } from "../ui/words.ts";

export class Legend {
    readonly element: HTMLElement;
    readonly #zero = h("div", { class: "zero" });
    readonly #bar = h("div", { class: "gradient", "aria-hidden": "true" }, this.#zero);
    readonly #select: HTMLSelectElement;
    readonly #low = limit("Least value of the colours");
    readonly #high = limit("Largest value of the colours");
    readonly #unit = h("span", { class: "unit" });
    readonly #scale = h("div", { class: "ground-scale" });
    readonly #body: HTMLElement;
    #drawn = "";

    constructor(private readonly app: App) {
        const { store } = app;
        this.#select = h("select", {
            "aria-label": "Colour rods by",
            onchange: () => this.choose(this.#select.value === "" ? null : this.#select.value),
        });
        const auto = h(
            "button",
            { type: "button", class: "text-button", title: "Let the range follow the values" },
            "auto",
        );
        auto.addEventListener("click", () => {
            app.picture.range.fix(null);
            app.picture.range.forget();
            this.#again();
        });
        for (const input of [this.#low, this.#high]) {
            input.addEventListener("change", () => {
                const [low, high] = [
                    Number(this.#low.value.replace("−", "-")),
                    Number(this.#high.value.replace("−", "-")),
                ];
                if (Number.isFinite(low) && Number.isFinite(high) && high > low)
                    app.picture.range.fix({ low, high });
                this.#again();
            });
        }
        this.#body = h(
            "div",
            { class: "legend-body" },
            this.#bar,
            h("div", { class: "limits" }, this.#high, this.#unit, this.#low),
            auto,
        );
        this.element = h("div", { class: "legend card" }, this.#select, this.#body, this.#scale);
        store.on("hello", (hello) => {
            this.#select.replaceChildren(
                h("option", { value: "" }, "Own colours"),
                ...(hello?.channels ?? []).map(({ name }) => h("option", { value: name }, capital(name))),
            );
            this.#select.value = store.state.colour ?? "";
        });
        store.on("colour", (colour, before) => {
            this.#select.value = colour ?? "";
            if (colour === before) return;
            this.app.picture.range.fix(null);
            this.app.picture.range.forget();
        });
    }

    /** Colours by another channel. */
    choose(channel: string | null): void {
        this.app.store.set("colour", channel);
        void ask(this.app, { colour: channel });
    }

    /** Shows the current picture's colours. */
    refresh(): void {
        const { picture, stage, store } = this.app;
        const mesh = `Grid ${quantity(stage.ground.mesh, "m").replace(/\.0+ /, " ")}`;
        if (this.#scale.textContent !== mesh) this.#scale.textContent = mesh;
        const channel = picture.frame?.channel ?? null;
        const rodless = picture.layout?.rods.length === 0;
        const { shown: range, scale, kind } = picture.range;
        const hidden = channel === null || rodless || range === null;
        if (this.#select.hidden !== rodless) this.#select.hidden = rodless;
        if (this.#body.hidden !== hidden) this.#body.hidden = hidden;
        if (hidden || scale === null) return;
        const { name, unit } = store.state.hello?.channels[channel] ?? { name: "", unit: "" };
        const span = `${digits(range.low)} ${digits(range.high)}`;
        const drawn = `${name} ${unit} ${kind} ${picture.theme.name} ${span}`;
        if (drawn === this.#drawn) return;
        this.#drawn = drawn;
        const placeOf = (value: number): number =>
            (value - scale.low) / Math.max(scale.high - scale.low, 1e-30);
        this.#bar.style.background = colourGradient(
            kind,
            picture.theme.name,
            placeOf(range.low),
            placeOf(range.high),
        );
        const twoSided = kind === "diverging" && range.high > 0;
        const zero = twoSided ? (100 * range.low) / (range.low - range.high) : 50;
        this.#zero.hidden = !twoSided;
        this.#zero.style.bottom = `${zero}%`;
        this.#unit.textContent = twoSided ? `0 ${unit}` : unit;
        // Away from the inputs.
        this.#unit.style.bottom = `${Math.min(Math.max(zero, 28), 72)}%`;
        for (const [input, value] of [
            [this.#low, range.low],
            [this.#high, range.high],
        ] as const) {
            if (document.activeElement !== input) input.value = digits(value);
        }
    }

    /** Draws the last frame again, with another range. */
    #again(): void {
        const { picture } = this.app;
        if (picture.frame !== null) picture.show(picture.frame);
        this.#drawn = "";
        this.refresh();
    }
}

function limit(label: string): HTMLInputElement {
    return h("input", {
        class: "limit",
        inputmode: "decimal",
        "aria-label": label,
        title: `${label}: type to fix`,
    });
}
