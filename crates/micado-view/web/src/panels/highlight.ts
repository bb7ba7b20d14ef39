/** Syntax colours of TOML, as far as they help to read a scene. */

export type Token = [kind: "comment" | "table" | "key" | "string" | "number" | "word" | "", text: string];

const PATTERN = new RegExp(
    [
        /(#.*$)/,
        /("(?:[^"\\]|\\.)*"?|'[^']*'?)/,
        /([+-]?\b\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?\b)/,
        /\b(true|false|nan|inf)\b/,
        /([A-Za-z_][\w.-]*)(?=\s*=)/,
    ]
        .map(({ source }) => source)
        .join("|"),
    "g",
);

/** The tokens of a line; joined, they are the line. */
export function tokens(line: string): Token[] {
    if (/^\s*\[/.test(line)) {
        const end = line.lastIndexOf("]") + 1 || line.length;
        const rest = line.slice(end);
        return [
            ["table", line.slice(0, end)],
            ...(rest === "" ? [] : tokens(rest.startsWith("[") ? ` ${rest}` : rest)),
        ];
    }
    const found: Token[] = [];
    let last = 0;
    for (const match of line.matchAll(PATTERN)) {
        if (match.index > last) found.push(["", line.slice(last, match.index)]);
        const kind =
            match[1] !== undefined
                ? "comment"
                : match[2] !== undefined
                  ? "string"
                  : match[3] !== undefined
                    ? "number"
                    : match[4] !== undefined
                      ? "word"
                      : "key";
        found.push([kind, match[0]]);
        last = match.index + match[0].length;
    }
    if (last < line.length) found.push(["", line.slice(last)]);
    return found;
}
