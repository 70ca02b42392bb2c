import { describe, expect, it } from "vitest";
import { coreNotice, type OriginPort } from "../../src/kernel/index.ts";
import { BERT, lines, send } from "../kernel/make.ts";
import { started } from "../kernel/started.ts";
import { editWorld } from "../kit/edit-world.ts";
import { type KernelWorld, settle } from "../kit/kernel-world.ts";
import { exchange, forkOf, ids, inheritedIds, originOf } from "./make.ts";

/** A fork that waits before its second page. */
async function held(): Promise<{
  parent: KernelWorld;
  fork: KernelWorld;
  gate: PromiseWithResolvers<void>;
  signals: AbortSignal[];
}> {
  const parent = started();
  editWorld(parent, (tx) => {
    for (let n = 0; n < 200; n++) exchange(tx, `word ${n}`);
  });
  const gate = Promise.withResolvers<void>();
  const signals: AbortSignal[] = [];
  const page: OriginPort["page"] = async (ref, after, signal) => {
    signals.push(signal);
    if (after > 0) await gate.promise;
    return originOf(parent).page(ref, after, signal);
  };
  const fork = forkOf(parent, ids(parent).at(-1) ?? 0, { origin: { page } });
  fork.kernel.resume();
  await fork.run(() => inheritedIds(fork).length === 200);
  await settle();
  return { parent, fork, gate, signals };
}

describe("while a fork is copied", () => {
  it("[F-10] what is said is queued in order and begins when the copy is done", async () => {
    const { parent, fork, gate } = await held();
    expect(fork.kernel.snapshot().view.tasks).toEqual({
      [String((ids(parent).at(-1) ?? 0) + 1)]: { kind: "core.import", status: { phase: "pulling", entries: 200 } },
    });
    expect(send(fork, "one")).toMatchObject({ value: { status: "queued" } });
    expect(send(fork, "two")).toMatchObject({ value: { status: "queued" } });
    expect(send(fork, "one"), "a repeat has the first receipt").toMatchObject({ value: { status: "queued" } });
    expect(send(fork, "three", { actor: BERT })).toMatchObject({ value: { status: "queued" } });
    expect(fork.kernel.resumeQueue()).toBe(false);
    await settle();
    expect(fork.model.requests).toHaveLength(0);
    gate.resolve();
    await fork.run();
    expect(lines(fork).slice(ids(parent).length)).toEqual([
      "fork: ",
      "user: one",
      "user: two",
      "assistant: Hello.",
      "user: three",
      "assistant: Hello.",
    ]);
    expect(fork.model.requests[0]?.messages).toHaveLength(402);
  });

  it("[F-10] what a plugin writes waits, shown to models or not", async () => {
    const { parent, fork, gate } = await held();
    const written = fork.kernel.commit((tx) => [
      tx.write(coreNotice, { text: "read this" }),
      tx.write({ kind: "plugin.mark" }, { data: 1 }),
    ]);
    expect(written).toEqual([null, null]);
    gate.resolve();
    await fork.run();
    expect(lines(fork).slice(ids(parent).length)).toEqual(["fork: ", "notice: read this", "plugin.mark: "]);
    expect(inheritedIds(fork)).toEqual(ids(parent));
  });

  it("[F-11] a stop ends the copy and keeps what has arrived; what is queued waits", async () => {
    const { fork, gate, signals } = await held();
    send(fork, "one");
    expect(fork.kernel.stop()).toBe(true);
    expect(signals.at(-1)?.aborted).toBe(true);
    expect(fork.kernel.stop(), "it stops already").toBe(false);
    gate.resolve();
    await fork.run();
    expect(inheritedIds(fork)).toHaveLength(200);
    expect(lines(fork).at(-1)).toMatch(/ended early: it was stopped/);
    expect(fork.control.inbox).toHaveLength(1);
    send(fork, "two");
    await fork.run();
    expect(lines(fork).slice(201)).toEqual(["user: one", "user: two", "assistant: Hello."]);
  });

  it("[F-11] closing it writes nothing more, however late the page comes; opened again, it goes on", async () => {
    const { parent, fork, gate } = await held();
    await fork.kernel.close();
    gate.resolve();
    const { rev } = fork.control;
    await fork.run(() => true);
    expect(fork.control.rev).toBe(rev);
    fork.crash();
    await fork.run();
    expect(inheritedIds(fork)).toEqual(ids(parent));
  });
});
