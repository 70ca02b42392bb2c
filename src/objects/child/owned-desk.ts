import { inheritConstraints } from "../../holds/index.ts";
import type { ChildLook, ChildProgress, DeliveryOutcome, OutboxRow } from "../../kernel/index.ts";
import { nearest } from "../../lib/nearest.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { ConversationFacts, OwnedFacts } from "../../people/facts.ts";
import type { Verdict } from "../../people/may-act.ts";
import type { Life } from "../conversation/life.ts";
import type { Answer, Refusal } from "../rpc.ts";
import { reportOf } from "./child-report.ts";
import { type ChildOrder, type ChildRef, type ChildRpc, childKeyOf } from "./child-rpc.ts";

type OwnedLife = Pick<Life, "kernel" | "chat" | "facts">;

/** What the desk needs from the object around it. */
export interface OwnedHost {
  life(): OwnedLife | undefined;
  create(facts: ConversationFacts): OwnedLife;
  /** Forgets everything: work, files, storage, alarm. */
  destroy(): Promise<void>;
  /** Another conversation's object. */
  peer(key: string): ChildRpc;
  /** Whether this principal may have a conversation here. */
  mayOwn(principalId: string): Promise<Verdict>;
  readonly tools: readonly string[];
  readonly models: readonly string[];
}

type OwnedRpc = Pick<ChildRpc, "beginChild" | "endChild" | "lookChild">;

const GONE: Refusal = { code: "not_found", message: "There is no such conversation." };

/** An owned conversation's own side: it is begun, asked after and ended, and tells its owner what became of it. */
export class OwnedDesk implements OwnedRpc {
  readonly #host: OwnedHost;

  constructor(host: OwnedHost) {
    this.#host = host;
  }

  async beginChild(order: ChildOrder): Answer<Record<string, never>> {
    const standing = this.#host.life();
    if (!standing) return await this.#create(order);
    if (!isOf(standing, order)) return err(GONE);
    sayPrompt(standing, order);
    return ok({});
  }

  async endChild(ref: ChildRef): Answer<Record<string, never>> {
    const life = this.#host.life();
    if (!life) return ok({});
    if (!isOf(life, ref)) return err(GONE);
    // What is stopped tells its end by itself, and goes when nobody waits for it.
    if (life.kernel.control.turn) life.kernel.stop();
    else await this.#host.destroy();
    return ok({});
  }

  async lookChild(ref: ChildRef): Answer<ChildLook> {
    const life = this.#host.life();
    if (!life || !isOf(life, ref)) return ok({ state: "unknown" });
    const report = reportOf(life.kernel);
    return ok(report ? { state: "settled", report } : { state: "working" });
  }

  /** Tells the owner. Once the result is acknowledged, nothing of this conversation is left. */
  async deliver(row: OutboxRow): Promise<DeliveryOutcome> {
    const life = this.#host.life();
    const owned = life?.facts.owned;
    if (!life || !owned) return { status: "drop", error: "nobody owns this conversation" };
    const progress = JSON.parse(row.payload) as ChildProgress | null;
    const peer = this.#host.peer(owned.parent);
    if (progress) {
      await peer.childProgress(owned.task, progress);
      return { status: "sent" };
    }
    const report = reportOf(life.kernel);
    if (!report) return { status: "sent" };
    const answer = await peer.childSettled(owned.task, report);
    if (!answer.ok) return { status: "retry", error: answer.error.message };
    await this.#host.destroy();
    return { status: "sent" };
  }

  async #create(order: ChildOrder): Answer<Record<string, never>> {
    const fault = unknownName("tool", order.child.tools ?? [], this.#host.tools);
    const noModel = unknownName("model", order.child.model === null ? [] : [order.child.model], this.#host.models);
    if (fault ?? noModel) return err({ code: "bad_request", message: fault ?? noModel ?? "" });
    const verdict = await this.#host.mayOwn(order.owner);
    if (!verdict.ok) return verdict;
    // The order may be an old one, sent again: what it asks for may be over.
    const wanted: Result<{ readonly wanted: boolean }, Refusal> = await this.#host
      .peer(order.parent)
      .childWanted(order.task);
    if (!wanted.ok) return wanted;
    if (!wanted.value.wanted) return ok({});
    const life = this.#host.life() ?? this.#host.create(factsOf(order));
    sayPrompt(life, order);
    return ok({});
  }
}

function factsOf({ parent, task, depth, owner, child }: ChildOrder): ConversationFacts {
  const owned: OwnedFacts = { parent, task, depth, tools: child.tools, system: child.system };
  return { key: childKeyOf({ parent, task }), visibility: "private", owner, owned };
}

/** Says what it is to do, once: the key comes from the owner's task. */
function sayPrompt(
  { kernel, chat }: OwnedLife,
  { parent, task, owner, child, toolsOff, constraints }: ChildOrder,
): void {
  const { model, thinking, prompt, speaker } = child;
  kernel.commit((tx) => {
    tx.set(chat, { toolsOff, ...(model !== null && { model }), ...(thinking !== null && { thinking }) });
    inheritConstraints(tx, constraints);
  });
  kernel.submit({
    key: `${parent}/${task}`,
    actor: speaker?.actor ?? owner,
    meta: speaker?.meta ?? null,
    content: [{ type: "text", text: prompt }],
  });
}

function isOf({ facts }: OwnedLife, { parent, task }: ChildRef): boolean {
  return facts.owned?.parent === parent && facts.owned.task === task;
}

function unknownName(what: string, wanted: readonly string[], known: readonly string[]): string | undefined {
  const unknown = wanted.find((name) => !known.includes(name));
  if (unknown === undefined) return undefined;
  const close = nearest(unknown, known);
  const hint = close ? `did you mean ${close}?` : `there are ${known.join(", ")}.`;
  return `There is no ${what} ${JSON.stringify(unknown)}: ${hint}`;
}
