/** Keys that move the camera while the view has the focus. */

import { MathUtils, Spherical, Vector3 } from "three";
import type { Stage } from "../draw/stage.ts";
import type { Key } from "../ui/keys.ts";

/** Rotation per key press, rad. */
const TURN = Math.PI / 36;
/** Shift per key press, as a share of the distance to the target, and factor of the zoom. */
const SHIFT = 0.04;
const ZOOM = 1.1;

const ARROWS: Record<string, [right: number, up: number]> = {
    ArrowLeft: [-1, 0],
    ArrowRight: [1, 0],
    ArrowUp: [0, 1],
    ArrowDown: [0, -1],
};

export function cameraKeys(stage: Stage): Key[] {
    const focused = ({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
        target === stage.renderer.domElement && !ctrlKey && !metaKey && !altKey;
    const arrow = ({ key }: KeyboardEvent): [number, number] => ARROWS[key] ?? [0, 0];
    return [
        {
            keys: "arrows",
            what: "rotate the view, if it has the focus",
            fits: (event) => focused(event) && !event.shiftKey && event.key in ARROWS,
            act: (event) => move(stage, (offset) => turn(offset, ...arrow(event))),
            repeats: true,
        },
        {
            keys: "Shift + arrows",
            what: "move the view, if it has the focus",
            fits: (event) => focused(event) && event.shiftKey && event.key in ARROWS,
            act: (event) => move(stage, (offset, target) => pan(stage, offset, target, ...arrow(event))),
            repeats: true,
        },
        {
            keys: "+, −",
            what: "zoom, there",
            fits: (event) => focused(event) && ["+", "=", "-", "−"].includes(event.key),
            act: (event) =>
                move(stage, (offset) =>
                    zoom(stage, offset, event.key === "+" || event.key === "=" ? 1 / ZOOM : ZOOM),
                ),
            repeats: true,
        },
    ];
}

/** Changes the camera's offset from its target, or the target, as a pointer would. */
function move(stage: Stage, change: (offset: Vector3, target: Vector3) => void): void {
    const { camera, controls } = stage;
    const target = controls.target.clone();
    const offset = camera.position.clone().sub(target);
    change(offset, target);
    controls.dispatchEvent({ type: "start" });
    stage.view = [...offset.add(target).toArray(), ...target.toArray()];
    controls.dispatchEvent({ type: "end" });
}

/** Moves the camera to the right and up around its target. */
function turn(offset: Vector3, right: number, up: number): void {
    // Spherical has y up.
    const place = new Spherical().setFromVector3(new Vector3(offset.y, offset.z, offset.x));
    place.theta += right * TURN;
    place.phi = MathUtils.clamp(place.phi - up * TURN, 0.01, Math.PI - 0.01);
    const turned = new Vector3().setFromSpherical(place);
    offset.set(turned.z, turned.x, turned.y);
}

function pan({ camera }: Stage, offset: Vector3, target: Vector3, right: number, up: number): void {
    const step = SHIFT * offset.length();
    target.addScaledVector(new Vector3().setFromMatrixColumn(camera.matrixWorld, 0), right * step);
    target.addScaledVector(new Vector3().setFromMatrixColumn(camera.matrixWorld, 1), up * step);
}

function zoom({ controls }: Stage, offset: Vector3, factor: number): void {
    offset.setLength(MathUtils.clamp(factor * offset.length(), controls.minDistance, controls.maxDistance));
}
