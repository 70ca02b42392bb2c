import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../../src/lib/canonical.ts";
import { sha256Hex } from "../../../src/lib/sha256.ts";
import { ANNA, HOUR, HoldWorld } from "../../kit/hold-world.ts";

const BERT = "p_bert";
const events = ({ audit }: HoldWorld) => audit.map(({ event }) => event);

async function withCard(): Promise<HoldWorld> {
  const holds = new HoldWorld();
  holds.people.set(BERT, { principalId: BERT, name: "Bert", tier: "owner" });
  await holds.toCard();
  await holds.settle();
  return holds;
}

describe("what happens to a hold", () => {
  it("[H-90] approved and run: who, when, with which tier, of which digest and card", async () => {
    const holds = await withCard();
    const { hold, digest, deadline, askedAt } = holds.card;
    await holds.press("approve", { note: "go ahead" });
    await holds.world.run();
    expect(events(holds)).toEqual(["opened", "approved", "spent"]);
    const [opened, approved, spent] = holds.audit;
    expect(opened).toMatchObject({ hold, digest, deadline, at: askedAt, speaker: ANNA, by: null, surface: "web" });
    expect(approved).toMatchObject({ hold, digest, by: ANNA, tier: "member", note: sha256Hex("go ahead") });
    expect(spent).toMatchObject({ hold, digest, by: ANNA, shown: opened?.shown });
  });

  it("[H-90] declined", async () => {
    const holds = await withCard();
    await holds.press("decline");
    await holds.world.run();
    expect(events(holds)).toEqual(["opened", "declined"]);
    expect(holds.audit[1]).toMatchObject({ by: ANNA, tier: "member", note: null });
  });

  it("[H-90] reminded of, and expired", async () => {
    const holds = await withCard();
    await holds.world.run();
    expect(events(holds)).toEqual(["opened", "reminded", "expired"]);
    expect(holds.audit[2]).toMatchObject({ by: null, at: holds.audit[0]?.deadline });
  });

  it("[H-90] released from its turn, and stopped with it", async () => {
    const released = await withCard();
    released.say("what is the time?");
    await released.settle();
    expect(events(released)).toEqual(["opened", "released"]);
    const stopped = await withCard();
    stopped.kernel.stop();
    await stopped.settle();
    expect(events(stopped)).toEqual(["opened", "cancelled"]);
    expect(stopped.audit[1]?.reason).toBe("stopped");
  });

  it("[H-90] changed: which parts, and at whose press it was found", async () => {
    const holds = await withCard();
    holds.describe = () => ({ text: "POST JSON to the build server", target: "another server" });
    await holds.press("approve");
    await holds.world.run();
    expect(events(holds)).toEqual(["opened", "changed"]);
    expect(holds.audit[1]).toMatchObject({ reason: "target", by: ANNA, tier: "member" });
  });

  it("[H-91] is told without the words of anybody: no argument, no text of the card, no name, no note", async () => {
    const holds = new HoldWorld({
      script: (request) =>
        request.messages.at(-1)?.role === "user"
          ? { calls: [{ name: "send", args: '{"ref":"SECRET-ARGUMENT"}' }] }
          : { text: "Done." },
    });
    holds.describe = () => ({ text: "SECRET-TEXT", target: "SECRET-TARGET" });
    holds.people.set(ANNA, { principalId: ANNA, name: "SECRET-NAME", tier: "member" });
    await holds.toCard();
    await holds.press("decline", { digest: "0".repeat(64), note: "SECRET-NOTE" });
    await holds.press("approve", { note: "SECRET-NOTE" });
    await holds.world.run();
    expect(events(holds)).toEqual(["opened", "refused", "approved", "spent"]);
    expect(JSON.stringify(holds.audit)).not.toContain("SECRET");
  });

  it("[H-91] tells by its hash what the card showed: another argument gives another", async () => {
    const shown: (string | null | undefined)[] = [];
    for (const ref of ["main", "main", "other"]) {
      const holds = new HoldWorld({ script: () => ({ calls: [{ name: "send", args: JSON.stringify({ ref }) }] }) });
      const { task: _task, status: _status, ...card } = await holds.toCard();
      shown.push(holds.audit[0]?.shown);
      expect(holds.audit[0]?.shown).toBe(sha256Hex(canonicalJson(card as never)));
    }
    expect(shown[0]).toBe(shown[1]);
    expect(shown[2]).not.toBe(shown[0]);
  });
});

