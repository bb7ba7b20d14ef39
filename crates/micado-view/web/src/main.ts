/** Builds the page. */

import { ask, type App } from "./app.ts";
import { Picture } from "./draw/picture.ts";
import { Stage } from "./draw/stage.ts";
import { preferredTheme, THEMES, wearTheme, type ThemeName } from "./draw/themes.ts";
import { expose } from "./expose.ts";
import { Keeper } from "./keeper.ts";
import { Banner, undrawable } from "./panels/banner.ts";
import { Constraints } from "./panels/constraints.ts";
import { Dock } from "./panels/dock.ts";
import { Editor } from "./panels/editor.ts";
import { Events } from "./panels/events.ts";
import { Exports } from "./panels/exports.ts";
import { openFile, takeDrops } from "./panels/files.ts";
import { Gallery } from "./panels/gallery.ts";
import { Help } from "./panels/help.ts";
import { Inspector } from "./panels/inspector.ts";
import { Legend } from "./panels/legend.ts";
import { Modes } from "./panels/modes.ts";
import { Plots } from "./panels/plots.ts";
import { Rail } from "./panels/rail.ts";
import { Solver } from "./panels/solver.ts";
import { Transport } from "./panels/transport.ts";
import { Receiver } from "./receiver.ts";
import { History } from "./state/history.ts";
import { Store } from "./state/store.ts";
import { Work } from "./state/work.ts";
import "./styles/theme.css";
import "./styles/page.css";
import "./styles/panels.css";
import { Bench } from "./touch/bench.ts";
import { cameraKeys } from "./touch/camera-keys.ts";
import { Gestures } from "./touch/gestures.ts";
import { Gizmo } from "./touch/gizmo.ts";
import { Hands } from "./touch/hands.ts";
import { Menu } from "./touch/menu.ts";
import { drawMarks } from "./touch/pointer-mark.ts";
import { Ruler } from "./touch/ruler.ts";
import { TOOLS } from "./touch/tools.ts";
import { h, iconButton, press } from "./ui/dom.ts";
import { control, listen, plain, type Key } from "./ui/keys.ts";
import { Notices } from "./ui/notices.ts";
import { Connection, socketAddress } from "./wire/connection.ts";

/** Interval of updates of panels and legend, ms. */
const PANEL_PERIOD = 100;

const view = h("div", { class: "view" });
const root = document.getElementById("app")!;
root.append(view);

function makeStage(): Stage {
    try {
        return new Stage(view);
    } catch (error) {
        wearTheme(preferredTheme(), false);
        root.append(undrawable());
        throw error;
    }
}

const store = new Store();
const notices = new Notices();
const history = new History();
const stage = makeStage();
const picture = new Picture(stage, store);
const counters = { work: new Work(), render: new Work() };
const receiver = new Receiver(store, history, notices);
const connection = new Connection(socketAddress(window.location), receiver);

const app: App = { store, connection, stage, picture, notices, history, watches: new Map() };

store.on("table", (table) => table !== null && picture.lay(table));
for (const key of ["status", "hover", "selection", "options"] as const)
    store.on(key, () => stage.invalidate());

// Touch.
const hands = new Hands(app);
const gizmo = new Gizmo(app, hands);
const ruler = new Ruler(app);
const bench = new Bench(app, {
    gizmo: (place) => gizmo.hold(place),
    ruler: (first, second) => ruler.measure(first, second),
});
picture.extras.push((sketch) => drawMarks(sketch, bench));
const gestures = new Gestures(app, bench, hands, (x, y) => gizmo.takes(x, y));

// Panels.
const editor = new Editor(app);
const plots = new Plots(app);
const modes = new Modes(app);
const dock = new Dock(
    [
        editor,
        plots,
        new Constraints(app),
        new Inspector(app),
        modes,
        new Solver(app),
        new Events(app),
        new Exports(app),
    ],
    stage,
);
const menu = new Menu(
    app,
    bench,
    () => dock.show("inspector"),
    () => dock.covered,
);
const transport = new Transport(app);
const legend = new Legend(app);
const openAny = async (file: File): Promise<void> => {
    const taken = await openFile(app, file, (name, text, why) => {
        gallery.close();
        dock.show("scene");
        editor.mend(name, text, why);
    });
    if (taken) gallery.close();
};
const gallery = new Gallery(app, (file) => void openAny(file));
const rail = new Rail(app, bench, gizmo);
const banner = new Banner(app);

// Themes.
function wear(name: ThemeName, remember: boolean): void {
    wearTheme(name, remember);
    stage.wear(THEMES[name]);
    picture.wear(THEMES[name]);
    if (picture.frame !== null) picture.show(picture.frame);
    plots.restyle();
}
const switchTheme = (): void => wear(picture.theme.name === "dark" ? "light" : "dark", true);
window
    .matchMedia("(prefers-color-scheme: light)")
    .addEventListener("change", () => wear(preferredTheme(), false));

// Camera and address.
const keeper = new Keeper(app, () => {
    picture.forget();
    history.forget();
    app.watches.clear();
    store.set("selection", null);
    bench.take("hand");
});
const fit = (): void => keeper.fit();

// `micado view` without a scene opens `#gallery`.
const toGallery = (): void => void (window.location.hash === "#gallery" && gallery.open());
store.on("hello", (_, before) => before === null && toGallery());
window.addEventListener("hashchange", toGallery);

// The top of the page.
const title = h(
    "button",
    { type: "button", class: "scene-title", title: "Gallery (G)", "aria-keyshortcuts": "G" },
    h("span", {}, "Micado"),
);
title.addEventListener("click", () => void gallery.open());
store.on("scene", (scene) =>
    title.replaceChildren(h("strong", {}, "Micado"), h("span", {}, scene?.title ?? "")),
);

