import { requestMirror } from "../../host/index.ts";
import { KernelError, type PinRefusal } from "../../kernel/index.ts";
import { err, ok } from "../../lib/result.ts";
import type { Caller } from "../../people/facts.ts";
import type { PinBody } from "../../protocol/rest.ts";
import type { ViewEntry } from "../../protocol/view.ts";
import type { Entrance } from "../conversation/entrance.ts";
import { REWIND_REFUSALS } from "../conversation/rewind-refusals.ts";
import type { Answer, ConversationRpc, Refusal } from "../rpc.ts";

/** The calls that change what stands, or read what does not stand any more. */
export type HistoryRpc = Pick<ConversationRpc, "reset" | "rewind" | "pin" | "left" | "compact" | "stopTask">;

const NOTHING: Readonly<Record<string, never>> = {};

/** The transcript over time, whoever asks: checks the caller as every desk does, then does what was asked. */
export class HistoryDesk implements HistoryRpc {
  readonly #entrance: Entrance;

  constructor(entrance: Entrance) {
    this.#entrance = entrance;
  }

  async reset(caller: Caller): Answer<{ readonly status: "placed" | "queued" }> {
    const entered = await this.#entrance.enter(caller, "rewrite");
    if (!entered.ok) return entered;
    const { kernel } = entered.value;
    const status = kernel.history.reset(caller.principalId);
    kernel.commit(requestMirror);
    return ok({ status });
  }

  async rewind(caller: Caller, to: number): Answer<Record<string, never>> {
    const entered = await this.#entrance.enter(caller, "rewrite");
    if (!entered.ok) return entered;
    const { kernel } = entered.value;
    const rewound = kernel.history.rewind(to, caller.principalId);
    if (!rewound.ok) return err(REWIND_REFUSALS[rewound.error]);
    kernel.commit(requestMirror);
    return ok(NOTHING);
  }

  async pin(caller: Caller, { entry, on }: PinBody): Answer<Record<string, never>> {
    const entered = await this.#entrance.enter(caller, "rewrite");
    if (!entered.ok) return entered;
    const pinned = entered.value.kernel.history.pin(entry, on);
    return pinned.ok ? ok(NOTHING) : err(PIN_REFUSALS[pinned.error]);
  }

  async left(caller: Caller, rewind: number): Answer<{ readonly entries: readonly ViewEntry[] }> {
    const entered = await this.#entrance.enter(caller, "inspect");
    if (!entered.ok) return entered;
    const entries = entered.value.kernel.history.left(rewind);
    return entries ? ok({ entries }) : err({ code: "not_found", message: `Entry ${rewind} did not go back.` });
  }

  async compact(caller: Caller): Answer<{ readonly started: true }> {
    const entered = await this.#entrance.enter(caller, "rewrite");
    if (!entered.ok) return entered;
    const outcome = entered.value.kernel.compact();
    return outcome === "started" ? ok({ started: true }) : err(COMPACT_REFUSALS[outcome]);
  }

  async stopTask(caller: Caller, task: number): Answer<{ readonly stopped: boolean }> {
    const entered = await this.#entrance.enter(caller, "rewrite");
    if (!entered.ok) return entered;
    try {
      return ok({ stopped: entered.value.kernel.commit((tx) => tx.abort(task)) });
    } catch (error) {
      if (!(error instanceof KernelError) || error.code !== "forbidden") throw error;
      return err({ code: "bad_request", message: error.message });
    }
  }
}

const COMPACT_REFUSALS: Readonly<Record<"nothing" | "busy", Refusal>> = {
  nothing: { code: "nothing_to_do", message: "There is nothing older here that a summary would make shorter." },
  busy: { code: "busy", message: "Older messages are being summarised already." },
};

const PIN_REFUSALS: Readonly<Record<PinRefusal, Refusal>> = {
  no_such_entry: {
    code: "not_found",
    message: "There is no such message in this conversation as it stands.",
  },
  too_many_pins: {
    code: "too_large",
    message: "20 messages are pinned already, the limit: take a pin away first.",
  },
  pins_too_large: {
    code: "too_large",
    message: "Pinned messages may have 32 KB together, and this one is too much: take a pin away first.",
  },
};
