/** The duration of a step, by stages, and the matrix that it solves. */

import { ask, type App } from "../app.ts";
import { h } from "../ui/dom.ts";
import { digits, quantity } from "../ui/numbers.ts";
import type { Panel } from "./dock.ts";

export class Solver implements Panel {
    readonly word = "solver";
    readonly label = "Solver";
    readonly key = "5";
    readonly icon = "gallery";
    readonly element: HTMLElement;
    readonly #facts = h("dl");
    readonly #stages = h("div", { class: "stages" });
    readonly #matrix = h("div", { class: "matrix" });

    constructor(private readonly app: App) {
        const draw = h("button", { type: "button", class: "button" }, "Draw the matrix of the step");
        draw.addEventListener("click", () => void this.#draw());
        this.element = h(
            "div",
            { class: "scroll" },
            this.#facts,
            h("h3", {}, "Cost of a step"),
            this.#stages,
            draw,
            this.#matrix,
        );
        app.store.on("table", () => this.#matrix.replaceChildren());
    }

    refresh(): void {
        const { status, scene, frame, table } = this.app.store.state;
        if (status === null || scene === null) return;
        const { dynamic, quasi_static: quasiStatic } = status.modes;
        const facts: [string, string][] = [
            [
                "Mode",
                status.mode === "quasi-dynamic"
                    ? `quasi-dynamic: ${dynamic} dynamic, ${quasiStatic} quasi-static`
                    : status.mode,
            ],
            ["Time step", quantity(scene.step, "s")],
            ["A step takes", quantity(status.step_seconds, "s")],
            ["Real-time factor", digits(status.real_time_factor)],
            ["Kinetic energy", quantity(status.energies.kinetic, "J")],
            ["Elastic energy", quantity(status.energies.elastic, "J")],
            ["Gravity energy", quantity(status.energies.gravity, "J")],
            ["Total energy", quantity(status.energies.total, "J")],
            ["Objects, constraints", `${table?.objects.length ?? 0}, ${table?.constraints.length ?? 0}`],
            ["Points drawn, vertices", `${frame?.points ?? 0}, ${this.app.picture.vertices}`],
            ["Pages", String(status.pages)],
        ];
        this.#facts.replaceChildren(
            ...facts.flatMap(([label, value]) => [h("dt", {}, label), h("dd", {}, value)]),
        );
        const whole = status.stages.reduce((sum, { seconds }) => sum + seconds, 0);
        this.#stages.replaceChildren(
            ...status.stages.map(({ name, seconds }) => {
                const bar = h("div", { class: "stage-bar" });
                bar.style.setProperty("--share", String(whole > 0 ? seconds / whole : 0));
                return h(
                    "div",
                    { class: "stage" },
                    h("span", {}, name.replaceAll("_", " ")),
                    bar,
                    h("span", { class: "number" }, quantity(seconds, "s")),
                );
            }),
        );
    }

    async #draw(): Promise<void> {
        const answer = await ask(this.app, "matrix");
        if (answer === undefined) return;
        // In an image, scripts can't run.
        const address = URL.createObjectURL(new Blob([answer.svg], { type: "image/svg+xml" }));
        const picture = h("img", {
            alt: "Pattern of the step's matrix before and after its unknowns are ordered",
            src: address,
            onload: () => URL.revokeObjectURL(address),
        });
        this.#matrix.replaceChildren(picture);
    }
}
