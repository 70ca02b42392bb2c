import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deriveMessages } from "../../src/kernel/context/derive.ts";
import type { Submission } from "../../src/kernel/index.ts";
import { readEntriesAfter } from "../../src/kernel/storage/entries.ts";
import type { ToolResultData } from "../../src/protocol/view.ts";
import { checkMessages } from "../kit/check-messages.ts";
import type { KernelWorld } from "../kit/kernel-world.ts";
import { decideAll, registerGate } from "../kit/mini-gate.ts";
import { nodeWorld } from "../kit/node-world.ts";
import { EffectServer, failingTool, safeTool, unsafeTool } from "../kit/scenarios.ts";
import type { ScriptedAnswer } from "../kit/scripted-model.ts";
import { ANNA, BERT, NOTES, submission, tool } from "./make.ts";

/** One thing that happens to a conversation. */
type Happening =
  | { readonly kind: "say"; readonly actor: string; readonly mode: "queue" | "steer" | undefined }
  | { readonly kind: "repeat" | "withdraw"; readonly nth: number }
  | { readonly kind: "stop" | "continue" | "crash" | "note" | "ring" }
  | { readonly kind: "decide"; readonly decision: "approved" | "declined" }
  | { readonly kind: "let"; readonly turns: number }
  | { readonly kind: "pass"; readonly ms: number };

const anyHappening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("say" as const),
      actor: fc.constantFrom(ANNA, ANNA, BERT),
      mode: fc.constantFrom(undefined, undefined, "queue" as const, "steer" as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom("repeat" as const, "withdraw" as const), nth: fc.nat(9) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom("stop", "continue", "crash", "note", "ring"),
    }) as fc.Arbitrary<Happening>,
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("decide" as const),
      decision: fc.constantFrom("approved" as const, "declined" as const),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("let" as const), turns: fc.integer({ min: 1, max: 8 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("pass" as const), ms: fc.constantFrom(1, 2_000, 5_000, 700_000) }),
  },
);

const name = fc.constantFrom("lookup", "send", "broken", "slow", "unknown");
const anyAnswer: fc.Arbitrary<ScriptedAnswer> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<ScriptedAnswer>({ text: "A plain answer.", thinking: "Hm." }) },
  {
    weight: 5,
    arbitrary: fc
      .array(name, { minLength: 1, maxLength: 4 })
      .map((names) => ({ text: "On it.", calls: names.map((one) => ({ name: one, args: "{}" })) })),
  },
  { weight: 1, arbitrary: fc.constant<ScriptedAnswer>({ text: "half", error: {} }) },
  { weight: 1, arbitrary: fc.constant<ScriptedAnswer>({ text: "half", error: { retryable: false } }) },
  { weight: 1, arbitrary: fc.constant<ScriptedAnswer>({ text: "cut", isSilent: true }) },
);

const anyRun = fc.record({
  happenings: fc.array(anyHappening, { minLength: 3, maxLength: 30 }),
  answers: fc.array(anyAnswer, { minLength: 1, maxLength: 8 }),
  killAt: fc.array(fc.nat(150), { maxLength: 3 }),
});

type Run = typeof anyRun extends fc.Arbitrary<infer T> ? T : never;

function makeWorld({ answers, killAt }: Run, server: EffectServer): KernelWorld {
  const slow = tool("slow", async () => {
    await world.clock.wait(world.clock.now() + 3_000, new AbortController().signal);
    return { text: "slowly" };
  });
  const world: KernelWorld = nodeWorld({
    killAt,
    tools: [safeTool(server), unsafeTool(server), failingTool(), slow],
    register: (registry, kernel) => {
      registry.namespace(NOTES);
      registerGate(registry, kernel, "send");
    },
    deliver: (row) => Promise.resolve(row.attempts < 3 ? { status: "retry", error: "busy" } : { status: "sent" }),
    // A turn of calls only would never end: every fourth request gets a text.
    script: (_request, nth) => (nth % 4 === 3 ? { text: "Enough." } : (answers[nth % answers.length] ?? {})),
  });
  return world;
}

/** Does something to the running process; a client whose process died under it tries again. */
async function act<T>(world: KernelWorld, action: () => T): Promise<T> {
  for (;;) {
    await world.run(() => true);
    try {
      return action();
    } catch (error) {
      if (world.crashes.isAlive) throw error;
    }
  }
}

