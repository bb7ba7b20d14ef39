/** The picture of a table and its newest frame. */

import { Box3, Vector3 } from "three";
import { Layout } from "../state/layout.ts";
import type { Store } from "../state/store.ts";
import type { Frame } from "../wire/decode.ts";
import { CONSTRAINT, SPRING } from "../wire/generated/frame.ts";
import type { Table } from "../wire/generated/protocol.ts";
import { Arrows, arrowEnds } from "./arrows.ts";
import { drawBodies } from "./bodies.ts";
import { ColourRange } from "./colour-range.ts";
import { Contacts } from "./contacts.ts";
import { Corners } from "./corners.ts";
import { drawGauges } from "./gauges.ts";
import { Glyphs } from "./glyphs.ts";
import { Labels } from "./labels.ts";
import { Markers } from "./markers.ts";
import { paintsOf, type Paints, type Sketch } from "./sketch.ts";
import { Solids } from "./solids.ts";
import type { Stage } from "./stage.ts";
import { THEMES, type Theme } from "./themes.ts";
import { Tubes, type TubeStrand } from "./tubes.ts";

/** Factor of thicker rods. */
const THICKER = 3;

/** The path of a constraint at the time of the table. */
interface Path {
    /** Index of the constraint, and of the first point among those of all tubes. */
    constraint: number;
    first: number;
    points: Float32Array;
}

/** The current points of a path: it starts at the centre of its constraint. */
function ledAlong({ constraint, points }: Path, { constraints }: Frame): Float32Array {
    const begin = CONSTRAINT.stride * constraint + CONSTRAINT.centre;
    const shift = [0, 1, 2].map((c) => constraints[begin + c]! - points[c]!);
    return points.map((x, i) => x + shift[i % 3]!);
}

export class Picture {
    readonly range = new ColourRange();
    readonly labels: Labels;
    readonly bounds = new Box3();
    layout: Layout | null = null;
    theme: Theme = THEMES.dark;
    /** Additional drawing, called for each picture. */
    readonly extras: ((sketch: Sketch) => void)[] = [];
    /** Displaces the points of a frame, for mode shapes. */
    displace: ((positions: Float32Array) => Float32Array) | null = null;
    readonly solids = new Solids();
    /** Number of gauges and of contacts in the last picture. */
    gauges = 0;
    contacts = 0;
    readonly #tubes = new Tubes();
    readonly #glyphs = new Glyphs();
    readonly #markers = new Markers();
    readonly #arrows = new Arrows();
    readonly #contacts = new Contacts();
    readonly #corners = new Corners();
    #paints: Paints = paintsOf(THEMES.dark);
    #frame: Frame | null = null;
    /** Time of the last frame, of any table, s. */
    #time = 0;
    /** Paths that constraints follow. */
    #paths: Path[] = [];

