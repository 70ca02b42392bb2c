import { describe, expect, it } from "vitest";
import type { MessageSurface, SurfacePrompts } from "../../src/host/router/surface.ts";
import { ALL_ABLE, onTestNetwork } from "../kit/contract-subjects.workers.ts";
import { checkSurfaceContract, type MakeSubject, type Role, type SurfaceSubject } from "../kit/surface-contract.ts";

/** A surface whose adapter is wrong in one way. */
const adapter = (change: (whole: MessageSurface) => Partial<MessageSurface>): MakeSubject =>
  onTestNetwork({ adapt: (whole) => ({ ...whole, ...change(whole) }) });

/** A surface that brings what people do in another way than they did it. */
const bringing =
  (change: (whole: SurfaceSubject) => Partial<SurfaceSubject>): MakeSubject =>
  async (scene) => {
    const whole = await onTestNetwork()(scene);
    return { ...whole, ...change(whole) };
  };

const SENT = { status: "sent", id: "0", at: 0 } as const;
const prompts = (change: Partial<SurfacePrompts>) => (whole: MessageSurface) =>
  whole.prompts ? { prompts: { ...whole.prompts, ...change } } : {};
const closesNothing = adapter(prompts({ close: async () => SENT }));
const pressesAs = (role: Role) =>
  bringing((whole) => ({ press: (_role, card, decision) => whole.press(role, card, decision) }));

/** An end that begins again when it is called a second time. */
function toggling(begin: MessageSurface["startTyping"]): NonNullable<MessageSurface["startTyping"]> {
  return (channel) => {
    let end = begin?.(channel);
    return () => {
      if (end) end();
      end = end ? undefined : begin?.(channel);
    };
  };
}

const BROKEN: Readonly<Record<string, MakeSubject>> = {
  delivery: adapter(() => ({ sendReply: async () => SENT })),
  chunks: adapter((whole) => ({ sendReply: (reply) => whole.sendReply({ ...reply, text: reply.text.slice(0, 500) }) })),
  files: adapter((whole) => ({ sendReply: (reply) => whole.sendReply({ ...reply, files: [] }) })),
  background: bringing((whole) => ({ say: (role, text) => whole.say(role, text.replace("#background", "Hello")) })),
  saying: adapter(() => ({ sendNotice: async () => SENT })),
  waiting: adapter(() => ({ unreact: async () => undefined })),
  attachments: bringing((whole) => ({ say: (role, text) => whole.say(role, text) })),
  presence: adapter((whole) => ({ startTyping: toggling(whole.startTyping) })),
  progress: adapter(() => ({ progress: async () => undefined })),
  approve: closesNothing,
  decline: bringing((whole) => ({ press: (role, card) => whole.press(role, card, "approve") })),
  stop: bringing(() => ({ stop: async () => undefined })),
  stranger: pressesAs("person"),
  "owner in private": pressesAs("person"),
  "above tier in private": bringing(() => ({ cards: async () => [{ id: "a", isOpen: true }] })),
  supersede: closesNothing,
  approvers: pressesAs("approver"),
  "speaker only": pressesAs("person"),
  questions: bringing((whole) => ({ answer: (_role, card, answers) => whole.answer("person", card, answers) })),
  questionnaires: bringing((whole) => ({
    answer: (role, card, [first = "", second = "Because"]) => whole.answer(role, card, [first, second]),
  })),
  copy: bringing((whole) => ({
    async copy(card) {
      await whole.press("person", card, "approve");
      return whole.copy(card);
    },
  })),
  late: bringing((whole) => {
    let hasRestarted = false;
    return {
      async restart() {
        hasRestarted = true;
        await whole.restart();
      },
      press: async (...how) => !hasRestarted && whole.press(...how),
    };
  }),
  "two surfaces": bringing((whole) => ({
    async pressElsewhere(...how) {
      await whole.pressElsewhere(...how);
      return true;
    },
    async press(...how) {
      await whole.press(...how);
      return true;
    },
  })),
};

const FEW = { ...ALL_ABLE, cards: false };
/** A clock that runs ahead: no message is ever later than what it answers. */
const ahead: MakeSubject = onTestNetwork({
  prompts: false,
  adapt: (whole) => ({
    ...whole,
    async sendReply(reply) {
      const sent = await whole.sendReply(reply);
      return sent.status === "sent" ? { ...sent, at: sent.at + 3_600_000 } : sent;
    },
  }),
});

describe("a surface that is broken in one way", () => {
  it.each(Object.entries(BROKEN))("[X-88] breaks the check %s", async (only, make) => {
    expect(await checkSurfaceContract(ALL_ABLE, make, { patienceMs: 800, only })).toEqual([only]);
  });

  it("[X-88] breaks the check without cards", async () => {
    const only = "without cards";
    expect(await checkSurfaceContract(FEW, ahead, { patienceMs: 800, only })).toEqual([only]);
  });

  it("[X-88] is told from a whole one, of which no check is broken", async () => {
    const whole = onTestNetwork();
    for (const only of ["delivery", "chunks", "decline"]) {
      expect(await checkSurfaceContract(ALL_ABLE, whole, { only })).toEqual([]);
    }
  });
});
