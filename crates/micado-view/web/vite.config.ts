import { defineConfig } from "vite";

// The page is embedded in the program, which serves it from the root and forbids inline scripts and foreign
// hosts.
export default defineConfig({
    base: "./",
    build: {
        target: "es2022",
        assetsInlineLimit: 0,
        chunkSizeWarningLimit: 1500,
        modulePreload: { polyfill: false },
    },
});
