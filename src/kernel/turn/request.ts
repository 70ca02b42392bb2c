import { abortable } from "../../lib/abortable.ts";
import { must } from "../../lib/assert.ts";
import type { Tx } from "../commit/tx.ts";
import { deriveMessages, deriveSystem } from "../context/derive.ts";
import type { ModelRequest } from "../ports/model.ts";
import type { RegistrySnapshot } from "../registry/registry.ts";
import type { Section } from "../registry/section.ts";
import type { Services } from "../run/services.ts";
import type { GenerationCheckpoint, PinnedRequest } from "../state/checkpoints.ts";
import type { Turn } from "../state/control.ts";
import { SYSTEM } from "../state/kinds.ts";
import { storedCheckpoint } from "./generation-checkpoint.ts";
import { placeQueued } from "./place.ts";

/** A request before its commit: settings and prompt, made outside of the line. */
export interface RequestPlan {
  readonly refusal: string | undefined;
  readonly model: string | null;
  readonly thinking: PinnedRequest["thinking"];
  readonly tools: readonly string[];
  readonly system: string;
  readonly volatile: string;
}

/** Asks host and sections what the next step runs with. Sections that throw are left out and reported. */
async function makePlan(services: Services, registry: RegistrySnapshot, turn: Turn): Promise<RequestPlan> {
  const { store, host } = services;
  const settings = await host.settings({ actor: turn.actor, meta: turn.meta }, store);
  const [system, volatile] = await Promise.all(
    (["stable", "volatile"] as const).map((kind) => renderSections(services, registry, turn, kind)),
  );
  const tools = [...registry.tools.values()].filter((tool) => settings.offers(tool)).map((tool) => tool.name);
  return {
    refusal: settings.refusal,
    model: settings.model,
    thinking: settings.thinking,
    tools,
    system: must(system, "sections were rendered"),
    volatile: must(volatile, "sections were rendered"),
  };
}

/** The plan of the next step. @throws what the host threw, and at once when the signal aborts, whoever hangs. */
export function planRequest(
  services: Services,
  registry: RegistrySnapshot,
  turn: Turn,
  signal: AbortSignal,
): Promise<RequestPlan> {
  return abortable(makePlan(services, registry, turn), signal);
}

async function renderSections(
  services: Services,
  registry: RegistrySnapshot,
  turn: Turn,
  kind: Section["kind"],
): Promise<string> {
  const { ports, store } = services;
  const context = { actor: turn.actor, read: store, now: ports.clock.now() };
  const texts: string[] = [];
  for (const section of registry.sections) {
    if (section.kind !== kind) continue;
    try {
      texts.push(await section.render(context));
    } catch (error) {
      ports.report.report("section.failed", { section: section.name, error: String(error) });
    }
  }
  return texts.filter((text) => text !== "").join("\n\n");
}

/**
 * The commit that precedes a new step's first attempt: steering inputs join, a changed system prompt becomes an entry, and
 * what the request is made of is pinned.
 */
export function commitNewRequest(
  tx: Tx,
  task: number,
  before: GenerationCheckpoint,
  plan: RequestPlan & { model: string },
): PinnedRequest {
  const turn = must(tx.control.turn, "a request outside of a turn");
  const steering = placeQueued(tx, (item) => item.mode === "steer" && item.actor === turn.actor);
  tx.control.turn = { ...turn, inputs: [...turn.inputs, ...steering], tools: [] };
  const last = tx.control.systemEntry === 0 ? undefined : tx.entry(tx.control.systemEntry);
  const lastText = last?.message?.role === "system" ? last.message.text : "";
  if (plan.system !== lastText) {
    tx.control.systemEntry = tx.append({ kind: SYSTEM, message: { role: "system", text: plan.system } });
  }
  const { model, thinking, tools, volatile } = plan;
  const pinned: PinnedRequest = { model, thinking, tools, volatile, cutoff: tx.control.lastEntry, since: tx.now };
  const [step, requests] = [before.step + 1, before.requests + 1];
  commitRequesting(tx, task, { phase: "requesting", step, attempt: 1, requests, pinned });
  return pinned;
}

/** The commit that precedes a repeat of the pinned request. */
export function commitRequesting(tx: Tx, task: number, checkpoint: GenerationCheckpoint): void {
  tx.checkpoint(task, storedCheckpoint(checkpoint));
  tx.setStatus(task, { status: "running" });
}

/** The exact request of a pinned step. */
export function buildRequest(services: Services, registry: RegistrySnapshot, pinned: PinnedRequest): ModelRequest {
  const entries = services.active.upTo(pinned.cutoff);
  const tools = pinned.tools.flatMap((name) => registry.tools.get(name) ?? []);
  return {
    model: pinned.model,
    thinking: pinned.thinking,
    system: deriveSystem(entries),
    volatile: pinned.volatile,
    messages: deriveMessages(entries),
    tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
  };
}
