/**
 * The range of the colours: robust against outliers; it grows at once, shrinks slowly, or is fixed by the
 * user.
 */

import type { MapKind } from "./colour-map.ts";

export interface Range {
    low: number;
    high: number;
}

/** Shares of the values below and above the range: a few outliers don't compress the rest. */
const TRIM = 0.02;
const MOST_SAMPLES = 2048;
/** Share of the largest value from which negative values make the map two-sided. */
const TWO_SIDED = 0.05;
/** Share below which a two-sided map becomes one-sided again. */
const ONE_SIDED = 0.01;
/** Time constant of shrinking, ms: the range settles within a second. */
const SETTLING = 200;
/** Longest time step of settling, ms. */
const LONGEST_STEP = 100;
/** Distance from its target, as a share of its width, at which the range has settled. */
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

/** The map for values between `low` and `high`: two-sided if some are negative. */
function mapFor({ low, high }: Range): MapKind {
    return low < -TWO_SIDED * Math.max(Math.abs(low), Math.abs(high)) ? "diverging" : "sequential";
}

/** The range shown for values between `low` and `high`: it always includes zero. */
function displayRange({ low, high }: Range, kind: MapKind): Range {
    return { low: kind === "diverging" ? Math.min(low, 0) : 0, high: Math.max(high, 0) };
}

export class ColourRange {
    #kind: MapKind = "sequential";
    #shown: Range | null = null;
    #aim: Range | null = null;
    #fixed: Range | null = null;
    #settledAt = 0;

    /** Null before the first values. */
    get shown(): Range | null {
        return this.#fixed ?? this.#shown;
    }

    get kind(): MapKind {
        return this.#fixed === null ? this.#kind : mapFor(this.#fixed);
    }

    /**
     * Values at the ends of the map: symmetric about zero for a two-sided map, so that zero has the middle
     * colour.
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

    /** Fixes the range, or lets it follow the values again. */
    fix(range: Range | null): void {
        this.#fixed = range;
    }

    /** Another channel or scene: forgets earlier values. */
    forget(): void {
        this.#shown = null;
    }

    /**
     * Uses the values of a frame: the range grows at once, and shrinks with `settle`, or at once with
     * `atOnce`.
     */
    see(values: ArrayLike<number>, atOnce: boolean): void {
        const seen = robustRange(values);
        if (seen === null) return;
        const fresh = atOnce || this.#shown === null;
        // Values near zero would switch the map repeatedly: it stays two-sided until one sign is nearly gone.
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

    /** Shrinks towards the last values, before each picture; returns whether it has to continue. */
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
