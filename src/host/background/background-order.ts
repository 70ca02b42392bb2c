import * as z from "zod";
import type { HostTx } from "../../kernel/index.ts";
import { TIERS, type Tier } from "../../people/facts.ts";
import { orderFields } from "../order-fields.ts";
import { PluginError } from "../plugin-error.ts";

/** Target of the outbox rows that carry orders. */
export const BACKGROUND = "background";
/** UTF-16 units of a prompt. */
const MAX_PROMPT_UNITS = 8_000;

/** A turn that nobody waits for. */
export interface BackgroundOrder {
  /** Name of a background target. */
  readonly target: string;
  /** The principal that it runs for. */
  readonly author: string;
  /** It runs at this tier or the author's at that time, whichever is lower. */
  readonly tier: Tier;
  readonly prompt: string;
  /** The same key again starts nothing more. Unique in its conversation. */
  readonly key: string;
  /** Channel key; absent: the conversation that orders it. */
  readonly conversation?: string;
}

const order = z.strictObject({
  ...orderFields,
  target: z.string().min(1).max(64),
  tier: z.enum(TIERS),
  prompt: z.string().trim().min(1).max(MAX_PROMPT_UNITS),
});

/**
 * Orders a background turn in the commit that wants it: it is ordered with the rest of that commit, or not at all, and
 * starts once however often the process dies.
 * @throws PluginError `bad_order` naming what is wrong with it.
 */
export function startBackground(tx: HostTx, wanted: BackgroundOrder): void {
  const checked = order.safeParse(wanted);
  if (!checked.success) {
    throw new PluginError("bad_order", `The background turn cannot be ordered: ${z.prettifyError(checked.error)}`);
  }
  tx.send({
    key: `background:${checked.data.conversation ?? ""}:${checked.data.key}`,
    target: BACKGROUND,
    payload: checked.data,
  });
}
