/** Context of the functions that draw markers, bodies and arrows. */

import { Color, Vector3 } from "three";
import type { Layout } from "../state/layout.ts";
import type { Place } from "../state/store.ts";
import type { Frame } from "../wire/decode.ts";
import type { Trouble } from "../wire/generated/protocol.ts";
import type { Glyphs } from "./glyphs.ts";
import type { Labels } from "./labels.ts";
import type { Stage } from "./stage.ts";
import type { Theme } from "./themes.ts";

/** The theme's colours, ready for the renderer. */
export interface Paints {
    marker: Color;
    link: Color;
    pearl: Color;
    mass: Color;
    body: Color;
    bodyEdge: Color;
    scenery: Color;
    force: Color;
    load: Color;
    edge: Color;
    hand: Color;
    hover: Color;
    trouble: Color;
}

export function paintsOf(theme: Theme): Paints {
    return {
        marker: new Color(theme.marker),
        link: new Color(theme.link),
        pearl: new Color(theme.pearl),
        mass: new Color(theme.mass),
        body: new Color(theme.body),
        bodyEdge: new Color(theme.bodyEdge),
        scenery: new Color(theme.scenery),
        force: new Color(theme.force),
        load: new Color(theme.load),
        edge: new Color(theme.edge),
        hand: new Color(theme.hand),
        hover: new Color(theme.hover),
        trouble: new Color(theme.trouble),
    };
}

export interface Sketch {
    stage: Stage;
    glyphs: Glyphs;
    labels: Labels;
    paints: Paints;
    layout: Layout;
    frame: Frame;
    trouble: Trouble | null;
    hover: Place | null;
    selection: Place | null;
}

/** Three numbers of a list as a vector. */
export function vectorAt(list: Float32Array, offset: number): Vector3 {
    return new Vector3(list[offset], list[offset + 1], list[offset + 2]);
}

/** `length`, or the length of `pixels` on the screen at `place` if that is larger, m. */
export function atLeast(sketch: Sketch, place: Vector3, length: number, pixels: number): number {
    return Math.max(length, pixels * sketch.stage.pixelAt(place));
}

/**
 * A ceiling, wall or floor to which a point is fixed; `inward` points to the object, `half` is half its
 * width.
 */
export function drawSupport(
    { glyphs }: Sketch,
    place: Vector3,
    inward: Vector3,
    half: number,
    colour: Color,
): void {
    const rise = inward.z / Math.max(inward.length(), 1e-30);
    const facing =
        Math.abs(rise) < 0.2 ? new Vector3(inward.x, inward.y, 0) : new Vector3(0, 0, rise > 0.5 ? 1 : -1);
    glyphs.put("wall", "solid", place, facing, null, [half, half, 0.7 * half], colour);
}
