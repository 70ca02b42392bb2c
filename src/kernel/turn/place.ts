import { must } from "../../lib/assert.ts";
import type { UserPart } from "../../protocol/message.ts";
import type { Voice } from "../../protocol/room.ts";
import type { UserEntryData } from "../../protocol/view.ts";
import type { Tx } from "../commit/tx.ts";
import type { InboxItem, Turn } from "../state/control.ts";
import { importOf } from "../state/importing.ts";
import { GENERATION, NOTICE, USER } from "../state/kinds.ts";
import type { InputRecord } from "../storage/inputs.ts";
import { placeWrites } from "./writes.ts";

/** True for what the system has to tell, the result of a call that went on alone for one. */
export function isSystemInput(key: string): boolean {
  return key.startsWith("system:");
}

interface Said {
  readonly content: readonly UserPart[];
  readonly voice?: Voice;
}

/** Puts what an input says into the transcript. */
export function placeInput(tx: Tx, input: Omit<InputRecord, "state">, said: Said): void {
  tx.putInput({ ...input, state: { status: "placed", entry: appendSaid(tx, input, said) } });
}

/** As {@link placeInput}; nobody answers it any more, and models read it only as far as it tells what a call came to. */
export function placeUnanswered(tx: Tx, input: Omit<InputRecord, "state">, said: Said): void {
  const isRead = input.key.startsWith("system:call:");
  const entry = appendSaid(tx, input, said, isRead ? {} : { display: { reason: "restored" } });
  tx.putInput({ ...input, state: { status: "unanswered", entry, reason: "restored" } });
}

function appendSaid(
  tx: Tx,
  { key, actor }: Omit<InputRecord, "state">,
  { content, voice }: Said,
  more: Pick<UserEntryData, "display"> = {},
): number {
  const data: UserEntryData = { input: key, actor, ...(voice && { voice }), ...more };
  const kind = isSystemInput(key) ? NOTICE : USER;
  return tx.append({ kind, message: { role: "user", content }, data: { ...data } });
}

/** Begins a turn for placed inputs of one speaker. Runs in the commit that placed them. */
export function beginTurn(
  tx: Tx,
  speaker: Pick<Turn, "actor" | "meta">,
  inputs: readonly string[],
  isAlone: boolean,
): void {
  const task = tx.createTask({
    kind: GENERATION,
    input: null,
    checkpoint: { phase: "prepare", step: 0, attempt: 0, requests: 0, pinned: null, error: null },
  });
  tx.control.turn = {
    task,
    actor: speaker.actor,
    meta: structuredClone(speaker.meta),
    inputs,
    startedAt: tx.now,
    workedMs: 0,
    workingSince: tx.now,
    stopping: false,
    tools: [],
    ...(isAlone && { alone: true }),
  };
  tx.emit({ type: "turn.started", inputs });
}

/** Takes items out of the inbox and places them, in admission order. Returns their keys. */
export function placeQueued(tx: Tx, wanted: (item: InboxItem) => boolean): readonly string[] {
  const chosen = tx.control.inbox.filter(wanted);
  if (chosen.length === 0) return [];
  tx.control.inbox = tx.control.inbox.filter((item) => !wanted(item));
  for (const item of chosen) {
    const input = must(tx.input(item.key), `queued input ${item.key} has no row`);
    if (input.state.status !== "queued") throw new Error(`Bug: input ${item.key} is ${input.state.status}, not queued`);
    placeInput(tx, input, input.state);
  }
  return chosen.map((item) => item.key);
}

/** When nothing runs and nothing is being copied: places the inputs of the speaker who is next in line and begins their turn. False: none waits. */
export function beginNextTurn(tx: Tx): boolean {
  if (tx.control.turn || importOf(tx.control) || tx.control.restored !== undefined) return false;
  placeWrites(tx, "between");
  const { inbox } = tx.control;
  const [first] = inbox;
  if (!first) return false;
  const isAlone = first.mode === "alone";
  const end = isAlone ? 1 : inbox.findIndex((item) => item.actor !== first.actor || item.mode === "alone");
  const group = new Set(inbox.slice(0, end < 0 ? undefined : end).map((item) => item.key));
  const meta = must(tx.input(first.key), `queued input ${first.key} has no row`).meta;
  const keys = placeQueued(tx, (item) => group.has(item.key));
  beginTurn(tx, { actor: first.actor, meta }, keys, isAlone);
  return true;
}
