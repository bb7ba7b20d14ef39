/** The socket: requests with answers, messages, frames; it reconnects automatically. */

import type { Answer, Answers, Message, Problem, Request } from "./generated/protocol.ts";

/** The word of a request. */
type Word<R> = R extends string ? R : keyof R;
/** `ok` of the answer to a request. */
export type AnswerTo<R extends Request> = Word<R> extends keyof Answers ? Answers[Word<R>] : null;

export type Link = "connecting" | "open" | "lost";

/** A request that was refused or not answered. */
export class Refusal extends Error {
    constructor(readonly why: Problem) {
        super(why.problem);
    }
}

export interface Listener {
    announced(message: Message): void;
    framed(buffer: ArrayBuffer): void;
    /** `retryIn`: seconds until the next try, while lost. */
    linked(link: Link, retryIn: number): void;
    refused(why: Problem): void;
}

interface Waiting {
    resolve(value: unknown): void;
    reject(why: Refusal): void;
}

const GONE: Problem = {
    problem: "The server is gone.",
    remedy: "Start `micado view` again; this page reconnects automatically.",
};
const SHORTEST_WAIT = 0.25;
const LONGEST_WAIT = 5;
/** Number of sent requests that may still be refused: older ones have succeeded. */
const MOST_TOLD = 1000;

export class Connection {
    #socket: WebSocket | null = null;
    readonly #waiting = new Map<number, Waiting>();
    /** Requests without answers, by number, and their handlers of a refusal. */
    readonly #told = new Map<number, () => void>();
    #next = 1;
    #wait = SHORTEST_WAIT;
    #timer: number | undefined;

    constructor(
        private readonly address: string,
        private readonly listener: Listener,
    ) {}

    /** Opens the socket, and opens it again whenever it is lost. */
    connect(): void {
        window.clearTimeout(this.#timer);
        this.#socket?.close();
        const socket = new WebSocket(this.address);
        socket.binaryType = "arraybuffer";
        this.#socket = socket;
        this.listener.linked("connecting", 0);
        socket.onopen = () => {
            this.#wait = SHORTEST_WAIT;
            this.listener.linked("open", 0);
        };
        socket.onmessage = (message: MessageEvent<string | ArrayBuffer>) => {
            if (typeof message.data === "string") this.#text(message.data);
            else this.listener.framed(message.data);
        };
        socket.onclose = () => {
            if (this.#socket === socket) this.#lost();
        };
    }

    /** Sends a request; the promise resolves to the answer, or rejects with a `Refusal`. */
    ask<R extends Request>(what: R): Promise<AnswerTo<R>> {
        const id = this.#next++;
        return new Promise((resolve, reject) => {
            if (this.#socket?.readyState !== WebSocket.OPEN) {
                reject(new Refusal(GONE));
                return;
            }
            this.#waiting.set(id, { resolve, reject });
            this.#socket.send(JSON.stringify({ id, do: what }));
        });
    }

    /** Sends a request that is answered only if it is refused. */
    tell(what: Request, refused: () => void): void {
        if (this.#socket?.readyState !== WebSocket.OPEN) return;
        const id = this.#next++;
        this.#told.set(id, refused);
        if (this.#told.size > MOST_TOLD) this.#told.delete(this.#told.keys().next().value ?? id);
        this.#socket.send(JSON.stringify({ id, do: what }));
    }

    #text(text: string): void {
        const message = JSON.parse(text) as Answer | Message;
        if (!("answer" in message)) {
            this.listener.announced(message);
            return;
        }
        const number = message.answer ?? -1;
        const refused = this.#told.get(number);
        const waiting = this.#waiting.get(number);
        if (refused !== undefined) refused();
        else if (waiting === undefined && "error" in message) this.listener.refused(message.error);
        if (waiting === undefined) return;
        this.#waiting.delete(number);
        if ("error" in message) waiting.reject(new Refusal(message.error));
        else waiting.resolve(message.ok);
    }

    #lost(): void {
        const waiting = [...this.#waiting.values()];
        this.#waiting.clear();
        this.#told.clear();
        this.listener.linked("lost", this.#wait);
        this.#timer = window.setTimeout(() => this.connect(), 1000 * this.#wait);
        this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT);
        for (const one of waiting) one.reject(new Refusal(GONE));
    }
}

/** The address of the socket, with the token of the page's address. */
export function socketAddress(location: Location): string {
    const token = new URLSearchParams(location.search).get("token");
    const query = token === null ? "" : `?token=${encodeURIComponent(token)}`;
    return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws${query}`;
}
