import { env } from "cloudflare:test";
import { expect, it } from "vitest";
import { MAX_CONSTRAINT_TOOLS, MAX_CONSTRAINT_UNITS } from "../../src/protocol/limits.ts";
import { LOCAL, makeEdge } from "../kit/edge.ts";

const edge = makeEdge(env);

async function begin() {
  const owner = await edge.visitor();
  const { id } = await edge.conversation(owner);
  const path = `${LOCAL}/api/v1/conversations/${id}/constraints`;
  const post = async (json: unknown, rest = "") =>
    (await edge.fetch(path + rest, { method: "POST", as: owner, json })).status;
  const seen = () => edge.conversations.getByName(`web:${id}`).seen.filter(({ method }) => method !== "create");
  return { post, seen };
}

const WISH = { id: crypto.randomUUID(), tools: ["add_note"], effect: "ask", text: "ask me first" };
const tools = (count: number) => Array.from({ length: count }, (_, n) => `tool_${n}`);

it("[H-114] POST …/constraints hands a constraint to the conversation, and …/remove takes it away", async () => {
  const { post, seen } = await begin();
  expect(await post(WISH)).toBe(204);
  expect(await post({}, `/${WISH.id}/remove`)).toBe(204);
  expect(seen().map(({ method, args }) => [method, ...args])).toEqual([
    ["constrain", WISH],
    ["unconstrain", WISH.id],
  ]);
});

it.each([
  ["200 characters", { text: "x".repeat(MAX_CONSTRAINT_UNITS) }, 204],
  ["201 characters", { text: "x".repeat(MAX_CONSTRAINT_UNITS + 1) }, 400],
  ["no words", { text: "  " }, 400],
  ["20 tools", { tools: tools(MAX_CONSTRAINT_TOOLS) }, 204],
  ["21 tools", { tools: tools(MAX_CONSTRAINT_TOOLS + 1) }, 400],
  ["no tool", { tools: [] }, 400],
  ["another effect", { effect: "allow" }, 400],
  ["an id that is none", { id: "x" }, 400],
  ["an unknown key", { tool: "x" }, 400],
])("[H-114] a constraint with %s", async (_, change, status) => {
  const { post, seen } = await begin();
  expect(await post({ ...WISH, ...change })).toBe(status);
  expect(seen()).toHaveLength(status === 204 ? 1 : 0);
});

it.each([
  ["an hour", { any: [], hours: 1 }, 204],
  ["30 days", { any: [], hours: 720 }, 204],
  ["longer", { any: [], hours: 721 }, 400],
  ["no time", { any: [], hours: 0 }, 400],
  ["32 open arguments", { any: tools(32), hours: 1 }, 204],
  ["33 open arguments", { any: tools(33), hours: 1 }, 400],
  ["an unknown key", { any: [], hours: 1, ever: true }, 400],
])("[H-118] POST …/decide allows in advance for %s", async (_, always, status) => {
  const owner = await edge.visitor();
  const { id } = await edge.conversation(owner);
  const json = { hold: "known", digest: "0".repeat(64), decision: "approve", always };
  const response = await edge.fetch(`${LOCAL}/api/v1/conversations/${id}/decide`, { method: "POST", as: owner, json });
  const seen = edge.conversations.getByName(`web:${id}`).seen.filter(({ method }) => method === "decide");
  expect(seen).toHaveLength(status === 204 ? 1 : 0);
  if (status === 400) expect(response.status).toBe(400);
});
