import type { ClockPort, MeterPort, ModelPort } from "../../kernel/index.ts";
import { err, ok } from "../../lib/result.ts";
import type { Caller } from "../../people/facts.ts";
import type { ModelChoice, ReplayAnswer, SentRequest } from "../../protocol/rest.ts";
import type { Entrance } from "../conversation/entrance.ts";
import { replayRequest } from "../conversation/replay-request.ts";
import { REPLAYS, withReplay } from "../conversation/replays.ts";
import { refuseModel } from "../conversation/unknown-model.ts";
import { withoutNative } from "../conversation/without-native.ts";
import { payForReplay } from "../principal/paid-replay.ts";
import type { Answer, ConversationRpc, Refusal } from "../rpc.ts";

/** The calls that look into what was sent to models. */
export type InspectRpc = Pick<ConversationRpc, "sentRequest" | "replay">;

interface InspectHost {
  readonly entrance: Entrance;
  readonly model: ModelPort;
  readonly models: readonly ModelChoice[];
  readonly clock: ClockPort;
  /** Whoever sends a request again pays for it. */
  readonly meter: () => MeterPort;
}

/** What was sent for an answer, and what another model would say to it. */
export class InspectDesk implements InspectRpc {
  readonly #host: InspectHost;
  #isReplaying = false;

  constructor(host: InspectHost) {
    this.#host = host;
  }

  async sentRequest(caller: Caller, entry: number): Answer<SentRequest> {
    const entered = await this.#host.entrance.enter(caller, "inspect");
    if (!entered.ok) return entered;
    const sent = entered.value.kernel.history.sentRequest(entry);
    if (!sent) return err(nothingSent(entry));
    const { model, thinking, system, volatile, tools, messages } = sent.request;
    return ok({ model, thinking, system, volatile, tools, messages: messages.map(withoutNative), cutoff: sent.cutoff });
  }

  async replay(caller: Caller, entry: number, model: string): Answer<ReplayAnswer> {
    const { entrance, models, clock, model: port, meter } = this.#host;
    const entered = await entrance.enter(caller, "inspect");
    if (!entered.ok) return entered;
    const { kernel } = entered.value;
    const refused = refuseModel(model, models);
    if (refused) return err(refused);
    const sent = kernel.history.sentRequest(entry);
    if (!sent) return err(nothingSent(entry));
    if (this.#isReplaying) return err(STILL_ONE);
    const times = withReplay(kernel.get(REPLAYS).at, clock.now());
    if (!times.ok) return err({ code: "rate_limited", ...times.error });
    this.#isReplaying = true;
    try {
      const request = { ...sent.request, model };
      const answer = await payForReplay(meter(), caller, request, () => {
        // Before it is sent: it counts also when the process dies over it.
        kernel.commit((tx) => tx.set(REPLAYS, { at: times.value }));
        return replayRequest(port, clock, request);
      });
      // A model takes its time: whoever may not look any more is told nothing of it.
      const still = await entrance.enter(caller, "inspect");
      return still.ok ? answer : still;
    } finally {
      this.#isReplaying = false;
    }
  }
}

const STILL_ONE: Refusal = {
  code: "rate_limited",
  message: "Another request is being sent again in this conversation: wait for its answer.",
};

function nothingSent(entry: number): Refusal {
  return { code: "not_found", message: `Nothing is known to have been sent for entry ${entry}.` };
}
