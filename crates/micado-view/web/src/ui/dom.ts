/** Small helpers to write HTML in TypeScript. */

type Child = Node | string | null | undefined | false;
type Handler = (event: Event) => void;
type Attributes = Record<string, string | number | boolean | null | undefined | Handler>;

/** Creates an element with attributes, handlers such as `onclick`, and children. */
export function h<K extends keyof HTMLElementTagNameMap>(
    tag: K,
    attributes: Attributes = {},
    ...children: Child[]
): HTMLElementTagNameMap[K] {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (value === null || value === undefined || value === false) continue;
        if (typeof value === "function") element.addEventListener(name.slice(2), value);
        else element.setAttribute(name, value === true ? "" : String(value));
    }
    element.append(...present(children));
    return element;
}

function present(children: Child[]): (Node | string)[] {
    return children.filter(
        (child): child is Node | string => child !== null && child !== undefined && child !== false,
    );
}

/** Line icons on a 24 × 24 grid. */
const ICONS = {
    play: "M7 4.5v15l12-7.5z",
    pause: "M8 5v14M16 5v14",
    step: "M6 5v14l8-7zM18 5v14",
    reset: "M5 12a7 7 0 1 0 2.2-5.1M5 4v4h4",
    undo: "M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3",
    redo: "m15 14 5-5-5-5M20 9H10a6 6 0 0 0 0 12h3",
    record: "M12 6.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11z",
    hand:
        "M8 12V6.2a1.4 1.4 0 0 1 2.8 0V11M10.8 11V4.9a1.4 1.4 0 0 1 2.8 0V11" +
        "M13.6 11V6.2a1.4 1.4 0 0 1 2.8 0V12M16.4 9.2a1.4 1.4 0 0 1 2.8 0v4.6" +
        "c0 4-2.4 6.7-6 6.7-3 0-4.6-1.3-6-4l-2.1-4a1.4 1.4 0 0 1 2.4-1.3L9 13.4",
    gizmo: "M12 12V3M9.5 5.5 12 3l2.5 2.5M12 12l-7.5 5M4 13.6 4.5 17l3.4.4M12 12l7.5 5M20 13.6l-.5 3.4-3.4.4",
    poke: "M3 12h11M10 7l5 5-5 5M19 5a10 10 0 0 1 0 14",
    pin: "M12 3a5 5 0 0 1 5 5c0 3.6-5 8-5 8s-5-4.4-5-8a5 5 0 0 1 5-5zM12 8h.01M7 20.5h10",
    keep: "M7 11V8a5 5 0 0 1 10 0v3M5.5 11h13v9h-13zM12 14.5v2",
    clip: "M6 4v7a6 6 0 0 0 12 0V4M9.2 5v6a2.8 2.8 0 0 0 5.6 0V5M12 17v4",
    cut:
        "M6.5 6.5 20 18M20 6 6.5 17.5M5 8.2a2.4 2.4 0 1 0 0-4.8 2.4 2.4 0 0 0 0 4.8z" +
        "M5 20.6a2.4 2.4 0 1 0 0-4.8 2.4 2.4 0 0 0 0 4.8z",
    fuse: "M3 18c5 0 6-12 9-12s4 12 9 12M3 6c5 0 6 12 9 12s4-12 9-12",
    pearl: "M3 12h4M17 12h4M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM10.2 10.6a2.4 2.4 0 0 1 1.6-1.2",
    keyhole: "M2.5 12H8M12 12h9.5M12 4.5c2.4 0 4 3.4 4 7.5s-1.6 7.5-4 7.5-4-3.4-4-7.5 1.6-7.5 4-7.5z",
    plane: "M3 16.5 9.5 8H21l-6.5 8.5zM12 12V4M10 6l2-2 2 2",
    distance: "M5.5 12h13M4 9a3 3 0 1 0 0 6M20 9a3 3 0 1 1 0 6",
    ruler: "M3 15.5 15.5 3 21 8.5 8.5 21zM7 11.5l2 2M10 8.5l2.6 2.6M13 5.5l2 2",
    release: "M8 11V7.5a4 4 0 0 1 7.6-1.7M6 11h12v9H6z",
    gallery: "M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z",
    code: "m8 7-5 5 5 5M16 7l5 5-5 5M13.5 4.5l-3 15",
    plot: "M4 4v16h16M7 15l4-5 3 3 5-7",
    table: "M4 5h16v14H4zM4 10h16M4 14.5h16M10 5v14",
    inspect: "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5 21 21",
    events: "M5 6h.01M5 12h.01M5 18h.01M9 6h11M9 12h11M9 18h7",
    wave: "M2 12c2.5-8 5-8 7.5 0s5 8 7.5 0c1.2-3.8 2.5-5.8 5-6",
    export: "M12 15V4M8 8l4-4 4 4M4 14v6h16v-6",
    theme: "M12 4a8 8 0 1 0 0 16V4z",
    help: "M9 9a3 3 0 1 1 4.2 2.7c-.9.5-1.2 1-1.2 2.1M12 17.5h.01M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z",
    fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
    forces: "M5 19 18 6M10 6h8v8",
    marker: "M12 3v5M12 16v5M3 12h5M16 12h5M12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z",
    scenery: "M3 20h18M5 20V9l6-4 6 4v11M9 20v-6h4v6",
    contacts: "M3 20h18M12 20V6M8.5 9.5 12 6l3.5 3.5M12 20 7 12M12 20l5-8",
    thick: "M3 7h18M3 12.5h18M3 18.5h18",
    close: "M6 6l12 12M18 6 6 18",
    watch:
        "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z" +
        "M12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z",
} as const;

