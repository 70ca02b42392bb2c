import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { AuditTable } from "../../src/holds/audit/audit-table.ts";
import { ChatSocket } from "../kit/chat-socket.workers.ts";
import { Stage } from "../kit/stage.workers.ts";
import { Talk } from "../kit/talk.workers.ts";
import { until } from "../kit/until.ts";

/** Cards that are raced for in one conversation; twenty conversations make a hundred races. */
const CARDS = 5;
const DECISIONS = [
  ["approve", "approve"],
  ["approve", "decline"],
  ["decline", "approve"],
  ["decline", "decline"],
] as const;

/** A room in which so many calls of Anna's wait. */
async function waiting(): Promise<{ readonly owner: Talk; readonly anna: Talk }> {
  const stage = new Stage();
  const call = (n: number) => ({ name: "send_webhook", args: JSON.stringify({ target: "build", body: { n } }) });
  stage.script = (_, nth) =>
    nth === 0 ? { calls: Array.from({ length: CARDS }, (_, n) => call(n)) } : { text: "All done." };
  const { owner, others } = await Talk.room(stage, ["Anna"]);
  const [anna] = others;
  if (!anna) throw new Error("nobody came");
  await anna.say("go");
  await until(async () => (await anna.cards()).length === CARDS, "all cards");
  return { owner, anna };
}

describe("two people who answer one card at one instant", () => {
  it.each(Array.from({ length: 20 }, (_, round) => round))(
    "[H-155] [H-17] have one winner, the other is told, and both sockets come to the same (round %i)",
    async (round) => {
      const { owner, anna } = await waiting();
      const sockets = await Promise.all([owner, anna].map(({ stage, caller }) => ChatSocket.follow(stage, caller)));
      const cards = await anna.cards();
      for (const [n, { hold, digest }] of cards.entries()) {
        const decisions = DECISIONS[(round + n) % DECISIONS.length] ?? DECISIONS[0];
        const order = n % 2 === 0 ? [0, 1] : [1, 0];
        for (const who of order)
          sockets[who]?.send({ type: "decide", hold, digest, decision: decisions[who] ?? "approve" });
      }
      const errors = () =>
        sockets.flatMap(({ frames }) => frames.flatMap((one) => (one.type === "error" ? [one] : [])));
      await until(() => errors().length === CARDS, "every loser to hear of it");
      await owner.idle();
      const { rev, view } = await owner.snapshot();
      for (const { replica } of sockets) {
        await until(() => replica.rev === rev, "both sockets to be current");
        expect([replica.violations, replica.view]).toEqual([[], view]);
      }
      const codes = new Map(errors().map(({ ref = "", code }) => [ref, code]));
      expect(codes).toEqual(new Map(cards.map(({ hold }) => [hold, "already_decided"])));
      const lines = await runInDurableObject(owner.stage.object, (_, { storage }) =>
        new AuditTable(storage).after(0, 1_000),
      );
      const count = (hold: string, ...events: string[]) =>
        lines.filter((line) => line.hold === hold && events.includes(line.event)).length;
      for (const { hold } of cards) {
        expect([count(hold, "approved", "declined"), count(hold, "refused")]).toEqual([1, 1]);
        expect(count(hold, "spent")).toBe(count(hold, "approved"));
      }
      expect(owner.stage.receiver.total).toBe(lines.filter(({ event }) => event === "approved").length);
    },
  );
});
