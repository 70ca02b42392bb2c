import { describe, expect, it } from "vitest";
import { results, send } from "../kernel/make.ts";
import type { KernelWorld } from "../kit/kernel-world.ts";
import { putBack } from "../kit/put-back.ts";
import { untilAborted } from "../kit/scripted-model.ts";
import { Family, OWNER } from "./family.ts";

const endless = () => ({ text: "Still thinking about it", between: untilAborted });

/** An owner whose call waits for a conversation of its own, which is at work; both are put back from a backup of that moment. */
async function restored(): Promise<Family> {
  const family = new Family({ childScript: endless });
  send(family.owner, "go");
  await family.run(() => family.keys.length === 1 && family.child.deltas.length > 0);
  for (const world of family.worlds.values()) {
    world.crash();
    putBack(world);
  }
  return family;
}

const open = (world: KernelWorld) => world.start().resume();

describe("conversations that own one another, restored from a backup", () => {
  it.each(["the owner", "the owned one"])(
    "[K-90] [K-91] end with one another, when %s is opened first",
    async (first) => {
      const family = await restored();
      const { owner, child } = family;
      const asked = [owner.model.requests.length, child.model.requests.length];
      for (const world of first === "the owner" ? [owner, child] : [child, owner]) {
        open(world);
        await family.run();
      }
      expect(family.keys, "the owned one is gone").toEqual([]);
      expect(owner.control).toMatchObject({ turn: null, tasks: {}, outbox: [] });
      expect(results(owner)).toMatchObject([{ outcome: "stopped", code: "restored" }]);
      expect([owner.model.requests.length, child.model.requests.length], "nobody asked a model again").toEqual(asked);
      expect(family.created).toHaveLength(1);
    },
  );

  it("[K-96] one that had not told its end goes by itself, though its owner's backup is newer", async () => {
    const gate = Promise.withResolvers<void>();
    const family = new Family({ childScript: () => ({ text: "Forty-two.", between: () => gate.promise }) });
    send(family.owner, "go");
    await family.run(() => family.keys.length === 1 && family.child.deltas.length > 0);
    family.away.add(OWNER);
    gate.resolve();
    await family.run(() => isAtRest(family.child));
    expect(family.child.control.outbox).toHaveLength(1);
    const { owner, child } = family;
    for (const world of [owner, child]) {
      world.crash();
      putBack(world);
      world.client.forget();
    }
    const done = { ...owner.control, turn: null, tasks: {}, outbox: [] };
    owner.storage.sql.exec("UPDATE control SET body = ?", JSON.stringify(done));
    family.away.clear();
    open(owner);
    open(child);
    await family.run();
    expect(family.keys).toEqual([]);
  });
});

const isAtRest = ({ control }: KernelWorld) => control.turn === null && control.lastEntry > 0;
