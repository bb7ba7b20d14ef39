/**
 * A hand with arrows and rings: holds position and direction of a rod or a body, or the position of another
 * object, until released.
 */

import { Object3D, Vector3 } from "three";
import { TransformControls } from "three/examples/jsm/controls/TransformControls.js";
import type { App } from "../app.ts";
import type { Sketch } from "../draw/sketch.ts";
import type { ObjectPlace } from "../state/store.ts";
import { CONSTRAINT } from "../wire/generated/frame.ts";
import type { Hand, Hands } from "./hands.ts";
import { rotationVector } from "./rotation.ts";

export class Gizmo {
    /** Called when it grabs, releases, or switches between moving and turning. */
    changed: () => void = () => undefined;
    readonly #controls: TransformControls;
    readonly #handle = new Object3D();
    #hand: Hand | null = null;
    /** Whether it was moved since the grab. */
    #touched = false;
    /** Its rotation, including whole turns; axis times angle, rad. */
    readonly #turned = new Vector3();

    constructor(
        private readonly app: App,
        private readonly hands: Hands,
    ) {
        const { stage } = app;
        this.#controls = new TransformControls(stage.camera, stage.renderer.domElement);
        this.#controls.setSize(0.8);
        stage.scene.add(this.#handle, this.#controls.getHelper());
        this.#controls.addEventListener("change", () => stage.invalidate());
        this.#controls.addEventListener("dragging-changed", (event) => {
            stage.controls.enabled = event.value !== true;
        });
        app.picture.extras.push((sketch) => this.#stand(sketch));
        this.#controls.addEventListener("objectChange", () => {
            this.#touched = true;
            this.#hand?.move(this.#handle.position, this.#hand.orientation ? this.#turnOn() : undefined);
        });
    }

    /** Whether a pointer at that pixel of the view is on an arrow or ring, or drags one. */
    takes(x: number, y: number): boolean {
        if (this.#hand === null) return false;
        const { width, height } = this.app.stage;
        // Computed here, because fingers don't hover.
        const pointer = { x: (2 * x) / width - 1, y: 1 - (2 * y) / height, button: 0 };
        this.#controls.pointerHover(pointer as PointerEvent);
        return this.#controls.dragging || this.#controls.axis !== null;
    }

    get holds(): boolean {
        return this.#hand !== null;
    }

    /** Whether the held object can be turned: only rods and bodies can. */
    get canTurn(): boolean {
        return this.#hand?.orientation ?? false;
    }

    get turns(): boolean {
        return this.#controls.getMode() === "rotate";
    }

    /** Grabs a place. */
    hold(place: ObjectPlace): void {
        this.letGo("release");
        const { layout, frame } = this.app.picture;
        const position = frame === null ? null : (layout?.where(place, frame) ?? null);
        if (position === null) return;
        this.#handle.position.set(...position);
        this.#handle.quaternion.identity();
        this.#turned.set(0, 0, 0);
        this.#touched = false;
        this.#controls.attach(this.#handle);
        this.#controls.setMode("translate");
        const hand = this.hands.grab(
            place,
            place.kind === "rod" || place.point !== undefined,
            () => this.#hand === hand && this.#detach(),
        );
        this.#hand = hand;
        this.app.stage.invalidate();
        this.changed();
    }

    /** Switches between arrows and rings. */
    toggle(): void {
        if (!this.canTurn) return;
        this.#controls.setMode(this.turns ? "translate" : "rotate");
        this.changed();
    }

    /** Releases the object, or leaves a clamp; returns whether there was anything to release. */
    letGo(how: "release" | "pin"): boolean {
        if (this.#hand === null) return false;
        this.#hand.drop(how);
        this.#detach();
        return true;
    }

    /** Moves to the place that its hand has grabbed, which may differ from the click, until it is moved. */
    #stand({ layout, frame }: Sketch): void {
        if (this.#hand === null || this.#touched) return;
        const index = layout.table.constraints.findIndex(({ name }) => name === this.#hand?.name);
        if (index >= 0)
            this.#handle.position.fromArray(frame.constraints, CONSTRAINT.stride * index + CONSTRAINT.place);
    }

    #turnOn(): Vector3 {
        return this.#turned.copy(rotationVector(this.#handle.quaternion, this.#turned));
    }

    #detach(): void {
        if (this.#hand === null) return;
        this.#hand = null;
        this.#controls.detach();
        this.app.stage.controls.enabled = true;
        this.app.stage.invalidate();
        this.changed();
    }
}
