import type { Json } from "../../lib/json.ts";
import { asCount, asObject, asText } from "../wire-json.ts";

/** A call as far as its deltas have come. `extra`: fields that this wire does not define, which some servers need back. */
export interface CallDraft {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly args: string;
  readonly extra: { readonly [field: string]: Json };
}

const KNOWN_FIELDS: ReadonlySet<string> = new Set(["index", "id", "type", "function", "name", "arguments"]);

/**
 * Adds one delta. Calls are told apart by index; a new id under an index already taken is a new call, for some servers
 * send every parallel call under index 0. A delta that says nothing (Workers AI ends a call with one) adds nothing.
 */
export function addCallDelta(drafts: readonly CallDraft[], value: unknown): readonly CallDraft[] {
  const delta = asObject(value);
  const fn = asObject(delta.function ?? delta);
  const id = asText(delta.id);
  const name = asText(fn.name);
  const args = argsOf(fn.arguments);
  if (id === "" && name === "" && args === "") return drafts;
  const index = asCount(delta.index) ?? (id === "" && name === "" ? (drafts.at(-1)?.index ?? 0) : drafts.length);
  const byId = id === "" ? -1 : drafts.findLastIndex((draft) => draft.id === id);
  const at = byId === -1 ? drafts.findLastIndex((draft) => draft.index === index) : byId;
  const open = drafts[at];
  const extra = Object.fromEntries(
    Object.entries(delta).filter(([key]) => !KNOWN_FIELDS.has(key)),
  ) as CallDraft["extra"];
  if (open === undefined || (id !== "" && open.id !== "" && id !== open.id)) {
    return [...drafts, { index, id, name, args, extra }];
  }
  const grown: CallDraft = {
    index: open.index,
    id: open.id === "" ? id : open.id,
    name: open.name === "" ? name : open.name,
    args: open.args + args,
    extra: { ...open.extra, ...extra },
  };
  return drafts.with(at, grown);
}

/** A piece of text, or (on some servers) the whole object. */
function argsOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}
