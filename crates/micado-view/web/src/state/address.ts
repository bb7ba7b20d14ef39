/**
 * Scene, camera and colour in the page's address, so that a link reopens them:
 * `#scene=bridge&camera=…&colour=tension`.
 */

export interface Address {
    scene: string | null;
    /** Position and target, six numbers. */
    camera: number[] | null;
    /** Null if the address has none, "" for each rod in its own colour. */
    colour: string | null;
}

/** A scene's name without the extension of its file; an edited scene keeps its name. */
export function bareName(scene: string): string {
    return scene.replace(/\.toml$/i, "");
}

export function parseAddress(hash: string): Address {
    const words = new URLSearchParams(hash.replace(/^#/, ""));
    const camera = words.get("camera")?.split(",").map(Number) ?? null;
    return {
        scene: words.get("scene"),
        camera: camera !== null && camera.length === 6 && camera.every(Number.isFinite) ? camera : null,
        colour: words.get("colour"),
    };
}

export function formatAddress({ scene, camera, colour }: Address): string {
    const words = [
        scene === null ? null : `scene=${encodeURIComponent(scene)}`,
        camera === null ? null : `camera=${camera.map((number) => +number.toPrecision(5)).join(",")}`,
        colour === null ? null : `colour=${encodeURIComponent(colour)}`,
    ];
    return `#${words.filter((word) => word !== null).join("&")}`;
}
