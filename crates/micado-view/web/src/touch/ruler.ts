/** The ruler: the current straight distance between two places, and the length of rod between them. */

import { Vector3 } from "three";
import type { App } from "../app.ts";
import type { Sketch } from "../draw/sketch.ts";
import type { ObjectPlace } from "../state/store.ts";
import { quantity } from "../ui/numbers.ts";

export class Ruler {
    #ends: [ObjectPlace, ObjectPlace] | null = null;

    constructor(private readonly app: App) {
        app.picture.extras.push((sketch) => this.#draw(sketch));
        app.store.on("scene", () => this.clear());
    }

    measure(first: ObjectPlace, second: ObjectPlace): void {
        this.#ends = [first, second];
        this.app.stage.invalidate();
    }

    /** Removes it; returns whether it was there. */
    clear(): boolean {
        const had = this.#ends !== null;
        this.#ends = null;
        this.app.stage.invalidate();
        return had;
    }

    #draw({ layout, frame, glyphs, labels, paints, stage }: Sketch): void {
        if (this.#ends === null) return;
        const [a, b] = this.#ends;
        const [from, to] = [layout.where(a, frame), layout.where(b, frame)];
        if (from === null || to === null) return;
        const [start, end] = [new Vector3(...from), new Vector3(...to)];
        const apart = start.distanceTo(end);
        glyphs.bar("over", start, end, 0.9 * stage.pixelAt(start), paints.hover);
        for (const point of [start, end]) {
            const size = 4 * stage.pixelAt(point);
            glyphs.put("ball", "over", point, new Vector3(0, 0, 1), null, [size, size, size], paints.hover);
        }
        const along =
            a.kind === "rod" && b.kind === "rod" && a.on === b.on
                ? ` · ${quantity(Math.abs(a.at - b.at), "m")} of rod`
                : "";
        labels.put(start.lerp(end, 0.5), `${quantity(apart, "m")}${along}`, "ruler");
    }
}
