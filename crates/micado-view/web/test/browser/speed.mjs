// A bench, not a test: the page's own work for a frame with fifty rods of fifty control points.
// `npm run bench -- PATH_TO_MICADO`.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { launch, open, serve } from "./helpers.mjs";
import { manyRods, measureWork } from "./many-rods.mjs";

const binary = process.argv[2];
if (binary === undefined) throw new Error("name the program: npm run bench -- target/release/micado");
const folder = mkdtempSync(join(tmpdir(), "micado-view-"));
const path = join(folder, "many-rods.toml");
writeFileSync(path, manyRods(50, 47));
const browser = await launch();
const server = await serve(resolve(binary), path);
try {
    console.log(await measureWork(await open(browser, server.address, { width: 1000, height: 440 }), "r25"));
} finally {
    await browser.close();
    await server.stop();
    rmSync(folder, { recursive: true });
}
