import { expect, it } from "vitest";
import { ANNA, HoldWorld } from "../../kit/hold-world.ts";
import type { Script } from "../../kit/scripted-model.ts";

const DONE = { ok: true, value: {} };
/** One call of `send` per branch, all in one answer. */
const three: Script = ({ messages }) =>
  messages.at(-1)?.role === "user"
    ? { calls: ["a", "b", "c"].map((ref) => ({ name: "send", args: JSON.stringify({ ref }) })) }
    : { text: "All done." };

async function toThree(): Promise<HoldWorld> {
  const holds = new HoldWorld({ script: three });
  holds.world.start().resume();
  holds.say("go");
  await holds.world.run(() => holds.cards.length === 3);
  return holds;
}

it("[H-71] each card of the list is decided with an outcome of its own; what is not on it stays open", async () => {
  const holds = await toThree();
  const [a, b, c] = holds.cards;
  if (!a || !b || !c) throw new Error("there are three cards");
  await holds.press("decline", { card: b });
  const list = [a, b, { ...c, digest: "0".repeat(64) }, { hold: "other", digest: a.digest }];
  expect(await holds.pressMany("approve", list)).toEqual([
    { hold: a.hold, answer: DONE },
    { hold: b.hold, answer: { ok: false, error: expect.objectContaining({ code: "already_decided" }) } },
    { hold: c.hold, answer: { ok: false, error: expect.objectContaining({ code: "changed" }) } },
    { hold: "other", answer: { ok: false, error: expect.objectContaining({ code: "unknown_hold" }) } },
  ]);
  await holds.settle();
  expect(holds.inputs).toEqual([{ ref: "a" }]);
  expect(holds.cards.filter(({ status }) => status === "open").map(({ hold }) => hold)).toEqual([c.hold]);
});

it("[H-71] who may not answer decides none, and who becomes less in the middle decides no more", async () => {
  const holds = await toThree();
  holds.people.set("p_bert", { principalId: "p_bert", name: "Bert", tier: "owner" });
  const codes = async (by: string) =>
    (await holds.pressMany("approve", holds.cards, by)).map(({ answer }) => (answer.ok ? "ok" : answer.error.code));
  expect(await codes("p_bert")).toEqual(["forbidden", "forbidden", "forbidden"]);
  expect(holds.cards.map(({ status }) => status)).toEqual(["open", "open", "open"]);
  expect(await codes(ANNA)).toEqual(["ok", "ok", "ok"]);
  await holds.world.run();
  expect(holds.inputs).toHaveLength(3);
});

it("[H-71] a directory that goes away leaves the rest of the list open, and says so", async () => {
  const holds = await toThree();
  const cards = [...holds.cards];
  holds.isDirectoryAway = true;
  const outcomes = await holds.pressMany("approve", cards);
  expect(outcomes.map(({ answer }) => answer.ok || answer.error.code)).toEqual(Array(3).fill("unavailable"));
  holds.isDirectoryAway = false;
  expect((await holds.pressMany("decline", cards)).map(({ answer }) => answer)).toEqual([DONE, DONE, DONE]);
});

it("[H-71] asks the directory once about a person, however long the list is", async () => {
  const holds = await toThree();
  let questions = 0;
  holds.beforeAnswer = async () => void questions++;
  // The calls that go on ask for themselves, once the last card is decided.
  const pressed = holds.pressMany("decline", holds.cards);
  expect((await pressed).map(({ answer }) => answer)).toEqual([DONE, DONE, DONE]);
  expect(questions).toBeLessThanOrEqual(1);
});
