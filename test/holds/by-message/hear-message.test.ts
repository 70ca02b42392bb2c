import { describe, expect, it } from "vitest";
import type { KnownPerson } from "../../../src/holds/index.ts";
import type { Tier } from "../../../src/people/facts.ts";
import { ANNA, HELD, HOUR, HoldWorld } from "../../kit/hold-world.ts";

const BERT = "p_bert";
const person = (principalId: string, tier: Tier): KnownPerson => ({ principalId, name: "Bert", tier });

/** A conversation without cards whose call waits, and is listed unless told otherwise. */
async function waiting({
  calls = 1,
  isListed = true,
  prepare = (_holds: HoldWorld): void => undefined,
} = {}): Promise<HoldWorld> {
  const holds = new HoldWorld();
  holds.isListing = true;
  prepare(holds);
  holds.world.start().resume();
  for (let nth = 1; nth <= calls; nth++) {
    holds.say(nth === 1 ? "go" : `go ${nth}`);
    await holds.settle();
  }
  if (isListed) holds.list();
  return holds;
}

const statuses = (holds: HoldWorld) => Object.values(holds.stored.records).map(({ status }) => status);
const events = (holds: HoldWorld) => holds.audit.map(({ event }) => event);

describe("a held call where no card can be shown", () => {
  it("[H-130] leaves its turn at once, which ends telling the model to ask", async () => {
    const holds = await waiting({ isListed: false });
    expect(holds.kernel.control.turn).toBeNull();
    expect(holds.results).toEqual([
      { outcome: "pending", code: "pending", text: expect.stringMatching(/^No card can be shown here.*ask for a yes/) },
    ]);
    expect(statuses(holds)).toEqual(["pending"]);
    expect(holds.totalEffects).toBe(0);
    expect(holds.unlisted, "the reply lists it").toBe(0);
  });

  it("[H-131] is listed with every argument; what would be cut is refused instead of waiting", async () => {
    const holds = await waiting({ isListed: false });
    expect(holds.list()).toBe(
      [
        "This waits for your answer and has not run:",
        "1. send: POST JSON to the build server (the build server)",
        '   ref: "main"',
        "Answer yes to run exactly this, or no.",
      ].join("\n"),
    );
    const long = await waiting({
      isListed: false,
      prepare: (world) => {
        world.readInput = () => ({ ref: "x".repeat(20_000) });
      },
    });
    expect(long.results).toMatchObject([{ outcome: "blocked", code: "too_long_to_list" }]);
    expect(long.list()).toBe("");
  });

  it("[H-131] 15 calls are listed, the sixteenth once one of them is decided", async () => {
    const holds = await waiting({ calls: 16, isListed: false });
    expect(holds.list().match(/^\d+\./gm)).toHaveLength(15);
    await holds.answer("approve 1");
    await holds.settle();
    const sixteenth = Object.values(holds.stored.records).at(-1);
    expect(sixteenth?.unshown).toEqual({ listed: null });
    expect(holds.list().match(/^\d+\./gm)).toHaveLength(15);
    expect(Object.values(holds.stored.records).at(-1)?.unshown?.listed).toMatchObject({ number: 15 });
  });

  it("[H-141] that waits outside of any turn is announced", async () => {
    const holds = await waiting();
    await holds.world.pass(25 * HOUR);
    await holds.askAgain(holds.again[0]?.hold ?? "");
    await holds.settle();
    expect(statuses(holds)).toContain("pending");
    expect(holds.unlisted).toBe(1);
  });
});

