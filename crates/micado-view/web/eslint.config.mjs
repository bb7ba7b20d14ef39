// Two versions of TypeScript are installed. `npm run check` runs the `tsc` of TypeScript 7, from the package
// `@typescript/native`. typescript-eslint accepts TypeScript below 6.1 only, since it needs the JavaScript
// interface of the older compiler; it imports the package `typescript`, which is therefore TypeScript 6.
// Once typescript-eslint accepts TypeScript 7, `typescript` alone is enough.
import js from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import globals from "globals";
import tseslint from "typescript-eslint";

export default defineConfig(
    // `make protocol` writes what is called `generated`.
    globalIgnores(["dist/", "test/.built/", "src/wire/generated/", "test/generated/"]),
    js.configs.recommended,
    {
        linterOptions: { reportUnusedDisableDirectives: "error" },
        rules: { eqeqeq: ["error", "always", { null: "ignore" }] },
    },
    {
        files: ["src/**/*.ts"],
        extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
        languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
        rules: {
            "no-console": "error",
            "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
            "@typescript-eslint/no-shadow": "error",
            "@typescript-eslint/prefer-readonly": "error",
            "@typescript-eslint/switch-exhaustiveness-check": [
                "error",
                { considerDefaultExhaustiveForUnions: true },
            ],
            // `() => doIt()` as a listener is common, and clear.
            "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
            "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
            // With `noUncheckedIndexedAccess`, each array read may be undefined. `list[i]!` asserts that
            // the index is in range; `list[i] as number` would also hide a wrong type.
            "@typescript-eslint/no-non-null-assertion": "off",
        },
    },
    {
        // `tsconfig.json` covers `src` only, so these files are linted without types.
        files: ["test/**/*.ts", "vite.config.ts"],
        extends: [tseslint.configs.strict, tseslint.configs.stylistic],
        rules: { "@typescript-eslint/no-non-null-assertion": "off" },
    },
    {
        // Tests in a browser: Node's code, with functions that run in the page.
        files: ["test/**/*.mjs"],
        languageOptions: { globals: { ...globals.node, ...globals.browser } },
    },
);
