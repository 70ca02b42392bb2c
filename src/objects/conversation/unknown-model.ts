import { nearest } from "../../lib/nearest.ts";
import type { ModelChoice } from "../../protocol/rest.ts";
import type { Refusal } from "../rpc.ts";

/** Why a model cannot be chosen here, with the nearest that can; undefined: it can. */
export function refuseModel(model: string, choices: readonly ModelChoice[]): Refusal | undefined {
  const ids = choices.map((choice) => choice.id);
  if (ids.includes(model)) return undefined;
  const close = nearest(model, ids);
  const hint = close ? `did you mean ${close}?` : `choose one of ${ids.join(", ")}.`;
  return { code: "bad_request", message: `There is no model ${JSON.stringify(model)}: ${hint}` };
}
