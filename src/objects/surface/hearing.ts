import {
  AdmissionOrder,
  type Host,
  LANE,
  type MessageSurface,
  parseChannel,
  requestMirror,
  route,
} from "../../host/index.ts";
import type { AdmissionReceipt, ClockPort, HostTx } from "../../kernel/index.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { type Directory, UNAVAILABLE } from "../../people/directory.ts";
import type { ConversationFacts, PersonFacts } from "../../people/facts.ts";
import { mayAct } from "../../people/may-act.ts";
import { authorOf } from "../../people/other-ids.ts";
import type { FileRef, UserPart } from "../../protocol/message.ts";
import { isStoreFailure } from "../../store/failure.ts";
import { FILES, type FilesState, fileOf, withFiles } from "../../surfaces/webchat/files-state.ts";
import type { Answer, Refusal } from "../answer.ts";
import type { Life } from "../conversation/life.ts";
import { admitBackground, backgroundKey, NO_BACKGROUND_FILES } from "../desk/background-desk.ts";
import { deleteFiles } from "../files/stored-files.ts";
import { comingIn, withMember } from "../room/room-state.ts";
import { voiceOf } from "../room/room-voice.ts";
import { messageSurfaceOf } from "./network-side.ts";
import { bringUp, requestSending } from "./surface-lane.ts";
import type { SurfaceMessage } from "./surface-rpc.ts";
import { filesFault, takeFiles } from "./take-files.ts";

export interface HearingHost {
  readonly directory: Directory;
  readonly host: Pick<Host, "claims" | "surfaceOf">;
  readonly clock: ClockPort;
  /** Where the bytes of files are. */
  readonly bucket: Pick<R2Bucket, "put" | "delete">;
  /** Channel key of this very object. */
  readonly channel: string;
  life(): Life | undefined;
  create(facts: ConversationFacts): Life;
}

/** A message on its way in, whose writer and meaning are known and whose files are stored. */
interface Known {
  readonly person: PersonFacts;
  readonly files: readonly FileRef[];
  /** Of listed calls that it may answer: what its admission does besides. */
  readonly heard: Awaited<ReturnType<Life["holds"]["hear"]>>;
}

/** What is made of a message that may be let in. */
interface Judged {
  readonly person: PersonFacts;
  readonly routed: Exclude<ReturnType<typeof route>, { readonly kind: "drop" }>;
  /** Undefined: the message makes the conversation. */
  readonly standing: Life | undefined;
}

/**
 * Lets a network's messages in, in the order of their arrival, as the claim that owns the channel decides. Who sent one and
 * whether they may is asked before anything of it is judged or read, and once more in the stretch that admits it.
 */
export class Hearing {
  readonly #host: HearingHost;
  readonly #order: AdmissionOrder;

  constructor(host: HearingHost) {
    this.#host = host;
    this.#order = new AdmissionOrder(host.clock);
  }

  async hear(message: SurfaceMessage): Answer<AdmissionReceipt> {
    if (!this.#surface || message.channel !== this.#host.channel) return err(GONE);
    const known = this.#know(message);
    const answer = await this.#order.run(known, (found) => (found.ok ? this.#admit(message, found.value) : found));
    if (!answer.ok) {
      const found = await known;
      if (found.ok) await this.#forget(found.value.files);
    }
    return answer;
  }

  async #know(message: SurfaceMessage): Promise<Result<Known, Refusal>> {
    const asked = await this.#ask(message);
    if (!asked.ok) return asked;
    const { bucket, channel } = this.#host;
    const key = keyOf(asked.value, message);
    const place = { bucket, channel, message: key, known: (id: string) => this.#fileOf(id) };
    const files = await takeFiles(message.files ?? [], place);
    if (!files.ok) return files;
    // Reading takes its time: they are asked about once more.
    const judged = files.value.length === 0 ? asked : await this.#ask(message);
    if (!judged.ok) {
      await this.#forget(files.value);
      return judged;
    }
    const { person, routed, standing } = judged.value;
    const by = { ...message, key: keyOf(judged.value, message) };
    const heard = routed.kind === "turn" && standing ? await this.#listen(by, person, standing) : ok(undefined);
    return heard.ok ? ok({ person, files: files.value, heard: heard.value }) : heard;
  }

  async #ask(message: SurfaceMessage): Promise<Result<Judged, Refusal>> {
    const found = message.isBot ? ok(undefined) : await this.#host.directory.readContact(message.identity);
    return found.ok ? this.#judge(message, found.value) : found;
  }

