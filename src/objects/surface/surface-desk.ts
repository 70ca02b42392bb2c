import type { AdmissionReceipt } from "../../kernel/index.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { UNAVAILABLE } from "../../people/directory.ts";
import type { PersonFacts } from "../../people/facts.ts";
import { type Action, mayAct } from "../../people/may-act.ts";
import { speakerOf } from "../../people/speaker.ts";
import { isStoreFailure } from "../../store/failure.ts";
import type { Answer, Refusal } from "../answer.ts";
import type { Life } from "../conversation/life.ts";
import { Hearing, type HearingHost } from "./hearing.ts";
import { messageSurfaceOf } from "./network-side.ts";
import type { Contact, SurfaceMessage, SurfaceRpc } from "./surface-rpc.ts";

/** What people do on a network that is sent messages: each by `mayAct`, with facts of this moment. */
export class SurfaceDesk implements SurfaceRpc {
  readonly #host: HearingHost;
  readonly #hearing: Hearing;

  constructor(host: HearingHost) {
    this.#host = host;
    this.#hearing = new Hearing(host);
  }

  hear(message: SurfaceMessage): Answer<AdmissionReceipt> {
    return this.#hearing.hear(message);
  }

  async press(
    contact: Contact,
    { hold, digest, decision, note }: Parameters<SurfaceRpc["press"]>[1],
  ): Answer<Record<string, never>> {
    const entered = await this.#enter(contact, "decide");
    if (!entered.ok) return entered;
    const { life, person } = entered.value;
    try {
      const said = note === undefined ? {} : { note };
      return await life.holds.press({ hold, digest, decision, presser: person, ...said });
    } catch (error) {
      if (!isStoreFailure(error)) throw error;
      return err(UNAVAILABLE);
    }
  }

  async reply(
    contact: Contact,
    { prompt, answers }: Parameters<SurfaceRpc["reply"]>[1],
  ): Answer<Record<string, never>> {
    const entered = await this.#enter(contact, "decide");
    if (!entered.ok) return entered;
    const { life, person } = entered.value;
    return life.answer({ prompt, answers: [...answers], by: speakerOf(person) });
  }

  async halt(contact: Contact): Answer<{ readonly stopped: boolean }> {
    let judged: number | undefined;
    const entered = await this.#enter(contact, "stop", ({ kernel }) => {
      judged = kernel.control.turn?.task;
      return kernel.control.turn?.actor ?? null;
    });
    if (!entered.ok) return entered;
    const { kernel } = entered.value.life;
    return ok({ stopped: kernel.control.turn?.task === judged && kernel.stop() });
  }

  async #enter(
    { identity }: Contact,
    action: Action,
    speakerOf?: (life: Life) => string | null,
  ): Promise<Result<{ readonly life: Life; readonly person: PersonFacts }, Refusal>> {
    if (!messageSurfaceOf(this.#host.host, this.#host.channel)) return err(GONE);
    const found = await this.#host.directory.readContact(identity);
    if (!found.ok) return found;
    const verdict = this.#may(found.value, action, speakerOf);
    if (!verdict.ok) return err(verdict.error);
    const life = this.#host.life();
    return life && found.value ? ok({ life, person: found.value }) : err(GONE);
  }

  #may(person: PersonFacts | undefined, action: Action, speakerOf?: (life: Life) => string | null) {
    const life = this.#host.life();
    const now = life && { ...life.now(), ...(speakerOf && { ofPrincipal: speakerOf(life) }) };
    return mayAct(person, action, now, this.#host.clock.now());
  }
}

const GONE: Refusal = { code: "not_found", message: "There is no such conversation." };
