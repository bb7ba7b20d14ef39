/** Pointers on the view: a drag on a rod grabs it, a click selects it, everything else moves the camera. */

import { Matrix4, Raycaster, Vector2, Vector3 } from "three";
import type { App } from "../app.ts";
import { samePlace, type Place } from "../state/store.ts";
import type { Bench } from "./bench.ts";
import type { Hand, Hands } from "./hands.ts";
import { nearer, pickConstraint, pickObject, REACH, type Pick, type Projection } from "./pick.ts";

/** Distance after which a press becomes a drag, px. */
const SLACK = 4;

/** Objects at a pixel. */
interface Found {
    object: Pick | null;
    constraint: Pick | null;
}

/** A press and the objects under it, if any. */
interface Press extends Found {
    x: number;
    y: number;
    /** Whether a second finger is down during a drag: it then moves in depth, as with shift. */
    second: boolean;
    hand: Hand | null;
    /** Target of the hand. */
    target: Vector3;
    moved: boolean;
}

/** Interval of checks of what is under a resting pointer, ms. */
const LOOK_PERIOD = 60;

/** The objects found at a pixel, and the time. */
interface Look extends Found {
    x: number;
    y: number;
    at: number;
}

const NO_LOOK: Look = { x: NaN, y: NaN, at: 0, object: null, constraint: null };

export class Gestures {
    readonly #presses = new Map<number, Press>();
    #pointer: { x: number; y: number } | null = null;
    /** The last check under the pointer, which sets the highlight. */
    #looked = NO_LOOK;

    /** `taken` returns whether something else (the gizmo) uses a pointer at that pixel. */
    constructor(
        private readonly app: App,
        private readonly bench: Bench,
        private readonly hands: Hands,
        private readonly taken: (x: number, y: number) => boolean,
    ) {
        const canvas = app.stage.renderer.domElement;
        const host = app.stage.host;
        // Before the camera's own listeners, which get only the remaining events.
        host.addEventListener("pointerdown", (event) => event.target === canvas && this.#down(event), {
            capture: true,
        });
        host.addEventListener("pointermove", (event) => this.#move(event), { capture: true });
        host.addEventListener("pointerup", (event) => this.#up(event, true), { capture: true });
        host.addEventListener("pointercancel", (event) => this.#up(event, false), { capture: true });
        canvas.addEventListener("pointerleave", () => {
            this.#pointer = null;
            this.#looked = NO_LOOK;
            this.#hover(null);
        });
        canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    }

    /**
     * Checks again what is under the pointer: at once after it has moved, and periodically, because rods
     * move.
     */
    refresh(now: number): void {
        if (this.#pointer === null || this.#presses.size > 0) return;
        const { x, y } = this.#pointer;
        if (x === this.#looked.x && y === this.#looked.y && now - this.#looked.at < LOOK_PERIOD) return;
        this.#looked = { x, y, at: now, ...this.#pick(x, y, REACH.mouse) };
        this.#hover(this.#prefers(this.#looked));
    }

    #prefers({ object, constraint }: Found): Place | null {
        const onlyObjects = !this.bench.tool.takes.includes("constraint") && this.bench.tool.word !== "hand";
        return ((onlyObjects ? null : constraint) ?? object)?.place ?? null;
    }

    #down(event: PointerEvent): void {
        const { x, y } = this.#pixel(event);
        // Other buttons move the camera.
        if (event.button !== 0 || this.taken(x, y)) return;
        const touch = event.pointerType === "touch";
        const { object, constraint } = touch ? this.#pick(x, y, REACH.touch) : this.#pressed(x, y);
        const second =
            touch && object === null && [...this.#presses.values()].some(({ hand }) => hand !== null);
        const holds = object !== null && this.app.store.state.scene?.recording == null;
        this.#presses.set(event.pointerId, {
            x,
            y,
            object,
            constraint,
            second,
            hand: null,
            target: new Vector3(),
            moved: second,
        });
        if (!holds && !second) return;
        event.stopPropagation();
        event.preventDefault();
        // Keys go to the view again, not to the control that had the focus.
        if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
        this.app.stage.host.setPointerCapture(event.pointerId);
    }

    #move(event: PointerEvent): void {
        const { x, y } = this.#pixel(event);
        const press = this.#presses.get(event.pointerId);
        if (press === undefined) {
            if (event.target === this.app.stage.renderer.domElement && event.buttons === 0)
                this.#pointer = { x, y };
            return;
        }
        const [dx, dy] = [x - press.x, y - press.y];
        if (!press.moved && Math.hypot(dx, dy) < SLACK) return;
        const began = !press.moved;
        press.moved = true;
        if (!this.app.stage.host.hasPointerCapture(event.pointerId)) return;
        event.stopPropagation();
        const place = press.object?.place;
        if (began && place !== undefined && place.kind !== "constraint") {
            const { layout, frame } = this.app.picture;
            const from = frame === null ? null : (layout?.where(place, frame) ?? null);
            if (from === null) return;
            press.hand = this.hands.grab(place, false);
            press.target.set(...from);
            this.#hover(null);
        }
        if (press.hand === null) return;
        [press.x, press.y] = [x, y];
        const { camera } = this.app.stage;
        const pixel = this.app.stage.pixelAt(press.target);
        if (event.shiftKey || [...this.#presses.values()].some(({ second }) => second)) {
            press.target.addScaledVector(camera.getWorldDirection(new Vector3()), -2 * dy * pixel);
        } else {
            press.target.addScaledVector(
                new Vector3().setFromMatrixColumn(camera.matrixWorld, 0),
                dx * pixel,
            );
            press.target.addScaledVector(
                new Vector3().setFromMatrixColumn(camera.matrixWorld, 1),
                -dy * pixel,
            );
        }
        press.hand.move(press.target);
    }

    #up(event: PointerEvent, done: boolean): void {
        const press = this.#presses.get(event.pointerId);
        if (press === undefined) return;
        this.#presses.delete(event.pointerId);
        if (press.hand !== null) {
            event.stopPropagation();
            press.hand.drop(this.app.store.state.options.keep ? "pin" : "release");
            return;
        }
        if (!done || press.moved) return;
        const place = this.#prefers(press);
        if (place !== null) void this.bench.point(place);
        else this.app.store.set("selection", null);
    }

