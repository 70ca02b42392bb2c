import { must } from "../../lib/assert.ts";
import { cutText } from "../../lib/cut.ts";
import type { Json } from "../../lib/json.ts";
import type { UserPart } from "../../protocol/message.ts";
import { PINS, pinsDocument, pinsOf } from "../commit/documents.ts";
import type { Tx } from "../commit/tx.ts";
import { KernelError } from "../errors.ts";
import { MAX_INBOX } from "../limits.ts";
import type { InboxItem } from "../state/control.ts";
import { importOf } from "../state/importing.ts";
import { HANDOFF, RESET } from "../state/kinds.ts";
import type { Spans } from "../state/spans.ts";

/** An entry that asks for no answer. One of the kinds that begin the transcript anew keeps nothing of what was before. */
export interface Write {
  readonly kind: string;
  readonly text?: string;
  readonly data?: Json;
}

const PREVIEW_UNITS = 200;
const WRITE = "write:";

/** True for the key of an entry that waits for its place. */
export function isWrite(key: string): boolean {
  return key.startsWith(WRITE);
}
const NOTHING_KEPT: Spans = [];

/**
 * Puts an entry into the transcript. While a turn runs, what models read waits for a safe point, and while a fork is being
 * copied everything waits: its id is null then.
 * @throws KernelError `too_large` when the inbox is full.
 */
export function writeEntry(tx: Tx, write: Write): number | null {
  const isRead = write.text !== undefined || beginsAnew(write.kind);
  const mustWait = (tx.control.turn !== null && isRead) || importOf(tx.control) !== undefined;
  if (!mustWait) return placeWrite(tx, write);
  if (tx.control.inbox.length >= MAX_INBOX) {
    throw new KernelError("too_large", `The inbox holds ${MAX_INBOX} inputs: ${write.kind} was not written.`);
  }
  const { text, kind, data } = write;
  const key = `${WRITE}${tx.mintId()}`;
  const content: readonly UserPart[] = text === undefined ? [] : [{ type: "text", text }];
  const state = { status: "queued", content, write: { kind, ...(data !== undefined && { data }) } } as const;
  tx.putInput({ key, fingerprint: "", actor: "", meta: null, at: tx.now, state });
  const preview = cutText(text ?? kind, PREVIEW_UNITS);
  tx.control.inbox = [...tx.control.inbox, { key, actor: "", mode: "write", preview, files: 0, at: tx.now }];
  return null;
}

/** True when a queued write would begin the transcript anew. */
export function hasQueuedHead(tx: Tx): boolean {
  return tx.control.inbox.some((item) => item.mode === "write" && beginsAnew(queuedWrite(tx, item).kind));
}

/** Places queued writes in order. `within` a turn those stop before the first that would begin the transcript anew. */
export function placeWrites(tx: Tx, where: "within" | "between"): void {
  for (const item of tx.control.inbox) {
    if (item.mode !== "write") continue;
    const write = queuedWrite(tx, item);
    if (where === "within" && beginsAnew(write.kind)) return;
    const input = must(tx.input(item.key), `queued write ${item.key} has no row`);
    const entry = placeWrite(tx, write);
    tx.putInput({ ...input, state: { status: "done", entry, answer: entry } });
    tx.control.inbox = tx.control.inbox.filter((other) => other.key !== item.key);
  }
}

/** Appends an entry now. */
export function placeWrite(tx: Tx, { kind, text, data }: Write): number {
  const message = text === undefined ? {} : { message: { role: "user", content: [{ type: "text", text }] } as const };
  const head = beginsAnew(kind) ? { head: NOTHING_KEPT } : {};
  // What was pinned belongs to what is left: a fresh start carries nothing over.
  if (beginsAnew(kind) && pinsOf(tx.namespaces.slices).length > 0) tx.namespaces.putDocument(PINS, pinsDocument([]));
  return tx.append({ kind, ...message, ...(data !== undefined && { data }), ...head });
}

function beginsAnew(kind: string): boolean {
  return kind === RESET || kind === HANDOFF;
}

function queuedWrite(tx: Tx, item: InboxItem): Write {
  const state = must(tx.input(item.key), `queued write ${item.key} has no row`).state;
  if (state.status !== "queued" || !state.write) throw new Error(`Bug: ${item.key} is no queued write`);
  const [part] = state.content;
  return { ...state.write, ...(part?.type === "text" && { text: part.text }) };
}