  /** What it says about calls that wait: of somebody who is in the conversation, and once. */
  async #listen(
    { key, text, sentAt }: { readonly key: string } & Pick<SurfaceMessage, "text" | "sentAt">,
    person: PersonFacts,
    { kernel, holds, now }: Life,
  ): Promise<Result<Known["heard"], Refusal>> {
    if (kernel.input(key) || !mayAct(person, "send", now(), this.#host.clock.now()).ok) return ok(undefined);
    try {
      return ok(await holds.hear({ key, text, sentAt, by: person }, new AbortController().signal));
    } catch (error) {
      if (!isStoreFailure(error)) throw error;
      return err(UNAVAILABLE);
    }
  }

  #judge(message: SurfaceMessage, person: PersonFacts | undefined): Result<Judged, Refusal> {
    const surface = parseChannel(message.channel)?.surface ?? "";
    const speaker = person && { principalId: person.principalId, tier: person.tier };
    const { files = [] } = message;
    const routed = route(this.#host.host.claims, surface, { ...message, files: files.length }, speaker);
    if (routed.kind === "drop") return err({ code: "forbidden", message: routed.reason });
    if (!person) return err({ code: "forbidden", message: "Nobody is known here under this identity: link it first." });
    const standing = this.#host.life();
    const now = this.#host.clock.now();
    const verdict = standing ? maySpeak(person, standing, now) : mayAct(person, "create", undefined, now);
    if (!verdict.ok) return err(verdict.error);
    if (routed.kind === "background" && files.length > 0) return err(NO_BACKGROUND_FILES);
    const fault = filesFault(files);
    return fault ? err(fault) : ok({ person, routed, standing });
  }

  #admit(message: SurfaceMessage, { person, files, heard }: Known): Awaited<Answer<AdmissionReceipt>> {
    const judged = this.#judge(message, person);
    if (!judged.ok) return judged;
    const { routed, standing } = judged.value;
    const kept = withFiles(standing?.kernel.get(FILES) ?? NO_FILES, files);
    if (!kept.ok) return err({ code: "rate_limited", message: kept.error });
    const life = standing ?? this.#open(message, person);
    const actor = writerOf(judged.value, message);
    const key = `${actor}:${message.id}`;
    const also = (tx: HostTx) => {
      heard?.(tx);
      if (files.length > 0) tx.set(FILES, kept.value);
      this.#join(tx, life, person);
    };
    if (routed.kind === "background") return admitBackground(life.kernel, { ...routed, author: actor, key }, also);
    const receipt = life.kernel.submit(
      {
        key,
        actor,
        meta: { identity: message.identity },
        content: contentOf(message, files),
        ...(life.room && { voice: voiceOf(person) }),
        ...(routed.mode && { mode: routed.mode }),
      },
      also,
    );
    return receipt.ok ? receipt : err(REFUSALS[receipt.error === "conflict" ? "conflict" : "inbox_full"]);
  }

  #join(tx: HostTx, { room }: Life, person: PersonFacts): void {
    if (room) {
      const { principalId } = person;
      const joined = withMember(tx.get(room), principalId, comingIn(person, principalId, tx.now));
      if (joined.ok) tx.set(room, joined.value);
    }
    if (this.#surface?.prompts) bringUp(tx, Object.keys(tx.get(LANE).cards));
    if (this.#surface?.react) requestSending(tx);
    requestMirror(tx);
  }

  #open({ channel, isDirect }: SurfaceMessage, { principalId }: PersonFacts): Life {
    const facts = { key: channel, owner: principalId };
    return this.#host.create(
      isDirect
        ? { ...facts, visibility: "private" }
        : { ...facts, visibility: "shared", openedAt: this.#host.clock.now() },
    );
  }

  /** A message that is not let in leaves no bytes behind. */
  async #forget(files: readonly FileRef[]): Promise<void> {
    const left = files.filter(({ id }) => !this.#fileOf(id));
    await deleteFiles(this.#host.bucket, this.#host.channel, left);
  }

  #fileOf(id: string): FileRef | undefined {
    const life = this.#host.life();
    return life && fileOf(life.kernel.get(FILES), id);
  }

  /** The network that this conversation is on; undefined: its clients follow it, and nobody comes this way. */
  get #surface(): MessageSurface | undefined {
    return messageSurfaceOf(this.#host.host, this.#host.channel);
  }
}

const GONE: Refusal = { code: "not_found", message: "There is no such conversation." };
const NO_FILES: FilesState = { files: {} };

const REFUSALS = {
  conflict: { code: "conflict", message: "This message came before with other words." },
  inbox_full: { code: "inbox_full", message: "100 messages wait already, the limit: wait for answers." },
} as const;

/** Whoever a claim lets speak in a shared channel of a network is in its conversation from then on. */
function maySpeak(person: PersonFacts, { facts, now }: Life, at: number): ReturnType<typeof mayAct> {
  const members = [...(now().members ?? []), person.principalId];
  return mayAct(person, "send", facts.visibility === "shared" ? { ...facts, members } : facts, at);
}

function contentOf({ text }: SurfaceMessage, files: readonly FileRef[]): readonly UserPart[] {
  const words: readonly UserPart[] = text.trim() === "" ? [] : [{ type: "text", text }];
  return [...words, ...files.map((file) => ({ type: "file", file }) as const)];
}

/** Whoever wrote it, under the id that it came under before, if it did. */
function writerOf({ person, standing }: Judged, { id }: SurfaceMessage): string {
  const inputOf = (key: string) => standing?.kernel.input(key) ?? standing?.kernel.input(backgroundKey(key));
  return authorOf(person, id, (key) => inputOf(key) !== undefined);
}

function keyOf(judged: Judged, message: SurfaceMessage): string {
  return `${writerOf(judged, message)}:${message.id}`;
}
