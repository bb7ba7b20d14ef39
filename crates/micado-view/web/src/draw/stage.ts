/** Renderer, camera, light and ground; draws only after a change. */

import {
    type Box3,
    Color,
    DirectionalLight,
    HemisphereLight,
    NeutralToneMapping,
    PCFShadowMap,
    PerspectiveCamera,
    Scene,
    Vector2,
    Vector3,
    WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Ground } from "./ground.ts";
import { barsOfView, measureRoom, type Room } from "./room.ts";
import { calm, type Theme } from "./themes.ts";

/** Direction of view of a scene that doesn't set one. */
const DEFAULT_VIEW = new Vector3(0.55, -1, 0.42);
const FIELD_OF_VIEW = 32;
/** Share of the free part of the view that a scene fills: markers are larger than their points. */
const FILL = 0.9;
const SUN = new Vector3(-0.42, -0.55, 1).normalize();

export class Stage {
    readonly renderer: WebGLRenderer;
    readonly scene = new Scene();
    readonly camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 1000);
    readonly controls: OrbitControls;
    readonly ground = new Ground();
    /** Size of the view, px; cached, because reading it from the page may force a layout. */
    width = 1;
    height = 1;
    /** Called before each picture. */
    beforeDraw: () => void = () => undefined;
    /** Called when the user or a link has moved the camera. */
    moved: () => void = () => undefined;
    /** Called when the free part of the view has changed. */
    reframed: () => void = () => undefined;
    /** Total time of the renderer, ms. */
    drawing = 0;
    /** Part of the view that bars and panels cover. */
    room: Room = { left: 0, right: 0, top: 0, bottom: 0, bars: [] };
    /** Height of the floor of the scene, where the ground then is, m; null without one. */
    floor: number | null = null;
    /** Part of the window that panels cover on the right, px. */
    #covered = 0;
    #watched: ResizeObserver | null = null;
    #dirty = true;
    readonly #sky: HemisphereLight;
    readonly #sun: DirectionalLight;
    #size = 1;

    constructor(readonly host: HTMLElement) {
        this.renderer = new WebGLRenderer({ antialias: true, alpha: true });
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = PCFShadowMap;
        // The shadow depends on the scene, not on the camera.
        this.renderer.shadowMap.autoUpdate = false;
        this.renderer.toneMapping = NeutralToneMapping;
        this.renderer.domElement.className = "canvas";
        this.renderer.domElement.tabIndex = 0;
        this.renderer.domElement.setAttribute("role", "application");
        this.renderer.domElement.setAttribute(
            "aria-label",
            "The structure. Drag a rod to pull it, drag beside it to look around; " +
                "the constraints panel lists everything in words.",
        );
        host.append(this.renderer.domElement);
        this.camera.up.set(0, 0, 1);
        this.#sky = new HemisphereLight();
        this.#sky.position.set(0, 0, 1);
        this.#sun = new DirectionalLight();
        this.#sun.castShadow = true;
        this.#sun.shadow.mapSize.set(2048, 2048);
        this.#sun.shadow.radius = 3;
        this.#sun.shadow.bias = -0.0008;
        this.scene.add(this.#sky, this.#sun, this.#sun.target, this.ground.object);
        this.controls = new OrbitControls(this.camera, this.renderer.domElement);
        this.controls.enableDamping = !calm();
        this.controls.dampingFactor = 0.16;
        this.controls.zoomToCursor = true;
        this.controls.addEventListener("change", () => this.invalidate());
        this.controls.addEventListener("end", () => this.moved());
        new ResizeObserver(() => this.#resize()).observe(host);
        this.#resize();
    }

    /** The size of a pixel at distance 1. */
    get pixel(): number {
        return (2 * Math.tan((this.camera.fov * Math.PI) / 360)) / Math.max(1, this.height);
    }

    /** The size of a pixel at `place`. */
    pixelAt(place: Vector3): number {
        const { position, matrixWorld, near } = this.camera;
        const [, , , , , , , , x, y, z] = matrixWorld.elements;
        const depth = x * (position.x - place.x) + y * (position.y - place.y) + z * (position.z - place.z);
        return this.pixel * Math.max(depth, near);
    }

    /** Size of the scene to which the camera was fitted, m. */
    get size(): number {
        return this.#size;
    }

    invalidate(): void {
        this.#dirty = true;
    }

    /** Draws after a change. */
    draw(): void {
        this.controls.update();
        if (!this.#dirty) return;
        this.#dirty = false;
        this.camera.updateMatrixWorld();
        this.beforeDraw();
        const start = performance.now();
        this.renderer.render(this.scene, this.camera);
        this.drawing += performance.now() - start;
    }

    /** Fits light, shadow, ground and clipping planes to the bounds. */
    embrace(bounds: Box3): void {
        if (bounds.isEmpty()) return;
        this.renderer.shadowMap.needsUpdate = true;
        const middle = bounds.getCenter(new Vector3());
        const reach = Math.max(bounds.getSize(new Vector3()).length() / 2, 1e-3, 0.3 * this.#size);
        this.#sun.position.copy(middle).addScaledVector(SUN, 3 * reach);
        this.#sun.target.position.copy(middle);
        const shadow = this.#sun.shadow.camera;
        shadow.left = shadow.bottom = -1.25 * reach;
        shadow.right = shadow.top = 1.25 * reach;
        shadow.near = 0.5 * reach;
        shadow.far = 7 * reach;
        shadow.updateProjectionMatrix();
        this.#sun.shadow.normalBias = 0.0012 * reach;
        this.sink(bounds.min.z);
    }

    /** Lowers the ground below that height, m, unless it is the floor of the scene. */
    sink(height: number): void {
        if (this.floor !== null) {
            this.ground.object.position.z = this.floor;
            return;
        }
        const low = height - 0.03 * this.#size;
        if (low < this.ground.object.position.z) this.ground.object.position.z = low;
    }

    /**
     * Fits everything into the view, from `from` if given. `points` (x, y, z in turn, within the bounds) have
     * to be in view; with `keep` the camera keeps its direction and doesn't come nearer.
     */
    fit(bounds: Box3, points: ArrayLike<number>, from: Vector3 | null, keep = false): void {
        if (bounds.isEmpty()) return;
        this.#size = Math.max(bounds.getSize(new Vector3()).length(), 1e-3);
        if (!keep) this.#makeRoom();
        this.#watchBars();
        const direction = keep
            ? this.camera.position.clone().sub(this.controls.target)
            : (from ?? DEFAULT_VIEW).clone();
        direction.normalize();
        const least = keep ? this.camera.position.distanceTo(this.controls.target) : 0;
        const middle = bounds.getCenter(new Vector3());
        const distance = Math.max(least, this.#frame(points, middle, direction));
        this.controls.target.copy(middle);
        this.camera.position.copy(middle).addScaledVector(direction, distance);
        this.camera.near = distance / 200;
        this.camera.far = distance * 60;
        this.controls.minDistance = this.#size / 200;
        this.controls.maxDistance = 20 * this.#size;
        this.camera.updateProjectionMatrix();
        this.controls.update();
        this.ground.spread(middle, this.#size, this.floor ?? bounds.min.z - 0.06 * this.#size);
        this.embrace(bounds);
        this.invalidate();
    }

    /** Camera and its target, six numbers. */
    get view(): number[] {
        return [...this.camera.position.toArray(), ...this.controls.target.toArray()];
    }

    set view(numbers: number[]) {
        this.camera.position.fromArray(numbers, 0);
        this.controls.target.fromArray(numbers, 3);
        this.controls.update();
        this.invalidate();
    }

    wear(theme: Theme): void {
        this.#sky.color = new Color(theme.light.sky);
        this.#sky.groundColor = new Color(theme.light.earth);
        this.#sky.intensity = theme.light.ambient;
        this.#sun.intensity = theme.light.sun;
        this.#sun.shadow.intensity = Math.min(1, theme.shadow * 1.7);
        this.ground.wear(theme);
        this.invalidate();
    }

    /** Projects a point of the world to px from the top left corner of the view; null behind the camera. */
    toScreen(place: Vector3, target = new Vector2()): Vector2 | null {
        const seen = place.clone().applyMatrix4(this.camera.matrixWorldInverse);
        if (seen.z > -this.camera.near) return null;
        seen.applyMatrix4(this.camera.projectionMatrix);
        return target.set((0.5 + 0.5 * seen.x) * this.width, (0.5 - 0.5 * seen.y) * this.height);
    }

    /** Shifts the picture away from a panel that covers `pixels` on the right. */
    cover(pixels: number): void {
        if (this.#covered === pixels) return;
        this.#covered = pixels;
        this.#resize();
        this.reframed();
    }

    /**
     * Moves `middle` so that the points are centred in the free part of the view; returns the distance that
     * fits.
     */
    #frame(points: ArrayLike<number>, middle: Vector3, direction: Vector3): number {
        const right = new Vector3().crossVectors(new Vector3(0, 0, 1), direction);
        if (right.lengthSq() < 1e-6) right.set(1, 0, 0);
        right.normalize();
        const up = new Vector3().crossVectors(direction, right);
        const { left, right: covered, top, bottom } = this.room;
        const slope = FILL * Math.tan((this.camera.fov * Math.PI) / 360);
        const wide = slope * this.camera.aspect * Math.max(0.3, (this.width - left - covered) / this.width);
        const high = slope * Math.max(0.3, (this.height - top - bottom) / this.height);
        const point = new Vector3();
        const needed = (): number => {
            let distance = 0.8 * this.#size;
            for (let i = 0; i + 2 < points.length; i += 3) {
                point.fromArray(points, i).sub(middle);
                const aside = Math.max(Math.abs(point.dot(right)) / wide, Math.abs(point.dot(up)) / high);
                distance = Math.max(distance, point.dot(direction) + aside);
            }
            return distance;
        };
        for (let round = 0; round < 3; round++) {
            const distance = needed();
            let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
            for (let i = 0; i + 2 < points.length; i += 3) {
                point.fromArray(points, i).sub(middle);
                const depth = distance - point.dot(direction);
                const [x, y] = [point.dot(right) / depth, point.dot(up) / depth];
                [x0, x1, y0, y1] = [Math.min(x0, x), Math.max(x1, x), Math.min(y0, y), Math.max(y1, y)];
            }
            if (x1 < x0) break;
            middle
                .addScaledVector(right, (distance * (x0 + x1)) / 2)
                .addScaledVector(up, (distance * (y0 + y1)) / 2);
        }
        return needed();
    }

    /** Centres the picture in the free part of the view. */
    #makeRoom(): void {
        this.room = measureRoom(this.width, this.height, this.#covered);
        const { left, right, top, bottom } = this.room;
        this.camera.setViewOffset(
            this.width,
            this.height,
            (right - left) / 2,
            (bottom - top) / 2,
            this.width,
            this.height,
        );
        this.invalidate();
    }

    /** Centres again when a bar changes its size; from the first fit on, when the bars exist. */
    #watchBars(): void {
        if (this.#watched !== null) return;
        this.#watched = new ResizeObserver(() => this.#makeRoom());
        for (const bar of barsOfView()) this.#watched.observe(bar);
    }

    #resize(): void {
        const [width, height] = [this.host.clientWidth, this.host.clientHeight];
        if (width === 0 || height === 0) return;
        this.width = width;
        this.height = height;
        this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
        this.renderer.setSize(width, height);
        this.camera.aspect = width / height;
        this.#makeRoom();
    }
}
