import { env } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { verifyDatabase } from "../../scripts/audit/verify-database.ts";
import type { LineDraft } from "../../src/holds/audit/seal-line.ts";
import { verifyExport } from "../../src/holds/audit/verify-export.ts";
import { canonicalJson } from "../../src/lib/canonical.ts";
import type { AuditLine, AuditPage } from "../../src/protocol/audit.ts";
import { copyLines } from "../../src/store/approval-audit.ts";
import { formerIds } from "../../src/store/former-ids.ts";
import { fresh } from "../kit/directory.ts";
import { LOCAL, makeEdge, type Visitor } from "../kit/edge.ts";
import { makeChain } from "../kit/make-chain.ts";

const edge = makeEdge(env);
const API = `${LOCAL}/api/v1`;

type Page = AuditPage & { readonly head?: unknown };

/** A chain that D1 has a copy of. */
async function copied(drafts: readonly Partial<LineDraft>[], key = `web:${crypto.randomUUID()}`) {
  const chain = makeChain(key, drafts);
  const copies = chain.map((line) => ({ seq: line.seq, hash: line.hash, line: canonicalJson(line) }));
  await copyLines(edge.db, key, copies);
  return { key, chain };
}

async function read(as: Visitor, path: string): Promise<{ status: number; body: Page }> {
  const response = await edge.fetch(`${API}${path}`, { as });
  return { status: response.status, body: await response.json() };
}

async function readAll(as: Visitor, query: string): Promise<readonly AuditLine[]> {
  const lines: AuditLine[] = [];
  for (let next: string | undefined = ""; next !== undefined; ) {
    const before: string = next === "" ? "" : `&before=${encodeURIComponent(next)}`;
    const { status, body }: { status: number; body: Page } = await read(as, `/audit?${query}${before}`);
    expect(status).toBe(200);
    lines.push(...body.lines);
    next = body.next;
  }
  return lines;
}

describe("the audit of one conversation", () => {
  it("[V-55] is read page by page by the person whose it is, with the names of today", async () => {
    const anna = await edge.visitor();
    const { id, object } = await edge.conversation(anna);
    const by = anna.caller.principalId;
    object.linesHeld = makeChain(`web:${id}`, [{}, { event: "approved", by }, { event: "spent", by: "p_gone" }]);
    const page = await read(anna, `/conversations/${id}/audit?after=1&limit=1`);
    expect(page.body).toMatchObject({ lines: [{ seq: 2, by }], head: { seq: 3 }, next: 2 });
    expect(Object.keys(page.body.names)).toEqual([by]);
    const rest = await read(anna, `/conversations/${id}/audit?after=2`);
    expect(rest.body).toMatchObject({ lines: [{ seq: 3 }], names: {} });
    expect(rest.body.next).toBeUndefined();
  });

  it("[V-55] is not there for anybody else, an owner of the deployment though they be; in a shared one it is for owners", async () => {
    const [anna, owner, member] = [await edge.visitor(), await edge.visitor("owner"), await edge.visitor()];
    const { id } = await edge.conversation(anna);
    expect((await read(owner, `/conversations/${id}/audit`)).status).toBe(404);
    const room = crypto.randomUUID();
    const json = { id: room, visibility: "shared" };
    await edge.fetch(`${API}/conversations`, { method: "POST", as: owner, json });
    await edge.conversations.getByName(`web:${room}`).addMember(owner.caller, member.caller.principalId);
    expect((await read(owner, `/conversations/${room}/audit`)).status).toBe(200);
    expect((await read(member, `/conversations/${room}/audit`)).status).toBe(403);
    expect((await read(anna, `/conversations/${room}/audit`)).status).toBe(404);
  });

  it("[V-56] is taken away whole as NDJSON, which checks", async () => {
    const anna = await edge.visitor();
    const { id, object } = await edge.conversation(anna);
    object.linesHeld = makeChain(
      `web:${id}`,
      Array.from({ length: 250 }, (_, at) => ({ at })),
    );
    const response = await edge.fetch(`${API}/conversations/${id}/audit?format=ndjson`, { as: anna });
    expect(response.headers.get("content-type")).toBe("application/x-ndjson");
    expect(response.headers.get("content-disposition")).toContain(`audit-${id}.ndjson`);
    const report = verifyExport((await response.text()).split("\n"));
    expect(report).toEqual({ chains: 1, lines: 250, faults: [], remarks: [] });
    const stranger = await edge.visitor();
    const refused = await edge.fetch(`${API}/conversations/${id}/audit?format=ndjson`, { as: stranger });
    expect(refused.status).toBe(404);
  });
});