export type IconName = keyof typeof ICONS;

const SVG = "http://www.w3.org/2000/svg";

export function icon(name: IconName): SVGSVGElement {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", "0 0 24 24");
    svg.setAttribute("class", `icon icon-${name}`);
    svg.setAttribute("aria-hidden", "true");
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", ICONS[name]);
    svg.append(path);
    return svg;
}

/** A button with an icon; its label is also its tooltip, with the key. */
export function iconButton(
    name: IconName,
    label: string,
    key: string,
    onclick: () => void,
): HTMLButtonElement {
    return h(
        "button",
        {
            class: "icon-button",
            type: "button",
            "aria-label": label,
            title: key === "" ? label : `${label} (${key})`,
            "aria-keyshortcuts": key === "" ? null : key,
            onclick,
        },
        icon(name),
    );
}

/** A button with a cross. */
export function closeButton(label: string, onclick: () => void): HTMLButtonElement {
    return iconButton("close", label, "", onclick);
}

/** A dialog that a click outside closes too. */
export function dialog(attributes: Attributes, ...children: Child[]): HTMLDialogElement {
    const element = h("dialog", attributes, ...children);
    element.addEventListener("click", (event) => event.target === element && element.close());
    return element;
}

const filledWith = new WeakMap<HTMLElement, string>();

/**
 * Fills an element again if `key`, which identifies its content, has changed; otherwise buttons stay under
 * the pointer. The focus moves to the button with the same label, or at the same position.
 */
export function refill(element: HTMLElement, key: string, children: () => Child[]): void {
    if (filledWith.get(element) === key) return;
    filledWith.set(element, key);
    const called = (button: Element): string => button.getAttribute("aria-label") ?? button.textContent;
    const buttons = (): HTMLButtonElement[] => [...element.querySelectorAll("button")];
    const before = buttons();
    const index = before.findIndex((button) => button === document.activeElement);
    const name = before.map(called)[index];
    element.replaceChildren(...present(children()));
    if (index < 0) return;
    const now = buttons();
    (now.find((button) => called(button) === name) ?? now[Math.min(index, now.length - 1)])?.focus();
}

/** Marks a button as pressed or not. */
export function press(button: HTMLElement, pressed: boolean): void {
    button.setAttribute("aria-pressed", String(pressed));
}

/** Saves a file on the user's disk. */
export function download(name: string, data: Blob): void {
    const address = URL.createObjectURL(data);
    h("a", { href: address, download: name }).click();
    window.setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
