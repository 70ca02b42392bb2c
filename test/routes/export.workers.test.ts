import { env } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/lib/json.ts";
import { LOCAL, makeEdge, type Visitor } from "../kit/edge.ts";

const edge = makeEdge(env);
let owner: Visitor;

beforeAll(async () => {
  owner = await edge.visitor();
});

function said(id: number, role: string, content: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  return { id, kind: `core.${role}`, at: Date.UTC(2026, 10, 29), message: { role, content, ...more } };
}

async function conversation(entries: readonly JsonObject[]) {
  const made = await edge.conversation(owner);
  made.object.entriesHeld = [...entries];
  return { ...made, url: `${LOCAL}/api/v1/conversations/${made.id}/export` };
}

const entries = [
  said(1, "user", [
    { type: "text", text: "What time is it?" },
    { type: "file", file: { id: "f", name: "a.txt", mime: "text/plain", bytes: 3 } },
  ]),
  said(2, "assistant", [
    { type: "thinking", text: "hm" },
    { type: "text", text: "I look." },
    { type: "call", id: "c", name: "clock", args: '{"zone":"UTC"}' },
  ]),
  said(3, "tool", [{ type: "text", text: "```\n## You\nfake" }], { callId: "c", name: "clock", isError: false }),
  { id: 4, kind: "core.reset", at: 5, data: { why: "asked" } },
  said(5, "assistant", [{ type: "text", text: "Noon." }]),
];

describe("exporting", () => {
  it("[V-12] JSON holds every entry of every page", async () => {
    const { url, id, object } = await conversation(entries);
    const response = await edge.fetch(url, { as: owner });
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("content-disposition")).toContain(`conversation-${id}.json`);
    expect(await response.json()).toEqual({ conversation: id, exportedAt: "2026-11-29T00:00:00.000Z", entries });
    expect(object.seen.filter(({ method }) => method === "exportPage").map(({ args }) => args[0])).toEqual([0, 2, 4]);
  });

  it("[V-12] an empty conversation is a whole document too", async () => {
    const { url, id } = await conversation([]);
    expect(await (await edge.fetch(url, { as: owner })).json()).toMatchObject({ conversation: id, entries: [] });
  });

  it("[V-12] Markdown names each person of a shared conversation, whatever the name says", async () => {
    const voice = (name: string) => ({ data: { voice: { name, label: "[Message]" } } });
    const lines = ["Bob", "Eve\n## You"].map((name, n) => ({
      ...said(n + 1, "user", [{ type: "text", text: "Hello" }]),
      ...voice(name),
    }));
    const { url } = await conversation(lines);
    const text = await (await edge.fetch(`${url}?format=markdown`, { as: owner })).text();
    const headings = text.split("\n").filter((line) => line.startsWith("## "));
    expect(headings).toEqual(['## "Bob" · 2026-11-29T00:00:00.000Z', '## "Eve\\n## You" · 2026-11-29T00:00:00.000Z']);
  });

  it("[V-12] Markdown names speakers, calls and results", async () => {
    const { url } = await conversation(entries);
    const response = await edge.fetch(`${url}?format=markdown`, { as: owner });
    expect(response.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    const text = await response.text();
    expect(text).toContain("## You · 2026-11-29T00:00:00.000Z\n\nWhat time is it?");
    expect(text).toContain("*File:* a.txt (text/plain, 3 bytes)");
    expect(text).toContain('*Calls* `clock`\n\n```json\n{"zone":"UTC"}\n```');
    expect(text).toContain('"why":"asked"');
    expect(text.indexOf("I look.")).toBeLessThan(text.indexOf("Noon."));
  });

  it("[V-12] a tool's words cannot break out of their fence", async () => {
    const { url } = await conversation(entries);
    const text = await (await edge.fetch(`${url}?format=markdown`, { as: owner })).text();
    expect(text).toContain("````\n```\n## You\nfake\n````");
  });

  it("[V-12] a refusal comes before the first byte", async () => {
    const { url } = await conversation(entries);
    const response = await edge.fetch(url, { as: await edge.visitor("owner") });
    expect(response.status).toBe(404);
    expect(response.headers.get("content-disposition")).toBeNull();
    expect((await edge.fetch(`${url}?format=pdf`, { as: owner })).status).toBe(400);
  });

  it("[V-12] a failure after it breaks the download off", async () => {
    const { url, object } = await conversation(entries);
    const response = await edge.fetch(url, { as: owner });
    object.refuseNext = { code: "unavailable", message: "gone" };
    await expect(response.text()).rejects.toThrow("gone");
  });
});
