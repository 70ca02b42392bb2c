import { expect, it } from "vitest";
import { HoldWorld } from "../../kit/hold-world.ts";

const send = (ref: string) => ({ name: "send", args: JSON.stringify({ ref }) });
/** So many calls in the first step of a turn, then a text. */
const calling = (...refs: readonly string[]) =>
  new HoldWorld({
    script: ({ messages }) => (messages.at(-1)?.role === "user" ? { calls: refs.map(send) } : { text: "Done." }),
  });

it("[H-72] the very same call beside one that waits gets no second card, and says that the first waits", async () => {
  const holds = calling("main", "main", "release");
  await holds.toCard();
  await holds.settle();
  expect(holds.cards.map(({ args }) => args[0]?.value)).toEqual(['"main"', '"release"']);
  expect(holds.opened).toHaveLength(2);
  for (const card of holds.cards) await holds.press("approve", { card });
  await holds.world.run();
  expect(holds.inputs).toEqual([{ ref: "main" }, { ref: "release" }]);
  const refused = holds.results.filter(({ code }) => code === "duplicate");
  expect(refused).toMatchObject([{ outcome: "blocked" }]);
  expect(refused[0]?.text).toContain("waits for approval already: this one did not run");
});

it("[H-72] a model that asks again in the same turn, although the first left it, is refused as well", async () => {
  const holds = new HoldWorld({
    script: ({ messages }) =>
      JSON.stringify(messages.filter(({ role }) => role === "tool")).includes("no second card")
        ? { text: "It waits." }
        : { calls: [send("main")] },
  });
  holds.visibility = "shared";
  await holds.toCard();
  await holds.world.run(() => holds.kernel.control.turn === null);
  expect(holds.cards).toHaveLength(1);
  expect(holds.results.map(({ code }) => code)).toEqual(["pending", "duplicate"]);
});

it("[H-72] once the first is decided, or in another turn, the same call is asked about anew", async () => {
  const holds = new HoldWorld();
  const first = await holds.toCard();
  holds.say("never mind");
  await holds.world.run(() => holds.kernel.control.turn === null);
  holds.say("go");
  holds.say("go again");
  await holds.world.run(() => holds.cards.length === 2);
  await holds.press("decline", { card: first });
  expect(holds.opened).toHaveLength(2);
});
