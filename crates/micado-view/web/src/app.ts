/** Shared parts of the page. */

import type { Picture } from "./draw/picture.ts";
import type { Stage } from "./draw/stage.ts";
import type { History } from "./state/history.ts";
import type { Store } from "./state/store.ts";
import type { Notices } from "./ui/notices.ts";
import type { AnswerTo, Connection } from "./wire/connection.ts";
import type { Request } from "./wire/generated/protocol.ts";
import type { Probe } from "./wire/generated/scene.ts";

export interface App {
    store: Store;
    connection: Connection;
    stage: Stage;
    picture: Picture;
    notices: Notices;
    history: History;
    /** The probes that this page added, by name: added again after a reconnect. */
    watches: Map<string, Probe>;
}

/** Sends a request, and shows a refusal. */
export function ask<R extends Request>(app: App, what: R): Promise<AnswerTo<R> | undefined> {
    return app.notices.answer(app.connection.ask(what));
}

/** Adds a probe to the live values. */
export async function watch(app: App, probe: Probe): Promise<void> {
    if ((await ask(app, { watch: { probe } })) === undefined) return;
    app.watches.set(probe.name, probe);
    app.notices.say(`Watching ${probe.name}.`);
}