    constructor(
        private readonly stage: Stage,
        private readonly store: Store,
    ) {
        this.labels = new Labels(stage);
        stage.scene.add(this.#tubes.mesh, this.#glyphs.group, this.solids.group);
        stage.host.append(this.labels.element);
    }

    get vertices(): number {
        return this.#tubes.vertices;
    }

    /** The current frame; it belongs to the current table. */
    get frame(): Frame | null {
        return this.#frame;
    }

    wear(theme: Theme): void {
        this.theme = theme;
        this.#paints = paintsOf(theme);
        this.#tubes.wear(theme);
        this.stage.invalidate();
    }

    /** Another scene: resets ranges and scales. */
    forget(): void {
        this.range.forget();
        this.range.fix(null);
        this.#arrows.forget();
        this.#markers.forget();
        this.#contacts.forget();
        this.#corners.forget();
    }

    /** Another table. */
    lay(table: Table): void {
        const layout = new Layout(table);
        this.layout = layout;
        this.#frame = null;
        const strands: TubeStrand[] = layout.rods.map(({ entry, first }) => ({
            first,
            points: entry.points,
            closed: entry.closed,
            radii: entry.radii,
        }));
        let first = layout.points;
        this.#paths = table.constraints.flatMap(({ marker }, constraint) => {
            if (marker.points.length === 0) return [];
            const path = { constraint, first, points: new Float32Array(marker.points.flat()) };
            strands.push({ first, points: marker.points.length, closed: false, radii: [0] });
            first += marker.points.length;
            return [path];
        });
        this.#tubes.layOut(strands, first, layout.rods.length);
        this.solids.receive(this.store.state.meshes);
        this.solids.lay(layout);
        this.stage.invalidate();
    }

    /** Shows a frame; returns whether it belongs to the current table. */
    show(frame: Frame): boolean {
        if (!this.layout?.fits(frame)) return false;
        this.#frame = frame;
        const positions = this.displace === null ? frame.positions : this.displace(frame.positions);
        this.#tubes.write(
            0,
            frame.points,
            this.#corners.round(this.layout, positions),
            frame.directors,
            frame.values,
        );
        this.solids.write(frame, positions);
        for (const path of this.#paths)
            this.#tubes.write(path.first, path.points.length / 3, ledAlong(path, frame), null, null);
        this.#tubes.upload(this.stage.renderer);
        this.#measure(frame);
        // After a jump (reset, seek, steps while paused) colours adapt at once.
        if (frame.values !== null) this.range.see(frame.values, !frame.playing || frame.time < this.#time);
        this.#time = frame.time;
        this.stage.floor = this.layout.floorHeight(frame);
        this.stage.embrace(this.bounds);
        this.stage.invalidate();
        return true;
    }

    /**
     * Places everything but the rods; before each picture, because sizes on the screen depend on the camera.
     */
    prepare(): void {
        const frame = this.#frame;
        if (this.layout === null || frame === null) return;
        const { hover, selection, status, options } = this.store.state;
        const trouble = status?.trouble ?? null;
        const rodOf = (name: string | null | undefined): number =>
            name === null || name === undefined ? -1 : (this.layout?.object(name)?.rod ?? -1);
        this.#tubes.highlight(
            hover !== null && hover.kind === "rod" ? rodOf(hover.on) : -1,
            rodOf(trouble?.object),
        );
        this.#tubes.thicken(options.thick ? THICKER : 1);
        this.#tubes.seenFrom(this.stage.camera, this.stage.pixel);
        if (this.range.settle(performance.now())) this.stage.invalidate();
        this.#tubes.colourBy(this.range.kind, frame.values === null ? null : this.range.scale, this.theme);
        const sketch: Sketch = {
            stage: this.stage,
            glyphs: this.#glyphs,
            labels: this.labels,
            paints: this.#paints,
            layout: this.layout,
            frame,
            trouble,
            hover,
            selection,
        };
        this.#glyphs.begin();
        this.labels.begin();
        for (const extra of this.extras) extra(sketch);
        drawBodies(sketch);
        this.solids.paint(sketch, options.scenery);
        this.gauges = this.contacts = 0;
        // Markers and arrows would not follow displaced rods.
        if (this.displace === null) {
            if (options.markers) {
                this.#markers.draw(sketch);
                this.gauges = drawGauges(sketch);
            }
            this.#arrows.draw(sketch, options.forces);
            if (options.contacts) this.contacts = this.#contacts.draw(sketch);
        }
        this.#glyphs.end();
        this.labels.end();
    }

    /** Measures the bounds. */
    #measure({ positions }: Frame): void {
        let [x0, y0, z0, x1, y1, z1] = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity];
        const floor = this.layout?.floor ?? null;
        for (let i = 0; i < positions.length; i += 3) {
            // The floor is unbounded.
            if (floor !== null && i === 3 * floor.first) continue;
            const [x, y, z] = [positions[i]!, positions[i + 1]!, positions[i + 2]!];
            // Comparisons with NaN are false.
            if (x < x0) x0 = x;
            if (y < y0) y0 = y;
            if (z < z0) z0 = z;
            if (x > x1) x1 = x;
            if (y > y1) y1 = y;
            if (z > z1) z1 = z;
        }
        this.bounds.min.set(x0, y0, z0);
        this.bounds.max.set(x1, y1, z1);
    }

    /** Points to keep in view: of objects, of their constraints and of their other ends; x, y, z in turn. */
    wholePoints(): number[] {
        const frame = this.#frame;
        const layout = this.layout;
        if (frame === null || layout === null) return [];
        const all: number[] = [];
        const add = (list: ArrayLike<number>, offset: number, margin = 0): void => {
            const [x, y, z] = [list[offset]!, list[offset + 1]!, list[offset + 2]!];
            if (!Number.isFinite(x + y + z)) return;
            if (margin === 0) all.push(x, y, z);
            else
                all.push(
                    x - margin,
                    y,
                    z,
                    x + margin,
                    y,
                    z,
                    x,
                    y - margin,
                    z,
                    x,
                    y + margin,
                    z,
                    x,
                    y,
                    z - margin,
                    x,
                    y,
                    z + margin,
                );
        };
        const size = this.bounds.getSize(new Vector3()).length();
        for (const { entry, first } of layout.objects) {
            if (entry.kind === "floor") continue;
            if (entry.kind === "scenery" && !this.store.state.options.scenery) continue;
            // Thin rods count as lines.
            const radius = entry.radii[0] ?? 0;
            const margin = entry.kind === "rod" && radius < 0.01 * size ? 0 : radius;
            for (let i = 0; i < entry.points; i++) add(frame.positions, 3 * (first + i), margin);
        }
        layout.table.constraints.forEach(({ marker, on }, i) => {
            add(frame.constraints, CONSTRAINT.stride * i, 2 * layout.radius(on));
            if (marker.kind === "distance")
                add(
                    frame.constraints,
                    CONSTRAINT.stride * i + CONSTRAINT.centre,
                    frame.constraints[CONSTRAINT.stride * i + CONSTRAINT.radius],
                );
        });
        for (const path of this.#paths) {
            const points = ledAlong(path, frame);
            for (let i = 0; i < points.length; i += 3) add(points, i);
        }
        for (let i = 0; i < frame.springs.length; i += SPRING.stride) {
            add(frame.springs, i + SPRING.from);
            add(frame.springs, i + SPRING.to);
        }
        for (const end of arrowEnds(frame, size, this.store.state.options.forces)) add(end.toArray(), 0);
        return all;
    }
}
