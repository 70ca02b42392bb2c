import type { Failure } from "../failure.ts";
import { failureOfStatus, refineRefusal } from "../http-failure.ts";
import { asObject, asText } from "../wire-json.ts";

/** The binding throws plain errors that begin with an internal code. Some of those mean a status that says more. */
const STATUS_OF: { readonly [code: string]: number } = {
  "3003": 400,
  "3006": 413,
  "3007": 408,
  "3008": 408,
  "3023": 403,
  "3036": 402,
  "3039": 400,
  "3040": 503,
  "3041": 403,
  "3042": 404,
  "5004": 400,
  "5007": 404,
  "5016": 403,
  "5018": 403,
  "5021": 413,
};

const CODE = /\b(\d{4})\s*:/g;

/** What `env.AI.run` threw. 3036: the account's daily allocation is used up. */
export function classifyWorkersAi(thrown: unknown): Failure {
  const says = asText(thrown) || asText(asObject(thrown).message);
  const { code } = asObject(thrown);
  const given = typeof code === "number" ? String(code) : asText(code);
  const codes = [given, ...[...says.matchAll(CODE)].map(([, written = ""]) => written)];
  const status = codes.map((known) => STATUS_OF[known]).find((known) => known !== undefined);
  const { status: _notHttp, ...failure } = failureOfStatus({ status: status ?? statusBySaying(says), code: "", says });
  if (failure.kind !== "auth") return failure;
  return { ...failure, remedy: "Check at the vendor that this account may use the model, and its terms are accepted." };
}

/** Without a known code: a refusal that we can read, else a fault of the service. */
function statusBySaying(says: string): number {
  if (refineRefusal(says).kind !== "invalid_request") return 400;
  return /capacity|overload/i.test(says) ? 503 : 500;
}
