/**
 * Perceptually uniform colour maps, safe for colour-blind people and distinct from the background of their
 * theme: one for quantities with one sign, and one from blue over grey to orange for those with two.
 */

import type { ThemeName } from "./themes.ts";

export type Rgb = [number, number, number];
export type MapKind = "sequential" | "diverging";

/** Colours at even steps of each map, sRGB of 255. */
const MAPS: Record<ThemeName, Record<MapKind, Rgb[]>> = {
    dark: {
        /** Violet over blue and green to yellow, from a lightness of 54 to one of 92. */
        sequential: [
            [136, 109, 233],
            [105, 131, 245],
            [63, 152, 247],
            [12, 169, 232],
            [14, 184, 216],
            [9, 198, 203],
            [18, 213, 185],
            [76, 224, 160],
            [139, 233, 130],
            [196, 236, 96],
            [249, 236, 63],
        ],
        diverging: [
            [80, 156, 255],
            [150, 190, 240],
            [216, 216, 212],
            [240, 180, 118],
            [250, 130, 20],
        ],
    },
    light: {
        /** Viridis (van der Walt and Smith) without its light end. */
        sequential: [
            [68, 1, 84],
            [72, 36, 117],
            [65, 68, 135],
            [53, 95, 141],
            [42, 120, 142],
            [33, 145, 140],
            [34, 168, 132],
            [68, 191, 112],
            [122, 209, 81],
            [189, 223, 38],
        ],
        diverging: [
            [22, 112, 214],
            [47, 97, 160],
            [70, 76, 84],
            [140, 82, 44],
            [212, 92, 4],
        ],
    },
};

/** The colour at `t` from 0 to 1; values beyond get the colour of the end. */
export function colourAt(kind: MapKind, theme: ThemeName, t: number): Rgb {
    const stops = MAPS[theme][kind];
    const place = Math.min(Math.max(Number.isFinite(t) ? t : 0, 0), 1) * (stops.length - 1);
    const index = Math.min(Math.floor(place), stops.length - 2);
    const share = place - index;
    const [from, to] = [stops[index]!, stops[index + 1]!];
    return [0, 1, 2].map((c) => from[c]! + share * (to[c]! - from[c]!)) as Rgb;
}

/** `count` texels of the map, RGBA bytes. */
export function colourStrip(kind: MapKind, theme: ThemeName, count = 256): Uint8Array<ArrayBuffer> {
    const texels = new Uint8Array(4 * count);
    for (let index = 0; index < count; index++) {
        const [r, g, b] = colourAt(kind, theme, index / (count - 1));
        texels.set([Math.round(r), Math.round(g), Math.round(b), 255], 4 * index);
    }
    return texels;
}

/** The part of the map between two values of `t` as a CSS gradient from bottom to top. */
export function colourGradient(kind: MapKind, theme: ThemeName, from = 0, to = 1): string {
    const stops = Array.from(
        { length: 21 },
        (_, i) =>
            `rgb(${colourAt(kind, theme, from + ((to - from) * i) / 20)
                .map(Math.round)
                .join(" ")})`,
    );
    return `linear-gradient(to top, ${stops.join(", ")})`;
}
