import { BACKGROUND, type BackgroundOrder, backgroundMeta } from "../../host/index.ts";
import type { AdmissionReceipt, DeliveryOutcome, HostTx, Kernel, OutboxRow } from "../../kernel/index.ts";
import { err, ok } from "../../lib/result.ts";
import type { Answer } from "../answer.ts";
import type { Life } from "../conversation/life.ts";

/** Background turns that may wait in one conversation. */
export const MAX_WAITING_BACKGROUND = 20;

const PREFIX = `system:${BACKGROUND}:`;

/** The request key under which the turn of an order is admitted. */
export const backgroundKey = (order: string) => PREFIX + order;

const LABEL = "[System] This turn was ordered in advance, and nobody waits for it now. What to do:";

/** What became of an ordered turn, as far as it is known. */
export type BackgroundState = "unknown" | "waiting" | "running" | "ran" | "skipped" | "failed";

/** What objects ask each other about background turns. Nobody else reaches this. */
export interface BackgroundRpc {
  /** Has the turn run in this conversation. The same order again gives the same receipt. */
  startBackground(order: BackgroundOrder): Answer<AdmissionReceipt>;
  backgroundState(key: string): Answer<{ readonly state: BackgroundState }>;
}

type BackgroundLife = Pick<Life, "kernel" | "facts">;

interface BackgroundHost {
  life(): BackgroundLife | undefined;
  peer(key: string): BackgroundRpc;
}

/** Turns that nobody waits for: ordered here or elsewhere, run here. Who may is decided when their place has come. */
export class BackgroundDesk implements BackgroundRpc {
  readonly #host: BackgroundHost;

  constructor(host: BackgroundHost) {
    this.#host = host;
  }

  async startBackground(order: BackgroundOrder): Answer<AdmissionReceipt> {
    const life = this.#host.life();
    return life ? admitBackground(life.kernel, order) : err(GONE);
  }

  async backgroundState(key: string): Answer<{ readonly state: BackgroundState }> {
    const life = this.#host.life();
    return life ? ok({ state: stateOf(life.kernel, key) }) : err(GONE);
  }

  /** Takes an order to the conversation that it is for. */
  async deliver(row: OutboxRow): Promise<DeliveryOutcome> {
    const order = JSON.parse(row.payload) as BackgroundOrder;
    const { conversation = this.#host.life()?.facts.key } = order;
    const isHere = conversation === this.#host.life()?.facts.key;
    const desk = isHere || conversation === undefined ? this : this.#host.peer(conversation);
    const answer = await desk.startBackground(order);
    if (answer.ok) return { status: "sent" };
    const isFinal = answer.error.code === "not_found" || answer.error.code === "conflict";
    return { status: isFinal ? "drop" : "retry", error: answer.error.message };
  }
}

const GONE = { code: "not_found", message: "There is no such conversation." } as const;

/** A message with files does not run in the background: its prompt could not carry them. */
export const NO_BACKGROUND_FILES = {
  code: "bad_request",
  message: "Messages here run in the background, which takes no files: send it without.",
} as const;

/** Admits the turn of an order: at the end of the line, alone. `also`: in that commit, before a new one. */
export function admitBackground(
  kernel: Kernel,
  order: BackgroundOrder,
  also?: (tx: HostTx) => void,
): Awaited<Answer<AdmissionReceipt>> {
  const key = backgroundKey(order.key);
  const waiting = kernel.control.inbox.filter((item) => item.key.startsWith(PREFIX)).length;
  if (waiting >= MAX_WAITING_BACKGROUND && !kernel.input(key)) {
    const message = `${MAX_WAITING_BACKGROUND} background turns wait in this conversation already, the limit.`;
    return err({ code: "rate_limited", message });
  }
  const receipt = kernel.submit(
    {
      key,
      actor: order.author,
      meta: backgroundMeta(order),
      content: [{ type: "text", text: `${LABEL}\n\n${order.prompt}` }],
      mode: "alone",
    },
    also,
  );
  if (receipt.ok) return receipt;
  return err({ code: "conflict", message: `The key ${order.key} stands for another background turn already.` });
}

function stateOf(kernel: Kernel, key: string): BackgroundState {
  const state = kernel.input(backgroundKey(key))?.state;
  switch (state?.status) {
    case undefined:
      return "unknown";
    case "queued":
      return "waiting";
    case "placed":
      return "running";
    case "done":
      return "ran";
    case "unanswered":
      return state.reason === "skipped" ? "skipped" : "failed";
  }
}
