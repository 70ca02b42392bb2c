import { must } from "../../lib/assert.ts";
import type { Json } from "../../lib/json.ts";
import type { Control } from "../state/control.ts";
import { CALL } from "../state/kinds.ts";
import type { Task } from "../state/task.ts";
import type { Entry } from "../storage/entries.ts";

/** Input of a tool task: its call by entry id and index, never a copy of it. */
export interface ToolTaskInput {
  readonly entry: number;
  readonly index: number;
  /** Only in a call that left its turn: whom it runs for. */
  readonly speaker?: { readonly actor: string; readonly meta: Json };
}

/** A call as the model wrote it. */
export interface StoredCall {
  readonly entry: number;
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly args: string;
}

export function toolTaskInput(task: Task): ToolTaskInput {
  return task.input as unknown as ToolTaskInput;
}

/** The call that a tool task refers to, read through `readEntry`. */
export function callOf(task: Task, readEntry: (id: number) => Entry | undefined): StoredCall {
  const { entry, index } = toolTaskInput(task);
  const { message } = must(readEntry(entry), `entry ${entry} of task ${task.id} is missing`);
  const calls = message?.role === "assistant" ? message.content.filter((part) => part.type === "call") : [];
  const { id, name, args } = must(calls[index], `entry ${entry} has no call ${index}`);
  return { entry, index, id, name, args };
}

/** Whom a tool task runs for: the turn's speaker, or the one it was let go with. */
export function speakerOf(control: Control, task: Task): { readonly actor: string; readonly meta: Json } {
  const { speaker } = toolTaskInput(task);
  if (speaker) return speaker;
  const { actor, meta } = must(control.turn, `tool task ${task.id} has no turn`);
  return { actor, meta };
}

export function isDetached(task: Task): boolean {
  return task.kind === CALL;
}
