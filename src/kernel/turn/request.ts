import { must } from "../../lib/assert.ts";
import type { Tx } from "../commit/tx.ts";
import { baselineOf } from "../context/derive.ts";
import { hostRead } from "../plugin/host-read.ts";
import type { ToolSpec } from "../ports/model.ts";
import type { PromptPart, StepContext } from "../registry/hooks.ts";
import type { RegistrySnapshot } from "../registry/registry.ts";
import type { Section } from "../registry/section.ts";
import type { Services } from "../run/services.ts";
import { withLimit } from "../run/with-limit.ts";
import type { GenerationCheckpoint, PinnedRequest } from "../state/checkpoints.ts";
import { SYSTEM } from "../state/kinds.ts";
import { storedCheckpoint } from "./generation-checkpoint.ts";
import { placeQueued } from "./place.ts";
import { editPrompt } from "./request-hooks.ts";
import { placeWrites } from "./writes.ts";

/** A request before its commit: settings and prompt, made outside of the line. */
export interface RequestPlan {
  readonly refusal: string | undefined;
  readonly skip: string | undefined;
  readonly model: string | null;
  readonly thinking: PinnedRequest["thinking"];
  readonly contextTokens: number | undefined;
  readonly tools: readonly ToolSpec[];
  readonly system: string;
  readonly volatile: string;
}

/**
 * Asks host and sections what the next step runs with. Sections that throw or take too long are left out and reported.
 * @throws what the host threw, or when it takes too long; at once when the signal aborts.
 */
export async function planRequest(
  services: Services,
  registry: RegistrySnapshot,
  step: StepContext,
): Promise<RequestPlan> {
  const { store, host, ports } = services;
  const asked = Promise.resolve(host.settings({ actor: step.actor, meta: step.meta }, hostRead(store)));
  const settings = await withLimit(ports.clock, asked, step.signal);
  const [stable, volatile] = await Promise.all(
    (["stable", "volatile"] as const).map((kind) => renderSections(services, registry, kind, step)),
  );
  const draft = { stable: must(stable, "sections were rendered"), volatile: must(volatile, "sections were rendered") };
  const prompt = await editPrompt(services, registry, draft, step);
  const offered = [...registry.tools.values()].filter((tool) => settings.offers(tool));
  return {
    refusal: settings.refusal,
    skip: settings.skip,
    model: settings.model,
    thinking: settings.thinking,
    contextTokens: settings.contextTokens,
    tools: offered.map(({ name, description, parameters }) => ({ name, description, parameters })),
    system: joinParts(prompt.stable),
    volatile: joinParts(prompt.volatile),
  };
}

async function renderSections(
  services: Services,
  registry: RegistrySnapshot,
  kind: Section["kind"],
  { actor, signal }: StepContext,
): Promise<PromptPart[]> {
  const { ports, store } = services;
  const context = { actor, read: hostRead(store), now: ports.clock.now() };
  const parts: PromptPart[] = [];
  for (const section of registry.sections) {
    if (section.kind !== kind) continue;
    try {
      const made = section.render(context);
      const text = typeof made === "string" ? made : await withLimit(ports.clock, made, signal);
      parts.push({ name: section.name, text });
    } catch (error) {
      signal.throwIfAborted();
      ports.report.report("section.failed", { section: section.name, error: String(error) });
    }
  }
  return parts;
}

function joinParts(parts: readonly PromptPart[]): string {
  return parts.flatMap(({ text }) => (text === "" ? [] : [text])).join("\n\n");
}

/** What was written meanwhile and steering inputs join the turn before its next request. */
export function joinMeanwhile(tx: Tx): void {
  placeWrites(tx, "within");
  const turn = must(tx.control.turn, "a request outside of a turn");
  const joins = turn.alone !== true;
  const steering = placeQueued(tx, (item) => joins && item.mode === "steer" && item.actor === turn.actor);
  tx.control.turn = { ...turn, inputs: [...turn.inputs, ...steering], tools: [] };
}

/**
 * The commit that precedes a new step's first attempt: a changed prompt or set of tools becomes an entry, and what the
 * request is made of is pinned.
 * @param holdsPrompt whether a prompt is among the active entries.
 */
export function commitNewRequest(
  tx: Tx,
  task: number,
  checkpoint: GenerationCheckpoint,
  plan: RequestPlan & { model: string },
  holdsPrompt: () => boolean,
): PinnedRequest {
  const { model, thinking, volatile, contextTokens } = plan;
  const before = baselineOf(tx.control.systemEntry === 0 ? undefined : tx.entry(tx.control.systemEntry));
  // What a summary or rewind kept may hold an older prompt: nothing but a newer one takes it back, an empty one too.
  const isUnsaid = tx.control.systemEntry === 0 && holdsPrompt();
  if (isUnsaid || plan.system !== before.system || JSON.stringify(plan.tools) !== JSON.stringify(before.tools)) {
    const message = { role: "system", text: plan.system } as const;
    tx.control.systemEntry = tx.append({ kind: SYSTEM, message, tools: plan.tools });
  }
  const tools = plan.tools.map((tool) => tool.name);
  const made = { model, thinking, tools, volatile, ...(contextTokens !== undefined && { contextTokens }) };
  const pinned: PinnedRequest = { ...made, cutoff: tx.control.lastEntry, since: tx.now };
  const [step, requests] = [checkpoint.step + 1, checkpoint.requests + 1];
  commitRequesting(tx, task, { phase: "requesting", step, attempt: 1, requests, pinned });
  return pinned;
}

/** The commit that precedes a repeat of the pinned request. */
export function commitRequesting(tx: Tx, task: number, checkpoint: GenerationCheckpoint): void {
  tx.checkpoint(task, storedCheckpoint(checkpoint));
  tx.setStatus(task, { status: "running" });
}
