/** Scene files and recordings from the user's disk: chosen, or dropped on the page. */

import { ask, type App } from "../app.ts";
import { h } from "../ui/dom.ts";
import { Refusal } from "../wire/connection.ts";
import type { Problem } from "../wire/generated/protocol.ts";

const MEBIBYTE = 2 ** 20;
/** Largest files that the server accepts, bytes. */
const MOST = { scene: 3 * MEBIBYTE, recording: 64 * MEBIBYTE };

/**
 * Opens a scene (.toml) or a recording (anything else); returns whether it succeeded. Refused scenes go to
 * `mend`.
 */
export async function openFile(
    app: App,
    file: File,
    mend: (name: string, text: string, why: Problem) => void,
): Promise<boolean> {
    const { name, size } = file;
    const kind = /\.toml$/i.test(name) ? "scene" : "recording";
    if (size > MOST[kind]) {
        const [given, most] = [(size / MEBIBYTE).toFixed(1), MOST[kind] / MEBIBYTE];
        app.notices.refuse({
            problem: `${name} has ${given} MiB: a ${kind} may have at most ${most} MiB.`,
            remedy: "Start micado view with its name instead: that accepts files of any size.",
        });
        return false;
    }
    if (kind === "recording") {
        const recording = base64(new Uint8Array(await file.arrayBuffer()));
        return (await ask(app, { open: { name, recording } })) !== undefined;
    }
    const text = await file.text();
    try {
        await app.connection.ask({ open: { name, text } });
        return true;
    } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        mend(name, text, error.why);
        return false;
    }
}

export function base64(bytes: Uint8Array): string {
    let text = "";
    const part = 0x8000;
    for (let i = 0; i < bytes.length; i += part) text += String.fromCharCode(...bytes.subarray(i, i + part));
    return btoa(text);
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/** Accepts files that are dropped anywhere; texts are handled where they are dropped. */
export function takeDrops(open: (file: File) => void): HTMLElement {
    const veil = h(
        "div",
        { class: "drop-veil", hidden: true },
        h("p", {}, "Drop a scene (.toml) or a recording"),
    );
    let depth = 0;
    const files = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
    window.addEventListener("dragenter", (event) => {
        if (!files(event)) return;
        depth++;
        veil.hidden = false;
    });
    window.addEventListener("dragleave", (event) => {
        if (files(event) && --depth <= 0) veil.hidden = true;
    });
    window.addEventListener("dragover", (event) => files(event) && event.preventDefault());
    window.addEventListener("drop", (event) => {
        if (!files(event)) return;
        event.preventDefault();
        depth = 0;
        veil.hidden = true;
        const file = event.dataTransfer?.files[0];
        if (file !== undefined) open(file);
    });
    return veil;
}
