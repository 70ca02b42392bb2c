import { expect } from "vitest";
import * as z from "zod";
import {
  type AdmissionReceipt,
  type AdmissionRefusal,
  defineNamespace,
  defineTool,
  type ReplayPolicy,
  type Submission,
  type Tool,
  type ToolContext,
  type ToolResult,
} from "../../src/kernel/index.ts";
import type { Json } from "../../src/lib/json.ts";
import type { Result } from "../../src/lib/result.ts";
import type { ToolResultData, ViewEntry } from "../../src/protocol/view.ts";
import type { KernelWorld } from "../kit/kernel-world.ts";

export const ANNA = "p_anna";
export const BERT = "p_bert";

/** A namespace with something to show. */
export const NOTES = defineNamespace<{ items: readonly string[]; count: number; last: string | null }>({
  name: "notes",
  sticky: { items: [], count: 0, last: "none" },
  view: ({ count }) => ({ count }),
});

export function submission(text: string, changes: Partial<Submission> = {}): Submission {
  const actor = changes.actor ?? ANNA;
  return { key: `${actor}:${text}`, actor, meta: null, content: [{ type: "text", text }], ...changes };
}

/** Says something; its key is `<actor>:<text>`. */
export function send(
  world: KernelWorld,
  text: string,
  changes: Partial<Submission> = {},
): Result<AdmissionReceipt, AdmissionRefusal> {
  return world.kernel.submit(submission(text, changes));
}

/** A tool that takes any object. */
export function tool(
  name: string,
  execute: (input: Json, context: ToolContext) => Promise<ToolResult>,
  options: { replay?: ReplayPolicy; timeoutMs?: number } = {},
): Tool {
  return defineTool({
    name,
    description: `Does ${name}.`,
    input: z.looseObject({}) as z.ZodType<Json>,
    execute,
    ...options,
  });
}

/** What is in the transcript: kind without `core.`, then the text. System entries without text state tools only: left out. */
export function lines(world: KernelWorld): string[] {
  return world.kernel
    .entriesAfter(0, 10_000)
    .map((entry) => `${entry.kind.replace("core.", "")}: ${textOf(entry)}`)
    .filter((line) => line !== "system: ");
}

/** Entries of a kind. */
export function entriesOf(world: KernelWorld, kind: string): readonly ViewEntry[] {
  return world.kernel.entriesAfter(0, 10_000).filter((entry) => entry.kind === kind);
}

export function textOf({ message }: ViewEntry): string {
  if (!message) return "";
  if (message.role === "system") return message.text;
  return message.content
    .map((part) => (part.type === "call" ? `call ${part.name}` : part.type === "file" ? part.file.name : part.text))
    .join("|");
}

/** Outcome and text of each tool result, in call order. */
export function results(world: KernelWorld): { outcome: string; code?: string; text: string }[] {
  return entriesOf(world, "core.tool_result")
    .map((entry) => ({ data: entry.data as unknown as ToolResultData, text: textOf(entry) }))
    .toSorted((a, b) => a.data.entry - b.data.entry || a.data.index - b.data.index)
    .map(({ data, text }) => ({ outcome: data.outcome, ...(data.code !== undefined && { code: data.code }), text }));
}

/** Every row of every table, as one text. */
export function dump(world: KernelWorld): string {
  const { sql } = world.storage;
  const tables = ["control", "entries", "entry_parts", "inputs", "slots", "memos", "done", "namespaces", "outbox"];
  return JSON.stringify(tables.map((table) => [table, sql.exec(`SELECT * FROM ${table} ORDER BY 1`).toArray()]));
}

export function countRows(world: KernelWorld, table: string): number {
  return Number(world.storage.sql.exec(`SELECT count(*) AS n FROM ${table}`).toArray()[0]?.["n"]);
}

/** A text that contains this one, for comparing with. */
export function containing(text: string): unknown {
  return expect.stringContaining(text);
}

/** A text that matches, for comparing with. */
export function matching(pattern: RegExp): unknown {
  return expect.stringMatching(pattern);
}
