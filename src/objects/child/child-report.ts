import type { ChildReport, Kernel } from "../../kernel/index.ts";
import { MAX_PAGE_ENTRIES } from "../../protocol/limits.ts";
import type { FileRef, Message } from "../../protocol/message.ts";
import type { AssistantEntryData, ToolResultData, ViewEntry } from "../../protocol/view.ts";

const MAX_FILES = 10;

/** What became of an owned conversation, from its newest entries. Undefined: it works still, or has not begun. */
export function reportOf(kernel: Kernel): ChildReport | undefined {
  const { turn, inbox, usage } = kernel.control;
  if (turn !== null || inbox.length > 0) return undefined;
  const { entries } = kernel.history.page(Number.MAX_SAFE_INTEGER, MAX_PAGE_ENTRIES);
  const last = entries.findLast(({ kind }) => kind === "core.assistant");
  if (!last) return undefined;
  const { display } = last.data as unknown as AssistantEntryData;
  const words = last.message ? textOf(last.message) : "";
  if (display?.reason === "stopped") return { outcome: "stopped", text: "It was stopped.", files: [], usage };
  if (display) return { outcome: "failed", text: display.error ?? "It failed.", files: [], usage };
  if (words.trim() === "") return { outcome: "failed", text: "It ended without an answer.", files: [], usage };
  const text = [words, ...refusals(entries)].join("\n\n");
  return { outcome: "answered", text, files: entries.flatMap(filesOf).slice(-MAX_FILES), usage };
}

function textOf(message: Message): string {
  if (message.role === "system") return message.text;
  return message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

/** Why calls were not made there, by tool: whoever gets the answer must know what it lacks. */
function refusals(entries: readonly ViewEntry[]): readonly string[] {
  const reasons = new Map<string, string>();
  for (const { message, data } of entries) {
    if (message?.role !== "tool" || (data as unknown as ToolResultData).outcome !== "blocked") continue;
    reasons.set(message.name, textOf(message));
  }
  return [...reasons].map(([tool, reason]) => `[System] A call of ${tool} was refused there: ${reason}`);
}

function filesOf({ message }: ViewEntry): readonly FileRef[] {
  if (message?.role !== "tool") return [];
  return message.content.flatMap((part) => (part.type === "file" ? [part.file] : []));
}
