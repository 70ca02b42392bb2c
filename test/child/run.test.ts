import { describe, expect, it } from "vitest";
import { defineTask } from "../../src/kernel/index.ts";
import type { Json } from "../../src/lib/json.ts";
import { untilAborted } from "../kit/scripted-model.ts";
import { Family, type FamilyOptions } from "./family.ts";

/** What the tasks of a test heard, in order, and whether they end by a time limit of their own. */
class Heard {
  readonly words: string[] = [];
  limit: AbortSignal | undefined;
  aborted: string | undefined;
}

/** A family whose owner runs a plugin's task that runs a conversation of its own. */
function withTask(options: FamilyOptions = {}): { family: Family; heard: Heard; begin: () => number } {
  const heard = new Heard();
  const kind = defineTask<Json, { readonly phase: "ask" }>({
    kind: "test.asker",
    initial: () => ({ phase: "ask" }),
    phases: {
      async ask({ id, signal }) {
        const { limit, aborted } = heard;
        const request = {
          task: id,
          signal: limit ? AbortSignal.any([signal, limit]) : signal,
          prompt: "What is it?",
          tools: ["look"],
          ...(aborted !== undefined && { aborted }),
        };
        try {
          const text = await family.owner.kernel.children.run(request);
          heard.words.push(text);
          return { kind: "complete", result: text };
        } catch (error) {
          if (signal.aborted) throw error;
          heard.words.push(String(error));
          return { kind: "fail", error: String(error) };
        }
      },
    },
  });
  const family = new Family({ ...options, register: (registry) => void registry.registerTaskKind(kind) });
  return { family, heard, begin: () => family.owner.kernel.commit((tx) => tx.createTask(kind, null)) };
}

const endless = () => ({ text: "Still thinking about it", between: untilAborted });

describe("code that waits in memory", () => {
  it("[O-10] gets the answer's text", async () => {
    const { family, heard, begin } = withTask();
    begin();
    await family.run();
    expect(heard.words).toEqual(["Forty-two."]);
    expect(family.keys).toEqual([]);
    expect(family.owner.control.tasks).toEqual({});
  });

  it("[O-10] hears why there is none", async () => {
    const { family, heard, begin } = withTask({
      childScript: () => ({ error: { kind: "auth", message: "The key is wrong.", retryable: false } }),
    });
    begin();
    await family.run();
    expect(heard.words).toEqual(["Error: The key is wrong."]);
  });

  it.each([
    [undefined, "Error: It ran out of time."],
    ["There were 20 minutes, and they are over.", "Error: There were 20 minutes, and they are over."],
  ])("[O-10] when its signal aborts, the conversation is stopped and it hears the reason", async (aborted, words) => {
    const { family, heard, begin } = withTask({ childScript: endless });
    const limit = new AbortController();
    heard.limit = limit.signal;
    heard.aborted = aborted;
    begin();
    await family.run(() => family.keys.length > 0 && family.child.model.requests.length > 0);
    limit.abort();
    await family.run();
    expect(heard.words).toEqual([words]);
    expect(family.keys).toEqual([]);
    expect(family.owner.control).toMatchObject({ tasks: {}, outbox: [] });
  });

  it("[O-10] the signal's own reason is told", async () => {
    const { family, heard, begin } = withTask({ childScript: endless });
    const limit = new AbortController();
    heard.limit = limit.signal;
    begin();
    await family.run(() => family.keys.length > 0);
    limit.abort(new Error("Somebody closed the shop."));
    await family.run();
    expect(heard.words).toEqual(["Error: Somebody closed the shop."]);
  });

  it("[O-10] [O-1] when its process ends, nothing is stopped; the next one waits for the same conversation", async () => {
    const gate = Promise.withResolvers<void>();
    const { family, heard, begin } = withTask({
      childScript: () => ({ text: "Forty-two.", between: () => gate.promise }),
    });
    begin();
    await family.run(() => family.keys.length > 0 && family.child.model.requests.length > 0);
    await family.owner.kernel.close();
    family.owner.crash();
    await family.run(() => true);
    gate.resolve();
    await family.run();
    expect(heard.words).toEqual(["Forty-two."]);
    expect(family.created).toHaveLength(1);
    expect(family.keys).toEqual([]);
  });

  it("[O-5] [O-10] a stop of its task stops the conversation", async () => {
    const { family, heard, begin } = withTask({ childScript: endless });
    const task = begin();
    await family.run(() => family.keys.length > 0);
    family.owner.kernel.commit((tx) => tx.abort(task));
    await family.run();
    expect(heard.words).toEqual([]);
    expect(family.keys).toEqual([]);
    expect(family.owner.control.tasks).toEqual({});
  });

  it("[O-10] a task that is over begins nothing", async () => {
    const { family } = withTask();
    const { signal } = new AbortController();
    await expect(family.owner.kernel.children.run({ task: 999, signal, prompt: "x", tools: [] })).rejects.toThrow(
      /999/,
    );
    expect(family.created).toEqual([]);
  });
});
