import {
  type Host,
  noteReceipt,
  receiptOf,
  SAID,
  SAYINGS,
  type Saying,
  type SayReceipt,
  TOLD,
  withSaying,
} from "../../host/index.ts";
import type { DeliveryOutcome, HostTx, OutboxRow } from "../../kernel/index.ts";
import { err, ok } from "../../lib/result.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import type { Verdict } from "../../people/may-act.ts";
import type { Answer } from "../answer.ts";
import type { Life } from "../conversation/life.ts";
import { messageSurfaceOf } from "../surface/network-side.ts";
import { promiseSaying } from "../surface/surface-lane.ts";

/** What objects ask each other about sayings. Nobody else reaches this. */
export interface SayRpc {
  /** Has something said in this conversation, if its author may speak here now. The same order again says nothing more. */
  sayHere(order: Saying): Answer<Record<string, never>>;
  /** Null: nothing is known under this key. */
  sayReceipt(key: string): Answer<{ readonly receipt: SayReceipt | null }>;
}

interface SayHost {
  life(): Pick<Life, "kernel" | "facts"> | undefined;
  peer(key: string): Pick<SayRpc, "sayHere">;
  /** Whether a principal may have something said here, by the directory now. */
  maySpeakFor(principalId: string): Promise<Verdict>;
  readonly host: Pick<Host, "surfaceOf">;
}

/** What plugins say to the people of a conversation: ordered here or elsewhere, said here. */
export class SayDesk implements SayRpc {
  readonly #host: SayHost;

  constructor(host: SayHost) {
    this.#host = host;
  }

  async sayHere(order: Saying): Answer<Record<string, never>> {
    if (!this.#host.life()) return err(GONE);
    const verdict = await this.#host.maySpeakFor(order.author);
    if (!verdict.ok) return err(verdict.error);
    const life = this.#host.life();
    if (!life) return err(GONE);
    const isSent = messageSurfaceOf(this.#host.host, life.facts.key) !== undefined;
    if (life.kernel.commit((tx) => takeSaying(tx, order, isSent))) return ok({});
    return err({ code: "conflict", message: `The key ${order.key} stands for other words already.` });
  }

  async sayReceipt(key: string): Answer<{ readonly receipt: SayReceipt | null }> {
    const life = this.#host.life();
    return life ? ok({ receipt: receiptOf(life.kernel, key) ?? null }) : err(GONE);
  }

  /** Takes an order to the conversation that it is for. */
  async deliver(row: OutboxRow): Promise<DeliveryOutcome> {
    const order = JSON.parse(row.payload) as Saying;
    const here = this.#host.life()?.facts.key;
    const { conversation = here } = order;
    const desk = conversation === undefined || conversation === here ? this : this.#host.peer(conversation);
    const answer = await desk.sayHere(order);
    if (answer.ok) return { status: "sent" };
    const { code, message } = answer.error;
    return { status: code === "unavailable" ? "retry" : "drop", error: message };
  }
}

const GONE = { code: "not_found", message: "There is no such conversation." } as const;

/** False: its key stands for other words. @throws while the conversation is being copied: then it comes again. */
export function takeSaying(tx: HostTx, { key, author, text }: Saying, isSent: boolean): boolean {
  const { known } = tx.get(SAYINGS);
  const print = sha256Hex(JSON.stringify([author, text]));
  const before = known.find((one) => one.key === key);
  if (before) return before.print === print;
  const entry = tx.write(SAID, { data: { text, by: author } });
  if (entry === null) throw new Error("the conversation is being copied");
  const told = `[System] People here were told this, not by you: ${JSON.stringify(text)}`;
  tx.write(TOLD, { text: told, data: { by: author } });
  tx.set(SAYINGS, { known: withSaying(known, { key, print, receipt: { status: "waiting" } }) });
  if (isSent) promiseSaying(tx, key, entry);
  else noteReceipt(tx, key, { status: "said", at: tx.now });
  return true;
}