describe("a message that answers", () => {
  it("[H-137] [H-138] yes runs the stored call once, and tells model, tool and audit who said so", async () => {
    const holds = await waiting();
    await holds.answer("approve");
    await holds.settle();
    expect(holds.inputs).toEqual([{ ref: "main" }]);
    expect(holds.approvals).toEqual([{ by: ANNA, prompt: undefined }]);
    expect(holds.notices.join("\n")).toContain('"Anna", approves the listed call of send');
    expect(holds.notices.join("\n")).toContain('"Anna" approved this call by a message.');
    const line = holds.audit.find(({ event }) => event === "approved");
    expect(line).toMatchObject({ by: ANNA, tier: "member", reason: "by_message" });
    expect(events(holds)).toContain("spent");
    await holds.answer("approve");
    await holds.settle();
    expect(holds.totalEffects).toBe(1);
  });

  it("[H-138] a press tells the tool what was pressed", async () => {
    const holds = new HoldWorld();
    const card = await holds.toCard();
    await holds.press("approve");
    await holds.settle();
    expect(holds.approvals).toEqual([{ by: ANNA, prompt: card.hold }]);
  });

  it("[H-137] no ends the call, and the model is told", async () => {
    const holds = await waiting();
    await holds.answer("decline");
    await holds.settle();
    expect(holds.totalEffects).toBe(0);
    expect(holds.notices.join("\n")).toContain('"Anna" declined this call of send');
    expect(holds.audit.find(({ event }) => event === "declined")).toMatchObject({ by: ANNA, reason: "by_message" });
  });

  it("[H-137] yes to a call that has changed since decides nothing but its end", async () => {
    const holds = await waiting();
    holds.deny = () => "Not on Sundays.";
    await holds.answer("approve");
    await holds.settle();
    expect(holds.totalEffects).toBe(0);
    expect(events(holds)).toContain("changed");
    expect(holds.notices.join("\n")).toContain("changed since it was shown");
  });

  it("[H-137] the same message again is the same, whatever it would be judged now", async () => {
    const holds = await waiting();
    await holds.answer("unsure", { key: "m1" });
    await holds.settle();
    holds.judgement = () => ({ choice: "approve", confidence: 1 });
    await holds.answer("unsure", { key: "m1" });
    await holds.settle();
    expect(holds.totalEffects).toBe(0);
    expect(statuses(holds)).toEqual(["pending"]);
  });
});

describe("a message that decides nothing", () => {
  const stays = async (holds: HoldWorld, told: RegExp | undefined) => {
    await holds.settle();
    expect(holds.totalEffects).toBe(0);
    expect(statuses(holds)).toContain("pending");
    expect(events(holds)).not.toContain("approved");
    const notices = holds.notices.filter((text) => text.startsWith("[System] The message that follows"));
    expect(notices).toEqual(told ? [expect.stringMatching(told)] : []);
  };

  it("[H-132] was sent before its call was listed, or at that very moment, or never saw it listed", async () => {
    const unseen = await waiting({ isListed: false });
    await unseen.answer("approve");
    await stays(unseen, undefined);
    for (const before of [0, 1]) {
      const holds = await waiting();
      await holds.answer("approve", { sentAt: holds.world.clock.now() - before });
      await stays(holds, undefined);
      expect(holds.judged).toEqual([]);
    }
  });

  it.each([
    ["a judgement just below", () => ({ choice: "approve", confidence: 0.89 })],
    ["no number for a confidence", () => ({ choice: "approve", confidence: Number.NaN })],
    ["a judge that fails", () => undefined],
    ["an answer that was not to be chosen", () => ({ choice: "approve 1", confidence: 1 })],
  ])("[H-134] is one with %s", async (_what, judgement) => {
    const holds = await waiting();
    holds.judgement = judgement;
    await holds.answer("yes");
    await stays(holds, /not understood as a yes or no/);
    expect(holds.judged).toHaveLength(1);
  });

  it("[H-134] has 2,001 characters; one of 2,000 is judged, with the call as data", async () => {
    const holds = await waiting();
    holds.judgement = () => ({ choice: "approve", confidence: 0.9 });
    await holds.answer("x".repeat(2_001));
    await stays(holds, /not understood/);
    expect(holds.judged).toEqual([]);
    await holds.answer("x".repeat(2_000));
    await holds.settle();
    expect(holds.totalEffects).toBe(1);
    expect(holds.judged).toMatchObject([
      {
        kind: "choice",
        choices: ["approve", "decline", "other"],
        about: { message: "x".repeat(2_000), calls: [{ number: 1, tool: "send", args: { ref: '"main"' } }] },
      },
    ]);
  });

  it("[H-133] [trap 2] comes from somebody who could not answer a card, and takes nothing off the list", async () => {
    const holds = await waiting({
      prepare: (world) => void world.people.set(BERT, person(BERT, "owner")),
    });
    for (const text of ["approve", "other"]) await holds.answer(text, { by: BERT });
    await stays(holds, undefined);
    expect(holds.judged).toEqual([]);
    await holds.answer("approve");
    await holds.settle();
    expect(holds.totalEffects).toBe(1);
  });

  it("[H-133] comes from somebody whose tier has sunk below the call's", async () => {
    const holds = await waiting({ prepare: (world) => void (world.visibility = "shared") });
    holds.people.set(ANNA, { principalId: ANNA, name: "Anna", tier: "guest" });
    await holds.answer("approve");
    await stays(holds, undefined);
    expect(holds.judged).toEqual([]);
  });

  it("[H-135] names none of several calls; one that names its call decides that one", async () => {
    const holds = await waiting({ calls: 2 });
    for (const choice of ["approve", "unclear"]) {
      holds.judgement = () => ({ choice, confidence: 1 });
      await holds.answer(`yes ${choice}`);
      await holds.settle();
    }
    expect(holds.totalEffects).toBe(0);
    holds.judgement = () => ({ choice: "approve 2", confidence: 1 });
    await holds.answer("the second");
    await holds.settle();
    expect(holds.totalEffects).toBe(1);
    expect(Object.values(holds.stored.records).map(({ status }) => status)).toEqual(["pending", "approved"]);
  });

  it("[H-142] comes where cards are shown", async () => {
    const holds = new HoldWorld();
    await holds.toCard();
    expect(holds.list()).toBe("");
    await holds.answer("approve");
    await holds.settle();
    expect(holds.judged).toEqual([]);
    expect(holds.totalEffects).toBe(0);
    expect(holds.card.status).toBe("open");
  });
});

