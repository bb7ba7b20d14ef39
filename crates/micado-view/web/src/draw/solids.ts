/** Surfaces of bodies and scenery: shaded meshes with their sharp edges, in the poses of the frames. */

import {
    BufferAttribute,
    BufferGeometry,
    type Color,
    DoubleSide,
    FrontSide,
    Group,
    LineBasicMaterial,
    LineSegments,
    Mesh,
    MeshStandardMaterial,
    Quaternion,
    type Raycaster,
    SRGBColorSpace,
    Vector3,
} from "three";
import type { Layout, Placed } from "../state/layout.ts";
import type { Frame } from "../wire/decode.ts";
import type { Surface } from "../wire/generated/protocol.ts";
import type { Vector } from "../wire/generated/scene.ts";
import type { Sketch } from "./sketch.ts";

/** A surface, ready for the renderer. */
interface Shape {
    faces: BufferGeometry;
    edges: BufferGeometry;
}

interface Solid {
    placed: Placed;
    group: Group;
    faces: Mesh<BufferGeometry, MeshStandardMaterial>;
    edges: LineSegments<BufferGeometry, LineBasicMaterial>;
}

/** A point of a body that a ray meets. */
export interface Met {
    on: string;
    /** In the axes of the body, m. */
    point: Vector;
    /** In the world, m. */
    place: Vector3;
}

function shapeOf({ positions, normals, edges }: Surface): Shape {
    const numbers = (list: number[]): BufferAttribute => new BufferAttribute(new Float32Array(list), 3);
    return {
        faces: new BufferGeometry()
            .setAttribute("position", numbers(positions))
            .setAttribute("normal", numbers(normals)),
        edges: new BufferGeometry().setAttribute("position", numbers(edges)),
    };
}

export class Solids {
    readonly group = new Group();
    #surfaces: Surface[] = [];
    #shapes: Shape[] = [];
    #solids: Solid[] = [];

    /** The surfaces that tables name; `lay` uses them. */
    receive(surfaces: Surface[]): void {
        if (surfaces === this.#surfaces) return;
        this.#surfaces = surfaces;
        this.#clear();
        for (const { faces, edges } of this.#shapes) {
            faces.dispose();
            edges.dispose();
        }
        this.#shapes = surfaces.map(shapeOf);
    }

    /** Another table. */
    lay(layout: Layout): void {
        this.#clear();
        for (const placed of layout.objects) {
            const shape = placed.entry.mesh === null ? undefined : this.#shapes[placed.entry.mesh];
            if (shape === undefined || placed.body < 0) continue;
            const material = new MeshStandardMaterial({
                roughness: 0.55,
                metalness: 0.08,
                // Edges lie in the faces beside them.
                polygonOffset: true,
                polygonOffsetFactor: 1,
                polygonOffsetUnits: 1,
                // Meshes of scenery need not be closed.
                side: placed.entry.kind === "scenery" ? DoubleSide : FrontSide,
            });
            const faces = new Mesh(shape.faces, material);
            faces.castShadow = true;
            faces.receiveShadow = true;
            const edges = new LineSegments(shape.edges, new LineBasicMaterial());
            const group = new Group();
            group.add(faces, edges);
            this.group.add(group);
            this.#solids.push({ placed, group, faces, edges });
        }
    }

    /** Moves the bodies to their poses. */
    write({ orientations }: Frame, positions: Float32Array): void {
        for (const { placed, group } of this.#solids) {
            group.position.fromArray(positions, 3 * placed.first);
            group.quaternion.fromArray(orientations, 4 * placed.body);
            group.updateMatrixWorld();
        }
    }

    /** Number of solids in view. */
    get shown(): number {
        return this.#solids.filter(({ group }) => group.visible).length;
    }

    paint({ hover, selection, trouble, paints, stage }: Sketch, scenery: boolean): void {
        const on = (place: Sketch["hover"]): string | null => (place?.kind === "object" ? place.on : null);
        for (const { placed, group, faces, edges } of this.#solids) {
            const { name, kind, colour: own } = placed.entry;
            if (kind === "scenery") {
                if (group.visible !== scenery) stage.renderer.shadowMap.needsUpdate = true;
                group.visible = scenery;
                if (own === null) faces.material.color.copy(paints.scenery);
                else faces.material.color.setRGB(own[0] / 255, own[1] / 255, own[2] / 255, SRGBColorSpace);
                edges.material.color.copy(paints.bodyEdge);
                continue;
            }
            const colour: Color =
                trouble?.object === name ? paints.trouble : on(hover) === name ? paints.hover : paints.body;
            faces.material.color.copy(colour);
            edges.material.color.copy(on(selection) === name ? paints.hover : paints.bodyEdge);
        }
    }

    /** The nearest point of a body that a ray hits; null if there is none. Scenery can't be grabbed. */
    meet(ray: Raycaster): Met | null {
        const bodies = this.#solids.filter(({ placed }) => placed.entry.kind !== "scenery");
        const [hit] = ray.intersectObjects(
            bodies.map(({ faces }) => faces),
            false,
        );
        const solid = this.#solids.find(({ faces }) => faces === hit?.object);
        if (hit === undefined || solid === undefined) return null;
        const point = solid.group.worldToLocal(hit.point.clone()).toArray();
        return { on: solid.placed.entry.name, point, place: hit.point };
    }

    #clear(): void {
        for (const { faces, edges } of this.#solids) {
            faces.material.dispose();
            edges.material.dispose();
        }
        this.#solids = [];
        this.group.clear();
    }
}

/** Where a point in the axes of a body is in the world. */
export function onBody({ first, body }: Placed, point: Vector, frame: Frame): Vector {
    const turn = new Quaternion().fromArray(frame.orientations, 4 * body);
    return new Vector3(...point)
        .applyQuaternion(turn)
        .add(new Vector3().fromArray(frame.positions, 3 * first))
        .toArray();
}
