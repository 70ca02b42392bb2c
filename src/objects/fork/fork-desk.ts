import { POLICY } from "../../holds/index.ts";
import { requestMirror } from "../../host/index.ts";
import type { ForkPageRequest } from "../../kernel/index.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { Caller, ConversationFacts, OnBehalf, Origin } from "../../people/facts.ts";
import { forkTitle } from "../../surfaces/webchat/title.ts";
import type { Entrance } from "../conversation/entrance.ts";
import type { Life } from "../conversation/life.ts";
import type { Answer, ObjectRpc, Refusal } from "../rpc.ts";
import type { ForkPageAnswer, ForkRpc } from "./fork-rpc.ts";

/** What the desk needs from the object around it. */
interface ForkDeskHost {
  readonly entrance: Entrance;
  /** Creates the conversation with these facts, unless there is one. */
  create(facts: ConversationFacts): Life;
  /** Another conversation's object. */
  peer(key: string): ObjectRpc;
}

/** What is asked of a conversation about forks: of the one that is made, and of the one that it comes from. */
export class ForkDesk implements ForkRpc {
  readonly #host: ForkDeskHost;

  constructor(host: ForkDeskHost) {
    this.#host = host;
  }

  async fork(caller: Caller, key: string, origin: Origin): Answer<{ readonly created: boolean }> {
    const { principalId } = caller;
    const verdict = await this.#host.entrance.may(caller, "create");
    if (!verdict.ok) return verdict;
    const standing = this.#host.entrance.life();
    if (standing) return found(standing, origin);
    const forkable = await this.#host.peer(origin.key).forkable({ principalId }, origin.at);
    if (!forkable.ok) return forkable;
    // Asked for twice at once, whoever comes second finds it made, or somebody else's.
    const made = await this.#host.entrance.findOrMake(caller, "create", () => {
      const life = this.#host.create({ key, visibility: "private", owner: principalId, origin });
      life.kernel.commit(requestMirror);
      return life;
    });
    if (!made.ok) return made;
    return made.value.isNew ? ok({ created: true }) : found(made.value.life, origin);
  }

  async forkable(caller: OnBehalf, at: number): Answer<Record<string, never>> {
    const desk = await this.#host.entrance.enterOnBehalf(caller, "fork");
    if (!desk.ok) return desk;
    // Nothing lies behind the entry itself: this looks, and reads nothing.
    const page = desk.value.kernel.history.forkPage({ at, after: at });
    return page.ok ? ok({}) : err(refusalOf(page.error, at));
  }

  async forkPage(caller: OnBehalf, request: ForkPageRequest): Answer<ForkPageAnswer> {
    const desk = await this.#host.entrance.enterOnBehalf(caller, "fork");
    if (!desk.ok) return desk;
    const { kernel, chat } = desk.value;
    const page = kernel.history.forkPage(request);
    if (!page.ok) return err(refusalOf(page.error, request.at));
    if (request.after > 0) return ok({ page: page.value });
    const settings = kernel.get(chat);
    const { constraints } = kernel.get(POLICY);
    return ok({ page: page.value, chat: { ...settings, title: forkTitle(settings.title) }, constraints });
  }
}

function found({ facts }: Life, { key, at }: Origin): Result<{ readonly created: boolean }, Refusal> {
  if (facts.origin?.key === key && facts.origin.at === at) return ok({ created: false });
  return err({ code: "conflict", message: "This id stands for another conversation already: fork under a new one." });
}

function refusalOf(why: "busy" | "missing", at: number): Refusal {
  return why === "missing"
    ? { code: "not_found", message: `There is no entry ${at}.` }
    : { code: "busy", message: "This conversation is being copied itself: fork it when that is done." };
}
