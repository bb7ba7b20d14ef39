/** Short texts in the view. Earlier ones take precedence; those that overlap others or a bar are left out. */

import { Vector2, type Vector3 } from "three";
import { areApart, type Box } from "./room.ts";
import type { Stage } from "./stage.ts";

const HEIGHT = 20;
const LETTER = 7.2;
/** Distance between a label and its place, px. */
const GAP = 8;

/** The possible sides of a label, as steps from its place. */
const SIDES: readonly [number, number][] = [
    [1, 0],
    [-1, 0],
    [0, -1],
    [0, 1],
];

export class Labels {
    readonly element = document.createElement("div");
    readonly #pool: HTMLSpanElement[] = [];
    #boxes: Box[] = [];
    #used = 0;

    constructor(private readonly stage: Stage) {
        this.element.className = "labels";
        this.element.setAttribute("aria-hidden", "true");
    }

    begin(): void {
        this.#used = 0;
        this.#boxes = [];
    }

    /** Puts `text` to the right of `place`, even over others. */
    put(place: Vector3, text: string, look: string): void {
        const at = this.stage.toScreen(place);
        if (at !== null) this.#show(boxBeside(at, SIDES[0]!, text), text, look);
    }

    /** Puts `text` beside `place`, on the free side farthest from `behind`, if there is one. */
    putBeyond(behind: Vector3, place: Vector3, text: string, look: string): void {
        const at = this.stage.toScreen(place);
        const other = this.stage.toScreen(behind);
        if (at === null || other === null) return;
        const away = new Vector2().subVectors(at, other);
        const ahead = (side: readonly [number, number]): number => side[0] * away.x + side[1] * away.y;
        for (const side of [...SIDES].sort((a, b) => ahead(b) - ahead(a))) {
            const box = this.#slide(boxBeside(at, side, text), side);
            if (!this.#isFree(box)) continue;
            this.#show(box, text, look);
            return;
        }
    }

    end(): void {
        for (let i = this.#used; i < this.#pool.length; i++) this.#pool[i]!.hidden = true;
    }

    /** Moves a label along its side into the free part of the view, as long as it stays beside its place. */
    #slide([x0, y0, x1, y1]: Box, [dx, dy]: readonly [number, number]): Box {
        const { room, width, height } = this.stage;
        const into = (low: number, high: number, least: number, most: number): number => {
            const far = (high - low) / 2;
            return Math.min(Math.max(least - low, 0), far) - Math.min(Math.max(high - most, 0), far);
        };
        const x = dx === 0 ? into(x0, x1, room.left, width - room.right) : 0;
        const y = dy === 0 ? into(y0, y1, room.top, height - room.bottom) : 0;
        return [x0 + x, y0 + y, x1 + x, y1 + y];
    }

    #isFree(box: Box): boolean {
        const { room, width, height } = this.stage;
        if (box[0] < 0 || box[1] < 0 || box[2] > width || box[3] > height) return false;
        const apart = (other: Box): boolean => areApart(box, other);
        return room.bars.every(apart) && this.#boxes.every(apart);
    }

    #show(box: Box, text: string, look: string): void {
        this.#boxes.push(box);
        const label = this.#take();
        if (label.textContent !== text) label.textContent = text;
        const name = `label ${look}`;
        if (label.className !== name) label.className = name;
        label.style.transform = `translate(${Math.round(box[0])}px, ${Math.round(box[1])}px)`;
    }

    #take(): HTMLSpanElement {
        let label = this.#pool[this.#used];
        if (label === undefined) {
            label = document.createElement("span");
            this.#pool.push(label);
            this.element.append(label);
        }
        label.hidden = false;
        this.#used++;
        return label;
    }
}

function boxBeside(at: Vector2, [dx, dy]: readonly [number, number], text: string): Box {
    const width = 12 + LETTER * text.length;
    const x = at.x + dx * (GAP + width / 2) - width / 2;
    const y = at.y + dy * (GAP + HEIGHT / 2) - HEIGHT / 2;
    return [x, y, x + width, y + HEIGHT];
}
