import { env, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { AuditTable } from "../../src/holds/audit/audit-table.ts";
import { verifyChain } from "../../src/holds/audit/verify-chain.ts";
import type { AuditLine } from "../../src/protocol/audit.ts";
import type { Script } from "../kit/scripted-model.ts";
import { Stage } from "../kit/stage.workers.ts";
import { newPerson, Talk } from "../kit/talk.workers.ts";
import { until } from "../kit/until.ts";

const oneWebhook: Script = ({ messages }) => {
  const last = messages.at(-1);
  const said = last?.role === "user" && last.content[0]?.type === "text" ? last.content[0].text : "";
  if (!said.startsWith("go")) return { text: "All done." };
  return { calls: [{ name: "send_webhook", args: '{"target":"build","body":{"ref":"main"}}' }] };
};

async function begin(): Promise<Talk> {
  const stage = new Stage();
  stage.script = oneWebhook;
  const talk = await Talk.begin(stage);
  await talk.idle();
  return talk;
}

/** The lines as the object itself holds them. */
const own = (talk: Talk): Promise<readonly AuditLine[]> =>
  runInDurableObject(talk.stage.object, (_, { storage }) => new AuditTable(storage).after(0, 1_000));

/** The lines as D1 holds them. */
async function copied(talk: Talk): Promise<readonly AuditLine[]> {
  const { results } = await env.DB.prepare("select line from approval_audit where conversation = ? order by seq")
    .bind(talk.stage.key)
    .all<{ line: string }>();
  return results.map(({ line }) => JSON.parse(line) as AuditLine);
}

async function listed(talk: Talk): Promise<readonly Record<string, unknown>[]> {
  const { results } = await env.DB.prepare("select * from open_cards where conversation = ? order by asked_at")
    .bind(talk.stage.key)
    .all();
  return results;
}

const touchesAudit = (query: string) => query.includes("approval_audit");

describe("the copy of the audit in D1", () => {
  it("[H-93] the object's own lines can be neither changed nor deleted", async () => {
    const talk = await begin();
    await talk.toCard();
    const attempts = await runInDurableObject(talk.stage.object, (_, { storage }) =>
      ["UPDATE approval_audit SET line = '{}'", "DELETE FROM approval_audit"].map((query) => {
        try {
          return storage.sql.exec(query).rowsWritten;
        } catch (error) {
          return String(error);
        }
      }),
    );
    expect(attempts).toEqual([expect.stringContaining("append-only"), expect.stringContaining("append-only")]);
  });

  it("[H-96] comes with the list: every line as it was written, and which is the newest", async () => {
    const talk = await begin();
    const card = await talk.toCard();
    await talk.decide(card, "approve");
    await talk.idle();
    const lines = await own(talk);
    expect(lines.map(({ event }) => event)).toEqual(["opened", "approved", "spent"]);
    expect(await copied(talk)).toEqual(lines);
    const head = await env.DB.prepare("select seq, hash from approval_audit_heads where conversation = ?")
      .bind(talk.stage.key)
      .first<{ seq: number; hash: string }>();
    expect(head).toEqual({ seq: 3, hash: lines.at(-1)?.hash });
    expect(verifyChain(talk.stage.key, await copied(talk), head ?? undefined)).toBeUndefined();
  });

  it("[H-96] can be neither changed nor deleted there", async () => {
    const talk = await begin();
    await talk.toCard();
    await talk.told();
    for (const query of [
      "update approval_audit set line = '{}'",
      "delete from approval_audit",
      "update approval_audit_heads set hash = ''",
      "delete from approval_audit_heads",
    ]) {
      await expect(env.DB.prepare(query).run(), query).rejects.toThrow(/append-only|moves on|is kept/);
    }
  });

  it("[H-96] waits for a database that is away, over deaths of the object, and then has all of it once", async () => {
    const talk = await begin();
    talk.stage.database.fails = touchesAudit;
    const card = await talk.toCard();
    await talk.decide(card, "decline");
    await until(async () => (await talk.control()).turn === null, "the turn to end");
    await talk.die();
    expect(await copied(talk)).toEqual([]);
    talk.stage.database.fails = () => false;
    await talk.toCard("go again");
    await talk.told();
    expect(await copied(talk)).toEqual(await own(talk));
    expect((await own(talk)).map(({ event }) => event)).toEqual(["opened", "declined", "opened"]);
  });

  it("[H-96] dies between the copying and its receipt: told again, it stays what it was", async () => {
    const talk = await begin();
    const gate = talk.stage.database.hold((query) => query.includes("open_cards"));
    await talk.toCard();
    await gate.reached();
    expect(await copied(talk)).toHaveLength(1);
    await talk.die();
    await talk.decide(await talk.openCard(), "approve");
    await talk.idle();
    expect(await copied(talk)).toEqual(await own(talk));
  });

  it("[H-97] a gap is reported and filled; another line under a number is reported and stays", async () => {
    const talk = await begin();
    await talk.decide(await talk.toCard(), "decline");
    await talk.idle();
    const [first, second] = await own(talk);
    // What triggers forbid, somebody with the database in their hands can do all the same.
    await env.DB.prepare("drop trigger approval_audit_is_kept").run();
    await env.DB.prepare("drop trigger approval_audit_stays").run();
    await env.DB.prepare("delete from approval_audit where conversation = ? and seq = 1").bind(talk.stage.key).run();
    await evictDurableObject(talk.stage.object);
    await talk.toCard("go again");
    await talk.told();
    expect(await copied(talk)).toEqual(await own(talk));
    expect((await copied(talk))[0]).toEqual(first);
    await env.DB.prepare(
      "update approval_audit set line = replace(line, 'declined', 'approved') where conversation = ?",
    )
      .bind(talk.stage.key)
      .run();
    await evictDurableObject(talk.stage.object);
    await talk.decide(await talk.openCard(), "decline");
    await talk.idle();
    const found = verifyChain(talk.stage.key, await copied(talk));
    expect(found).toMatchObject({ kind: "changed", seq: second?.seq });
  });

  it("[H-98] outlives its conversation, with a last line that says so", async () => {
    const talk = await begin();
    await talk.toCard();
    await talk.told();
    expect(await talk.rpc.destroy(talk.caller)).toMatchObject({ ok: true });
    const lines = await copied(talk);
    expect(lines.map(({ event }) => event)).toEqual(["opened", "deleted"]);
    expect(lines.at(-1)).toMatchObject({ by: talk.caller.principalId, hold: null });
    expect(verifyChain(talk.stage.key, lines)).toBeUndefined();
  });

  it("[H-98] which cannot be kept: nothing is deleted, and the next try does all of it", async () => {
    const talk = await begin();
    const card = await talk.toCard();
    await talk.told();
    talk.stage.database.fails = touchesAudit;
    for (const _try of [1, 2]) {
      expect(await talk.rpc.destroy(talk.caller)).toMatchObject({ ok: false, error: { code: "unavailable" } });
    }
    expect((await talk.cards())[0]?.hold).toBe(card.hold);
    talk.stage.database.fails = () => false;
    expect(await talk.rpc.destroy(talk.caller)).toMatchObject({ ok: true });
    expect((await copied(talk)).map(({ event }) => event)).toEqual(["opened", "deleted"]);
    expect(await talk.rpc.snapshot(talk.caller)).toMatchObject({ ok: false, error: { code: "not_found" } });
  });

  it("[H-98] deleting a conversation in which nothing was held asks D1 for nothing of it", async () => {
    const talk = await begin();
    await talk.say("Hello");
    await talk.idle();
    talk.stage.database.queries.length = 0;
    await talk.rpc.destroy(talk.caller);
    expect(talk.stage.database.queries.filter(touchesAudit)).toEqual([]);
  });
});

describe("the list of open cards in D1", () => {
  it("[H-100] has a card from its opening to its end, with what it takes to find who may answer", async () => {
    const talk = await begin();
    const card = await talk.toCard();
    await talk.told();
    expect(await listed(talk)).toEqual([
      {
        conversation: talk.stage.key,
        hold: card.hold,
        digest: card.digest,
        tool: "send_webhook",
        action: card.action,
        asked_by: talk.caller.principalId,
        asked_at: card.askedAt,
        deadline: card.deadline,
        min_tier: "member",
        approvers: null,
        approval: null,
        reader: talk.caller.principalId,
        kind: "approval",
      },
    ]);
    await talk.decide(card, "approve");
    await talk.idle();
    expect(await listed(talk)).toEqual([]);
  });

  it("[H-100] is not taken back by an older telling that comes late, nor after the deletion", async () => {
    const talk = await begin();
    const gate = talk.stage.database.hold((query) => query.includes('delete from "open_cards"'));
    const card = await talk.toCard();
    await gate.reached();
    // A newer life tells that nothing waits any more while the older one is still at it.
    await env.DB.prepare("update conversations set rev = rev + 1 where key = ?").bind(talk.stage.key).run();
    gate.open();
    await talk.told();
    expect(await listed(talk)).toEqual([]);
    await talk.decide(card, "decline");
    await talk.idle();
    expect(await listed(talk)).toEqual([]);
  });

  it("[H-100] shows another person's words escaped and cut", async () => {
    const stage = new Stage();
    stage.script = oneWebhook;
    stage.config = {
      webhooks: { build: { url: "https://build.example/hook", label: "\u202ethe server".padEnd(79, "x") } },
    };
    const talk = await Talk.begin(stage, await newPerson("member", "Eve\nowner"));
    await talk.toCard();
    await talk.told();
    const [row] = await listed(talk);
    expect(String(row?.["action"])).toContain("\\u{202e}");
    expect(String(row?.["action"]).length).toBeLessThanOrEqual(300);
  });
});