describe("a message of something else", () => {
  it("[H-136] takes the call off the list: no later yes is one", async () => {
    const holds = await waiting();
    await holds.answer("other");
    await holds.settle();
    expect(holds.audit.find(({ event }) => event === "cancelled")).toMatchObject({ reason: "passed_over", by: ANNA });
    expect(holds.notices.join("\n")).toContain("spoke of something else");
    expect(holds.list()).toBe("");
    await holds.answer("approve");
    await holds.settle();
    expect(holds.totalEffects).toBe(0);
  });

  it("[H-136] leaves those that somebody else alone could confirm", async () => {
    const holds = await waiting({
      prepare(world) {
        world.visibility = "shared";
        world.people.set(BERT, person(BERT, "owner"));
        world.describe = () => ({ ...HELD, approval: "speaker" });
      },
    });
    await holds.answer("other", { by: BERT });
    await holds.settle();
    expect(statuses(holds)).toEqual(["pending"]);
  });
});

describe("in a shared conversation", () => {
  const shared = (approval?: "speaker") =>
    waiting({
      prepare(world) {
        world.visibility = "shared";
        world.people.set(BERT, person(BERT, "owner"));
        if (approval) world.describe = () => ({ ...HELD, approval });
      },
    });

  it("[H-133] an owner's message may approve a plain call", async () => {
    const holds = await shared();
    await holds.answer("approve", { by: BERT });
    await holds.settle();
    expect(holds.approvals).toEqual([{ by: BERT, prompt: undefined }]);
  });

  it("[H-140] one for the speaker alone is not the owner's to answer, and is the speaker's", async () => {
    const holds = await shared("speaker");
    await holds.answer("approve", { by: BERT });
    await holds.settle();
    expect(holds.totalEffects).toBe(0);
    expect(holds.judged).toEqual([]);
    await holds.answer("approve");
    await holds.settle();
    expect(holds.approvals).toEqual([{ by: ANNA, prompt: undefined }]);
  });
});
