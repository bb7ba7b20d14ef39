/**
 * The range of values that the colours span: robust against outliers, quick to grow, calm when it shrinks, or
 * fixed by hand.
 */

import type { MapKind } from "./colour-map.ts";

export interface Range {
    low: number;
    high: number;
}

/** Shares of the values below and above the range: a few spikes don't wash out the rest. */
const TRIM = 0.02;
const MOST_SAMPLES = 2048;
/** Less than this share of the largest value below zero doesn't make two signs. */
const TWO_SIDED = 0.05;
/** And less than this one makes one sign of two again. */
const ONE_SIDED = 0.01;
/** Time in which a range that is too wide goes 63 % of its way, ms: within a second it is there. */
const SETTLING = 200;
/** A picture that comes later than that settles no more, ms. */
const LONGEST_STEP = 100;
/** So near to its aim, as a share of its width, the range is there. */
const THERE = 0.03;

const SAMPLE = new Float64Array(MOST_SAMPLES);

/** The 2nd and 98th percentile of the values; null when there are none. */
export function robustRange(values: ArrayLike<number>): Range | null {
    const stride = Math.max(1, Math.ceil(values.length / MOST_SAMPLES));
    let count = 0;
    for (let i = 0; i < values.length; i += stride) {
        const value = values[i]!;
        if (Number.isFinite(value)) SAMPLE[count++] = value;
    }
    if (count === 0) return null;
    const sorted = SAMPLE.subarray(0, count).sort();
    const at = (share: number): number => sorted[Math.round(share * (count - 1))]!;
    return { low: at(TRIM), high: at(1 - TRIM) };
}

/** The map for values between `low` and `high`: one with two sides where some are below zero. */
function mapFor({ low, high }: Range): MapKind {
    return low < -TWO_SIDED * Math.max(Math.abs(low), Math.abs(high)) ? "diverging" : "sequential";
}

/** What is shown for values between `low` and `high`: zero is always a part of it. */
function displayRange({ low, high }: Range, kind: MapKind): Range {
    return { low: kind === "diverging" ? Math.min(low, 0) : 0, high: Math.max(high, 0) };
}

export class ColourRange {
    #kind: MapKind = "sequential";
    #shown: Range | null = null;
    #aim: Range | null = null;
    #fixed: Range | null = null;
    #settledAt = 0;

    /** Null as long as nothing was seen. */
    get shown(): Range | null {
        return this.#fixed ?? this.#shown;
    }

    get kind(): MapKind {
        return this.#fixed === null ? this.#kind : mapFor(this.#fixed);
    }

    /**
     * What the ends of the map stand for: even about zero where it has two sides, so that zero has the colour
     * of its middle.
     */
    get scale(): Range | null {
        const range = this.shown;
        if (range === null || this.kind === "sequential") return range;
        const most = Math.max(Math.abs(range.low), Math.abs(range.high));
        return { low: -most, high: most };
    }

    get fixed(): boolean {
        return this.#fixed !== null;
    }

    /** Fixes the range, or leaves it to the values again. */
    fix(range: Range | null): void {
        this.#fixed = range;
    }

    /** Another channel or scene: what was seen doesn't count. */
    forget(): void {
        this.#shown = null;
    }

    /**
     * Takes the values of a frame into account: what is beyond the range at once, that it is too wide when it
     * settles or where `atOnce`.
     */
    see(values: ArrayLike<number>, atOnce: boolean): void {
        const seen = robustRange(values);
        if (seen === null) return;
        const fresh = atOnce || this.#shown === null;
        // Values about zero would make the map come and go: two sides stay until there is nothing left of
        // one.
        const settled = this.#shown !== null && this.#shown.low > -ONE_SIDED * this.#shown.high;
        if (fresh || settled || mapFor(seen) === "diverging") this.#kind = mapFor(seen);
        this.#aim = displayRange(seen, this.#kind);
        this.#shown =
            fresh || this.#shown === null
                ? this.#aim
                : {
                      low: Math.min(this.#shown.low, this.#aim.low),
                      high: Math.max(this.#shown.high, this.#aim.high),
                  };
    }

    /** Shrinks towards what was last seen, before each picture; says whether there is more to do. */
    settle(now: number): boolean {
        const step = Math.min(now - this.#settledAt, LONGEST_STEP);
        this.#settledAt = now;
        const [shown, aim] = [this.#shown, this.#aim];
        if (shown === null || aim === null || shown === aim) return false;
        const far = Math.max(aim.low - shown.low, shown.high - aim.high);
        if (far <= THERE * (shown.high - shown.low)) {
            this.#shown = aim;
            return false;
        }
        const share = 1 - Math.exp(-step / SETTLING);
        this.#shown = {
            low: shown.low + share * (aim.low - shown.low),
            high: shown.high + share * (aim.high - shown.high),
        };
        return true;
    }
}
