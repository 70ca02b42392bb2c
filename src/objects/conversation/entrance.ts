import { err, ok, type Result } from "../../lib/result.ts";
import type { Directory } from "../../people/directory.ts";
import type { Caller, OnBehalf, PersonFacts } from "../../people/facts.ts";
import { type Action, mayAct, type Refused, type Verdict } from "../../people/may-act.ts";
import type { ChatRefusal } from "../../surfaces/webchat/chat-port.ts";
import type { Life } from "./life.ts";

/** The one way to a conversation: by `mayAct`, against the directory and the object's own row. */
export class Entrance {
  readonly #directory: Directory;
  readonly #open: () => Life | undefined;

  /** @param open the opened conversation; undefined when the storage holds none. Writes nothing to find out. */
  constructor(directory: Directory, open: () => Life | undefined) {
    this.#directory = directory;
    this.#open = open;
  }

  life(): Life | undefined {
    return this.#open();
  }

  may(caller: Caller, action: Action): Promise<Verdict> {
    return this.#directory.may(caller, action, () => this.#open()?.now());
  }

  /**
   * The conversation that stands here, or the one that is made now, when this caller may create it. One that somebody else
   * made while the directory was asked is judged anew: between the last judgement and the making nothing happens.
   */
  async findOrMake(
    caller: Caller,
    action: "create" | "share",
    make: () => Life,
  ): Promise<Result<{ readonly life: Life; readonly isNew: boolean }, Refused>> {
    for (;;) {
      let judged: Life | undefined;
      const verdict = await this.#directory.may(caller, action, () => {
        judged = this.#open();
        return judged?.now();
      });
      if (!verdict.ok) return verdict;
      if (this.#open() !== judged) continue;
      return ok(judged ? { life: judged, isNew: false } : { life: make(), isNew: true });
    }
  }

  /** As {@link Entrance.enter}, at this very instant, by facts that the directory gave before. @param now ms */
  enterAt(person: PersonFacts | undefined, action: Action, now: number): Result<Life, ChatRefusal> {
    const life = this.#open();
    const verdict = mayAct(person, action, life?.now(), now);
    if (!verdict.ok) return err(asHeard(verdict.error));
    return life ? ok(life) : err(GONE);
  }

  /** As {@link Entrance.enter}, for another object that asks for its owner. */
  async enterOnBehalf(caller: OnBehalf, action: Action): Promise<Result<Life, Refused>> {
    const verdict = await this.#directory.mayOnBehalf(caller, action, () => this.#open()?.now());
    if (!verdict.ok) return verdict;
    const life = this.#open();
    return life ? ok(life) : err({ code: "not_found", message: "There is no such conversation." });
  }

  /**
   * The conversation, when this caller may do this with it.
   * @param speakerOf who spoke what this is about, asked at the moment of judging. Null: there is nothing of the kind.
   */
  async enter(
    caller: Caller,
    action: Action,
    speakerOf?: (life: Life) => string | null,
  ): Promise<Result<Life, ChatRefusal>> {
    const verdict = await this.#directory.may(caller, action, () => {
      const life = this.#open();
      return life && { ...life.now(), ...(speakerOf && { ofPrincipal: speakerOf(life) }) };
    });
    if (!verdict.ok) return err(asHeard(verdict.error));
    const life = this.#open();
    return life ? ok(life) : err(GONE);
  }
}

const GONE: ChatRefusal = { code: "not_found", message: "There is no such conversation.", barred: true };

function asHeard({ code, message, mayStay }: Refused): ChatRefusal {
  return mayStay || code === "unavailable" ? { code, message } : { code, message, barred: true };
}
