import * as z from "zod";
import { defineEntry, defineNamespace, type HostRead, type HostTx } from "../../kernel/index.ts";
import { orderFields } from "../order-fields.ts";
import { PluginError } from "../plugin-error.ts";

/** Target of the outbox rows that carry what a plugin has said in a conversation. */
export const SAY = "say";
/** UTF-16 units of what is said at once. */
export const MAX_SAY_UNITS = 4_000;
/** Sayings of one conversation that are known by their key. */
export const MAX_SAYINGS = 100;

/** Words of a plugin for the people of a conversation. No turn comes of them. */
export interface Saying {
  /** The principal for whom it is said: they have to be let speak there. */
  readonly author: string;
  readonly text: string;
  /** The same key again says nothing more. Unique in its conversation. */
  readonly key: string;
  /** Channel key; absent: the conversation that orders it. */
  readonly conversation?: string;
}

/** What became of a saying. `id`: what the network calls it; absent: people follow the conversation, and it stands there. */
export type SayReceipt =
  | { readonly status: "waiting" }
  | { readonly status: "said"; readonly at: number; readonly id?: string }
  | { readonly status: "given_up" };

/** A saying as it is known by its key, oldest first. */
export type KnownSaying = { readonly key: string; readonly print: string; readonly receipt: SayReceipt };

/** What was said in a conversation by plugins, as far as it is remembered. Nobody sees it. */
export const SAYINGS = defineNamespace<{ readonly known: readonly KnownSaying[] }>({
  name: "sayings",
  sticky: { known: [] },
});

/** What people read, and what models are told of it: each an entry, because models are told at their next safe point. */
export const SAID = defineEntry({ kind: "host.said" });
export const TOLD = defineEntry({ kind: "host.told" });

const saying = z.strictObject({ ...orderFields, text: z.string().trim().min(1).max(MAX_SAY_UNITS) });

/**
 * Has something said in a conversation, ordered in the commit that wants it: it is said once, however often the process dies.
 * @throws PluginError `bad_order` naming what is wrong with it.
 */
export function say(tx: HostTx, wanted: Saying): void {
  const checked = saying.safeParse(wanted);
  if (!checked.success) throw new PluginError("bad_order", `This cannot be said: ${z.prettifyError(checked.error)}`);
  const { conversation = "", key } = checked.data;
  tx.send({ key: `${SAY}:${conversation}:${key}`, target: SAY, payload: checked.data });
}

/** What became of what was said in this very conversation; undefined: nothing is known under this key. */
export function receiptOf(read: Pick<HostRead, "get">, key: string): SayReceipt | undefined {
  return read.get(SAYINGS).known.find((one) => one.key === key)?.receipt;
}

/** With one more at the end; the oldest is forgotten first. */
export function withSaying(known: readonly KnownSaying[], one: KnownSaying): readonly KnownSaying[] {
  return [...known, one].slice(-MAX_SAYINGS);
}

/** Notes what became of one, inside a commit. */
export function noteReceipt(tx: HostTx, key: string, receipt: SayReceipt): void {
  const { known } = tx.get(SAYINGS);
  tx.set(SAYINGS, { known: known.map((one) => (one.key === key ? { ...one, receipt } : one)) });
}
