/** Light and dark: the colours of the drawing. Those of the controls are in `styles/theme.css`. */

export type ThemeName = "light" | "dark";

export interface Theme {
    name: ThemeName;
    /** Sky at the top and at the bottom of the view; the page has them as `--sky-top` and `--sky-bottom`. */
    sky: [string, string];
    /** Rods that are not coloured by a channel, in turn; distinct for colour-blind people too. */
    rods: string[];
    ground: string;
    groundLine: string;
    shadow: number;
    marker: string;
    link: string;
    pearl: string;
    mass: string;
    body: string;
    /** Sharp edges of bodies. */
    bodyEdge: string;
    /** Scenery that has no colour of its own. */
    scenery: string;
    /** Forces and loads: in no colour of a map, with an outline. */
    force: string;
    load: string;
    edge: string;
    hand: string;
    hover: string;
    trouble: string;
    light: { sky: string; earth: string; ambient: number; sun: number };
}

export const THEMES: Record<ThemeName, Theme> = {
    dark: {
        name: "dark",
        sky: ["#222b37", "#10141a"],
        rods: ["#e8a54b", "#5fb0e8", "#e8786b", "#6fcf9f", "#c79bea", "#e6d36a", "#8fa7ff", "#f09fc4"],
        ground: "#2a2f38",
        groundLine: "#8592a6",
        shadow: 0.55,
        marker: "#9fb4cc",
        link: "#b4c1d0",
        pearl: "#f3e9dc",
        mass: "#b9c6d6",
        body: "#93a5ba",
        bodyEdge: "#10141a",
        scenery: "#6f6a62",
        force: "#ffffff",
        load: "#ff7be0",
        edge: "#10141a",
        hand: "#7cc4ff",
        hover: "#ffffff",
        trouble: "#ff5470",
        light: { sky: "#dfe8f5", earth: "#4a443f", ambient: 1.25, sun: 2.6 },
    },
    light: {
        name: "light",
        sky: ["#f7f9fc", "#dfe6ee"],
        rods: ["#c8791a", "#1f78b8", "#c8402f", "#1c8a5a", "#7d4fb0", "#9a8400", "#4056c9", "#b83d7e"],
        ground: "#e6ebf2",
        groundLine: "#8795a6",
        shadow: 0.3,
        marker: "#46566a",
        link: "#6b7989",
        pearl: "#efe5d6",
        mass: "#8b9bad",
        body: "#b4c0cd",
        bodyEdge: "#2b3440",
        scenery: "#c9c3b8",
        force: "#101820",
        load: "#b3118f",
        edge: "#ffffff",
        hand: "#0b66c3",
        hover: "#0b1a2b",
        trouble: "#d1002f",
        light: { sky: "#ffffff", earth: "#b9b2a8", ambient: 1.7, sun: 2.3 },
    },
};

const KEY = "micado-theme";

/** The chosen theme, or that of the system. */
export function preferredTheme(): ThemeName {
    const chosen = window.localStorage.getItem(KEY);
    if (chosen === "light" || chosen === "dark") return chosen;
    return window.matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
}

/** Applies the theme; `remember` if the user chose it. */
export function wearTheme(name: ThemeName, remember: boolean): void {
    const { dataset, style } = document.documentElement;
    dataset.theme = name;
    const [top, bottom] = THEMES[name].sky;
    style.setProperty("--sky-top", top);
    style.setProperty("--sky-bottom", bottom);
    if (remember) window.localStorage.setItem(KEY, name);
}

/** Whether the user prefers reduced motion. */
export function calm(): boolean {
    return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}
