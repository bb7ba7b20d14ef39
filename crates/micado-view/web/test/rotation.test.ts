import assert from "node:assert/strict";
import { test } from "node:test";
import { Quaternion, Vector3 } from "three";
import { rotationVector } from "../src/touch/rotation.ts";

test("a rotation is followed over several turns, forth and back", () => {
    const axis = new Vector3(1, -2, 0.5).normalize();
    let last = new Vector3();
    // Three turns forth, five back, in steps of a tenth of a radian; q and −q are the same rotation.
    const way = [...Array(190).keys(), ...Array(500).keys()].map((k, i) =>
        i < 190 ? 0.1 * k : 19 - 0.1 * k,
    );
    way.forEach((angle, i) => {
        const turned = new Quaternion().setFromAxisAngle(axis, angle);
        if (i % 2 === 1) turned.set(-turned.x, -turned.y, -turned.z, -turned.w);
        last = rotationVector(turned, last);
        assert.ok(
            last.distanceTo(axis.clone().multiplyScalar(angle)) < 1e-6,
            `${angle} rad: ${last.toArray()}`,
        );
    });
});
