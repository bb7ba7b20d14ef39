/** Short messages at the bottom of the page: what was done, and refusals with their remedy. */

import { Refusal } from "../wire/connection.ts";
import type { Problem } from "../wire/generated/protocol.ts";
import { closeButton, h } from "./dom.ts";
import { capital } from "./words.ts";

const SHOWN_FOR = 3500;
const ERROR_SHOWN_FOR = 9000;
const MOST = 3;

export class Notices {
    readonly element = h("div", { class: "notices", "aria-live": "polite" });
    /** All errors so far, for tests. */
    readonly errors: Problem[] = [];

    say(text: string): void {
        this.#add(h("div", { class: "notice" }, text), SHOWN_FOR);
    }

    refuse(why: Problem): void {
        this.errors.push(why);
        const close = closeButton("Dismiss", () => notice.remove());
        close.classList.add("small");
        const notice = h(
            "div",
            { class: "notice error", role: "alert" },
            h("div", {}, ...wordsOf(why)),
            close,
        );
        this.#add(notice, ERROR_SHOWN_FOR);
    }

    /** Waits for an answer; shows a refusal and then returns undefined. */
    async answer<T>(asked: Promise<T>): Promise<T | undefined> {
        try {
            return await asked;
        } catch (error) {
            if (!(error instanceof Refusal)) throw error;
            this.refuse(error.why);
            return undefined;
        }
    }

    #add(notice: HTMLElement, time: number): void {
        const dialog = document.querySelector("dialog[open]");
        const home = this.element.parentElement;
        // A dialog covers everything outside it.
        if (dialog !== null && home !== null && home !== dialog) {
            dialog.append(this.element);
            dialog.addEventListener("close", () => home.append(this.element), { once: true });
        }
        this.element.append(notice);
        while (this.element.children.length > MOST) this.element.firstElementChild?.remove();
        window.setTimeout(() => notice.remove(), time);
    }
}

/** Shows text between backticks as code. */
function inCode(text: string): (string | HTMLElement)[] {
    return text.split("`").map((part, i) => (i % 2 === 1 ? h("code", {}, part) : part));
}

/** Place, problem and remedy. */
export function wordsOf({ problem, remedy, line, path }: Problem): HTMLElement[] {
    const where = [line ? `line ${line}` : "", path ?? ""].filter((word) => word !== "").join(", ");
    const head = where === "" ? problem : `${capital(where)}: ${problem}`;
    return [
        h("strong", {}, ...inCode(head)),
        ...(remedy ? [h("div", { class: "remedy" }, ...inCode(remedy))] : []),
    ];
}
