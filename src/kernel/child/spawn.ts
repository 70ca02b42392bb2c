import type { Tx } from "../commit/tx.ts";
import { KernelError } from "../errors.ts";
import {
  CHILD_CHECK_MS,
  MAX_CHILD_PROMPT_UNITS,
  MAX_CHILD_SYSTEM_UNITS,
  MAX_CHILD_TOOLS,
  MAX_CHILDREN,
} from "../limits.ts";
import {
  CHILD_TARGET,
  type ChildInput,
  type ChildMessage,
  type ChildProgress,
  type ChildRequest,
} from "../ports/children.ts";
import { tasksOf } from "../state/control.ts";
import { CHILD } from "../state/kinds.ts";

/** The task's program counter. `checkAt`: when it is asked after; `misses`: how often in a row that came to nothing. */
export type ChildCheckpoint = {
  readonly phase: "working";
  readonly checkAt: number;
  readonly misses: number;
  readonly progress: ChildProgress | null;
};

/** Who owns an owned conversation, and whom it works for. */
export interface ChildOwner {
  readonly task: number;
  readonly speaker: ChildInput["speaker"];
}

/**
 * Begins a conversation of its own for a task, in a commit: recorded, and on its way to be created. Returns its task.
 * @throws KernelError `too_large`.
 */
export function spawnChild(tx: Tx, name: string, request: ChildRequest, owner: ChildOwner): number {
  requireRoom(tx);
  requireFit(request);
  const { prompt, tools = null, model = null, thinking = null, system = null } = request;
  const child: ChildInput = { name, prompt, tools, model, thinking, system, speaker: owner.speaker };
  const checkAt = tx.now + CHILD_CHECK_MS;
  const checkpoint: ChildCheckpoint = { phase: "working", checkAt, misses: 0, progress: null };
  const task = tx.createTask({ kind: CHILD, input: child, checkpoint, owner: owner.task });
  tx.setStatus(task, { status: "parked", waitingOn: "", deadline: checkAt });
  sendToChild(tx, { op: "begin", task, child });
  return task;
}

/** Puts a message to an owned conversation. The newest stands in for one that was not delivered. */
export function sendToChild(tx: Tx, message: ChildMessage): void {
  tx.send({ key: childKey(message.task), target: CHILD_TARGET, payload: message });
}

/** Key of the outbox rows to the conversation of a task. */
export function childKey(task: number): string {
  return `child:${task}`;
}

function requireRoom(tx: Tx): void {
  const live = tasksOf(tx.control).filter((task) => task.kind === CHILD && !task.aborting).length;
  if (live < MAX_CHILDREN) return;
  throw new KernelError(
    "too_large",
    `${live} conversations of their own are at work for this one already, the limit is ${MAX_CHILDREN}: wait for one.`,
  );
}

function requireFit({ prompt, system = "", tools = [] }: ChildRequest): void {
  if (prompt.trim() === "")
    throw new KernelError("too_large", "The message of an owned conversation is empty: say something.");
  requireUnits("The message", prompt, MAX_CHILD_PROMPT_UNITS);
  requireUnits("The instructions", system, MAX_CHILD_SYSTEM_UNITS);
  if (tools.length <= MAX_CHILD_TOOLS) return;
  throw new KernelError("too_large", `${tools.length} tools are named, the limit is ${MAX_CHILD_TOOLS}: name fewer.`);
}

function requireUnits(what: string, text: string, limit: number): void {
  if (text.length <= limit) return;
  throw new KernelError(
    "too_large",
    `${what} of an owned conversation has ${text.length} units, the limit is ${limit}.`,
  );
}
