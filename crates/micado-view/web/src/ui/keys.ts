/** Keys: one list for their actions and for the help sheet. */

export interface Key {
    /** Text in the help sheet; alternatives are separated by commas. */
    keys: string;
    what: string;
    fits(event: KeyboardEvent): boolean;
    act(event: KeyboardEvent): void;
    /** Whether it repeats while it is held down. */
    repeats?: boolean;
}

/** A key without Control, Alt or Meta; letters in either case. */
export function plain(name: string): (event: KeyboardEvent) => boolean {
    return (event) =>
        !event.ctrlKey && !event.metaKey && !event.altKey && event.key.toLowerCase() === name.toLowerCase();
}

/** A letter with Control (or Command). */
export function control(letter: string, shift: boolean): (event: KeyboardEvent) => boolean {
    return (event) =>
        (event.ctrlKey || event.metaKey) && event.shiftKey === shift && event.key.toLowerCase() === letter;
}

function typing(target: EventTarget | null): boolean {
    return (
        target instanceof HTMLElement &&
        (target.matches("input:not([type=range]), textarea, select") || target.isContentEditable)
    );
}

/** Listens on the whole page; not while text is typed or a dialog is open. */
export function listen(keys: Key[]): void {
    window.addEventListener("keydown", (event) => {
        if (typing(event.target) || document.querySelector("dialog[open]") !== null) return;
        // The space bar presses a focused button.
        if (event.key === " " && event.target instanceof HTMLButtonElement) return;
        const key = keys.find((one) => one.fits(event));
        if (key === undefined) return;
        event.preventDefault();
        if (!event.repeat || key.repeats === true) key.act(event);
    });
}
