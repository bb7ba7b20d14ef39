/**
 * Keeps scene, camera, colours and address consistent: opens the scene of a link, and keeps moving objects in
 * view.
 */

import { Box3, Vector3 } from "three";
import { ask, type App } from "./app.ts";
import { bareName, formatAddress, parseAddress, type Address } from "./state/address.ts";
import type { Scene } from "./wire/generated/protocol.ts";

/** The camera follows the scene until it has grown by this factor. */
const FOLLOW_UP_TO = 2.2;

/** The corners of a box; x, y, z in turn. */
function corners({ min, max }: Box3): number[] {
    return [min.x, max.x].flatMap((x) =>
        [min.y, max.y].flatMap((y) => [min.z, max.z].flatMap((z) => [x, y, z])),
    );
}

export class Keeper {
    /** The link to open, until it is open. */
    #linked: Address | null = parseAddress(window.location.hash);
    #asked = false;
    /** Bounds of all frames of the scene so far. */
    readonly #seen = new Box3();
    /** The scene to which the camera was last fitted. */
    #fitted: string | null = null;
    /** The size up to which the camera follows, m; 0 after the user has chosen a view. */
    #followsUpTo = Infinity;
    /** Whether the camera has moved since the address was written, and since the last check. */
    #stale = false;
    #moving = false;
    /** The view when the user started to move the camera; null otherwise. */
    #before: number[] | null = null;

    /** `renewed` is called after another scene was opened. */
    constructor(
        private readonly app: App,
        private readonly renewed: () => void,
    ) {
        const { stage, store, picture } = app;
        stage.controls.addEventListener("start", () => {
            this.#before = stage.view;
        });
        stage.controls.addEventListener("change", () => {
            this.#moving = true;
        });
        stage.moved = () => {
            // A click on the background moves nothing.
            if (this.#before?.some((part, i) => Math.abs(part - stage.view[i]!) > 1e-9 * stage.size))
                this.#followsUpTo = 0;
            this.#before = null;
            this.#keepAddress();
            this.#stale = true;
        };
        stage.reframed = () => {
            if (this.#followsUpTo > 0 && picture.frame !== null) this.fit();
        };
        store.on("colour", () => this.#keepAddress());
        store.on("scene", (scene, before) => scene !== null && this.#opened(scene, before));
        window.addEventListener("hashchange", () => this.#follow(parseAddress(window.location.hash)));
    }

    /** Before each picture: updates the address when the camera, which has inertia, has come to rest. */
    settle(): void {
        if (this.#stale && !this.#moving) {
            this.#stale = false;
            this.#keepAddress();
        }
        this.#moving = false;
    }

    /** Shows everything, from the default direction of the scene. */
    fit(): void {
        const { picture, stage, store } = this.app;
        const points = picture.wholePoints();
        this.#seen.setFromArray(points);
        const from = store.state.scene?.view_from ?? null;
        stage.fit(this.#seen, points, from === null ? null : new Vector3(...from));
        this.#followsUpTo = FOLLOW_UP_TO * stage.size;
        this.#keepAddress();
    }

    /** After each frame: fits a new scene, and moves back until the user has chosen a view. */
    keepInView(): void {
        const { picture, stage } = this.app;
        if (this.#fitted !== this.#scene) {
            this.#fitted = this.#scene;
            this.fit();
            this.#arrive();
            return;
        }
        if (this.#followsUpTo === 0 || this.#before !== null || this.#seen.containsBox(picture.bounds))
            return;
        const grown = this.#seen.clone().union(picture.bounds);
        if (grown.getSize(new Vector3()).length() > this.#followsUpTo) return;
        this.#seen.copy(grown.expandByScalar(0.01 * stage.size));
        // Earlier bounds stay in view: swinging objects return there.
        stage.fit(this.#seen, [...picture.wholePoints(), ...corners(this.#seen)], null, true);
        this.#stale = true;
    }

    /** Name of the open scene. */
    get #scene(): string | null {
        const { scene } = this.app.store.state;
        return scene === null ? null : bareName(scene.name);
    }

    /** Follows an address that was entered in the open page. */
    #follow(address: Address): void {
        const { scene } = this.app.store.state;
        if (scene === null || (address.scene === null && address.camera === null && address.colour === null))
            return;
        const linked = { ...address, scene: address.scene ?? this.#scene };
        this.#linked = linked;
        this.#asked = false;
        this.#opened(scene, scene);
        if (linked.scene === this.#scene) this.#arrive();
    }

    /** A scene was opened: the link may ask for another one. */
    #opened(scene: Scene, before: Scene | null): void {
        document.title = `${scene.title} · Micado`;
        const wanted = this.#linked?.scene ?? null;
        if (wanted === null || wanted === this.#scene || this.#asked) {
            this.#adopt(scene, before);
            return;
        }
        this.#asked = true;
        void ask(this.app, { open: { builtin: wanted } }).then((done) => {
            if (done !== undefined) return;
            this.#linked = null;
            this.#adopt(scene, before);
        });
    }

    /** Sets the colours of the link, of the previous scene, or of the scene. */
    #adopt(scene: Scene, before: Scene | null): void {
        const { store, connection, watches } = this.app;
        const again =
            before !== null &&
            bareName(before.name) === bareName(scene.name) &&
            (before.recording === null) === (scene.recording === null);
        if (!again) this.renewed();
        // After a reopening or a reconnect, the server doesn't know the probes of this page.
        for (const probe of watches.values()) connection.ask({ watch: { probe } }).catch(() => undefined);
        const chosen =
            this.#linked !== null && this.#linked.scene === this.#scene ? this.#linked.colour : null;
        const colour = chosen !== null ? chosen || null : again ? store.state.colour : scene.colour;
        store.set("colour", colour);
        connection.ask({ colour }).catch(() => undefined);
    }

    /** The scene of the link is open: sets its camera; from now on the address follows. */
    #arrive(): void {
        if (this.#linked === null || (this.#linked.scene !== null && this.#linked.scene !== this.#scene))
            return;
        if (this.#linked.camera !== null && this.#linked.scene === this.#scene) {
            this.app.stage.view = this.#linked.camera;
            this.#followsUpTo = 0;
        }
        this.#linked = null;
        this.#keepAddress();
    }

    #keepAddress(): void {
        if (this.#linked !== null) return;
        const { stage, store } = this.app;
        window.history.replaceState(
            null,
            "",
            formatAddress({ scene: this.#scene, camera: stage.view, colour: store.state.colour ?? "" }),
        );
    }
}
