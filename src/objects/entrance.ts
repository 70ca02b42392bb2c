import { err, ok, type Result } from "../lib/result.ts";
import type { Directory } from "../people/directory.ts";
import type { Caller, OnBehalf } from "../people/facts.ts";
import type { Action, Refused, Verdict } from "../people/may-act.ts";
import type { ChatRefusal } from "../surfaces/webchat/chat-port.ts";
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
    if (!verdict.ok) {
      const { code, message, mayStay = code === "unavailable" } = verdict.error;
      return err({ code, message, ...(!mayStay && { barred: true }) });
    }
    const life = this.#open();
    return life ? ok(life) : err({ code: "not_found", message: "There is no such conversation.", barred: true });
  }
}
