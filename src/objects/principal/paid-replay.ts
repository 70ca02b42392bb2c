import type { MeterPort, ModelRequest } from "../../kernel/index.ts";
import { utf8Bytes } from "../../lib/bytes.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { Caller } from "../../people/facts.ts";
import type { ReplayAnswer } from "../../protocol/rest.ts";
import type { Refusal } from "../answer.ts";
import { reportFor } from "../log.ts";
import { systemRandom } from "../platform.ts";

/** A token has at least as many bytes, nearly always: so this estimates high. */
const BYTES_PER_TOKEN = 3;

const UNCHECKED: Refusal = {
  code: "unavailable",
  message: "The server cannot check what you may spend now; try again.",
};

/** Sends a request again when the caller may pay for it, and tells what it came to. */
export async function payForReplay(
  meter: MeterPort,
  caller: Caller,
  request: ModelRequest,
  send: () => Promise<ReplayAnswer>,
): Promise<Result<ReplayAnswer, Refusal>> {
  const { model } = request;
  const { report } = reportFor("replay");
  if (meter.isFree(model)) return ok(await send());
  const { principalId: actor, identity } = caller;
  const key = `replay/${systemRandom.ulid()}`;
  const input = Math.ceil(utf8Bytes(JSON.stringify(request)) / BYTES_PER_TOKEN);
  try {
    const granted = await meter.reserve({ key, actor, meta: { identity }, model, input }, []);
    if (!granted.ok) return err({ code: "rate_limited", message: granted.error });
  } catch (error) {
    report("meter.failed", { error: String(error) });
    return err(UNCHECKED);
  }
  const answer = await send();
  const micros = answer.ok ? answer.usage.costMicros : meter.price(model, { input, output: 0 });
  try {
    await meter.settle(actor, [{ key, actor, micros }]);
  } catch (error) {
    // What was set aside counts in full then.
    report("meter.settle_failed", { error: String(error) });
  }
  return ok(answer);
}
