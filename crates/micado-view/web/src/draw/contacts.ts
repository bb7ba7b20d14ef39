/**
 * Contacts of surfaces: a point, an arrow for the force on the first object, and the cone of friction about
 * the normal. They lie between objects, so they are drawn through them.
 */

import { Vector3 } from "three";
import { CONTACT } from "../wire/generated/frame.ts";
import { vectorAt, type Sketch } from "./sketch.ts";

/** The longest arrow, as a share of the size of the scene. */
const LONGEST = 0.12;
/** Shortest arrow, height of a cone and radius of a point, px. */
const SHORTEST = 12;
const CONE = 26;
const POINT = 3;
/** Coefficient of friction of the widest cone that is drawn; wider cones are drawn like it. */
const WIDEST = 2;
/** Share of the largest friction from which a contact counts as sliding: the rest is rounding. */
const SLIDES = 0.999;

export class Contacts {
    /** The largest force, N: it grows at once and shrinks slowly, so that arrows stay comparable. */
    #scale = 0;

    /** Forgets the largest force, for another scene. */
    forget(): void {
        this.#scale = 0;
    }

    /** Draws all contacts; returns their number. */
    draw(sketch: Sketch): number {
        const { contacts } = sketch.frame;
        this.#scale *= 0.995;
        for (let i = 0; i < contacts.length; i += CONTACT.stride)
            this.#scale = Math.max(this.#scale, vectorAt(contacts, i + CONTACT.force).length());
        for (let i = 0; i < contacts.length; i += CONTACT.stride) this.#one(sketch, i);
        return contacts.length / CONTACT.stride;
    }

    #one({ stage, glyphs, paints, frame: { contacts } }: Sketch, offset: number): void {
        const place = vectorAt(contacts, offset + CONTACT.point);
        const normal = vectorAt(contacts, offset + CONTACT.normal);
        const force = vectorAt(contacts, offset + CONTACT.force);
        const size = force.length();
        if (!Number.isFinite(place.x + size) || !(size > 0)) return;
        const pixel = stage.pixelAt(place);
        const friction = contacts[offset + CONTACT.friction]!;
        if (friction > 0) {
            const pressed = force.dot(normal);
            const rubbed = force.clone().addScaledVector(normal, -pressed).length();
            const colour = rubbed > SLIDES * friction * pressed ? paints.load : paints.marker;
            const [height, radius] = [CONE * pixel, Math.min(friction, WIDEST) * CONE * pixel];
            const base = place.clone().addScaledVector(normal, height);
            glyphs.put("cone", "veil", base, normal.clone().negate(), null, [radius, radius, height], colour);
        }
        const along = force.divideScalar(size);
        const length = Math.max((LONGEST * stage.size * size) / this.#scale, SHORTEST * pixel);
        const head = Math.min(0.45 * length, 10 * pixel);
        const neck = place.clone().addScaledVector(along, length - head);
        glyphs.bar("over", place, neck, 1.2 * pixel, paints.force);
        glyphs.put("cone", "over", neck, along, null, [0.4 * head, 0.4 * head, head], paints.force);
        const point = POINT * pixel;
        glyphs.put("ball", "over", place, new Vector3(0, 0, 1), null, [point, point, point], paints.hand);
    }
}
