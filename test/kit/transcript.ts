import type { Json } from "../../src/lib/json.ts";
import type { ToolResultData, ViewEntry } from "../../src/protocol/view.ts";
import type { KernelWorld } from "./kernel-world.ts";

/** One entry, without what a crash may change: ids, times, attempts. */
export interface Line {
  readonly kind: string;
  readonly text: string;
  readonly outcome?: string;
  /** Of a tool's result: which tool. */
  readonly tool?: string;
}

/** The whole transcript of a world as comparable lines; results of parallel calls in call order, however they finished. */
export function transcript(world: KernelWorld): Line[] {
  const entries = world.kernel.entriesAfter(0, 10_000);
  return entries.toSorted((a, b) => orderOf(a) - orderOf(b)).map(lineOf);
}

function orderOf({ id, kind, data }: ViewEntry): number {
  if (kind !== "core.tool_result") return id;
  const { entry, index } = data as unknown as ToolResultData;
  return entry + (index + 1) / 1_000;
}

function lineOf({ kind, message, data }: ViewEntry): Line {
  const text = message === undefined || message.role === "system" ? "" : message.content.map(partText).join("|");
  const outcome = kind === "core.tool_result" ? (data as unknown as ToolResultData).outcome : displayOf(data);
  const tool = message?.role === "tool" ? message.name : undefined;
  return { kind, text, ...(outcome !== undefined && { outcome }), ...(tool !== undefined && { tool }) };
}

function displayOf(data: Json | undefined): string | undefined {
  return (data as { display?: { reason: string } } | undefined)?.display?.reason;
}

function partText(part: { readonly type: string; readonly text?: string; readonly name?: string }): string {
  return part.type === "call" ? `call ${part.name}` : (part.text ?? part.type);
}
