/** Rotations as axis times angle, including whole turns. */

import { Vector3, type Quaternion } from "three";

const TURN = 2 * Math.PI;

/** Axis times angle of a rotation, rad; of those that differ by whole turns, the one nearest to `last`. */
export function rotationVector({ x, y, z, w }: Quaternion, last: Vector3): Vector3 {
    const sine = Math.hypot(x, y, z);
    const axis = sine > 1e-9 ? new Vector3(x, y, z).divideScalar(sine) : last.clone().normalize();
    const angle = 2 * Math.atan2(sine, w);
    return axis.multiplyScalar(angle + TURN * Math.round((last.dot(axis) - angle) / TURN));
}
