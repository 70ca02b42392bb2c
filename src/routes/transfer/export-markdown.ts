import * as z from "zod";
import type { JsonObject } from "../../lib/json.ts";
import { visibleText } from "../../lib/visible-text.ts";

const part = z.looseObject({ type: z.string(), text: z.string().optional() });
const filePart = z.looseObject({ file: z.looseObject({ name: z.string(), mime: z.string(), bytes: z.number() }) });
const callPart = z.looseObject({ name: z.string(), args: z.string() });
const message = z.looseObject({
  role: z.string(),
  content: z.array(part).optional(),
  text: z.string().optional(),
  name: z.string().optional(),
});
const saidData = z.looseObject({ voice: z.looseObject({ name: z.string() }) });
const entry = z.looseObject({
  kind: z.string(),
  at: z.number(),
  message: message.optional(),
  data: z.unknown().optional(),
});

type Part = z.infer<typeof part>;
type Message = z.infer<typeof message>;

const SPEAKERS: Readonly<Record<string, string>> = { user: "You", assistant: "Assistant", system: "System" };

/** One entry of the transcript as Markdown. An entry of a kind that is not known here is shown as its data. */
export function renderEntry(raw: JsonObject): string {
  const parsed = entry.safeParse(raw);
  if (!parsed.success || parsed.data.message === undefined) return `${fence(JSON.stringify(raw), "json")}\n\n`;
  const { message: said, at, data } = parsed.data;
  const voice = saidData.safeParse(data).data?.voice;
  return `${heading(said, at, voice?.name)}\n\n${body(said)}\n\n`;
}

/** @param name of whoever said it, where several people speak: their own words, and no heading. */
function heading(said: Message, at: number, name: string | undefined): string {
  if (name !== undefined) return `## ${JSON.stringify(visibleText(name))} · ${new Date(at).toISOString()}`;
  const who = said.role === "tool" ? `Result of ${said.name ?? "a tool"}` : (SPEAKERS[said.role] ?? said.role);
  return `## ${who} · ${new Date(at).toISOString()}`;
}

function body(said: Message): string {
  if (said.content === undefined) return said.text ?? "";
  return said.content.map((piece) => (said.role === "tool" ? quoted(piece) : renderPart(piece))).join("\n\n");
}

/** A tool's words are data: they are fenced, so that they cannot pass for a part of the conversation. */
function quoted(piece: Part): string {
  return piece.text === undefined ? renderPart(piece) : fence(piece.text, "");
}

function renderPart(piece: Part): string {
  const file = filePart.safeParse(piece);
  if (file.success) return `*File:* ${file.data.file.name} (${file.data.file.mime}, ${file.data.file.bytes} bytes)`;
  const call = callPart.safeParse(piece);
  if (call.success) return `*Calls* \`${call.data.name}\`\n\n${fence(call.data.args, "json")}`;
  if (piece.type === "thinking") return `*Thinking*\n\n${fence(piece.text ?? "", "")}`;
  return piece.text ?? "";
}

/** A code fence longer than any run of backticks inside. */
function fence(text: string, language: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const ticks = "`".repeat(longest + 1);
  return `${ticks}${language}\n${text}\n${ticks}`;
}
