/** Live plots: one for each unit of probes, and one for the energies. */

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { ask, type App } from "../app.ts";
import type { ThemeName } from "../draw/themes.ts";
import { ENERGIES, type Series } from "../state/history.ts";
import { h, icon } from "../ui/dom.ts";
import { digits } from "../ui/numbers.ts";
import type { ProbeRow } from "../wire/generated/protocol.ts";
import type { Panel } from "./dock.ts";

/** Colours with a contrast of at least 3 to 1 with the background of their theme. */
const COLOURS: Record<ThemeName, string[]> = {
    dark: ["#e69f00", "#56b4e9", "#2fb67c", "#d55e00", "#cc79a7", "#8f8fff", "#b8a800", "#7d9199"],
    light: ["#b87700", "#1f78b8", "#16835a", "#c24f00", "#b8508a", "#5a55d6", "#857800", "#5c707a"],
};
const HEIGHT = 170;

interface Chart {
    plot: uPlot;
    /** The current data. */
    data: () => uPlot.AlignedData;
}

export class Plots implements Panel {
    readonly word = "plots";
    readonly label = "Plots";
    readonly key = "1";
    readonly icon = "plot";
    readonly element = h("div", { class: "plots" });
    readonly #charts: Chart[] = [];
    #built = "";
    #open = false;

    constructor(private readonly app: App) {
        app.store.on("table", () => this.#open && this.#build());
    }

    shown(open: boolean): void {
        this.#open = open;
        this.#clear();
        if (open) window.requestAnimationFrame(() => this.#build());
    }

    refresh(): void {
        for (const { plot, data } of this.#charts) plot.setData(data());
    }

    /** Colours have changed. */
    restyle(): void {
        this.#clear();
        if (this.#open) this.#build();
    }

    #build(): void {
        const probes = this.app.store.state.table?.probes ?? [];
        const key = `${this.element.clientWidth} ${JSON.stringify(probes)}`;
        if (key === this.#built || this.element.clientWidth === 0) return;
        this.#clear();
        this.#built = key;
        const groups = new Map<string, ProbeRow[]>();
        for (const probe of probes) groups.set(probe.unit, [...(groups.get(probe.unit) ?? []), probe]);
        for (const [unit, members] of groups) {
            const names = members.map(({ name }) => name);
            this.#chart(
                unit === "" ? "Probes" : unit,
                names,
                () => this.app.history.probes,
                (name) => this.#unwatch(name),
            );
        }
        this.#chart("Energies, J", [...ENERGIES], () => this.app.history.energies);
        if (probes.length === 0)
            this.element.prepend(
                h(
                    "p",
                    { class: "dim" },
                    "This scene has no probes. Click a rod or a constraint and choose a quantity to watch.",
                ),
            );
    }

    #clear(): void {
        for (const { plot } of this.#charts) plot.destroy();
        this.#charts.length = 0;
        this.element.replaceChildren();
        this.#built = "";
    }

    /** `series` is called each time: a reset replaces it. */
    #chart(title: string, names: string[], series: () => Series, remove?: (name: string) => void): void {
        const data = (): uPlot.AlignedData => {
            const { times, columns } = series();
            return [
                times,
                ...names.map((name) => columns.get(name) ?? new Array<null>(times.length).fill(null)),
            ];
        };
        const colours = COLOURS[this.app.picture.theme.name];
        const style = getComputedStyle(document.documentElement);
        const ink = style.getPropertyValue("--dim").trim();
        const grid = { stroke: style.getPropertyValue("--line").trim(), width: 1 };
        const axis: uPlot.Axis = {
            stroke: ink,
            grid,
            ticks: grid,
            font: "11px system-ui",
            size: 56,
            values: (_, ticks) => ticks.map((tick) => String(+tick.toPrecision(6))),
        };
        const host = h("div", { class: "chart" }, h("h3", {}, title));
        this.element.append(host);
        const plot = new uPlot(
            {
                width: this.element.clientWidth,
                height: HEIGHT,
                scales: { x: { time: false } },
                axes: [{ ...axis, size: 30 }, axis],
                cursor: { y: false },
                legend: { live: true },
                series: [
                    { label: "s", value: newest },
                    ...names.map((name, i) => ({
                        label: name,
                        stroke: colours[i % colours.length]!,
                        width: 1.6,
                        points: { show: false },
                        value: newest,
                    })),
                ],
            },
            data(),
            host,
        );
        if (remove !== undefined) {
            host.append(
                h(
                    "div",
                    { class: "watches" },
                    ...names
                        .filter((name) => this.#mine(name))
                        .map((name) => {
                            const button = h(
                                "button",
                                { type: "button", class: "text-button" },
                                `stop watching ${name} `,
                                icon("close"),
                            );
                            button.addEventListener("click", () => remove(name));
                            return button;
                        }),
                ),
            );
        }
        this.#charts.push({ plot, data });
    }

    #mine(name: string): boolean {
        return this.app.watches.has(name);
    }

    #unwatch(name: string): void {
        this.app.watches.delete(name);
        void ask(this.app, { unwatch: { name } });
    }
}

/** The value under the cursor, otherwise the newest one. */
function newest(plot: uPlot, value: number | null, series: number): string {
    return digits(value ?? plot.data[series]?.at(-1) ?? NaN, 4);
}
