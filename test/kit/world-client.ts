import { strict as assert } from "node:assert";
import type { Json } from "../../src/lib/json.ts";
import type { ServerFrame } from "../../src/protocol/frames.ts";
import { foldOps, type Op } from "../../src/protocol/ops.ts";
import type { View } from "../../src/protocol/view.ts";

export type CommitFrame = Extract<ServerFrame, { type: "commit" }>;

interface Snapshot {
  readonly rev: number;
  readonly view: View;
}

interface Replica {
  readonly rev: number;
  readonly view: Json;
}

/** A client that takes a snapshot when it connects and folds every frame after it, over JSON as on a wire. */
export class WorldClient {
  #replica: Replica | undefined;
  #isConnected = false;

  /** What it shows. */
  get view(): Json {
    return this.#replica?.view ?? null;
  }

  /** The process died: nothing more arrives until the next snapshot. */
  disconnect(): void {
    this.#isConnected = false;
  }

  /** The stored state was changed from outside: what it has seen says nothing any more. */
  forget(): void {
    this.#replica = undefined;
  }

  /** @throws when the snapshot is no JSON or contradicts what the client has seen. */
  connect(snapshot: Snapshot): void {
    const view = overTheWire(snapshot.view);
    const before = this.#replica;
    this.#replica = { rev: snapshot.rev, view };
    this.#isConnected = true;
    assert.deepEqual(snapshot.view, view, "a snapshot is JSON");
    if (!before) return;
    assert.ok(snapshot.rev >= before.rev, `the revision went back from ${before.rev} to ${snapshot.rev}`);
    if (before.rev === snapshot.rev) assert.deepEqual(view, before.view, "a reopened view is what it was");
  }

  /** @throws when the frame does not follow, or folding it does not give what a fresh snapshot shows. */
  fold(frame: CommitFrame, snapshot: Snapshot): void {
    const before = this.#replica;
    if (!before || !this.#isConnected) return;
    this.#replica = { rev: frame.rev, view: foldOps(before.view, overTheWire(frame.ops) as unknown as readonly Op[]) };
    assert.equal(frame.rev, before.rev + 1, "revisions are contiguous");
    assert.ok(frame.ops.length > 0 || frame.events.length > 0, "a frame shows something");
    assert.equal(snapshot.rev, frame.rev, "a snapshot taken at a frame has its revision");
    assert.deepEqual(this.#replica.view, overTheWire(snapshot.view), "folding gives a fresh snapshot");
  }
}

function overTheWire(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
