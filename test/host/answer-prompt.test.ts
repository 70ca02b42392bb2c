import { describe, expect, it } from "vitest";
import { answerPrompt, definePlugin, Host, type PromptAnswer } from "../../src/host/index.ts";
import { hostContext } from "../kit/host-context.ts";

const ok = { ok: true, value: {} } as const;

/** A plugin that asks, knows these cards, and notes what it heard of. */
function asker(name: string, known: readonly string[], heard: string[]) {
  const answer = (_conversation: unknown, { prompt, refusalFor }: PromptAnswer) => {
    heard.push(`${name}: ${prompt} ${refusalFor("p_anna") === undefined ? "may" : "may not"}`);
    return known.includes(prompt) ? ok : undefined;
  };
  return definePlugin({
    name,
    setup: () => ({ prompts: [{ answer, asks: () => false, hasAsked: () => false, cards: () => [] }] }),
  });
}

const by = (principalId: string) => ({ principalId, name: "Somebody", tier: "member" }) as const;
const conversation = {
  visibility: "private",
  read: () => {
    throw new Error("nobody looks");
  },
  commit: () => {
    throw new Error("nobody writes");
  },
} as const;

describe("an answer", () => {
  it("[N-23] goes to the first plugin that knows the card, and no further", () => {
    const heard: string[] = [];
    const host = new Host([asker("one", ["a"], heard), asker("two", ["a", "b"], heard)], hostContext());
    expect(answerPrompt(host, conversation, { prompt: "a", answers: [null], by: by("p_anna") })).toEqual(ok);
    expect(answerPrompt(host, conversation, { prompt: "b", answers: [null], by: by("p_bert") })).toEqual(ok);
    expect(answerPrompt(host, conversation, { prompt: "c", answers: [null], by: by("p_anna") })).toMatchObject({
      error: { code: "unknown_prompt" },
    });
    expect(heard).toEqual(["one: a may", "one: b may not", "two: b may not", "one: c may", "two: c may"]);
  });
});
