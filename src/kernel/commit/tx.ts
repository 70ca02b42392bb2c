import { utf8Bytes } from "../../lib/bytes.ts";
import { findJsonFault, type Json, type JsonObject } from "../../lib/json.ts";
import type { KernelEvent } from "../../protocol/frames.ts";
import type { Message } from "../../protocol/message.ts";
import { KernelError } from "../errors.ts";
import { MAX_MEMO_BYTES, MAX_OUTBOX, MAX_SLOT_BYTES } from "../limits.ts";
import type { StoragePort } from "../ports/storage.ts";
import type { HostTx, OutboxDraft } from "../registry/host-tx.ts";
import type { Namespace } from "../registry/namespace.ts";
import { type Control, taskOf, tasksOf } from "../state/control.ts";
import type { Checkpoint, Task, TaskStatus } from "../state/task.ts";
import { insertReceipt, type TaskOutcome } from "../storage/done.ts";
import { type Entry, insertEntry, readEntry } from "../storage/entries.ts";
import { type InputRecord, readInput, writeInput } from "../storage/inputs.ts";
import { deleteMemos, insertMemo, readMemo } from "../storage/memos.ts";
import { deleteOutbox, readOutboxPayload, writeOutbox } from "../storage/outbox.ts";
import { deleteSlot, writeSlot } from "../storage/slots.ts";
import type { NamespaceStates } from "./namespace-states.ts";

/** What the caller of `append` decides about an entry. */
export interface EntryDraft {
  readonly kind: string;
  readonly message?: Message;
  readonly data?: Json;
  readonly task?: number;
}

/**
 * One commit under construction. Operations are explicit and write their rows at once, inside the surrounding
 * transaction; `control` is a private copy that replaces the committed one at the end. Dead after its builder returned.
 */
export class Tx {
  readonly now: number;
  readonly control: Control;
  readonly appended: Entry[] = [];
  readonly events: KernelEvent[] = [];
  /** Work that is due earlier still waits until then: a crash loop must not spend. */
  alarmNotBefore = 0;
  readonly #storage: StoragePort;
  readonly #namespaces: NamespaceStates;
  #alive = true;

  constructor(storage: StoragePort, control: Control, namespaces: NamespaceStates, now: number) {
    this.#storage = storage;
    this.control = control;
    this.#namespaces = namespaces;
    this.now = now;
  }

  /** Ends the transaction object's life. */
  close(): void {
    this.#alive = false;
  }

  mintId(): number {
    this.#use();
    return this.control.nextId++;
  }

