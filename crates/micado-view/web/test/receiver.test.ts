import assert from "node:assert/strict";
import { test } from "node:test";
import { Receiver } from "../src/receiver.ts";
import { History } from "../src/state/history.ts";
import { Store } from "../src/state/store.ts";
import type { Notices } from "../src/ui/notices.ts";
import type { EventRow, Scene, Status, Table } from "../src/wire/generated/protocol.ts";
import { encodeFrame } from "./frames.ts";

function receiver(): { receiver: Receiver; store: Store; history: History; said: string[] } {
    const said: string[] = [];
    const notices = {
        say: (text: string) => said.push(text),
        refuse: ({ problem }: { problem: string }) => said.push(problem),
    };
    const [store, history] = [new Store(), new History()];
    return { receiver: new Receiver(store, history, notices as unknown as Notices), store, history, said };
}

const scene = {} as Scene;
const table: Table = {
    serial: 1,
    objects: [],
    constraints: [],
    springs: [],
    loads: [],
    winches: [],
    probes: [{ name: "a", unit: "N", of: "cable", read: "force" }],
};
const recovered = (text: string): EventRow => ({ time: 1, kind: "recovered", text });

test("a recovery is reported when it happens, not to a page opened later", () => {
    const { receiver: one, store, said } = receiver();
    one.announced({ scene });
    one.announced({ events: [recovered("Long ago")] });
    one.framed(encodeFrame({}));
    assert.deepEqual(said, []);
    one.announced({ events: [recovered("the grab was undone")] });
    assert.deepEqual(said, ["The grab was undone. Redo restores it."]);
    assert.equal(store.state.events.length, 2);
});

test("unreadable frames are reported once, and again after a reconnect", () => {
    const { receiver: one, said } = receiver();
    for (let k = 0; k < 3; k++) one.framed(new ArrayBuffer(9));
    assert.equal(said.length, 1);
    assert.match(said[0] ?? "", /9 bytes/);
    one.framed(encodeFrame({}));
    assert.equal(one.frames, 1);
    one.announced({ hello: { version: 1, program: "", channels: [] } });
    one.framed(new ArrayBuffer(9));
    assert.equal(said.length, 2);
});

test("probes and energies are at the time of the newest frame, and a frame is returned once", () => {
    const { receiver: one, history } = receiver();
    const status = { energies: { kinetic: 1, elastic: 2, gravity: 3, total: 6 } } as Status;
    one.announced({ scene });
    one.announced({ table });
    one.announced({ status });
    assert.deepEqual(history.energies.times, []);
    one.framed(encodeFrame({ time: 0.5, probes: [7] }));
    one.framed(encodeFrame({ time: 0.75, probes: [8] }));
    one.announced({ status });
    assert.deepEqual(
        [history.probes.times, history.probes.columns.get("a")],
        [
            [0.5, 0.75],
            [7, 8],
        ],
    );
    assert.deepEqual([history.energies.times, history.energies.columns.get("total")], [[0.75], [6]]);
    assert.equal(one.takeFrame()?.time, 0.75);
    assert.equal(one.takeFrame(), null);
});
