import { createHash } from "node:crypto";
import type { BundleEntry, BundleHead } from "../../src/protocol/bundle.ts";
import { BUNDLE_VERSION } from "../../src/protocol/bundle.ts";
import type { FileRef } from "../../src/protocol/message.ts";

const TIME = Date.UTC(2026, 10, 29);

/** Lines of a bundle, the end left out. */
export function bundleLines(
  entries: readonly unknown[],
  head: Partial<BundleHead> = {},
  files: readonly { readonly file: FileRef; readonly bytes: Uint8Array }[] = [],
): readonly unknown[] {
  const whole: BundleHead = {
    version: BUNDLE_VERSION,
    conversation: "web:somewhere",
    exportedAt: "2026-11-29T00:00:00.000Z",
    visibility: "private",
    through: 9,
    title: "A title",
    model: "",
    thinking: "",
    persona: "",
    toolsOff: [],
    pins: [],
    constraints: [],
    members: [],
    files: files.map(({ file }) => file),
    ...head,
  };
  const pieces = files.flatMap(({ file, bytes }) => [
    { piece: { file: file.id, base64: Buffer.from(bytes).toString("base64") } },
    { file: { id: file.id, sha256: createHash("sha256").update(bytes).digest("hex") } },
  ]);
  return [{ head: whole }, ...entries.map((entry) => ({ entry })), ...pieces];
}

/** The text of a bundle with a right end. */
export function bundleText(lines: readonly unknown[]): string {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const count = (kind: string) => lines.filter((line) => Object.hasOwn(line as object, kind)).length;
  const sha256 = createHash("sha256").update(text).digest("hex");
  return `${text}${JSON.stringify({ end: { entries: count("entry"), files: count("file"), sha256 } })}\n`;
}

export function saidEntry(id: number, text: string, parts: readonly object[] = []): BundleEntry {
  const content = [{ type: "text", text }, ...parts] as never;
  return {
    id,
    kind: "core.user",
    at: TIME + id,
    message: { role: "user", content },
    data: { input: `p_a:${id}`, actor: "p_a" },
  };
}

const USAGE = { input: 1, output: 1, cachedRead: 0, cachedWrite: 0, costMicros: 0 };

/** An answer that makes these calls. */
export function answerEntry(id: number, text: string, calls: readonly string[] = []): BundleEntry {
  const parts = calls.map((name, n) => ({ type: "call" as const, id: `c${n}`, name, args: "{}" }));
  return {
    id,
    kind: "core.assistant",
    at: TIME + id,
    message: { role: "assistant", content: [{ type: "text", text }, ...parts], stop: calls.length ? "calls" : "end" },
    data: { model: "demo/demo", usage: USAGE, ms: 1 },
  };
}

export function resultEntry(id: number, entry: number, index: number, name: string, callId = `c${index}`): BundleEntry {
  return {
    id,
    kind: "core.tool_result",
    at: TIME + id,
    task: 1,
    message: { role: "tool", callId, name, content: [{ type: "text", text: "done" }], isError: false },
    data: { entry, index, outcome: "ok" },
  };
}
