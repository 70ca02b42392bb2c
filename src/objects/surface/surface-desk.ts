import {
  AdmissionOrder,
  type Delivered,
  type Host,
  LANE,
  type MessageSurface,
  parseChannel,
  requestMirror,
  route,
} from "../../host/index.ts";
import type { AdmissionReceipt, ClockPort } from "../../kernel/index.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { type Directory, UNAVAILABLE } from "../../people/directory.ts";
import type { ConversationFacts, PersonFacts } from "../../people/facts.ts";
import { type Action, mayAct } from "../../people/may-act.ts";
import { authorOf } from "../../people/other-ids.ts";
import { speakerOf } from "../../people/speaker.ts";
import type { DecideBody, GivenAnswer } from "../../protocol/frames.ts";
import type { UserPart } from "../../protocol/message.ts";
import { isStoreFailure } from "../../store/failure.ts";
import type { Answer, Refusal } from "../answer.ts";
import type { Life } from "../life.ts";
import { withMember } from "../room/room-state.ts";
import { voiceOf } from "../room/room-voice.ts";
import { messageSurfaceOf } from "./network-side.ts";
import { bringUp } from "./surface-lane.ts";

/** A message that a network brings. Whom it is from is looked up; nothing that it says of them counts. */
export interface SurfaceMessage extends Omit<Delivered, "files"> {
  /** What the network calls it: brought again, it is the same message. */
  readonly id: string;
  /** `<provider>:<subject>` of whoever wrote it. */
  readonly identity: string;
  /** Nobody but its writer reads the channel. */
  readonly isDirect: boolean;
  /** When it was written, ms by the network's clock. */
  readonly sentAt: number;
}

/** Somebody who does something on a network: known by an identity that the network proved. */
export interface Contact {
  readonly identity: string;
}

/** What a network asks of a conversation. Nobody but the Worker's own adapters reaches this. */
export interface SurfaceRpc {
  /** Takes a message in, or says why not. Makes the conversation of its channel, where there is none. */
  hear(message: SurfaceMessage): Answer<AdmissionReceipt>;
  press(
    contact: Contact,
    body: Pick<DecideBody, "hold" | "digest" | "decision" | "note">,
  ): Answer<Record<string, never>>;
  reply(
    contact: Contact,
    body: { readonly prompt: string; readonly answers: readonly (GivenAnswer | null)[] },
  ): Answer<Record<string, never>>;
  halt(contact: Contact): Answer<{ readonly stopped: boolean }>;
}

interface SurfaceHost {
  readonly directory: Directory;
  readonly host: Pick<Host, "claims" | "surfaceOf">;
  readonly clock: ClockPort;
  /** Channel key of this very object. */
  readonly channel: string;
  life(): Life | undefined;
  create(facts: ConversationFacts): Life;
}

/** A message on its way in, whose writer and meaning are known. */
interface Known {
  readonly person: PersonFacts | undefined;
  /** Of listed calls that it may answer: what its admission does besides. */
  readonly heard: Awaited<ReturnType<Life["holds"]["hear"]>>;
}

/**
 * What people do on a network that is sent messages: each by `mayAct`, with facts of this moment, and messages in the order
 * of their arrival, as the claim that owns the channel decides.
 */
export class SurfaceDesk implements SurfaceRpc {
  readonly #host: SurfaceHost;
  readonly #order: AdmissionOrder;

  constructor(host: SurfaceHost) {
    this.#host = host;
    this.#order = new AdmissionOrder(host.clock);
  }

