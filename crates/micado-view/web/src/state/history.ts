/** The values of probes and energies over time, for the plots; thinned out when there are many. */

const MOST = 6000;

/** Named columns over common times: null where there is no value, or none that is finite. */
export class Series {
    readonly times: number[] = [];
    readonly columns = new Map<string, (number | null)[]>();

    constructor(names: string[] = []) {
        this.keep(names);
    }

    /** Sets the columns and their order; new ones have no earlier values. */
    keep(names: string[]): void {
        const before = new Map(this.columns);
        this.columns.clear();
        for (const name of names)
            this.columns.set(name, before.get(name) ?? new Array<null>(this.times.length).fill(null));
    }

    /**
     * Adds a row, in the order of the columns. When time goes back (reset, undo, scrubbing), later rows are
     * removed.
     */
    add(time: number, row: ArrayLike<number>): void {
        while (this.times.length > 0 && this.times.at(-1)! >= time) this.#pop();
        this.times.push(time);
        let i = 0;
        for (const column of this.columns.values()) {
            const value = row[i++];
            column.push(value !== undefined && Number.isFinite(value) ? value : null);
        }
        if (this.times.length > MOST) this.#thin();
    }

    #pop(): void {
        this.times.pop();
        for (const column of this.columns.values()) column.pop();
    }

    /** Keeps every second row. */
    #thin(): void {
        for (const list of [this.times, ...this.columns.values()] as (number | null)[][]) {
            let kept = 0;
            for (let i = 0; i < list.length; i += 2) list[kept++] = list[i] as number | null;
            list.length = kept;
        }
    }
}

export const ENERGIES = ["kinetic", "elastic", "gravity", "total"] as const;

export class History {
    /** A column for each probe of the newest table. */
    probes = new Series();
    energies = new Series([...ENERGIES]);

    /** Another scene. */
    forget(): void {
        this.probes = new Series([...this.probes.columns.keys()]);
        this.energies = new Series([...ENERGIES]);
    }
}
