import type { Json } from "../../lib/json.ts";
import { nearest } from "../../lib/nearest.ts";
import { CONFIG, resolveConfig } from "../commit/documents.ts";
import { bounded, requireJson } from "../commit/guard.ts";
import { requireLive } from "../commit/namespace-states.ts";
import type { Tx } from "../commit/tx.ts";
import { KernelError } from "../errors.ts";
import { MAX_WRITE_BYTES } from "../limits.ts";
import { coreNotice, type EntryKind } from "../registry/entry-kind.ts";
import type { HostTx, StoredCallRef, WriteDraft } from "../registry/host-tx.ts";
import { requireName } from "../registry/namespace.ts";
import type { TaskTx } from "../registry/task-definition.ts";
import type { TaskToken } from "../registry/task-token.ts";
import { taskOf } from "../state/control.ts";
import { CALL, GENERATION, TOOL } from "../state/kinds.ts";
import { writeEntry } from "../turn/writes.ts";

/** The plugin's half of a transaction, as an object of its own: a cast reaches nothing more. */
export function hostTx(tx: Tx): HostTx {
  return Object.freeze<HostTx>(operations(tx));
}

/** What a task of a plugin may do inside a commit of its own. */
export function taskTx(tx: Tx, task: number): TaskTx {
  return Object.freeze<TaskTx>({
    ...operations(tx),
    now: tx.now,
    createOwned: (token, input) => createTask(tx, token, input, task),
  });
}

function operations(tx: Tx): HostTx {
  return {
    now: tx.now,
    get: (namespace) => tx.get(namespace),
    set: (namespace, patch) => tx.set(namespace, patch),
    wake: (task) => tx.wake(task),
    memo(namespace, task, name, candidate) {
      requireLive(tx.registry, namespace);
      return tx.memoOnce(task, namespace.name, name, candidate);
    },
    recall(namespace, task, name) {
      requireLive(tx.registry, namespace);
      return tx.recall(task, namespace.name, name);
    },
    write: (kind, draft) => write(tx, kind, draft),
    createTask: (token, input) => createTask(tx, token, input),
    callAgain: (call) => callAgain(tx, call),
    abort: (task) => abort(tx, task),
    configure: (key, value) => configure(tx, key, value),
    send: (row) => tx.send(row),
    emit(namespace, name, facts) {
      requireLive(tx.registry, namespace);
      tx.emit({ ...facts, type: `plugin.${namespace.name}.${name}` });
    },
  };
}

/** @throws KernelError `stale_definition` when the kind is not the live one. */
export function createTask<I extends Json>(tx: Tx, token: TaskToken<I>, input: I, owner?: number): number {
  // Read once: what is checked is what is used, whatever the object says the next time.
  const { kind } = token;
  const definition = tx.registry.task(kind);
  if (definition === undefined || (definition as unknown) !== token) {
    throw new KernelError(
      "stale_definition",
      `StaleDefinition: task kind ${kind} is not the one registered now; use the current object.`,
    );
  }
  if (owner !== undefined && tx.task(owner).aborting) {
    throw new KernelError("forbidden", `Task ${owner} is being stopped: it begins nothing more that it would own.`);
  }
  const checkpoint = token.initial(input);
  if (definition.inFlight.includes(checkpoint.phase)) {
    throw new KernelError("forbidden", `${kind} cannot begin in the phase ${checkpoint.phase}, which is in flight.`);
  }
  if (owner === undefined) return tx.createTask({ kind, input, checkpoint, background: true });
  return tx.createTask({ kind, input, checkpoint, owner });
}

function write(tx: Tx, kind: EntryKind, draft: WriteDraft): number | null {
  // Read once: what is checked is what is written, whatever the objects say the next time.
  const { kind: name } = kind;
  const { text, data } = draft;
  const unknown = Object.keys(draft).find((key) => key !== "text" && key !== "data");
  if (unknown !== undefined) {
    throw new KernelError("unknown_key", `An entry of ${name} has text and data; ${unknown} is the kernel's own.`);
  }
  const isNotice = kind === coreNotice;
  if (isNotice ? text === undefined : name.startsWith("core.")) {
    const why = isNotice ? "a notice needs a text" : "the kernel alone writes entries of this kind";
    throw new KernelError("forbidden", `${name}: ${why}. Define an entry kind of your own.`);
  }
  if (!isNotice) requireName("Entry kind", name);
  if (text !== undefined && typeof text !== "string") {
    throw new KernelError("not_json", `The text of an entry of ${name} is a ${typeof text}: give a string.`);
  }
  requireJson(data ?? null, "data");
  bounded(JSON.stringify([text ?? "", data ?? null]), MAX_WRITE_BYTES, `The entry of ${name}`);
  return writeEntry(tx, { kind: name, ...(text !== undefined && { text }), ...(data !== undefined && { data }) });
}

/** The same call outside of its turn, from its very beginning. */
function callAgain(tx: Tx, { entry, index, actor, meta }: StoredCallRef): number {
  const message = tx.entry(entry)?.message;
  const calls = message?.role === "assistant" ? message.content.filter((part) => part.type === "call") : [];
  if (!calls[index]) throw new KernelError("no_such_call", `Entry ${entry} holds no call ${index} to make again.`);
  requireJson(meta, "meta");
  return tx.createTask({
    kind: CALL,
    input: { entry, index, speaker: { actor, meta } },
    checkpoint: { phase: "check", pendingText: null },
    background: true,
  });
}

/** What runs in a turn ends with the turn, by a stop; everything else may be ended by itself. */
function abort(tx: Tx, id: number): boolean {
  const task = taskOf(tx.control, id);
  if (!task || task.aborting) return false;
  if (task.kind === GENERATION || task.kind === TOOL) {
    throw new KernelError("forbidden", `Task ${id} belongs to a turn: stop the turn instead.`);
  }
  tx.markAborting(id);
  return true;
}

function configure(tx: Tx, key: string, value: Json | undefined): void {
  const { slices } = tx.namespaces;
  const known = Object.keys(resolveConfig(tx.registry.configDefaults(), slices));
  if (!known.includes(key)) {
    const close = nearest(key, known);
    const hint = close ? `did you mean ${close}?` : `there are ${known.join(", ")}.`;
    throw new KernelError("unknown_key", `There is no configuration key ${JSON.stringify(key)}: ${hint}`);
  }
  const { [key]: _before, ...rest } = slices.rewindable.get(CONFIG) ?? {};
  if (value !== undefined) requireJson(value, key);
  tx.namespaces.putDocument(CONFIG, value === undefined ? rest : { ...rest, [key]: value });
}
