import type { Json } from "../../lib/json.ts";
import type { Result } from "../../lib/result.ts";

/** Tokens as estimated, where no vendor counted them. */
export interface TokenEstimate {
  readonly input: number;
  readonly output: number;
}

/** What is asked before a request leaves. */
export interface Reservation {
  /** Names one attempt of one request; unique in its conversation, for ever. */
  readonly key: string;
  /** Whose money it is. */
  readonly actor: string;
  readonly meta: Json;
  readonly model: string;
  /** Tokens of the request, estimated high. */
  readonly input: number;
  /** Limit of output tokens; absent: the model's. */
  readonly maxOutputTokens?: number;
  /** Key of the turn that begins with this request; a {@link Debt} under the same key tells its end. */
  readonly begins?: string;
}

/** What came of something that was reserved, in millionths of a US dollar. */
export type Debt = {
  readonly key: string;
  readonly actor: string;
  readonly micros: number;
};

/** Whoever knows what people may spend. Everything may be told again under the same key: it counts once. */
export interface MeterPort {
  /** True when requests to a model cost nothing: then nothing is reserved for them. */
  isFree(model: string): boolean;
  /** What so many tokens cost, in millionths of a US dollar. */
  price(model: string, tokens: TokenEstimate): number;
  /**
   * Sets the most that a request may cost aside. Brings along what earlier ones of the same actor came to.
   * @returns a refusal as a sentence for the person. @throws when it cannot be asked now.
   */
  reserve(ask: Reservation, debts: readonly Debt[]): Promise<Result<void, string>>;
  /** @throws when it cannot be told now; then it is told again. */
  settle(actor: string, debts: readonly Debt[]): Promise<void>;
}
