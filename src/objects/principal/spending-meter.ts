import type { Debt, MeterPort, Reservation, TokenEstimate } from "../../kernel/index.ts";
import { ok, type Result } from "../../lib/result.ts";
import type { Tier } from "../../people/facts.ts";
import type { Price } from "../../protocol/spending.ts";
import type { PrincipalRpc } from "./principal-rpc.ts";

/** What a conversation's meter is made of. */
export interface MeterParts {
  /** Channel key. */
  readonly conversation: string;
  /** Turns of a conversation that another one owns are that one's work: they are not counted. */
  readonly countsTurns: boolean;
  readonly limits: (model: string) => { readonly maxOutputTokens: number; readonly price?: Price } | undefined;
  /** The tier of a speaker, as the directory knows it now or some seconds ago; undefined: they may not act. */
  readonly tierOf: (actor: string, meta: Reservation["meta"]) => Promise<Tier | undefined>;
  readonly principal: (id: string) => Pick<PrincipalRpc, "reserve" | "settle">;
}

/** The meter of a conversation: each speaker's own object is asked and told. */
export function spendingMeter({ conversation, countsTurns, limits, tierOf, principal }: MeterParts): MeterPort {
  const named = (key: string) => `${conversation}#${key}`;
  const debtsOf = (debts: readonly Debt[]) => debts.map(({ key, micros }) => ({ key: named(key), micros }));
  return {
    isFree: (model) => priciest(limits(model)?.price).input === 0 && priciest(limits(model)?.price).output === 0,
    price: (model, tokens) => costOf(limits(model)?.price, tokens),
    async reserve({ key, actor, meta, model, input, maxOutputTokens, begins }, debts): Promise<Result<void, string>> {
      const { maxOutputTokens: most = 0, price } = limits(model) ?? {};
      const micros = costOf(price, { input, output: Math.min(maxOutputTokens ?? most, most) });
      const turn = begins !== undefined && countsTurns ? named(begins) : null;
      if (micros === 0 && turn === null && debts.length === 0) return ok(undefined);
      const ask = micros === 0 ? null : { key: named(key), micros, tier: (await tierOf(actor, meta)) ?? "guest" };
      const answer = await principal(actor).reserve({ ask, begins: turn, debts: debtsOf(debts) });
      return answer.ok ? ok(undefined) : answer;
    },
    async settle(actor, debts) {
      await principal(actor).settle(debtsOf(debts));
    },
  };
}

/** The most that tokens may cost, in millionths of a US dollar: a cached token may cost more than another. */
function costOf(price: Price | undefined, { input, output }: TokenEstimate): number {
  const most = priciest(price);
  return Math.ceil(input * most.input + output * most.output);
}

function priciest(price: Price | undefined): TokenEstimate {
  if (!price) return { input: 0, output: 0 };
  return { input: Math.max(price.input, price.cachedRead ?? 0, price.cachedWrite ?? 0), output: price.output };
}
