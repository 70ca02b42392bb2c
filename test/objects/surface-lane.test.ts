import { describe, expect, it } from "vitest";
import { LANE, SAYINGS } from "../../src/host/index.ts";
import { takeSaying } from "../../src/objects/desk/say-desk.ts";
import { HoldWorld } from "../kit/hold-world.ts";
import type { Script } from "../kit/scripted-model.ts";
import { MAX_MESSAGE_UNITS, TestNetwork, type TestSurfaceOptions, testSurface } from "../kit/test-network.ts";

const HELD = { text: "I send it now.", calls: [{ name: "send", args: '{"ref":"main"}' }] };
const LONG = Array.from({ length: 300 }, (_, nth) => `word${nth}`).join(" ");

const script: Script = ({ messages }) => {
  const last = messages.at(-1);
  const said = last?.role === "user" && last.content[0]?.type === "text" ? last.content[0].text : "";
  if (said.startsWith("go")) return HELD;
  return { text: said === "long" ? LONG : `Answer to ${said.slice(0, 12)}` };
};

interface Scene {
  readonly name: string;
  readonly able?: TestSurfaceOptions;
  readonly steps: readonly ((holds: HoldWorld, network: TestNetwork) => unknown)[];
}

const done = (holds: HoldWorld, key: string) => holds.kernel.input(`p_anna:${key}`) !== undefined;
const say = (text: string) => (holds: HoldWorld) => done(holds, text) || holds.say(text);
const press = (decision: "approve" | "decline") => async (holds: HoldWorld, network: TestNetwork) => {
  const card = network.messages.find((message) => message.card)?.card;
  if (!card) throw new Error("no card is shown");
  await holds.press(decision, { card });
};
const answer = (text: string) => (holds: HoldWorld, network: TestNetwork) =>
  done(holds, text) || holds.answer(text, { sentAt: network.now() });

/** As an order of a plugin does when it arrives. */
const haveSaid = (text: string) => (holds: HoldWorld) =>
  holds.kernel.commit((tx) => takeSaying(tx, { key: String(text.length), author: "p_anna", text }, true));

const SCENES: readonly Scene[] = [
  { name: "a short reply and a long one", steps: [say("hello"), say("long")] },
  { name: "a card that is approved", steps: [say("go"), press("approve")] },
  { name: "a card that is declined", steps: [say("go"), press("decline")] },
  { name: "a list that a message answers", able: { prompts: false }, steps: [say("go"), answer("approve")] },
  { name: "words of a plugin", steps: [say("hello"), haveSaid("The build is done."), haveSaid("And tested.")] },
  { name: "a list that a message refuses", able: { prompts: false }, steps: [say("go"), answer("decline")] },
];

async function play({ able, steps }: Scene, killAt: readonly number[], shaken = false) {
  const network = new TestNetwork();
  const channel = network.open("1");
  const holds = new HoldWorld({ script, killAt, network: { surface: testSurface(network, able), channel } });
  holds.isListing = able?.prompts === false;
  const { crashes } = holds.world;
  network.before = () => crashes.point(crashes.life, "before post");
  network.after = () => crashes.point(crashes.life, "after post");
  for (const step of steps) {
    for (let tries = 0; tries < 10; tries++) {
      if (shaken) network.isAway = tries === 0;
      await settled(holds);
      network.isAway = false;
      await settled(holds);
      try {
        await step(holds, network);
        break;
      } catch (error) {
        if (crashes.isAlive) throw error;
      }
    }
    await settled(holds);
  }
  await holds.world.run();
  return { holds, network };
}

/** Lets a minute pass, and whatever happens meanwhile. */
const settled = (holds: HoldWorld) => holds.world.run(() => false, holds.world.clock.now() + 60_000);

/** What people see, each part for itself. */
const seen = ({ messages }: TestNetwork) =>
  messages.map(({ text, card, closed }) => ({
    text,
    ...(card && { card: card.args, closed: closed?.replace(/\d{4}-.*Z/, "then") }),
  }));

describe.each(SCENES)("what is sent to a network, $name", (scene) => {
  it.each([0, 1, 2, 3, 4, 5, 6, 7])(
    "[X-64] [X-66] [X-97] [H-131] is there once and in order, whatever dies before or after it (share %i of 8)",
    async (share) => {
      const whole = await play(scene, []);
      const expected = seen(whole.network);
      expect(expected.length).toBeGreaterThan(1);
      expect([...whole.network.posts.values()].every((count) => count === 1)).toBe(true);
      for (const [index, point] of whole.holds.world.crashes.passed.entries()) {
        if (index % 8 !== share) continue;
        const where = `killed at ${index} (${point})`;
        const cut = await play(scene, [index]);
        expect(seen(cut.network), where).toEqual(expected);
        expect(Math.max(0, ...cut.holds.effects.values()), where).toBeLessThanOrEqual(1);
        expect(cut.holds.kernel.get(LANE), where).toMatchObject({ queue: [], cards: {} });
        const receipts = cut.holds.kernel.get(SAYINGS).known.map(({ receipt }) => receipt.status);
        expect(receipts, where).toEqual(whole.holds.kernel.get(SAYINGS).known.map(() => "said"));
        expect(cut.holds.world.alarm.armedFor, where).toBeNull();
      }
    },
  );
});

describe("a network that is away", () => {
  it("[X-64] gets everything later, in order", async () => {
    for (const scene of SCENES) {
      const calm = await play(scene, []);
      const shaken = await play(scene, [], true);
      expect(seen(shaken.network)).toEqual(seen(calm.network));
    }
  });

  it("[X-67] for more than a day gets what is younger; what was given up is reported", async () => {
    const network = new TestNetwork();
    const channel = network.open("1");
    const holds = new HoldWorld({ script, network: { surface: testSurface(network), channel } });
    holds.world.start().resume();
    network.isAway = true;
    holds.say("hello");
    await holds.world.pass(23 * 3_600_000);
    holds.say("again");
    await holds.world.pass(2 * 3_600_000);
    network.isAway = false;
    await holds.world.pass(3_600_000);
    expect(network.messages.map(({ text }) => text)).toEqual(["Answer to again"]);
    expect(holds.world.reports.map(({ event }) => event)).toContain("surface.given_up");
  });
});

describe("a long reply", () => {
  it("[X-65] is whole, in parts that the network takes", async () => {
    const { network } = await play({ name: "", steps: [say("long")] }, []);
    expect(network.messages.length).toBeGreaterThan(3);
    expect(network.messages.every(({ text }) => text.length <= MAX_MESSAGE_UNITS)).toBe(true);
    expect(network.messages.map(({ text }) => text).join("")).toBe(LONG);
  });
});