  async hear(message: SurfaceMessage): Answer<AdmissionReceipt> {
    if (!this.#surface || message.channel !== this.#host.channel) return err(GONE);
    const known = this.#know(message);
    return await this.#order.run(known, (found) => (found.ok ? this.#admit(message, found.value) : found));
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

  /** Whom a message is from, and what it says about calls that wait. */
  async #know(message: SurfaceMessage): Promise<Result<Known, Refusal>> {
    if (message.isBot) return ok({ person: undefined, heard: undefined });
    const found = await this.#host.directory.readContact(message.identity);
    if (!found.ok) return found;
    const person = found.value;
    const life = this.#host.life();
    if (!person || !life || !this.#may(person, "send").ok) return ok({ person, heard: undefined });
    const key = `${writerOf(life, person, message)}:${message.id}`;
    // What was let in already is not heard twice.
    if (life.kernel.input(key)) return ok({ person, heard: undefined });
    const { text, sentAt } = message;
    try {
      const by = { key, text, sentAt, by: person };
      return ok({ person, heard: await life.holds.hear(by, new AbortController().signal) });
    } catch (error) {
      if (!isStoreFailure(error)) throw error;
      return err(UNAVAILABLE);
    }
  }

  #admit(message: SurfaceMessage, { person, heard }: Known): Awaited<Answer<AdmissionReceipt>> {
    const surface = parseChannel(message.channel)?.surface ?? "";
    const speaker = person && { principalId: person.principalId, tier: person.tier };
    const routed = route(this.#host.host.claims, surface, { ...message, files: 0 }, speaker);
    if (routed.kind === "drop") return err({ code: "forbidden", message: routed.reason });
    if (routed.kind === "background") {
      return err({ code: "forbidden", message: "Messages of this surface do not run in the background." });
    }
    if (!person) return err({ code: "forbidden", message: "Nobody is known here under this identity: link it first." });
    const standing = this.#host.life();
    const verdict = standing
      ? this.#maySpeak(person, standing)
      : mayAct(person, "create", undefined, this.#host.clock.now());
    if (!verdict.ok) return err(verdict.error);
    const life = standing ?? this.#open(message, person);
    const content: readonly UserPart[] = [{ type: "text", text: message.text }];
    const { principalId } = person;
    const actor = writerOf(life, person, message);
    const receipt = life.kernel.submit(
      {
        key: `${actor}:${message.id}`,
        actor,
        meta: { identity: message.identity },
        content,
        ...(life.room && { voice: voiceOf(person) }),
        ...(routed.mode && { mode: routed.mode }),
      },
      (tx) => {
        heard?.(tx);
        if (life.room) {
          const joined = withMember(tx.get(life.room), principalId, { addedBy: principalId, addedAt: tx.now });
          if (joined.ok) tx.set(life.room, joined.value);
        }
        if (this.#surface?.prompts) bringUp(tx, Object.keys(tx.get(LANE).cards));
        requestMirror(tx);
      },
    );
    if (receipt.ok) return receipt;
    const isConflict = receipt.error === "conflict";
    return err({
      code: isConflict ? "conflict" : "inbox_full",
      message: isConflict
        ? "This message came before with other words."
        : "100 messages wait already, the limit: wait for answers.",
    });
  }

  /** Whoever a claim lets speak in a shared channel of a network is in its conversation from then on. */
  #maySpeak(person: PersonFacts, { facts, now }: Life): ReturnType<typeof mayAct> {
    const members = [...(now().members ?? []), person.principalId];
    const conversation = facts.visibility === "shared" ? { ...facts, members } : facts;
    return mayAct(person, "send", conversation, this.#host.clock.now());
  }

  #open({ channel, isDirect }: SurfaceMessage, { principalId }: PersonFacts): Life {
    const facts = { key: channel, owner: principalId };
    return this.#host.create(
      isDirect
        ? { ...facts, visibility: "private" }
        : { ...facts, visibility: "shared", openedAt: this.#host.clock.now() },
    );
  }

  /** The network that this conversation is on; undefined: its clients follow it, and nobody comes this way. */
  get #surface(): MessageSurface | undefined {
    return messageSurfaceOf(this.#host.host, this.#host.channel);
  }

  async #enter(
    { identity }: Contact,
    action: Action,
    speakerOf?: (life: Life) => string | null,
  ): Promise<Result<{ readonly life: Life; readonly person: PersonFacts }, Refusal>> {
    if (!this.#surface) return err(GONE);
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

function writerOf({ kernel }: Life, person: PersonFacts, { id }: SurfaceMessage): string {
  return authorOf(person, id, (key) => kernel.input(key) !== undefined);
}
