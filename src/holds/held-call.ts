import type { Entry, Tool } from "../kernel/index.ts";
import type { Json } from "../lib/json.ts";
import { editedInput } from "./hold-edit.ts";
import type { HoldsHost } from "./holds-host.ts";
import type { HoldRecord } from "./record.ts";

/** The stored call of a hold with its input as the tool would get it now; undefined when that cannot run any more. */
export function heldCall(
  host: Pick<HoldsHost, "tool" | "entry">,
  record: Pick<HoldRecord, "entry" | "index" | "tool" | "edit">,
): { readonly tool: Tool; readonly input: Json } | undefined {
  const tool = host.tool(record.tool);
  const input = shownInput(host, record);
  if (!tool || input === undefined) return undefined;
  const checked = tool.validate(input);
  return checked.ok ? { tool, input: checked.value } : undefined;
}

/** The arguments that a hold is about, before its tool has read them: as edited, or else as the model wrote them. */
export function shownInput(
  host: Pick<HoldsHost, "entry">,
  { entry, index, edit }: Pick<HoldRecord, "entry" | "index" | "edit">,
): Json | undefined {
  return edit ? editedInput(host.entry(edit.entry)) : storedInput(host.entry(entry), index);
}

/** The arguments of a stored call as the model wrote them. */
export function storedInput(entry: Entry | undefined, index: number): Json | undefined {
  const message = entry?.message;
  const calls = message?.role === "assistant" ? message.content.filter((part) => part.type === "call") : [];
  const args = calls[index]?.args;
  if (args === undefined) return undefined;
  try {
    return args.trim() === "" ? {} : (JSON.parse(args) as Json);
  } catch {
    // Malformed arguments never come to a hold: the kernel answers them before any handler.
    return undefined;
  }
}