describe("the audit of all conversations", () => {
  it("[V-57] is for owners alone", async () => {
    const owner = await edge.visitor("owner");
    for (const tier of ["member", "admin"] as const) {
      const visitor = await edge.visitor(tier);
      for (const path of ["/audit", "/audit/export"]) {
        expect((await read(visitor, path)).status, `${tier} ${path}`).toBe(403);
      }
    }
    expect((await read(owner, "/audit")).status).toBe(200);
  });

  it("[V-57] is listed newest first, in pages that neither repeat nor leave out a line", async () => {
    const owner = await edge.visitor("owner");
    const by = `p_${crypto.randomUUID()}`;
    // Many at the same instant, in several conversations.
    const drafts = Array.from({ length: 5 }, (_, i) => ({ at: 10 + Math.floor(i / 3), by }));
    const chains = [await copied(drafts), await copied(drafts), await copied(drafts)].flatMap(({ chain }) => chain);
    for (const limit of [1, 2, 7, 100]) {
      const found = await readAll(owner, `by=${by}&limit=${limit}`);
      expect(found.map(({ at }) => at)).toEqual(found.map(({ at }) => at).toSorted((a, b) => b - a));
      expect(found.map(({ hash }) => hash).toSorted()).toEqual(chains.map(({ hash }) => hash).toSorted());
    }
    expect((await read(owner, "/audit?before=nonsense")).status).toBe(400);
    expect((await read(owner, "/audit?event=deletedd")).status).toBe(400);
  });

  it("[J-78] asked for somebody with whom another became one, it has the other's lines, too, and not the other way round", async () => {
    const owner = await edge.visitor("owner");
    const [survivor, former] = [fresh("p"), fresh("p")];
    await edge.db.insert(formerIds).values({ former, survivor, tier: "member", mergedAt: 1, orderedBy: "p" });
    const { key } = await copied([
      { event: "refused", by: survivor },
      { event: "declined", by: former },
    ]);
    const seqs = async (by: string) => (await readAll(owner, `conversation=${key}&by=${by}`)).map(({ seq }) => seq);
    expect(await seqs(survivor)).toEqual([2, 1]);
    expect(await seqs(former)).toEqual([2]);
  });

  it("[V-57] is narrowed to a conversation, an event and a person, and names them as they are called today", async () => {
    const owner = await edge.visitor("owner");
    const by = owner.caller.principalId;
    const { key, chain } = await copied([{}, { event: "refused", by }, { event: "declined", by }]);
    await copied([{ event: "refused", by: "p_other" }]);
    const seqs = async (query: string) => (await readAll(owner, query)).map(({ seq }) => seq);
    expect(await seqs(`conversation=${key}`)).toEqual([3, 2, 1]);
    expect(await seqs(`conversation=${key}&event=refused`)).toEqual([2]);
    expect(await seqs(`conversation=${key}&by=${by}&event=declined`)).toEqual([3]);
    expect(await seqs(`conversation=${key}&by=p_nobody`)).toEqual([]);
    const { body } = await read(owner, `/audit?conversation=${key}`);
    expect(body.lines).toEqual(chain.toReversed());
    expect(Object.keys(body.names)).toEqual([by]);
  });

  it("[V-58] [H-99] is taken away as NDJSON, which checks, and which tells what was changed in the database", async () => {
    const owner = await edge.visitor("owner");
    const drafts = Array.from({ length: 600 }, (_, at) => ({ at }));
    const { key } = await copied(drafts);
    const { key: other } = await copied([{}, { event: "approved" }]);
    const take = async (query = "") => {
      const response = await edge.fetch(`${API}/audit/export${query}`, { as: owner });
      return verifyExport((await response.text()).split("\n"));
    };
    expect(await take()).toMatchObject({ faults: [], remarks: [] });
    expect(await take(`?conversation=${key}`)).toEqual({ chains: 1, lines: 600, faults: [], remarks: [] });
    expect((await verifyDatabase(env.DB)).faults).toEqual([]);
    // What triggers forbid, somebody with the database in their hands can do all the same.
    await env.DB.prepare("drop trigger approval_audit_is_kept").run();
    await env.DB.prepare("delete from approval_audit where conversation = ? and seq = 2").bind(other).run();
    await env.DB.prepare("delete from approval_audit where conversation = ? and seq = 300").bind(key).run();
    const expected = [
      { conversation: key, kind: "missing", seq: 300 },
      { conversation: other, kind: "truncated", seq: 2 },
    ];
    const inOrder = (faults: readonly { readonly kind: string }[]) =>
      faults.toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
    expect(inOrder((await take()).faults)).toMatchObject(expected);
    expect(inOrder((await verifyDatabase(env.DB)).faults)).toMatchObject(expected);
  });
});
