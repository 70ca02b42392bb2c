import { cutText } from "../../lib/cut.ts";
import { deepFreeze } from "../../lib/deep-freeze.ts";
import type { Json } from "../../lib/json.ts";
import type { Message } from "../../protocol/message.ts";
import type { QueuedInput, TaskView, ToolView, TurnView, View, ViewEntry } from "../../protocol/view.ts";
import { VIEW_OUTPUT_UNITS } from "../limits.ts";
import type { Registry } from "../registry/registry.ts";
import type { Kinds } from "../run/kinds.ts";
import type { GenerationCheckpoint } from "../state/checkpoints.ts";
import { type Control, type Turn, type TurnTool, taskOf, tasksOf } from "../state/control.ts";
import { COMPACTION, GENERATION, TOOL } from "../state/kinds.ts";
import { outsideOf } from "../state/spans.ts";
import type { Task } from "../state/task.ts";
import { waitsOnCompaction, waitsOnPeopleOnly } from "../state/work-time.ts";
import type { Entry } from "../storage/entries.ts";
import { pinsOf, resolveConfig } from "./documents.ts";
import { requireJson } from "./guard.ts";
import { type Slices, stateOf } from "./namespace-states.ts";
import { renderCompaction } from "./render-compaction.ts";

/** The view without its entries: the part that is rendered anew and compared at each commit. */
export type LiveView = Omit<View, "entries">;

/** Told when a plugin's projection or description throws or is no JSON; `name` is its namespace or task kind. */
type OnFault = (name: string, error: unknown) => void;

/** Renders everything but the entries from committed state. Pure; a projection that fails drops its own part only. */
export function renderLive(
  control: Control,
  slices: Slices,
  { registry, kinds }: { readonly registry: Registry; readonly kinds: Kinds },
  onFault: OnFault,
): LiveView {
  return {
    earlier: hasEarlier(control),
    inbox: control.inbox.map(renderInput),
    turn: control.turn && renderTurn(control, control.turn),
    compaction: renderCompaction(control),
    tasks: renderTasks(control, kinds, onFault),
    pins: pinsOf(slices),
    config: resolveConfig(registry.configDefaults(), slices),
    usage: control.usage,
    plugins: renderPlugins(slices, registry, onFault),
  };
}

/** True when something that no rewind left behind stands before the window. */
function hasEarlier({ firstEntry, windowFrom, left }: Control): boolean {
  return outsideOf(left, windowFrom - 1).some(([, to]) => to >= firstEntry);
}

/** An entry as clients see it: no native blocks, long tool output cut. */
export function renderEntry(entry: Entry): ViewEntry {
  const { id, kind, at, task, message, data, inherited, redacted } = entry;
  const rendered = message && renderMessage(message);
  return {
    id,
    kind,
    at,
    ...(task !== undefined && { task }),
    ...(rendered && { message: rendered.message }),
    ...(data !== undefined && { data }),
    ...(rendered?.cut !== undefined && { cut: rendered.cut }),
    ...(inherited && { inherited }),
    ...(redacted && { redacted }),
  };
}

/** An entry as clients may see it, whole: only the native blocks are left out. */
export function renderWholeEntry(entry: Entry): ViewEntry {
  const { message } = entry;
  if (message?.role !== "tool") return renderEntry(entry);
  return { ...renderEntry({ ...entry, message: { ...message, content: [] } }), message };
}

function renderMessage(message: Message): { message: Message; cut?: number } {
  if (message.role === "assistant") {
    const { native: _private, ...shown } = message;
    return { message: shown };
  }
  if (message.role !== "tool") return { message };
  const length = message.content.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);
  if (length <= VIEW_OUTPUT_UNITS) return { message };
  const text = message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  const files = message.content.filter((part) => part.type === "file");
  return {
    message: { ...message, content: [{ type: "text", text: cutText(text, VIEW_OUTPUT_UNITS) }, ...files] },
    cut: length,
  };
}

