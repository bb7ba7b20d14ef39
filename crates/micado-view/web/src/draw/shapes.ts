/** The solids that everything but rods is made of. Each points along +z and has size one. */

import {
    BoxGeometry,
    type BufferGeometry,
    ConeGeometry,
    CylinderGeometry,
    ExtrudeGeometry,
    PlaneGeometry,
    Shape,
    SphereGeometry,
    TorusGeometry,
} from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";

export type ShapeName =
    | "ball"
    | "globe"
    | "rod"
    | "cone"
    | "ring"
    | "hoop"
    | "box"
    | "wall"
    | "patch"
    | "jaws"
    | "fork"
    | "eye"
    | "halo"
    | "turn"
    | "turnEdge";

/** A fork that opens to +z; the rod in it lies along y at the origin and has radius one. */
function fork(): BufferGeometry {
    const outline = new Shape();
    outline.absarc(0, 0, 1.75, Math.PI * 0.86, Math.PI * 0.14, false);
    outline.lineTo(1.75, 1.15);
    outline.lineTo(2.15, 1.75);
    outline.lineTo(1.75, 1.95);
    outline.lineTo(1.12, 1.1);
    outline.lineTo(1.12, 0.3);
    outline.absarc(0, 0, 1.16, Math.PI * 0.08, Math.PI * 0.92, true);
    outline.lineTo(-1.12, 1.1);
    outline.lineTo(-1.75, 1.95);
    outline.lineTo(-2.15, 1.75);
    outline.lineTo(-1.75, 1.15);
    const prongs = new ExtrudeGeometry(outline, { depth: 1.6, bevelEnabled: false, curveSegments: 12 });
    prongs.translate(0, 0, -0.8);
    const foot = new BoxGeometry(2.6, 0.5, 2.2).translate(0, -1.9, 0).toNonIndexed();
    return mergeGeometries([prongs, foot]).rotateX(Math.PI / 2);
}

/** The two jaws of a gripper that hold a rod along z. */
function jaws(): BufferGeometry {
    const cheek = (side: number): BufferGeometry =>
        new BoxGeometry(0.8, 2.2, 2.4).translate(1.5 * side, 0, 0);
    const back = new BoxGeometry(3.8, 0.7, 2.4).translate(0, -1.45, 0);
    return mergeGeometries([cheek(-1), cheek(1), back]);
}

/** Three quarters of a turn about z with a head at the end, thicker by `edge`. */
function turn(edge: number): BufferGeometry {
    const arc = new TorusGeometry(1, 0.065 + edge, 8, 40, 1.5 * Math.PI).toNonIndexed();
    const head = new ConeGeometry(0.24 + 1.6 * edge, 0.5 + 4 * edge, 16, 1)
        .translate(0, 0.25 + edge, 0)
        .rotateZ(-Math.PI / 2)
        .translate(0, -1, 0)
        .toNonIndexed();
    return mergeGeometries([arc, head]);
}

const MAKERS: Record<ShapeName, () => BufferGeometry> = {
    ball: () => new SphereGeometry(1, 16, 10),
    globe: () => new SphereGeometry(1, 40, 26),
    rod: () => new CylinderGeometry(1, 1, 1, 10, 1).translate(0, 0.5, 0).rotateX(Math.PI / 2),
    cone: () => new ConeGeometry(1, 1, 16, 1).translate(0, 0.5, 0).rotateX(Math.PI / 2),
    ring: () => new TorusGeometry(1, 0.22, 10, 28),
    eye: () => new TorusGeometry(1.9, 0.45, 10, 32),
    halo: () => new TorusGeometry(1, 0.09, 8, 40),
    hoop: () => new TorusGeometry(1, 0.012, 6, 96),
    box: () => new BoxGeometry(1, 1, 1),
    wall: () => new BoxGeometry(2, 2, 0.5).translate(0, 0, -0.25),
    patch: () => new PlaneGeometry(2, 2),
    jaws,
    fork,
    turn: () => turn(0),
    turnEdge: () => turn(0.05),
};

const made = new Map<ShapeName, BufferGeometry>();

/** The geometry of that name, created on first use. */
export function shape(name: ShapeName): BufferGeometry {
    let geometry = made.get(name);
    if (geometry === undefined) made.set(name, (geometry = MAKERS[name]()));
    return geometry;
}
