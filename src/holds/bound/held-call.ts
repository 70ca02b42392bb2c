import type { Entry, Tool } from "../../kernel/index.ts";
import type { Json } from "../../lib/json.ts";
import { type CardExtras, effectiveInput, extrasOf } from "../card/shown-call.ts";
import type { HoldsHost } from "../holds-host.ts";
import type { HoldRecord } from "../record/record.ts";
import { editedExtras, editedInput } from "./hold-edit.ts";

type Held = Pick<HoldRecord, "entry" | "index" | "tool" | "edit" | "shown">;

/** The call of a hold with its input as the tool would get it now; undefined when that cannot run any more. */
export function heldCall(
  host: Pick<HoldsHost, "tool" | "entry">,
  record: Held,
): { readonly tool: Tool; readonly input: Json } | undefined {
  const tool = host.tool(record.tool);
  if (!tool) return undefined;
  // What a handler made of the arguments was read by the schema then: reading it again could make something else of it.
  const effective = record.edit ? undefined : handedOn(host, record);
  if (effective !== undefined) return { tool, input: effective };
  const input = shownInput(host, record);
  if (input === undefined) return undefined;
  const checked = tool.validate(input);
  return checked.ok ? { tool, input: checked.value } : undefined;
}

/** The arguments that a hold is about: as edited, as a handler before the gate made them, or else as the model wrote them. */
export function shownInput(host: Pick<HoldsHost, "entry">, record: Omit<Held, "tool">): Json | undefined {
  return record.edit ? editedInput(host.entry(record.edit.entry)) : proposedInput(host, record);
}

/** As {@link shownInput}, before any person edited them. */
export function proposedInput(host: Pick<HoldsHost, "entry">, record: Omit<Held, "tool" | "edit">): Json | undefined {
  return handedOn(host, record) ?? storedInput(host.entry(record.entry), record.index);
}

/** What the card of a hold shows beside action, target and arguments. */
export function shownExtras(host: Pick<HoldsHost, "entry">, { edit, shown }: Pick<Held, "edit" | "shown">): CardExtras {
  if (edit) return editedExtras(host.entry(edit.entry));
  return shown === undefined ? {} : extrasOf(host.entry(shown));
}

/** The arguments of a stored call as the tool's schema reads them; undefined when it takes them no more. */
export function readStoredInput(tool: Tool, entry: Entry | undefined, index: number): Json | undefined {
  const input = storedInput(entry, index);
  const checked = input === undefined ? undefined : tool.validate(input);
  return checked?.ok ? checked.value : undefined;
}

function handedOn(host: Pick<HoldsHost, "entry">, { shown }: Pick<Held, "shown">): Json | undefined {
  return shown === undefined ? undefined : effectiveInput(host.entry(shown));
}

/** The arguments of a stored call as the model wrote them. */
function storedInput(entry: Entry | undefined, index: number): Json | undefined {
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
