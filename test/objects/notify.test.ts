import { describe, expect, it } from "vitest";
import { NOTICES, notify, remindOfPrompt } from "../../src/host/index.ts";
import type { HostTx, OutboxRow } from "../../src/kernel/index.ts";
import { deliverNotice } from "../../src/objects/principal/deliver-notice.ts";
import { remindByNotice } from "../../src/objects/principal/reminder-notice.ts";
import type { NoticeDraft } from "../../src/protocol/notices.ts";

/** What a commit put into the outbox. */
function sentBy(build: (tx: HostTx) => void): OutboxRow {
  const rows: OutboxRow[] = [];
  const send: HostTx["send"] = ({ key, target, payload }) => {
    rows.push({ key, target, payload: JSON.stringify(payload), attempts: 0, createdAt: 0 });
  };
  build({ send, now: 7 } as HostTx);
  const [row] = rows;
  if (!row) throw new Error("nothing was sent");
  return row;
}

/** Delivers to two owners and whoever is named; `away` cannot be reached. */
async function deliver(row: OutboxRow, away?: string) {
  const told: [string, NoticeDraft][] = [];
  const principal = (id: string) => ({
    notify(notice: NoticeDraft) {
      if (id === away) return Promise.reject(new Error("away"));
      told.push([id, notice]);
      return Promise.resolve();
    },
  });
  const isMember = (id: string) => ["p_anna", "p_bert"].includes(id);
  const owners = () => Promise.resolve(["p_o1", "p_anna"]);
  const outcome = await deliverNotice(row, { isMember, owners, principal }).catch((error: unknown) => String(error));
  return { outcome, to: told.map(([id]) => id), told };
}

const facts = (visibility: "private" | "shared") => ({
  key: "web:abc",
  visibility,
});
const hold = {
  id: "h1",
  tool: "send_webhook",
  speaker: { principalId: "p_anna", name: "Anna" },
  approvers: null,
  approval: null,
} as const;

describe("a notice on its way", () => {
  it("[J-44] goes to everybody once, and again when somebody cannot be reached", async () => {
    const notice = { id: "n", at: 1, text: "Hello", link: null };
    const row = sentBy((tx) => notify(tx, notice, { people: ["p_anna", "p_bert"], owners: true }));
    expect([row.key, row.target]).toEqual(["notices:n", NOTICES]);
    expect(await deliver(row)).toMatchObject({ outcome: { status: "sent" }, to: ["p_anna", "p_bert", "p_o1"] });
    expect(await deliver(row, "p_bert")).toMatchObject({ outcome: "Error: away", to: ["p_anna"] });
  });

  it.each([
    ["private", hold, ["p_anna"]],
    ["shared", hold, ["p_anna", "p_o1"]],
    ["shared", { ...hold, approval: "speaker" as const }, ["p_anna"]],
    ["shared", { ...hold, approvers: ["p_bert"] }, ["p_bert", "p_o1", "p_anna"]],
    ["shared", { ...hold, approvers: ["p_bert", "p_gone"] }, ["p_bert", "p_o1", "p_anna"]],
    ["shared", { ...hold, speaker: { principalId: "p_gone", name: "Gone" } }, ["p_o1", "p_anna"]],
    ["shared", { ...hold, speaker: null }, ["p_o1", "p_anna"]],
  ] as const)(
    "[J-44] [H-150] [trap 20] a reminder in a %s conversation goes to those who may answer (%#)",
    async (visibility, card, to) => {
      const delivered = await deliver(sentBy((tx) => remindByNotice(tx, facts(visibility), card, 7)));
      expect(delivered.to).toEqual(to);
      expect(delivered.told[0]?.[1]).toEqual({
        id: "hold:h1:reminder",
        at: 7,
        text: "A call of send_webhook waits for a decision and expires in an hour.",
        link: "/chat/abc",
      });
    },
  );

  it.each([
    ["private", "p_anna", ["p_anna"]],
    ["shared", "p_anna", ["p_anna", "p_o1"]],
    ["shared", "p_gone", ["p_o1", "p_anna"]],
  ] as const)(
    "[N-26] of a question in a %s conversation goes to those who may answer it (%#)",
    async (visibility, speaker, to) => {
      const read = { facts: facts(visibility) };
      const row = sentBy((tx) => remindOfPrompt(tx, read, { id: "q1", speaker }));
      const delivered = await deliver(row);
      expect(delivered.to).toEqual(to);
      expect(delivered.told[0]?.[1]).toEqual({
        id: expect.stringMatching(/^prompt:[0-9a-f]{64}$/),
        at: 7,
        text: "A question waits for an answer and expires in an hour.",
        link: "/chat/abc",
      });
      const elsewhere = { facts: { ...facts(visibility), key: `strict:${"x".repeat(293)}` } };
      const other = (await deliver(sentBy((tx) => remindOfPrompt(tx, elsewhere, { id: "q1", speaker })))).told[0]?.[1];
      expect(other?.link).toBeNull();
      expect(other?.id).not.toBe(delivered.told[0]?.[1].id);
    },
  );
});
