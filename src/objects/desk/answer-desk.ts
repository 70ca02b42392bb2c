import { err } from "../../lib/result.ts";
import type { Directory } from "../../people/directory.ts";
import type { Caller } from "../../people/facts.ts";
import { speakerOf } from "../../people/speaker.ts";
import type { AnswerBody } from "../../protocol/frames.ts";
import type { Entrance } from "../conversation/entrance.ts";
import type { Answer, ConversationRpc } from "../rpc.ts";

/** Answers to what a plugin asked. Checks the caller as every desk does; who may answer is ruled beside the question. */
export class AnswerDesk implements Pick<ConversationRpc, "answer"> {
  readonly #entrance: Entrance;
  readonly #directory: Directory;

  constructor(entrance: Entrance, directory: Directory) {
    this.#entrance = entrance;
    this.#directory = directory;
  }

  async answer(caller: Caller, body: AnswerBody): Answer<Record<string, never>> {
    const entered = await this.#entrance.enter(caller, "decide");
    if (!entered.ok) return entered;
    const person = await this.#directory.read(caller);
    if (!person.ok) return person;
    if (!person.value) return err({ code: "unauthenticated", message: "Sign in to go on." });
    const answered = entered.value.answer({ ...body, by: speakerOf(person.value) });
    return answered.ok ? answered : err({ ...answered.error, ref: body.prompt });
  }
}
