/** The part of the view that bars and panels leave free. */

/** Left, top, right, bottom, px. */
export type Box = readonly [number, number, number, number];

/** Covered width at each edge of the view, px, and the boxes of the bars. */
export interface Room {
    left: number;
    right: number;
    top: number;
    bottom: number;
    bars: Box[];
}

const BARS: [string, "left" | "right" | "top" | "bottom"][] = [
    [".top", "top"],
    [".rail", "left"],
    [".transport", "bottom"],
    [".legend", "right"],
];
/** A bar that takes more than this share of a small view may cover the picture. */
const MOST = 0.22;

/** The bars of the page, for observers of their size. */
export function barsOfView(): Element[] {
    return BARS.flatMap(([bar]) => document.querySelector(bar) ?? []);
}

/**
 * Measures the bars at the edges of a view of that size, `covered` px of which are behind a panel on the
 * right.
 */
export function measureRoom(width: number, height: number, covered: number): Room {
    const room: Room = {
        left: 0,
        right: covered,
        top: 0,
        bottom: 0,
        bars: [[width - covered, 0, width, height]],
    };
    for (const [bar, edge] of BARS) {
        const box = document.querySelector(bar)?.getBoundingClientRect();
        if (box === undefined || box.width === 0) continue;
        room.bars.push([box.left, box.top, box.right, box.bottom]);
        const sideways = edge === "left" || edge === "right";
        if ((sideways ? box.width / (width - covered) : box.height / height) > MOST) continue;
        room[edge] = { left: box.right, right: width - box.left, top: box.bottom, bottom: height - box.top }[
            edge
        ];
    }
    return room;
}

/** Whether two boxes are disjoint. */
export function areApart(a: Box, b: Box): boolean {
    return a[0] >= b[2] || a[2] <= b[0] || a[1] >= b[3] || a[3] <= b[1];
}