describe("a press that does not count", () => {
  it("[H-94] leaves one line: who, and why", async () => {
    const holds = await withCard();
    const { card } = holds;
    await holds.press("approve", { by: BERT });
    await holds.press("approve", { digest: "0".repeat(64) });
    holds.people.set(ANNA, { principalId: ANNA, name: "Anna", tier: "guest" });
    await holds.press("approve");
    holds.people.set(ANNA, { principalId: ANNA, name: "Anna", tier: "member" });
    await holds.press("decline", { card });
    await holds.press("approve", { card });
    const refused = holds.audit.filter(({ event }) => event === "refused");
    expect(refused.map(({ by, tier, reason }) => [by, tier, reason])).toEqual([
      [BERT, "owner", "only_speaker"],
      [ANNA, "member", "other_digest"],
      [ANNA, "guest", "nobody_may"],
      [ANNA, "member", "too_late"],
    ]);
    expect(new Set(refused.map(({ hold, digest }) => `${hold} ${digest}`))).toEqual(
      new Set([`${card.hold} ${card.digest}`]),
    );
  });

  it("[H-94] is only counted from the 21st of a person at a card within an hour on", async () => {
    const holds = await withCard();
    const refusals = () => holds.audit.filter(({ event }) => event === "refused");
    const pressTimes = async (times: number, by: string, digest = "0".repeat(64)) => {
      for (let i = 0; i < times; i++) await holds.press("approve", { by, digest });
    };
    await pressTimes(20, BERT);
    expect(refusals()).toHaveLength(20);
    await pressTimes(5, BERT);
    expect(refusals()).toHaveLength(20);
    // Another person is counted apart.
    await pressTimes(1, ANNA);
    expect(refusals().at(-1)).toMatchObject({ by: ANNA, reason: "other_digest", count: null });
    expect(refusals()).toHaveLength(21);
    // The next that happens to this card brings the count.
    await holds.press("decline");
    expect(events(holds).slice(-2)).toEqual(["refused", "declined"]);
    expect(refusals().at(-1)).toMatchObject({ by: BERT, reason: "counted", count: 5 });
  });

  it("[H-94] begins to be told again after the hour, and what was counted before is told first", async () => {
    const holds = await withCard();
    const press = () => holds.press("approve", { by: BERT });
    for (let i = 0; i < 23; i++) await press();
    await holds.world.pass(HOUR - 1);
    await press();
    expect(holds.audit.filter(({ event }) => event === "refused")).toHaveLength(20);
    await holds.world.pass(1);
    await press();
    const [counted, told] = holds.audit.slice(-2);
    expect(counted).toMatchObject({ event: "refused", by: BERT, reason: "counted", count: 4 });
    expect(told).toMatchObject({ event: "refused", by: BERT, reason: "only_speaker", count: null });
  });

  it("[H-94] [H-95] is not lost by a death", async () => {
    const holds = await withCard();
    for (let i = 0; i < 21; i++) await holds.press("approve", { by: BERT });
    await holds.restart();
    await holds.press("approve", { by: BERT });
    await holds.press("approve");
    await holds.world.run();
    expect(holds.audit.find(({ reason }) => reason === "counted")).toMatchObject({ by: BERT, count: 2 });
  });
});

describe("the stored lines", () => {
  it("[H-93] can be neither changed nor deleted", async () => {
    const { storage } = (await withCard()).world;
    expect(() => storage.sql.exec("UPDATE approval_audit SET line = '{}'")).toThrow("append-only");
    expect(() => storage.sql.exec("DELETE FROM approval_audit")).toThrow("append-only");
  });

  it("[H-93] cost a conversation nothing in which nothing is held", async () => {
    const holds = new HoldWorld({ script: () => ({ text: "Hello." }) });
    holds.world.start().resume();
    holds.say("hello");
    await holds.world.run();
    const tables = holds.world.storage.sql.exec("SELECT name FROM sqlite_master WHERE name LIKE '%audit%'").toArray();
    expect(tables).toEqual([]);
    expect(holds.audit).toEqual([]);
  });

  it("[H-90] are gone with the commit that is undone", async () => {
    const holds = await withCard();
    const before = holds.audit.length;
    const commit = () =>
      holds.kernel.commit((tx) => {
        holds.audited.tell(tx, undefined, { ...holds.record, id: "another" });
        throw new Error("the builder failed");
      });
    expect(commit).toThrow("the builder failed");
    expect(holds.audit).toHaveLength(before);
    await holds.press("decline");
    expect(events(holds)).toEqual(["opened", "declined"]);
  });
});
