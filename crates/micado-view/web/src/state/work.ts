/** Durations of the page's own work for a frame: the newest few hundred, ms. */

const KEPT = 300;

export class Work {
    #samples: number[] = [];
    #next = 0;

    add(milliseconds: number): void {
        this.#samples[this.#next] = milliseconds;
        this.#next = (this.#next + 1) % KEPT;
    }

    clear(): void {
        this.#samples = [];
        this.#next = 0;
    }

    get report(): { median: number; p95: number; worst: number; count: number } {
        const sorted = [...this.#samples].sort((a, b) => a - b);
        const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
        return { median: at(0.5), p95: at(0.95), worst: at(1), count: sorted.length };
    }
}
