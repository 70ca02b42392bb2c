import type { Json, JsonObject } from "../../lib/json.ts";
import type { KernelEvent } from "../../protocol/frames.ts";
import { KernelError } from "../errors.ts";
import { MAX_MEMO_BYTES, MAX_OUTBOX, MAX_RESULT_BYTES, MAX_SLOT_BYTES } from "../limits.ts";
import type { StoragePort } from "../ports/storage.ts";
import type { OutboxDraft } from "../registry/host-tx.ts";
import type { Namespace } from "../registry/namespace.ts";
import type { Registry } from "../registry/registry.ts";
import { type Control, ownedBy, taskOf, tasksOf } from "../state/control.ts";
import { type Checkpoint, type Task, type TaskStatus, withStatus } from "../state/task.ts";
import { insertReceipt, type TaskOutcome } from "../storage/done.ts";
import { type Entry, insertEntry, readEntry } from "../storage/entries.ts";
import { type InputRecord, readInput, writeInput } from "../storage/inputs.ts";
import { deleteMemos, insertMemo, readMemo } from "../storage/memos.ts";
import { deleteOutbox, readOutboxPayload, writeOutbox } from "../storage/outbox.ts";
import { deleteSlot, readSlot, writeSlot } from "../storage/slots.ts";
import { bounded, requireJson } from "./guard.ts";
import { NamespaceStates, type Slices } from "./namespace-states.ts";

/** What the caller of `append` decides about an entry. */
export type EntryDraft = Omit<Entry, "id" | "rev" | "at" | "inherited">;

/** What the caller of `createTask` decides about a task. */
export interface TaskDraft {
  readonly kind: string;
  readonly input: Json;
  readonly checkpoint: Checkpoint;
  readonly background?: boolean;
  readonly owner?: number;
}

/**
 * One commit under construction. Operations are explicit and write their rows at once, inside the surrounding
 * transaction; `control` is a private copy that replaces the committed one at the end. Dead after its builder returned.
 */
export class Tx {
  readonly now: number;
  readonly registry: Registry;
  readonly appended: Entry[] = [];
  /** Tombstones, by id. */
  readonly replaced = new Map<number, Entry>();
  readonly events: KernelEvent[] = [];
  /** What went wrong beside the commit; reported when it stands. */
  readonly faults: { readonly event: string; readonly facts: Record<string, string> }[] = [];
  /** Work that is due earlier still waits until then: a crash loop must not spend. */
  alarmNotBefore = 0;
  readonly #storage: StoragePort;
  readonly #control: Control;
  readonly #namespaces: NamespaceStates;
  #alive = true;

  constructor(storage: StoragePort, control: Control, slices: Slices, registry: Registry, now: number) {
    this.#storage = storage;
    this.#control = control;
    this.registry = registry;
    this.#namespaces = new NamespaceStates(slices, registry, storage, control.rev + 1);
    this.now = now;
  }

  get control(): Control {
    this.#use();
    return this.#control;
  }

  get namespaces(): NamespaceStates {
    this.#use();
    return this.#namespaces;
  }

  /** Ends the transaction object's life. */
  close(): void {
    this.#alive = false;
  }

  mintId(): number {
    return this.control.nextId++;
  }

  /** Appends an entry. One with `head` begins the active transcript anew. */
  append(draft: EntryDraft): number {
    const { control } = this;
    requireJson(draft, "entry");
    const entry: Entry = { id: this.mintId(), rev: control.rev + 1, at: this.now, ...draft };
    this.putEntry(entry);
    return entry.id;
  }

