import { AccessTokens } from "../../auth/access-token.ts";
import { readPersonByToken } from "../../auth/token-session.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { UNAVAILABLE } from "../../people/directory.ts";
import type { Caller } from "../../people/facts.ts";
import { mayEnter } from "../../people/may-act.ts";
import type { Database } from "../../store/database.ts";
import { isStoreFailure } from "../../store/failure.ts";
import type { ChatRefusal, Renewed } from "../../surfaces/webchat/chat-port.ts";
import { systemClock } from "../platform.ts";
import type { ConversationOptions } from "./conversation-options.ts";

/** Puts a newer access token in the place of what somebody connected with. */
export type Renewal = (caller: Caller, token: string) => Promise<Result<Renewed, ChatRefusal>>;

const SOMEBODY_ELSE: ChatRefusal = {
  code: "forbidden",
  message: "This access token is another person's. Connect anew with it.",
  barred: true,
};

/** As the Worker proves tokens, under the same configuration. */
export function renewalBy({ config, fetch: standIn }: ConversationOptions, db: Database): Renewal {
  const tokens = new AccessTokens(config, (input, init) => (standIn ?? fetch)(input, init), systemClock);
  return async (caller, token) => {
    const now = systemClock.now();
    try {
      const found = await readPersonByToken({ db, now, tokens }, token);
      if (!found.ok) return err(refusalOf(found.error));
      const { caller: by, facts } = found.value;
      if (by.principalId !== caller.principalId) return err(SOMEBODY_ELSE);
      const verdict = mayEnter(facts, now);
      if (!verdict.ok) return err({ ...verdict.error, barred: true });
      return ok({ ...by, expiresAt: facts.sessionExpiresAt ?? now });
    } catch (error) {
      if (!isStoreFailure(error)) throw error;
      return err(UNAVAILABLE);
    }
  };
}

/** A token that is nobody's any more ends the connection; one that cannot be looked at now does not. */
function refusalOf({ code, message }: ChatRefusal): ChatRefusal {
  const isPassing = code === "unavailable" || code === "rate_limited";
  return { code, message, ...(!isPassing && { barred: true }) };
}
