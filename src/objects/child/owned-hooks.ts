import type { ChildProgress, Hooks, HostTx } from "../../kernel/index.ts";
import { cutText } from "../../lib/cut.ts";

/** Target of the outbox rows to the owner. A row without payload says that a turn ended. */
export const OWNER_TARGET = "owner";

const MAX_DOING_UNITS = 200;
/** Steps that follow one another this closely are told together. */
const COALESCE_MS = 1_000;

/** What makes an owned conversation tell its owner. @param commit of this very conversation. */
export function ownedHooks(commit: (build: (tx: HostTx) => void) => void): Hooks {
  const tellEnd = (tx: HostTx) => tx.send({ key: "owner:result", target: OWNER_TARGET, payload: null });
  return {
    turnEnded: tellEnd,
    // What it had to tell is not sent any more; an owner that does not wait for it lets it go.
    restored: tellEnd,
    async afterResponse(response, { step }) {
      if (!("message" in response)) return;
      const calls = response.message.content.flatMap((part) => (part.type === "call" ? [part.name] : []));
      if (calls.length === 0) return;
      const payload: ChildProgress = { step, doing: cutText(calls.join(", "), MAX_DOING_UNITS) };
      commit((tx) => tx.send({ key: "owner:progress", target: OWNER_TARGET, payload, afterMs: COALESCE_MS }));
    },
  };
}
