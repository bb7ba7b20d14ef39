/** Exports: the picture, the probes, the current state as a scene, the recording. */

import { ask, type App } from "../app.ts";
import { download, h } from "../ui/dom.ts";
import type { Export } from "../wire/generated/protocol.ts";
import type { Panel } from "./dock.ts";
import { fromBase64 } from "./files.ts";

export class Exports implements Panel {
    readonly word = "export";
    readonly label = "Export";
    readonly key = "7";
    readonly icon = "export";
    readonly element: HTMLElement;

    constructor(private readonly app: App) {
        const item = (title: string, text: string, act: () => Promise<void>): HTMLElement => {
            const button = h(
                "button",
                { type: "button", class: "list-item tall" },
                h("strong", {}, title),
                h("span", { class: "dim" }, text),
            );
            button.addEventListener("click", () => void act());
            return button;
        };
        this.element = h(
            "div",
            { class: "scroll list" },
            item("Picture (PNG)", "The current view, without the controls.", () => this.#picture()),
            item("Probes (CSV)", "The history of all probes, with a column each.", () =>
                this.#export("csv", "text/csv"),
            ),
            item("Scene (TOML)", "The current state as a scene file.", () =>
                this.#export("scene", "text/plain"),
            ),
            item(
                "Recording",
                "The recording since Record was pressed. micado export converts it to glTF, VTK and CSV.",
                () => this.#export("recording", "application/octet-stream"),
            ),
            item("Link", "Copies an address that reopens this scene and camera.", () => this.#link()),
        );
    }

    async #export(what: Export, type: string): Promise<void> {
        const answer = await ask(this.app, { export: what });
        if (answer === undefined) return;
        download(
            answer.name,
            new Blob(["text" in answer ? answer.text : fromBase64(answer.base64)], { type }),
        );
    }

    async #picture(): Promise<void> {
        const { stage, picture, store } = this.app;
        stage.invalidate();
        stage.draw();
        const view = stage.renderer.domElement;
        const canvas = h("canvas", { width: view.width, height: view.height });
        const pen = canvas.getContext("2d");
        if (pen === null) return;
        const sky = pen.createLinearGradient(0, 0, 0, view.height);
        sky.addColorStop(0, picture.theme.sky[0]);
        sky.addColorStop(1, picture.theme.sky[1]);
        pen.fillStyle = sky;
        pen.fillRect(0, 0, view.width, view.height);
        pen.drawImage(view, 0, 0);
        const file = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
        if (file !== null) download(`${store.state.scene?.name ?? "micado"}.png`, file);
    }

    async #link(): Promise<void> {
        await navigator.clipboard.writeText(window.location.href);
        this.app.notices.say("The link is copied.");
    }
}