  /** Stores an entry as it is, under an id above those of all others. */
  putEntry(entry: Entry): void {
    const { control } = this;
    insertEntry(this.#storage, entry);
    if (control.firstEntry === 0) {
      control.firstEntry = entry.id;
      control.activeFrom = entry.id;
      control.windowFrom = entry.id;
    }
    control.lastEntry = entry.id;
    this.appended.push(structuredClone(entry));
    if (entry.head === undefined) return;
    control.head = entry.id;
    control.kept = entry.head;
    control.activeFrom = entry.id;
    // The prompt belongs to what went: the next request states it anew.
    control.systemEntry = 0;
  }

  /** Creates a task that is durably running: the loop that this commit wakes begins it. */
  createTask(draft: TaskDraft): number {
    const id = this.mintId();
    requireJson(draft, "task");
    const { kind, input, checkpoint, background = false, owner } = draft;
    const copies = structuredClone({ input, checkpoint });
    const owned = owner === undefined ? {} : { owner };
    const task = { id, kind, ...copies, background, ...owned, aborting: false } as const;
    this.#putTask(withStatus({ ...task, status: "running" }, { status: "running" }));
    return id;
  }

  checkpoint(id: number, checkpoint: Checkpoint): void {
    requireJson(checkpoint, "checkpoint");
    this.#putTask({ ...this.task(id), checkpoint: structuredClone(checkpoint) });
  }

  setStatus(id: number, status: TaskStatus): void {
    requireJson(status, "status");
    this.#putTask(withStatus(this.task(id), status));
  }

  /**
   * Marks a task for stopping, and what it owns; each becomes runnable so that its abort handler runs. Returns those that
   * were not marked before.
   */
  markAborting(id: number): readonly number[] {
    const task = this.task(id);
    const owned = ownedBy(this.control, id).flatMap((child) => this.markAborting(child.id));
    if (task.aborting) return owned;
    this.#putTask({ ...withStatus(task, { status: "running" }), aborting: true });
    return [...owned, id];
  }

  task(id: number): Task {
    const task = taskOf(this.control, id);
    if (!task) throw new KernelError("revoked", `Task ${id} is finished: nothing more can be written for it.`);
    return task;
  }

  /**
   * Ends a task: receipt written, slot and memos gone, whoever waited for it alone runs again. What it owned and is still
   * at work is stopped.
   */
  finish(id: number, outcome: TaskOutcome, result?: Json): void {
    const task = this.task(id);
    insertReceipt(this.#storage, { task: id, kind: task.kind, outcome }, resultText(id, result));
    for (const child of ownedBy(this.control, id)) this.markAborting(child.id);
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

  readSlot(id: number): Json | undefined {
    this.#use();
    return readSlot(this.#storage, id);
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

  recall(id: number, namespace: string, name: string): Json | undefined {
    this.#use();
    return readMemo(this.#storage, id, namespace, name)?.value;
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
    return this.namespaces.get(namespace);
  }

  set<T extends JsonObject>(namespace: Namespace<T>, patch: Partial<T>): void {
    this.namespaces.set(namespace, patch);
  }

  /**
   * Runs a part that may fail alone: what it did is undone when it throws. Returns what it threw.
   */
  attempt(part: () => void): unknown {
    const { slices } = this.namespaces;
    const control = { ...this.control };
    const [events, appended] = [this.events.length, this.appended.length];
    try {
      this.#storage.transactionSync(part);
      return undefined;
    } catch (error) {
      Object.assign(this.#control, control);
      this.namespaces.revert(slices);
      this.events.length = events;
      this.appended.length = appended;
      return error;
    }
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

  /** Notes something for the operator that the commit survives. */
  fault(event: string, facts: Record<string, string>): void {
    this.faults.push({ event, facts });
  }

  #putTask(task: Task): void {
    this.control.tasks = { ...this.control.tasks, [String(task.id)]: task };
  }

  #use(): void {
    if (!this.#alive) throw new KernelError("dead_transaction", "This transaction is over: commit again to write.");
  }
}

function resultText(task: number, result: Json | undefined): string | null {
  if (result === undefined) return null;
  requireJson(result, "result");
  return bounded(JSON.stringify(result), MAX_RESULT_BYTES, `The result of task ${task}`);
}
