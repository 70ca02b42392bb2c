import { describe, expect, it } from "vitest";
import type { KnownPerson } from "../../../src/holds/index.ts";
import type { Tier } from "../../../src/people/facts.ts";
import { ANNA, HELD, HOUR, HoldWorld } from "../../kit/hold-world.ts";

const OLGA = "p_olga";
const olga = (tier: Tier): KnownPerson => ({ principalId: OLGA, name: "Olga", tier });

/** A card of Anna's in a shared conversation, whose owner is Olga. */
async function opened({ isListing = false } = {}): Promise<HoldWorld> {
  const holds = new HoldWorld();
  holds.people.set(OLGA, olga("owner"));
  Object.assign(holds, { visibility: "shared", isListing });
  if (!isListing) await holds.toCard();
  else {
    holds.world.start().resume();
    holds.say("go");
    await holds.settle();
    holds.list();
  }
  return holds;
}

/** Ways to approve, by whoever does it: each of them looks at the call first. */
const WAYS: Readonly<Record<string, (holds: HoldWorld, by: string) => Promise<unknown>>> = {
  press: (holds, by) => holds.press("approve", { by }),
  "press with other arguments": (holds, by) => holds.press("approve", { by, input: { ref: "dev" } }),
  "press for always": (holds, by) => holds.press("approve", { by, always: { any: [], hours: 1 } }),
  list: (holds, by) => holds.pressMany("approve", [holds.card], by),
  message: (holds, by) => holds.answer("approve", { by }),
};
const ways = Object.keys(WAYS);

/** What happens to somebody while a rule is asked about the call. */
const LOSSES: Readonly<Record<string, (holds: HoldWorld, id: string) => unknown>> = {
  "is demoted": (holds, id) => holds.people.set(id, { principalId: id, name: id, tier: "guest" }),
  "is taken out": (holds, id) => holds.outside.add(id),
  "is switched off": (holds, id) => holds.people.delete(id),
};
const cases = ways.flatMap((way) => Object.keys(LOSSES).flatMap((loss) => [ANNA, OLGA].map((by) => [way, by, loss])));

/** Once, while the rules are asked. */
function whileLooking(holds: HoldWorld, happen: () => unknown): void {
  holds.describe = ({ tool }) => {
    happen();
    return tool === "send" ? HELD : undefined;
  };
}

describe("a presser who loses what they are while the call is looked at", () => {
  it.each(cases)("[H-156] decides nothing: %s by %s, who %s", async (way, by, loss) => {
    const holds = await opened({ isListing: way === "message" });
    const before = holds.audit.length;
    whileLooking(holds, () => LOSSES[loss ?? ""]?.(holds, by ?? ""));
    await WAYS[way ?? ""]?.(holds, by ?? "");
    const [record] = Object.values(holds.stored.records);
    expect(["open", "pending"]).toContain(record?.status);
    expect(Object.keys(holds.stored.records)).toHaveLength(1);
    // One who fell is told of in the audit; one who may not enter any more leaves no line.
    const told = holds.audit.slice(before);
    expect(told.map(({ event, by: who }) => [event, who])).toEqual(
      loss === "is demoted" && way !== "message" ? [["refused", by]] : [],
    );
    expect(holds.totalEffects).toBe(0);
  });

  it.each(ways)("[H-156] and decides as ever who stays: %s", async (way) => {
    const holds = await opened({ isListing: way === "message" });
    await WAYS[way]?.(holds, OLGA);
    await holds.settle();
    expect(holds.totalEffects).toBe(1);
  });
});

describe("a presser who is taken out after the directory's last answer", () => {
  /** Whoever is asked about, the presser is gone a moment later. */
  const leave = (holds: HoldWorld) => {
    let answers = 0;
    holds.answered = () => {
      answers++;
      queueMicrotask(() => holds.outside.add(OLGA));
    };
    return () => answers;
  };
  const changes: typeof WAYS = {
    ...WAYS,
    "press that declines": (holds, by) => holds.press("decline", { by }),
    extending: (holds, by) => holds.change({ kind: "extend", until: holds.card.deadline + HOUR }, { by }),
    "handing over": (holds, by) => holds.change({ kind: "hand_over", to: OLGA }, { by }),
  };

  it.each(Object.keys(changes))("[H-156] changes nothing: %s", async (way) => {
    const holds = await opened({ isListing: way === "message" });
    const before = JSON.stringify(holds.stored);
    const answers = leave(holds);
    await changes[way]?.(holds, OLGA);
    expect(answers()).toBeGreaterThan(0);
    expect(JSON.stringify(holds.stored)).toBe(before);
  });

  it("[H-156] asks nothing again", async () => {
    const holds = await opened();
    await holds.world.pass(25 * HOUR);
    const [ended] = holds.again;
    leave(holds);
    expect(await holds.askAgain(ended?.hold ?? "", OLGA)).toMatchObject({ ok: false, error: { code: "forbidden" } });
    expect(holds.again).toHaveLength(1);
  });
});