    #hover(place: Place | null): void {
        const { hover } = this.app.store.state;
        this.app.stage.renderer.domElement.style.cursor =
            place === null
                ? ""
                : place.kind === "constraint" || this.bench.tool.word !== "hand"
                  ? "pointer"
                  : "grab";
        if (!samePlace(hover, place)) this.app.store.set("hover", place);
    }

    /**
     * A press of the mouse grabs the highlighted rod, even if it has moved since; otherwise the one under it
     * now.
     */
    #pressed(x: number, y: number): Found {
        const rests = Math.hypot(x - this.#looked.x, y - this.#looked.y) < SLACK;
        return rests && this.#prefers(this.#looked) !== null ? this.#looked : this.#pick(x, y, REACH.mouse);
    }

    #pick(x: number, y: number, reach: number): Found {
        const { picture, store } = this.app;
        if (picture.layout === null || picture.frame === null) return { object: null, constraint: null };
        const projection = this.#projection();
        const object = pickObject(picture.layout, picture.frame, projection, x, y, reach);
        const met = picture.solids.meet(this.#ray(x, y));
        return {
            object: met === null ? object : nearer(object, met.on, met.point, this.#depth(met.place)),
            constraint: store.state.options.markers
                ? pickConstraint(picture.layout, picture.frame, projection, x, y, reach)
                : null,
        };
    }

    /** The ray from the camera through a pixel. */
    #ray(x: number, y: number): Raycaster {
        const { camera, width, height } = this.app.stage;
        const ray = new Raycaster();
        ray.setFromCamera(new Vector2((2 * x) / width - 1, 1 - (2 * y) / height), camera);
        return ray;
    }

    /** Distance of a place along the direction of view, m. */
    #depth(place: Vector3): number {
        return -place.clone().applyMatrix4(this.app.stage.camera.matrixWorldInverse).z;
    }

    #projection(): Projection {
        const { camera, width, height, pixel } = this.app.stage;
        camera.updateMatrixWorld();
        const matrix = new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
        return { matrix: matrix.elements, width, height, pixel };
    }

    #pixel(event: PointerEvent): { x: number; y: number } {
        const box = this.app.stage.host.getBoundingClientRect();
        return { x: event.clientX - box.left, y: event.clientY - box.top };
    }
}