async function happen(world: KernelWorld, said: Map<string, Submission>, what: Happening): Promise<void> {
  switch (what.kind) {
    case "say": {
      const { actor, mode } = what;
      const text = `message ${said.size}`;
      const submitted = submission(text, { actor, ...(mode && { mode }) });
      expect(await act(world, () => world.kernel.submit(submitted))).toMatchObject({ ok: true });
      said.set(`${actor}:${text}`, submitted);
      return;
    }
    case "repeat": {
      const submitted = [...said.values()][what.nth];
      if (submitted) expect(await act(world, () => world.kernel.submit(submitted))).toMatchObject({ ok: true });
      return;
    }
    case "withdraw": {
      const key = [...said.keys()][what.nth] ?? "nobody";
      await act(world, () => world.kernel.withdraw(key));
      return;
    }
    case "stop":
      await act(world, () => world.kernel.stop());
      return;
    case "continue":
      await act(world, () => world.kernel.resumeQueue());
      return;
    case "crash":
      world.crash();
      return;
    case "ring":
      world.alarm.ring(world.clock.now());
      return;
    case "note":
      await act(world, () => {
        world.kernel.commit((tx) => {
          tx.set(NOTES, { count: tx.get(NOTES).count + 1 });
          tx.send({ key: "mirror", target: "t", payload: tx.now });
        });
      });
      return;
    case "decide":
      await act(world, () => decideAll(world.kernel, what.decision));
      return;
    case "let": {
      let turns = 0;
      await world.run(() => ++turns > what.turns);
      return;
    }
    case "pass":
      await world.pass(what.ms);
      return;
  }
}

/** People answer what waits for them and say "continue" until nothing is left to do. */
async function bringToRest(world: KernelWorld): Promise<void> {
  for (let round = 0; round < 100; round++) {
    await act(world, () => decideAll(world.kernel, "approved"));
    await act(world, () => world.kernel.resumeQueue());
    await world.run();
    const { turn, inbox, tasks } = world.control;
    if (turn === null && inbox.length === 0 && Object.keys(tasks).length === 0) return;
  }
  throw new Error("the conversation does not come to rest");
}

function expectWhole(world: KernelWorld, server: EffectServer, said: ReadonlyMap<string, Submission>): void {
  const { control } = world;
  expect(control).toMatchObject({ turn: null, inbox: [], tasks: {}, outbox: [] });
  expect(world.alarm.armedFor).toBeNull();
  for (const key of said.keys()) {
    const placed = world.kernel
      .entriesAfter(0, 10_000)
      .filter((entry) => (entry.data as { input?: string } | undefined)?.input === key);
    const { status } = world.kernel.input(key)?.state ?? {};
    expect(["done", "unanswered"], key).toContain(status);
    expect(placed.length, `${key} is said once at most`).toBeLessThanOrEqual(1);
    if (status === "done") expect(placed).toHaveLength(1);
  }
  for (const [key, count] of server.calls) if (!key.startsWith("lookup:")) expect(count, key).toBe(1);
  const entries = readEntriesAfter(world.storage, 0, 10_000);
  expect(checkMessages(deriveMessages(entries))).toEqual([]);
  for (const request of world.model.requests) expect(checkMessages(request.messages)).toEqual([]);
  const answered = new Map<string, number>();
  for (const { message, data } of entries) {
    if (message?.role !== "tool") continue;
    const { entry, index } = data as unknown as ToolResultData;
    answered.set(`${entry}:${index}`, (answered.get(`${entry}:${index}`) ?? 0) + 1);
  }
  for (const { id, message } of entries) {
    if (message?.role !== "assistant") continue;
    const calls = message.content.filter((part) => part.type === "call");
    for (const index of calls.keys())
      expect(answered.get(`${id}:${index}`), `results of call ${index} of ${id}`).toBe(1);
  }
  world.verify();
}

describe("random runs", () => {
  it("[K-9] [K-30] [K-31] [T-9] [T-28] [E-4] [E-8] [E-9] keep every promise: folds, wake-ups, one end of each input, one effect of each call", async () => {
    await fc.assert(
      fc.asyncProperty(anyRun, async (run) => {
        const server = new EffectServer();
        const world = makeWorld(run, server);
        const said = new Map<string, Submission>();
        for (const what of run.happenings) await happen(world, said, what);
        await bringToRest(world);
        expectWhole(world, server, said);
        const { view } = world.kernel.snapshot();
        world.crash();
        expect(world.start().snapshot().view).toEqual(view);
        world.verify();
      }),
      { numRuns: Number(process.env["KERNEL_RUNS"] ?? 60) },
    );
  }, 600_000);
});
