/**
 * The ground below the scene: a grid of stated spacing that fades into the distance and receives the shadow.
 */

import { Color, Mesh, MeshStandardMaterial, PlaneGeometry, Vector3 } from "three";
import type { Theme } from "./themes.ts";

/** The largest of 1, 2, 5 × 10ⁿ m that is not above `length`. */
export function roundLength(length: number): number {
    const power = 10 ** Math.floor(Math.log10(length));
    const digit = length / power;
    return (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power;
}

const VERTEX = /* glsl */ `
varying vec3 groundPlace;
`;

const FRAGMENT = /* glsl */ `
varying vec3 groundPlace;
uniform vec3 lineColour;
uniform vec3 middle;
uniform float mesh;
uniform float reach;

float grid(vec2 place, float width) {
    vec2 line = abs(fract(place - 0.5) - 0.5) / max(fwidth(place), vec2(1e-6));
    return 1.0 - min(min(line.x, line.y) / width, 1.0);
}
`;

const FRAGMENT_COLOUR = /* glsl */ `
vec2 cell = groundPlace.xy / mesh;
// Lines closer than a few pixels are left out.
float crowd = max(fwidth(cell.x), fwidth(cell.y));
float fine = grid(cell, 1.1) * (1.0 - smoothstep(0.06, 0.22, crowd));
float coarse = grid(cell / 5.0, 1.4) * (1.0 - smoothstep(0.3, 1.1, crowd));
float far = length(groundPlace.xy - middle.xy) / reach;
float fade = 1.0 - smoothstep(0.25, 1.0, far);
diffuseColor.rgb = mix(diffuseColor.rgb, lineColour, max(0.2 * fine, 0.42 * coarse));
diffuseColor.a *= fade;
`;

export class Ground {
    readonly object: Mesh<PlaneGeometry, MeshStandardMaterial>;
    /** Side of a square of the grid, m. */
    mesh = 1;
    readonly #uniforms = {
        lineColour: { value: new Color() },
        middle: { value: new Vector3() },
        mesh: { value: 1 },
        reach: { value: 10 },
    };

    constructor() {
        const material = new MeshStandardMaterial({
            roughness: 1,
            metalness: 0,
            transparent: true,
            depthWrite: false,
            dithering: true,
        });
        material.onBeforeCompile = (shader) => {
            Object.assign(shader.uniforms, this.#uniforms);
            shader.vertexShader = shader.vertexShader
                .replace("#include <common>", `#include <common>\n${VERTEX}`)
                .replace(
                    "#include <begin_vertex>",
                    "#include <begin_vertex>\ngroundPlace = (modelMatrix * vec4(position, 1.0)).xyz;",
                );
            shader.fragmentShader = shader.fragmentShader
                .replace("#include <common>", `#include <common>\n${FRAGMENT}`)
                .replace("#include <color_fragment>", FRAGMENT_COLOUR);
        };
        this.object = new Mesh(new PlaneGeometry(2, 2), material);
        this.object.receiveShadow = true;
        this.object.renderOrder = -10;
    }

    /** Places it under a scene of that middle and size, at height `z`. */
    spread(middle: Vector3, size: number, z: number): void {
        this.mesh = roundLength(size / 4);
        const reach = 3.2 * size;
        this.#uniforms.mesh.value = this.mesh;
        this.#uniforms.reach.value = reach;
        this.#uniforms.middle.value.copy(middle);
        this.object.position.set(middle.x, middle.y, z);
        this.object.scale.set(reach, reach, 1);
    }

    wear(theme: Theme): void {
        this.object.material.color.set(theme.ground);
        this.#uniforms.lineColour.value.set(theme.groundLine);
    }
}
