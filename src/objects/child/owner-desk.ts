import { POLICY } from "../../holds/index.ts";
import type {
  ChildLook,
  ChildMessage,
  ChildProgress,
  ChildReport,
  ChildrenPort,
  DeliveryOutcome,
  HostTx,
  OutboxRow,
} from "../../kernel/index.ts";
import { err, ok } from "../../lib/result.ts";
import type { FileRef } from "../../protocol/message.ts";
import { NO_USAGE } from "../../protocol/message.ts";
import type { Life } from "../conversation/life.ts";
import { registerFiles } from "../files/stored-files.ts";
import type { Answer } from "../rpc.ts";
import { type ChildOrder, type ChildRef, type ChildRpc, childKeyOf } from "./child-rpc.ts";

/** How deep conversations may own conversations. */
const MAX_DEPTH = 3;

type OwnerLife = Pick<Life, "kernel" | "chat" | "facts">;

/** What the desk needs from the object around it. */
export interface OwnerHost {
  /** The opened conversation; undefined when the storage holds none. */
  life(): OwnerLife | undefined;
  /** Another conversation's object. */
  peer(key: string): ChildRpc;
  /** Copies files of another conversation here. Gives those that were there. */
  copyFiles(from: string, files: readonly FileRef[], signal: AbortSignal): Promise<readonly FileRef[]>;
}

type OwnerRpc = Pick<ChildRpc, "childWanted" | "childSettled" | "childProgress">;

const NEVER = new AbortController().signal;

/** The owner's side of owned conversations: tells them what to do, and takes what they tell. */
export class OwnerDesk implements OwnerRpc, ChildrenPort {
  readonly #host: OwnerHost;

  constructor(host: OwnerHost) {
    this.#host = host;
  }

  async childWanted(task: number): Answer<{ readonly wanted: boolean }> {
    return ok({ wanted: this.#host.life()?.kernel.children.isWanted(task) ?? false });
  }

  async childSettled(task: number, report: ChildReport): Answer<Record<string, never>> {
    const life = this.#host.life();
    if (!life?.kernel.children.isWanted(task)) return ok({});
    const taken = await this.#take({ parent: life.facts.key, task }, report, NEVER);
    life.kernel.children.settle(task, taken.report, taken.place);
    return ok({});
  }

  async childProgress(task: number, progress: ChildProgress): Answer<Record<string, never>> {
    this.#host.life()?.kernel.children.progress(task, progress);
    return ok({});
  }

  async look(task: number, signal: AbortSignal): Promise<ChildLook> {
    const ref = { parent: this.#life().facts.key, task };
    const answer = await this.#host.peer(childKeyOf(ref)).lookChild(ref);
    if (!answer.ok) throw new Error(answer.error.message);
    if (answer.value.state !== "settled") return answer.value;
    return { state: "settled", ...(await this.#take(ref, answer.value.report, signal)) };
  }

  /** Sends an outbox row to the conversation that it is for. A refusal is its result. */
  async deliver(row: OutboxRow): Promise<DeliveryOutcome> {
    const life = this.#life();
    const message = JSON.parse(row.payload) as ChildMessage;
    const ref = { parent: life.facts.key, task: message.task };
    const peer = this.#host.peer(childKeyOf(ref));
    if (message.op === "end") return outcomeOf(await peer.endChild(ref));
    if (!life.kernel.children.isWanted(message.task)) return { status: "sent" };
    const begun = await this.#begin(peer, {
      ...ref,
      child: message.child,
      ...ownerOf(life, message.child.speaker?.actor),
    });
    if (begun.ok || begun.error.code === "unavailable") return outcomeOf(begun);
    const report: ChildReport = { outcome: "failed", text: begun.error.message, files: [], usage: NO_USAGE };
    life.kernel.children.settle(message.task, report);
    return { status: "sent" };
  }

  /** Tells every owned conversation that it is needed no more: the owner is about to be deleted. */
  async endAll(): Promise<void> {
    const life = this.#host.life();
    if (!life) return;
    const refs = life.kernel.children.all().map((task) => ({ parent: life.facts.key, task }));
    await Promise.allSettled(refs.map((ref) => this.#host.peer(childKeyOf(ref)).endChild(ref)));
  }

  async #begin(peer: ChildRpc, order: ChildOrder): Answer<Record<string, never>> {
    if (order.depth <= MAX_DEPTH) return await peer.beginChild(order);
    const message = `Conversations may own one another ${MAX_DEPTH} deep, and this one would be deeper: do it here.`;
    return err({ code: "bad_request", message });
  }

  async #take(
    ref: ChildRef,
    report: ChildReport,
    signal: AbortSignal,
  ): Promise<{ readonly report: ChildReport; readonly place: (tx: HostTx) => void }> {
    const files = await this.#host.copyFiles(childKeyOf(ref), report.files, signal);
    return { report: { ...report, files }, place: (tx) => registerFiles(tx, files) };
  }

  #life(): OwnerLife {
    const life = this.#host.life();
    if (!life) throw new Error("the owner is not open");
    return life;
  }
}

/** Whose it is: in a shared conversation that of whoever spoke. */
function ownerOf(
  { kernel, chat, facts }: OwnerLife,
  speaker: string | undefined,
): Pick<ChildOrder, "owner" | "depth" | "toolsOff" | "constraints"> {
  const { constraints } = kernel.get(POLICY);
  const { toolsOff } = kernel.get(chat);
  const owner = facts.visibility === "shared" ? (speaker ?? facts.owner) : facts.owner;
  return { owner, depth: (facts.owned?.depth ?? 0) + 1, toolsOff, constraints };
}

function outcomeOf(answer: Awaited<Answer<unknown>>): DeliveryOutcome {
  return answer.ok ? { status: "sent" } : { status: "retry", error: answer.error.message };
}