  append(draft: EntryDraft): number {
    this.#use();
    requireJson(draft, "entry");
    const entry: Entry = { id: this.mintId(), rev: this.control.rev + 1, at: this.now, ...draft };
    insertEntry(this.#storage, entry);
    const { control } = this;
    if (control.firstEntry === 0) {
      control.firstEntry = entry.id;
      control.activeFrom = entry.id;
      control.windowFrom = entry.id;
    }
    control.lastEntry = entry.id;
    this.appended.push(structuredClone(entry));
    return entry.id;
  }

  /** Creates a task that is durably running: the loop that this commit wakes begins it. */
  createTask(draft: { kind: string; input: Json; checkpoint: Checkpoint; background?: boolean }): number {
    const id = this.mintId();
    requireJson(draft, "task");
    const { kind, input, checkpoint, background = false } = draft;
    const copies = structuredClone({ input, checkpoint });
    this.#putTask({ id, kind, ...copies, background, aborting: false, status: "running" });
    return id;
  }

  checkpoint(id: number, checkpoint: Checkpoint): void {
    requireJson(checkpoint, "checkpoint");
    this.#putTask({ ...this.task(id), checkpoint: structuredClone(checkpoint) });
  }

  setStatus(id: number, status: TaskStatus): void {
    const { kind, input, checkpoint, aborting, background } = this.task(id);
    this.#putTask({ id, kind, input, checkpoint, aborting, background, ...status });
  }

  /** Marks a task for stopping; it becomes runnable so that its abort handler runs. */
  markAborting(id: number): void {
    this.setStatus(id, { status: "running" });
    this.#putTask({ ...this.task(id), aborting: true });
  }

  task(id: number): Task {
    this.#use();
    const task = taskOf(this.control, id);
    if (!task) throw new KernelError("revoked", `Task ${id} is finished: nothing more can be written for it.`);
    return task;
  }

  /** Ends a task: receipt written, slot and memos gone, whoever waited for it alone runs again. */
  finish(id: number, outcome: TaskOutcome): void {
    const task = this.task(id);
    insertReceipt(this.#storage, { task: id, kind: task.kind, outcome });
    deleteSlot(this.#storage, id);
    deleteMemos(this.#storage, id);
    const { [String(id)]: _finished, ...rest } = this.control.tasks;
    this.control.tasks = rest;
    for (const other of tasksOf(this.control)) {
      if (other.status !== "waiting" || !other.tasks.includes(id)) continue;
      if (other.tasks.every((on) => !taskOf(this.control, on))) this.setStatus(other.id, { status: "running" });
    }
  }

  slot(id: number, value: Json): void {
    this.task(id);
    requireJson(value, "slot");
    writeSlot(this.#storage, id, bounded(JSON.stringify(value), MAX_SLOT_BYTES, `The slot of task ${id}`));
  }

  memoOnce(id: number, namespace: string, name: string, candidate: Json): Json {
    this.task(id);
    const standing = readMemo(this.#storage, id, namespace, name);
    if (standing) return standing.value;
    requireJson(candidate, "memo");
    insertMemo(
      this.#storage,
      id,
      namespace,
      name,
      bounded(JSON.stringify(candidate), MAX_MEMO_BYTES, `The memo ${name}`),
    );
    return candidate;
  }

  putInput(input: InputRecord): void {
    this.#use();
    requireJson(input, "input");
    writeInput(this.#storage, input);
  }

  entry(id: number): Entry | undefined {
    this.#use();
    return readEntry(this.#storage, id);
  }

  input(key: string): InputRecord | undefined {
    this.#use();
    return readInput(this.#storage, key);
  }

  get<T extends JsonObject>(namespace: Namespace<T>): T {
    this.#use();
    return this.#namespaces.get(namespace);
  }

  set<T extends JsonObject>(namespace: Namespace<T>, patch: Partial<T>): void {
    this.#use();
    this.#namespaces.set(namespace, patch, this.#storage);
  }

  wake(id: number): boolean {
    this.#use();
    if (taskOf(this.control, id)?.status !== "parked") return false;
    this.setStatus(id, { status: "running" });
    return true;
  }

  send(row: OutboxDraft): void {
    this.#use();
    requireJson(row.payload, "outbox payload");
    const { control } = this;
    const others = control.outbox.filter((item) => item.key !== row.key);
    if (others.length >= MAX_OUTBOX) {
      throw new KernelError("too_large", `The outbox holds ${MAX_OUTBOX} undelivered rows: ${row.key} was not added.`);
    }
    const { key, target, afterMs = 0 } = row;
    const payload = JSON.stringify(row.payload);
    const waiting = control.outbox.find((item) => item.key === key && item.attempts === 0);
    const isSame = waiting?.target === target && readOutboxPayload(this.#storage, key) === payload;
    // What is not due yet has not been picked up: the row that waits says the same.
    if (waiting && waiting.due > this.now && isSame) return;
    writeOutbox(this.#storage, key, target, payload);
    const due = waiting?.due ?? this.now + afterMs;
    const item = { key, target, stamp: this.mintId(), due, attempts: 0, createdAt: this.now };
    control.outbox = [...others, item];
  }

  /** Takes a delivered or dropped row away. */
  unsend(key: string): void {
    this.#use();
    deleteOutbox(this.#storage, key);
    this.control.outbox = this.control.outbox.filter((item) => item.key !== key);
  }

  emit(event: KernelEvent): void {
    this.#use();
    requireJson(event, "event");
    this.events.push(structuredClone(event));
  }

  /** An event of a plugin, under its own name. */
  emitFor(namespace: Namespace<JsonObject>, name: string, facts: JsonObject): void {
    this.#use();
    this.#namespaces.requireLive(namespace);
    this.emit({ ...facts, type: `plugin.${namespace.name}.${name}` });
  }

  #putTask(task: Task): void {
    this.#use();
    this.control.tasks = { ...this.control.tasks, [String(task.id)]: task };
  }

  #use(): void {
    if (!this.#alive) throw new KernelError("dead_transaction", "This transaction is over: commit again to write.");
  }
}

/** The plugin's half of a transaction, as an object of its own: a cast reaches nothing more. */
export function hostTx(tx: Tx): HostTx {
  return Object.freeze<HostTx>({
    now: tx.now,
    get: (namespace) => tx.get(namespace),
    set: (namespace, patch) => tx.set(namespace, patch),
    wake: (task) => tx.wake(task),
    send: (row) => tx.send(row),
    emit: (namespace, name, facts) => tx.emitFor(namespace, name, facts),
  });
}

/** @throws KernelError `not_json` naming the path. */
export function requireJson(value: unknown, what: string): void {
  const fault = findJsonFault(value, what);
  if (fault) throw new KernelError("not_json", `${fault.path} cannot be stored: ${fault.reason}.`);
}

/** The text, when it fits. @throws KernelError `too_large` naming value and limit. */
export function bounded(text: string, maxBytes: number, what: string): string {
  const bytes = text.length * 3 <= maxBytes ? 0 : utf8Bytes(text);
  if (bytes > maxBytes) {
    throw new KernelError("too_large", `${what} has ${bytes} bytes, the limit is ${maxBytes}: store less.`);
  }
  return text;
}
