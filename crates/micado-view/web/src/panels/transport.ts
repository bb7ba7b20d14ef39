/** Time: play, step, reset, speed, mode, undo and redo, recording; the timeline of recordings. */

import { ask, type App } from "../app.ts";
import { h, icon, iconButton, press } from "../ui/dom.ts";
import { clock, digits } from "../ui/numbers.ts";
import type { Mode } from "../wire/generated/scene.ts";

const SPEEDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];
const MODES: [Mode, string][] = [
    ["dynamic", "Dynamic"],
    ["quasi-dynamic", "Quasi-dynamic"],
    ["static", "Static"],
];

export class Transport {
    readonly element: HTMLElement;
    readonly #time = h(
        "output",
        { class: "time", "aria-label": "Simulated time", "aria-live": "off" },
        "0.00 s",
    );
    readonly #pace = h("output", { class: "pace", "aria-label": "Real-time factor", "aria-live": "off" });
    readonly #line: HTMLInputElement;
    /** Whether the timeline is being dragged, and the number of unanswered seeks. */
    #scrubbing = false;
    #seeking = 0;

    constructor(private readonly app: App) {
        const { store } = app;
        const play = iconButton("play", "Play", "Space", () => this.toggle());
        play.classList.add("main");
        const step = iconButton("step", "Step", ".", () => this.step());
        const reset = iconButton("reset", "Reset", "R", () => this.reset());
        const undo = iconButton("undo", "Undo", "Control+Z", () => void this.undo());
        const redo = iconButton("redo", "Redo", "Control+Shift+Z", () => void this.redo());
        const record = iconButton("record", "Record", "", () => void this.#record());
        record.classList.add("record");
        const speed = h(
            "select",
            {
                "aria-label": "Speed: simulated seconds per second",
                title: "Speed",
                onchange: () => void ask(app, { speed: { factor: Number(speed.value) } }),
            },
            ...SPEEDS.map((factor) => h("option", { value: factor }, `× ${factor}`)),
        );
        speed.value = "1";
        const mode = h(
            "select",
            {
                "aria-label": "Mode of the steps",
                title: "Mode",
                onchange: () => void ask(app, { mode: mode.value as Mode }),
            },
            ...MODES.map(([word, label]) => h("option", { value: word }, label)),
        );
        this.#line = h("input", {
            type: "range",
            class: "timeline",
            min: 0,
            value: 0,
            "aria-label": "Timeline",
            oninput: () => {
                this.#scrubbing = true;
                void this.seek(Number(this.#line.value));
            },
            onchange: () => {
                this.#scrubbing = false;
            },
        });
        this.element = h(
            "div",
            { class: "transport bar", role: "group", "aria-label": "Time" },
            this.#line,
            h(
                "div",
                { class: "row" },
                h("div", { class: "group" }, undo, redo),
                h("div", { class: "group" }, reset, play, step),
                h("div", { class: "group times" }, this.#time, this.#pace),
                h("div", { class: "group" }, speed, mode, record),
            ),
        );
        new ResizeObserver(() =>
            document.documentElement.style.setProperty("--transport", `${this.element.offsetHeight}px`),
        ).observe(this.element);
        store.on("status", (status, before) => {
            if (status === null) return;
            if (status.playing !== before?.playing) {
                play.replaceChildren(icon(status.playing ? "pause" : "play"));
                play.setAttribute("aria-label", status.playing ? "Pause" : "Play");
                play.title = `${status.playing ? "Pause" : "Play"} (space)`;
            }
            for (const [button, what, verb] of [
                [undo, status.undo, "Undo"],
                [redo, status.redo, "Redo"],
            ] as const) {
                button.disabled = what === null;
                button.title = what === null ? `Nothing to ${verb.toLowerCase()}` : `${verb}: ${what}`;
            }
            const known = SPEEDS.some((factor) => factor === status.speed);
            if (!known && ![...speed.options].some((option) => Number(option.value) === status.speed))
                speed.append(h("option", { value: status.speed }, `× ${digits(status.speed)}`));
            speed.value = String(status.speed);
            mode.value = status.mode;
            press(record, status.recording);
            record.title = status.recording ? "Stop recording" : "Record";
            const quasi =
                status.mode === "quasi-dynamic"
                    ? ` · ${status.modes.quasi_static} quasi-static, ${status.modes.dynamic} dynamic`
                    : "";
            const taken = `${digits(1000 * status.step_seconds)} ms`;
            this.#pace.title = `Simulated seconds per second. A step takes ${taken}${quasi}.`;
        });
        store.on("scene", (scene) => {
            const recording = scene?.recording ?? null;
            this.element.classList.toggle("plays-back", recording !== null);
            for (const control of [mode, record, undo, redo]) control.hidden = recording !== null;
            if (recording !== null) this.#line.max = String(Math.max(recording.frames - 1, 0));
        });
        store.on("frame", (frame) => {
            if (frame === null) return;
            this.#time.textContent = clock(frame.time);
            this.#pace.textContent = frame.playing
                ? `${digits(frame.realTimeFactor, 2)}× real time`
                : "paused";
            // Late frames must not move the thumb back.
            if (store.state.scene?.recording && !this.#scrubbing && this.#seeking === 0)
                this.#line.value = String(frame.recordingFrame);
        });
    }

    toggle(): void {
        void ask(this.app, this.app.store.state.status?.playing === true ? "pause" : "play");
    }

    step(count = 1): void {
        const { scene, frame } = this.app.store.state;
        if (scene?.recording) void this.seek((frame?.recordingFrame ?? 0) + count);
        else void ask(this.app, { step: { count } });
    }

    reset(): void {
        void ask(this.app, "reset");
    }

    async seek(frame: number): Promise<void> {
        const last = (this.app.store.state.scene?.recording?.frames ?? 1) - 1;
        this.#seeking++;
        await ask(this.app, { seek: { frame: Math.min(Math.max(frame, 0), last) } });
        this.#seeking--;
    }

    async undo(): Promise<void> {
        const answer = await ask(this.app, "undo");
        if (answer?.what !== undefined) this.app.notices.say(`Undone: ${answer.what}`);
    }

    async redo(): Promise<void> {
        const answer = await ask(this.app, "redo");
        if (answer?.what !== undefined) this.app.notices.say(`Done again: ${answer.what}`);
    }

    async #record(): Promise<void> {
        const on = this.app.store.state.status?.recording !== true;
        if ((await ask(this.app, { record: on })) === undefined) return;
        this.app.notices.say(on ? "Recording." : "Recorded. The export panel saves it.");
    }
}
