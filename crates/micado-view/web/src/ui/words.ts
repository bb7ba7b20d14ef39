/** Words as they are shown. */

/** With a capital letter at its beginning. */
export function capital(text: string): string {
    return text.slice(0, 1).toUpperCase() + text.slice(1);
}
