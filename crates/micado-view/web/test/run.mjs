// Builds the unit tests with Vite (Node 20 can't read TypeScript) and runs them with Node's test runner.
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const here = fileURLToPath(new URL(".", import.meta.url));
const out = `${here}.built`;
const tests = readdirSync(here).filter((name) => name.endsWith(".test.ts"));
rmSync(out, { recursive: true, force: true });
await build({
    root: here,
    configFile: false,
    logLevel: "error",
    build: {
        ssr: true,
        outDir: out,
        minify: false,
        rollupOptions: {
            input: Object.fromEntries(tests.map((name) => [name.replace(".ts", ""), here + name])),
            output: { entryFileNames: "[name].mjs" },
        },
    },
});
const { status } = spawnSync(
    process.execPath,
    ["--test", ...tests.map((name) => `${out}/${name.replace(".ts", ".mjs")}`)],
    {
        stdio: "inherit",
    },
);
process.exit(status ?? 1);