function renderInput(item: Control["inbox"][number]): QueuedInput {
  const { key, actor, name, mode, preview, files, at } = item;
  return { input: key, actor, ...(name !== undefined && { name }), mode, text: preview, files, at };
}

function renderTurn(control: Control, turn: Turn): TurnView {
  const task = taskOf(control, turn.task);
  const checkpoint = task?.checkpoint as GenerationCheckpoint | undefined;
  const sleeping = task?.status === "sleeping" ? task.until : undefined;
  const error = checkpoint?.phase === "prepare" ? checkpoint.error : null;
  return {
    task: turn.task,
    actor: turn.actor,
    inputs: turn.inputs,
    stage: stageOf(control, checkpoint, sleeping),
    step: Math.max(1, checkpoint?.step ?? 1),
    attempt: Math.max(1, checkpoint?.attempt ?? 1),
    model: checkpoint?.pinned?.model ?? null,
    startedAt: turn.startedAt,
    stopping: turn.stopping,
    ...(sleeping !== undefined && { retry: { until: sleeping, error: error ?? "" } }),
    tools: turn.tools.map((tool) => renderTool(control, tool)),
  };
}

function stageOf(
  control: Control,
  checkpoint: GenerationCheckpoint | undefined,
  sleeping: number | undefined,
): TurnView["stage"] {
  if (sleeping !== undefined) return "retrying";
  if (waitsOnCompaction(control)) return "compacting";
  if (waitsOnPeopleOnly(control)) return "waiting";
  if (!checkpoint || checkpoint.phase === "prepare") return "preparing";
  return checkpoint.phase;
}

function renderTool(control: Control, tool: TurnTool): ToolView {
  const task = taskOf(control, tool.task);
  const { startedAt, outcome } = tool;
  const common = {
    task: tool.task,
    entry: tool.entry,
    index: tool.index,
    name: tool.name,
    ...(startedAt !== undefined && { startedAt }),
  };
  if (outcome !== undefined) return { ...common, status: "done", outcome };
  if (task?.status === "parked") return { ...common, status: "waiting", waitingOn: task.waitingOn };
  return { ...common, status: startedAt === undefined ? "pending" : "running" };
}

function renderTasks(control: Control, kinds: Kinds, onFault: OnFault): { readonly [id: string]: TaskView } {
  const shown: { [id: string]: TaskView } = {};
  for (const task of tasksOf(control)) {
    if (OF_TURN.has(task.kind)) continue;
    shown[String(task.id)] = renderTask(task, kinds, onFault);
  }
  return shown;
}

/** These are shown where they belong: in the turn, and as the compaction. */
const OF_TURN: ReadonlySet<string> = new Set([GENERATION, TOOL, COMPACTION]);

function renderTask(task: Task, kinds: Kinds, onFault: OnFault): TaskView {
  const { kind, checkpoint, input } = task;
  const described = tryRender(kind, () => kinds.of(kind)?.describe?.(checkpoint, input) ?? null, onFault);
  return {
    kind,
    status: described ?? { phase: checkpoint.phase },
    ...(!kinds.knows(kind) && { blocked: true }),
    ...(task.aborting && { stopping: true }),
  };
}

function renderPlugins(slices: Slices, registry: Registry, onFault: OnFault): { readonly [namespace: string]: Json } {
  const shown: { [namespace: string]: Json } = {};
  for (const namespace of registry.namespaces()) {
    if (!namespace.view) continue;
    // A projection that changes what it is shown would change what is stored.
    const value = tryRender(namespace.name, () => namespace.view?.(deepFreeze(stateOf(namespace, slices))), onFault);
    if (value !== undefined) shown[namespace.name] = value;
  }
  return shown;
}

/** What a plugin shows of its state. Undefined, and reported, when it throws or gives what is no JSON. */
function tryRender(name: string, render: () => Json | undefined, onFault: OnFault): Json | undefined {
  try {
    const value = render();
    requireJson(value, name);
    return value;
  } catch (error) {
    onFault(name, error);
    return undefined;
  }
}