const toggles = (["forces", "markers", "thick", "scenery", "contacts"] as const).map((word) => {
    const [label, key] = {
        forces: ["Forces of constraints", "A"],
        markers: ["Markers of constraints", "V"],
        thick: ["Thicker rods", "T"],
        scenery: ["Scenery", "Y"],
        contacts: ["Contacts of surfaces", "S"],
    }[word] as [string, string];
    const button = iconButton(word === "markers" ? "marker" : word, label, key, () =>
        store.option(word, !store.state.options[word]),
    );
    store.on("options", (options) => press(button, options[word]), true);
    return button;
});

const keys: Key[] = [
    { keys: "space", what: "play and pause", fits: plain(" "), act: () => transport.toggle() },
    { keys: ".", what: "one step", fits: plain("."), act: () => transport.step(), repeats: true },
    {
        keys: ",",
        what: "one frame back, in a recording",
        fits: (event) => plain(",")(event) && store.state.scene?.recording != null,
        act: () => transport.step(-1),
        repeats: true,
    },
    { keys: "R", what: "reset", fits: plain("r"), act: () => transport.reset() },
    {
        keys: "Ctrl + Z",
        what: "undo",
        fits: control("z", false),
        act: () => void transport.undo(),
        repeats: true,
    },
    {
        keys: "Ctrl + Shift + Z",
        what: "redo",
        fits: (event) => control("z", true)(event) || control("y", false)(event),
        act: () => void transport.redo(),
        repeats: true,
    },
    {
        keys: "Esc",
        what: "release, put the tool away, close",
        fits: plain("Escape"),
        act: () => {
            if (gizmo.letGo("release") || hands.dropAll("release") || bench.putAway() || ruler.clear())
                return;
            if (store.state.selection !== null) store.set("selection", null);
            else dock.show(null);
        },
    },
    {
        keys: "P",
        what: "pin the held object",
        fits: (event) => plain("p")(event) && (hands.held.length > 0 || gizmo.holds),
        act: () => gizmo.letGo("pin") || hands.dropAll("pin"),
    },
    {
        keys: "M",
        what: "turn instead of move, with arrows and rings",
        fits: (event) => plain("m")(event) && gizmo.holds,
        act: () => gizmo.toggle(),
    },
    {
        keys: "Delete",
        what: "release the selected constraint",
        fits: (event) => plain("Delete")(event) && store.state.selection?.kind === "constraint",
        act: () =>
            store.state.selection?.kind === "constraint" &&
            void ask(app, { edit: { release: store.state.selection.name } }),
    },
    { keys: "G", what: "gallery", fits: plain("g"), act: () => void gallery.open() },
    ...dock.panels.map(({ key, label, word }) => ({
        keys: key,
        what: label,
        fits: plain(key),
        act: () => dock.toggle(word),
    })),
    ...cameraKeys(stage),
    { keys: "0", what: "see everything", fits: plain("0"), act: fit },
    { keys: "A", what: "forces of constraints", fits: plain("a"), act: () => toggles[0]?.click() },
    { keys: "V", what: "markers of constraints", fits: plain("v"), act: () => toggles[1]?.click() },
    { keys: "T", what: "thicker rods", fits: plain("t"), act: () => toggles[2]?.click() },
    { keys: "Y", what: "scenery", fits: plain("y"), act: () => toggles[3]?.click() },
    { keys: "S", what: "contacts of surfaces", fits: plain("s"), act: () => toggles[4]?.click() },
    { keys: "N", what: "light or dark theme", fits: plain("n"), act: switchTheme },
    { keys: "?", what: "this sheet", fits: plain("?"), act: () => help.toggle() },
];
const help = new Help(keys);
listen([
    ...keys,
    ...TOOLS.map((tool) => ({
        keys: tool.key,
        what: tool.label,
        fits: plain(tool.key),
        act: () => bench.take(tool.word),
    })),
]);

root.append(
    h(
        "header",
        { class: "top" },
        h("div", { class: "bar" }, title),
        h(
            "div",
            { class: "bar" },
            h("div", { class: "group" }, iconButton("fit", "See everything", "0", fit), ...toggles),
            h("hr"),
            dock.home,
            h("hr"),
            h(
                "div",
                { class: "group" },
                iconButton("theme", "Light or dark", "N", switchTheme),
                iconButton("help", "Help", "?", () => help.toggle()),
            ),
        ),
    ),
    // On small pages the card of the tool covers the legend.
    legend.element,
    rail.element,
    menu.element,
    transport.element,
    dock.element,
    banner.element,
    notices.element,
    gallery.element,
    help.element,
    takeDrops((file) => void openAny(file)),
);

// The loop.
stage.beforeDraw = () => {
    picture.prepare();
    menu.follow();
};
let panelsAt = 0;

function tick(now: number): void {
    const start = performance.now();
    const frame = receiver.takeFrame();
    if (frame !== null && picture.show(frame)) {
        store.set("frame", frame);
        keeper.keepInView();
    } else if (modes.animated && picture.frame !== null) picture.show(picture.frame);
    gestures.refresh(now);
    if (now - panelsAt > PANEL_PERIOD) {
        panelsAt = now;
        legend.refresh();
        menu.refresh();
        dock.refresh();
    }
    const before = stage.drawing;
    stage.draw();
    keeper.settle();
    const rendered = stage.drawing - before;
    if (frame !== null) {
        counters.work.add(performance.now() - start - rendered + receiver.takeTime());
        counters.render.add(rendered);
    }
    window.requestAnimationFrame(tick);
}

wear(preferredTheme(), false);
expose(app, receiver, counters, () => editor.error);
connection.connect();
window.requestAnimationFrame(tick);
