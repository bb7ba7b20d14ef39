/** Solids in any number, placed again in each frame: one instanced draw call for each shape and finish. */

import {
    BackSide,
    Color,
    DoubleSide,
    Group,
    InstancedMesh,
    type Material,
    Matrix4,
    MeshBasicMaterial,
    MeshStandardMaterial,
    Vector3,
} from "three";
import { shape, type ShapeName } from "./shapes.ts";

/**
 * Finish of a solid: lit with a shadow, in plain colour, faint, visible through everything, both of these, or
 * as an outline.
 */
export type Finish = "solid" | "bare" | "ghost" | "over" | "veil" | "edge";

function materialOf(finish: Finish): Material {
    switch (finish) {
        case "solid":
            return new MeshStandardMaterial({ roughness: 0.42, metalness: 0.12 });
        case "bare":
            return new MeshBasicMaterial();
        case "edge":
            return new MeshBasicMaterial({ side: BackSide });
        case "ghost":
            return new MeshBasicMaterial({
                transparent: true,
                opacity: 0.28,
                depthWrite: false,
                side: DoubleSide,
            });
        case "over":
            return new MeshBasicMaterial({
                transparent: true,
                opacity: 0.95,
                depthTest: false,
                depthWrite: false,
            });
        case "veil":
            return new MeshBasicMaterial({
                transparent: true,
                opacity: 0.22,
                depthTest: false,
                depthWrite: false,
            });
    }
}

class Pool {
    mesh: InstancedMesh;
    count = 0;

    constructor(
        private readonly group: Group,
        private readonly name: ShapeName,
        private readonly finish: Finish,
        private readonly material: Material,
    ) {
        this.mesh = this.#make(16);
    }

    /** Index of a new instance. */
    take(): number {
        if (this.count === this.mesh.instanceMatrix.count) {
            const old = this.mesh;
            this.mesh = this.#make(2 * this.count);
            this.mesh.instanceMatrix.array.set(old.instanceMatrix.array);
            if (old.instanceColor !== null) this.mesh.instanceColor?.array.set(old.instanceColor.array);
            this.group.remove(old);
            old.dispose();
        }
        return this.count++;
    }

    #make(capacity: number): InstancedMesh {
        const mesh = new InstancedMesh(shape(this.name), this.material, capacity);
        mesh.setColorAt(0, new Color());
        mesh.frustumCulled = false;
        mesh.castShadow = this.finish === "solid";
        mesh.receiveShadow = this.finish === "solid";
        mesh.renderOrder = { over: 10, veil: 9, ghost: 5, solid: 0, bare: 0, edge: 0 }[this.finish];
        mesh.count = 0;
        this.group.add(mesh);
        return mesh;
    }
}

const X = new Vector3();
const Y = new Vector3();
const Z = new Vector3();
const MATRIX = new Matrix4();

export class Glyphs {
    readonly group = new Group();
    readonly #materials = new Map<Finish, Material>();
    readonly #pools = new Map<string, Pool>();

    /** Starts an empty picture. */
    begin(): void {
        for (const pool of this.#pools.values()) pool.count = 0;
    }

    /**
     * Places a solid with its z axis along `along` and its y axis close to `beside`, scaled to `size` metres.
     */
    put(
        name: ShapeName,
        finish: Finish,
        place: Vector3,
        along: Vector3,
        beside: Vector3 | null,
        size: [number, number, number],
        colour: Color,
    ): void {
        Z.copy(along);
        if (Z.lengthSq() < 1e-20) Z.set(0, 0, 1);
        Z.normalize();
        Y.copy(beside ?? Z);
        Y.addScaledVector(Z, -Y.dot(Z));
        if (Y.lengthSq() < 1e-8) {
            Y.set(0, 0, 1).addScaledVector(Z, -Z.z);
            if (Y.lengthSq() < 1e-3) Y.set(0, 1, 0).addScaledVector(Z, -Z.y);
        }
        Y.normalize();
        X.crossVectors(Y, Z);
        MATRIX.makeBasis(
            X.multiplyScalar(size[0]),
            Y.multiplyScalar(size[1]),
            Z.multiplyScalar(size[2]),
        ).setPosition(place);
        const pool = this.#pool(name, finish);
        const index = pool.take();
        pool.mesh.setMatrixAt(index, MATRIX);
        pool.mesh.setColorAt(index, colour);
    }

    /** Places a bar from one point to another. */
    bar(
        finish: Finish,
        from: Vector3,
        to: Vector3,
        radius: number,
        colour: Color,
        name: ShapeName = "rod",
    ): void {
        const along = new Vector3().subVectors(to, from);
        this.put(name, finish, from, along, null, [radius, radius, Math.max(along.length(), 1e-9)], colour);
    }

    /** Ends the picture and uploads it. */
    end(): void {
        for (const { mesh, count } of this.#pools.values()) {
            mesh.count = count;
            mesh.visible = count > 0;
            if (count === 0) continue;
            for (const buffer of [mesh.instanceMatrix, mesh.instanceColor]) {
                if (buffer === null) continue;
                buffer.clearUpdateRanges();
                buffer.addUpdateRange(0, count * buffer.itemSize);
                buffer.needsUpdate = true;
            }
        }
    }

    #pool(name: ShapeName, finish: Finish): Pool {
        const key = `${name} ${finish}`;
        let pool = this.#pools.get(key);
        if (pool === undefined) {
            let material = this.#materials.get(finish);
            if (material === undefined) this.#materials.set(finish, (material = materialOf(finish)));
            this.#pools.set(key, (pool = new Pool(this.group, name, finish, material)));
        }
        return pool;
    }
}
