// A server and a page for each browser test.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { extname, join } from "node:path";
import { chromium } from "playwright-core";

const BROWSERS = [
    process.env.CHROMIUM,
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
];
const FLAGS = [
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
];
/** Time limit of all waits, ms; ample for slow machines. */
export const PATIENCE = Number(process.env.PATIENCE ?? 60_000);

/** A browser, with additional flags. */
export async function launch(...flags) {
    const executablePath = BROWSERS.find((path) => path !== undefined && existsSync(path));
    if (executablePath === undefined) throw new Error("no Chromium: install it, or name it in CHROMIUM");
    // Chromium does not treat a page from a folder as one of the loopback, and blocks its connections.
    const trust =
        process.env.MICADO_PAGE === undefined ? [] : ["--disable-features=LocalNetworkAccessChecks"];
    return chromium.launch({ executablePath, args: [...FLAGS, ...trust, ...flags] });
}

const running = new Set();

/** Stops the servers that failed tests have left: they would keep the program running. */
export function stopAll() {
    for (const child of running) child.kill();
}

/** Starts `micado view ARGUMENTS`; reads the address from its output. */
export async function serve(binary, ...args) {
    const port = args.includes("--port") ? [] : ["--port", "0"];
    const child = spawn(binary, ["view", ...args, "--no-open", ...port], {
        stdio: ["ignore", "pipe", "pipe"],
    });
    let told = "";
    child.stderr.on("data", (data) => (told += data));
    const address = await new Promise((resolve, reject) => {
        let text = "";
        const timer = setTimeout(
            () => reject(new Error(`the server printed no address: ${text}${told}`)),
            PATIENCE,
        );
        child.stdout.on("data", (data) => {
            text += data;
            const found = /http:\/\/[^\s]+/.exec(text);
            if (found === null) return;
            clearTimeout(timer);
            resolve(found[0]);
        });
        child.on("exit", (code) => reject(new Error(`the server ended with ${code}: ${told}`)));
    });
    running.add(child);
    child.on("exit", () => running.delete(child));
    const stop = () =>
        new Promise((resolve) => {
            if (child.exitCode !== null) return resolve();
            child.on("exit", resolve);
            child.kill();
        });
    return { address, stop, port: Number(new URL(address).port) };
}

/** An empty page; its errors are collected. */
export async function blank(
    browser,
    { width = 1280, height = 800, theme = "dark", touch = false, calm = false } = {},
) {
    const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: theme,
        hasTouch: touch,
        acceptDownloads: true,
        reducedMotion: calm ? "reduce" : "no-preference",
    });
    if (process.env.MICADO_PAGE !== undefined)
        await context.route(/^http/, (route) => fromFolder(route, process.env.MICADO_PAGE));
    const page = await context.newPage();
    const wrong = [];
    page.on("pageerror", (error) => wrong.push(String(error)));
    page.on(
        "console",
        (message) =>
            message.type() === "error" &&
            !/WebSocket|ERR_CONNECTION/.test(message.text()) &&
            wrong.push(message.text()),
    );
    page.wrong = wrong;
    page.setDefaultTimeout(PATIENCE);
    return page;
}

/** A page at that address, after its first picture. */
export async function open(browser, address, options) {
    const page = await blank(browser, options);
    await page.goto(address);
    await until(page, () => window.micado?.connected && window.micado.shown);
    return page;
}

/** Waits until a condition on the exposed state holds. */
export function until(page, condition, argument) {
    return page.waitForFunction(condition, argument, { timeout: PATIENCE, polling: 50 });
}

/** Waits until a value read in the page fits; judged here, because the page forbids code as text. */
export async function untilRead(page, read, fits) {
    for (
        const end = Date.now() + PATIENCE;
        !fits(await page.evaluate(read));
        await new Promise((done) => setTimeout(done, 50))
    )
        if (Date.now() > end) throw new Error(`never so: ${fits}`);
}

/** Pixels of point `i` of an object. */
export async function pixelOf(page, name, i) {
    await until(page, () => window.micado.shown);
    return page.evaluate(
        ([rod, index]) => window.micado.screenOf(...window.micado.rodPoint(rod, index)),
        [name, i],
    );
}

/** Serves the page from a folder instead of from the program, for quick changes. */
async function fromFolder(route, folder) {
    const { pathname } = new URL(route.request().url());
    const path = join(folder, pathname === "/" ? "index.html" : pathname);
    if (extname(path) === "" || !existsSync(path)) return route.continue();
    await route.fulfill({ path });
}

/**
 * Moves the pointer onto point `i` of a rod, which may be moving, until the page reports it; returns its
 * pixels.
 */
export async function aim(page, name, i) {
    for (const end = Date.now() + PATIENCE; Date.now() < end;) {
        const [x, y] = await pixelOf(page, name, i);
        await page.mouse.move(x, y);
        await page.evaluate(
            () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
        );
        if (await page.evaluate((rod) => window.micado.hover?.on === rod, name)) return [x, y];
    }
    throw new Error(`the pointer never reached ${name}`);
}
