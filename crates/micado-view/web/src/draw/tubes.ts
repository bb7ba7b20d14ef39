/** All rods in one draw call: the graphics card gets centrelines as two textures and makes the tubes. */

import {
    BufferGeometry,
    Color,
    DataTexture,
    FloatType,
    LinearFilter,
    Mesh,
    MeshDepthMaterial,
    MeshStandardMaterial,
    NearestFilter,
    RGBADepthPacking,
    RGBAFormat,
    SRGBColorSpace,
    Vector2,
    Vector3,
    type PerspectiveCamera,
    type WebGLRenderer,
} from "three";
import { colourStrip, type MapKind } from "./colour-map.ts";
import type { Range } from "./colour-range.ts";
import type { Theme } from "./themes.ts";
import { shadeTube, shadeTubeDepth, TEXTURE_WIDTH, type TubeUniforms } from "./tube-shader.ts";
import { tubeGeometry, type Strand } from "./tube-mesh.ts";

/** A rod, or a thin line that is drawn like one. */
export interface TubeStrand extends Strand {
    /** One radius, or one for each point, m. */
    radii: ArrayLike<number>;
}

/** Least width of tubes on the screen, px. */
const LEAST_PIXELS = 3;

export class Tubes {
    readonly mesh: Mesh<BufferGeometry, MeshStandardMaterial>;
    vertices = 0;
    #points = floatTexture(1);
    #directors = floatTexture(1);
    #mapKey = "";
    readonly #uniforms = {
        pointTexture: { value: this.#points },
        directorTexture: { value: this.#directors },
        mapTexture: { value: mapTexture() },
        mapRange: { value: new Vector2(0, 1) },
        mapped: { value: false },
        palette: { value: Array.from({ length: 8 }, () => new Color()) },
        eye: { value: new Vector3() },
        gaze: { value: new Vector3(0, 1, 0) },
        pixel: { value: 0 },
        leastPixels: { value: LEAST_PIXELS },
        thicken: { value: 1 },
        hoverRod: { value: -1 },
        troubleRod: { value: -1 },
        firstGhost: { value: 1e9 },
        troubleColour: { value: new Color() },
        ghostColour: { value: new Color() },
    } satisfies TubeUniforms;

    constructor() {
        const material = new MeshStandardMaterial({ roughness: 0.5, metalness: 0.05 });
        material.onBeforeCompile = (shader) => shadeTube(shader, this.#uniforms);
        this.mesh = new Mesh(new BufferGeometry(), material);
        const depth = new MeshDepthMaterial({ depthPacking: RGBADepthPacking });
        depth.onBeforeCompile = (shader) => shadeTubeDepth(shader, this.#uniforms);
        this.mesh.customDepthMaterial = depth;
        this.mesh.frustumCulled = false;
        // The shader is compiled for the first geometry that is drawn, which must not be empty.
        this.mesh.visible = false;
        this.mesh.castShadow = true;
        this.mesh.receiveShadow = true;
        this.#bind();
    }

    /** Sets the strands: `points` in all; strands from `firstGhost` on are thin lines, not rods. */
    layOut(strands: TubeStrand[], points: number, firstGhost: number): void {
        this.mesh.geometry.dispose();
        this.mesh.geometry = tubeGeometry(strands, points);
        this.vertices = this.mesh.geometry.getAttribute("ring").count;
        this.mesh.visible = this.vertices > 0;
        this.#uniforms.firstGhost.value = firstGhost;
        for (const texture of [this.#points, this.#directors]) texture.dispose();
        this.#points = floatTexture(points);
        this.#directors = floatTexture(points);
        this.#bind();
        const texels = dataOf(this.#points);
        for (const strand of strands) {
            for (let i = 0; i < strand.points; i++) {
                texels[4 * (strand.first + i) + 3] = strand.radii[strand.radii.length === 1 ? 0 : i] ?? 0;
            }
        }
    }

    /** Positions (and, for rods, directors and values) of `count` points from number `first` on. */
    write(
        first: number,
        count: number,
        positions: Float32Array,
        directors: Int16Array | null,
        values: Float32Array | null,
    ): void {
        const [points, frames] = [dataOf(this.#points), dataOf(this.#directors)];
        for (let i = 0, p = 0, t = 4 * first; i < count; i++, p += 3, t += 4) {
            points[t] = positions[p]!;
            points[t + 1] = positions[p + 1]!;
            points[t + 2] = positions[p + 2]!;
        }
        // The shader normalises directors: no division by 32767 here.
        if (directors !== null) frames.set(directors, 4 * first);
        if (values !== null)
            for (let i = 0, t = 4 * first + 3; i < count; i++, t += 4) frames[t] = values[i]!;
        this.#points.needsUpdate = true;
        this.#directors.needsUpdate = true;
    }

    /** Uploads the data to the graphics card now instead of while drawing. */
    upload(renderer: WebGLRenderer): void {
        renderer.initTexture(this.#points);
        renderer.initTexture(this.#directors);
    }

    /** Colours by value over `range`; null gives each rod its own colour. */
    colourBy(kind: MapKind, range: Range | null, theme: Theme): void {
        this.#uniforms.mapped.value = range !== null;
        if (range !== null) this.#uniforms.mapRange.value.set(range.low, range.high);
        const key = `${kind} ${theme.name}`;
        if (key === this.#mapKey) return;
        this.#mapKey = key;
        const texture = this.#uniforms.mapTexture.value;
        dataOf(texture).set(colourStrip(kind, theme.name));
        texture.needsUpdate = true;
    }

    wear(theme: Theme): void {
        this.#uniforms.palette.value.forEach((colour, i) => colour.set(theme.rods[i % theme.rods.length]!));
        this.#uniforms.troubleColour.value.set(theme.trouble);
        this.#uniforms.ghostColour.value.set(theme.link);
    }

    /** Highlights rods, by index; −1 for none. */
    highlight(hover: number, trouble: number): void {
        this.#uniforms.hoverRod.value = hover;
        this.#uniforms.troubleRod.value = trouble;
    }

    /** Sets the factor of the drawn thickness. */
    thicken(factor: number): void {
        this.#uniforms.thicken.value = factor;
    }

    /** Sets the camera, for the least width: `pixel` is the size of one at distance 1. */
    seenFrom(camera: PerspectiveCamera, pixel: number): void {
        this.#uniforms.eye.value.copy(camera.position);
        camera.getWorldDirection(this.#uniforms.gaze.value);
        this.#uniforms.pixel.value = pixel;
    }

    #bind(): void {
        this.#uniforms.pointTexture.value = this.#points;
        this.#uniforms.directorTexture.value = this.#directors;
    }
}

function floatTexture(points: number): DataTexture {
    const height = Math.max(1, Math.ceil(points / TEXTURE_WIDTH));
    const texture = new DataTexture(
        new Float32Array(4 * TEXTURE_WIDTH * height),
        TEXTURE_WIDTH,
        height,
        RGBAFormat,
        FloatType,
    );
    texture.minFilter = texture.magFilter = NearestFilter;
    texture.needsUpdate = true;
    return texture;
}

function mapTexture(): DataTexture {
    const texture = new DataTexture(new Uint8Array(4 * 256), 256, 1, RGBAFormat);
    texture.colorSpace = SRGBColorSpace;
    texture.minFilter = texture.magFilter = LinearFilter;
    texture.needsUpdate = true;
    return texture;
}

function dataOf(texture: DataTexture): Float32Array | Uint8Array {
    return texture.image.data as Float32Array | Uint8Array;
}
