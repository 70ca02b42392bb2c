import { choosePersona, type Host, requestMirror } from "../../host/index.ts";
import type { JsonObject } from "../../lib/json.ts";
import { err, ok } from "../../lib/result.ts";
import type { Directory } from "../../people/directory.ts";
import type { Caller, ConversationFacts } from "../../people/facts.ts";
import type { AnswerBody, SendBody } from "../../protocol/frames.ts";
import { MAX_PAGE_ENTRIES } from "../../protocol/limits.ts";
import type { FileRef } from "../../protocol/message.ts";
import type { ModelChoice, SettingsBody, Visibility } from "../../protocol/rest.ts";
import type { ViewEntry } from "../../protocol/view.ts";
import { isStoreFailure } from "../../store/failure.ts";
import type { Standing } from "../../surfaces/webchat/chat-port.ts";
import { FILES, fileOf, withFile, withoutFile } from "../../surfaces/webchat/files-state.ts";
import { switchTools } from "../../surfaces/webchat/tools-off.ts";
import type { Entrance } from "../conversation/entrance.ts";
import type { Life } from "../conversation/life.ts";
import type { Renewal } from "../conversation/token-renewal.ts";
import { refuseModel } from "../conversation/unknown-model.ts";
import type { RoomRpc } from "../room/room-desk.ts";
import type { Answer, ConversationRpc, PageAnswer, Refusal, SnapshotAnswer, SubmitReceipt } from "../rpc.ts";
import type { AdmissionDesk } from "../surface/admission-desk.ts";
import { AnswerDesk } from "./answer-desk.ts";
import type { AuditRpc } from "./audit-desk.ts";
import { CardDesk, type CardRpc } from "./card-desk.ts";
import type { HistoryRpc } from "./history-desk.ts";
import type { InspectRpc } from "./inspect-desk.ts";
import type { PolicyRpc } from "./policy-desk.ts";

/** What the desk needs from the object around it. */
export interface DeskHost {
  readonly directory: Directory;
  readonly models: readonly ModelChoice[];
  readonly entrance: Entrance;
  /** Creates the conversation with these facts, unless there is one. */
  create(facts: ConversationFacts): Life;
  now(): number;
  readonly admission: AdmissionDesk;
  readonly personas: Host["personas"];
  readonly renew: Renewal;
  /** Forgets everything: sockets, loop, storage, alarm. @throws when the directory cannot take what outlives it. */
  destroy(by: string): Promise<void>;
}

const EXPORT_PAGE = 200;
const NOT_COPIED = {
  code: "unavailable",
  message: "What was decided here cannot be kept in the directory now, so nothing was deleted; try again.",
} as const;
/** Uploads under way that are remembered. The oldest goes first. */
const MAX_UPLOADS = 100;

const NOTHING: Readonly<Record<string, never>> = {};

/** A caller and nobody who claims a part of what they are. */
function nameOf({ sessionHash, principalId, identity }: Caller): string {
  return `${sessionHash} ${principalId} ${identity}`;
}

/**
 * Every call on a conversation, whoever brings it: checks the caller by `mayAct` against the directory and the object's
 * own row, then does what was asked. Trusts nothing that a client said about itself.
 */
export class ConversationDesk
  implements Omit<ConversationRpc, keyof (AuditRpc & CardRpc & HistoryRpc & InspectRpc & PolicyRpc & RoomRpc)>
{
  readonly cards: CardDesk;
  readonly #host: DeskHost;
  readonly #entrance: Entrance;
  readonly #answers: AnswerDesk;
  /** Files whose bytes are on their way, by id: who sends them. */
  readonly #uploads = new Map<string, string>();

  constructor(host: DeskHost) {
    this.cards = new CardDesk(host);
    this.#host = host;
    this.#entrance = host.entrance;
    this.#answers = new AnswerDesk(host.entrance, host.directory);
  }

  async create(caller: Caller, key: string, visibility?: Visibility): Answer<{ readonly created: boolean }> {
    const found = await this.#entrance.findOrMake(caller, visibility === "shared" ? "share" : "create", () => {
      const facts = { key, visibility: visibility ?? "private", owner: caller.principalId };
      const life = this.#host.create(visibility === "shared" ? { ...facts, openedAt: this.#host.now() } : facts);
      life.kernel.commit(requestMirror);
      return life;
    });
    if (!found.ok) return found;
    const { life, isNew } = found.value;
    const standing = life.facts.visibility;
    return visibility === undefined || visibility === standing ? ok({ created: isNew }) : err(FIXED[standing]);
  }

  async submit(caller: Caller, body: SendBody): Answer<SubmitReceipt> {
    return await this.#host.admission.submit(caller, body);
  }

  async withdraw(caller: Caller, input: string): Answer<Record<string, never>> {
    const desk = await this.#entrance.enter(caller, "withdraw", (life) => life.kernel.input(input)?.actor ?? null);
    if (!desk.ok) return desk;
    const { kernel, facts } = desk.value;
    // What the system promised to tell is nobody's to take back. In a private conversation all else is its one person's.
    const mayBe = !input.startsWith("system:") || facts.visibility === "shared";
    const outcome = mayBe ? kernel.withdraw(input) : "not_found";
    switch (outcome) {
      case "aborted":
        return ok(NOTHING);
      case "already_placed":
        return err({
          code: "already_placed",
          message: "It is being answered already: stop the turn instead.",
          ref: input,
        });
      case "settled":
        return err({ code: "settled", message: "It has been answered already.", ref: input });
      case "not_found":
        return err({ code: "not_found", message: "There is no such message.", ref: input });
    }
  }

  renew(caller: Caller, token: string): ReturnType<Renewal> {
    return this.#host.renew(caller, token);
  }

  async stop(caller: Caller): Answer<{ readonly stopped: boolean }> {
    let judged: number | undefined;
    const desk = await this.#entrance.enter(caller, "stop", ({ kernel }) => {
      judged = kernel.control.turn?.task;
      return kernel.control.turn?.actor ?? null;
    });
    if (!desk.ok) return desk;
    const { kernel } = desk.value;
    // Another turn may have begun meanwhile, of somebody whose turn this caller may not stop.
    return ok({ stopped: kernel.control.turn?.task === judged && kernel.stop() });
  }

  async resumeQueue(caller: Caller): Answer<{ readonly started: boolean }> {
    const desk = await this.#entrance.enter(caller, "continue");
    return desk.ok ? ok({ started: desk.value.kernel.resumeQueue() }) : desk;
  }

  answer(caller: Caller, body: AnswerBody): Answer<Record<string, never>> {
    return this.#answers.answer(caller, body);
  }

  async snapshot(caller: Caller): Answer<SnapshotAnswer> {
    const choices = await this.cards.choices(caller);
    if (!choices.ok) return choices;
    const desk = await this.#entrance.enter(caller, "read");
    return desk.ok ? ok({ ...desk.value.kernel.snapshot(), choices: choices.value }) : desk;
  }

  /** As {@link snapshot}, handed over at the instant it is taken. */
  async follow(caller: Caller, take: (standing: Standing) => void): Answer<Record<string, never>> {
    const desk = await this.#entrance.enter(caller, "read");
    if (!desk.ok) return desk;
    take(desk.value.kernel.snapshot());
    return ok(NOTHING);
  }

  async entries(caller: Caller, page: { readonly before?: number; readonly limit: number }): Answer<PageAnswer> {
    const desk = await this.#entrance.enter(caller, "read");
    if (!desk.ok) return desk;
    const limit = Math.max(1, Math.min(MAX_PAGE_ENTRIES, page.limit));
    return ok(desk.value.kernel.history.page(page.before ?? Number.MAX_SAFE_INTEGER, limit));
  }

  async entry(caller: Caller, id: number): Answer<ViewEntry> {
    const desk = await this.#entrance.enter(caller, "read");
    if (!desk.ok) return desk;
    const entry = desk.value.kernel.history.entry(id);
    return entry ? ok(entry) : err({ code: "not_found", message: `There is no entry ${id}.` });
  }

  async settings(caller: Caller, body: SettingsBody): Answer<Record<string, never>> {
    const desk = await this.#entrance.enter(caller, "settings");
    if (!desk.ok) return desk;
    const { kernel, chat, tools } = desk.value;
    const refused = body.model === undefined ? undefined : refuseModel(body.model, this.#host.models);
    if (refused) return err(refused);
    const { title, model, thinking, persona } = body;
    const answering = persona === undefined ? undefined : choosePersona(persona, this.#host.personas);
    if (answering && !answering.ok) return err({ code: "bad_request", message: answering.error });
    const toolsOff = body.tools && switchTools(kernel.get(chat).toolsOff, body.tools, tools);
    if (toolsOff && !toolsOff.ok) return err({ code: "bad_request", message: toolsOff.error });
    kernel.commit((tx) => {
      tx.set(chat, {
        ...(toolsOff && { toolsOff: toolsOff.value }),
        ...(title !== undefined && { title }),
        ...(model !== undefined && { model }),
        ...(thinking !== undefined && { thinking }),
        ...(persona !== undefined && { persona }),
      });
      if (title !== undefined) requestMirror(tx);
    });
    return ok(NOTHING);
  }

  async addFile(caller: Caller, file: FileRef): Answer<Record<string, never>> {
    const desk = await this.#entrance.enter(caller, "files");
    if (!desk.ok) return desk;
    const { kernel } = desk.value;
    const added = withFile(kernel.get(FILES), file);
    if (!added.ok) return err({ code: "rate_limited", message: added.error });
    kernel.commit((tx) => tx.set(FILES, added.value));
    this.#uploads.set(file.id, nameOf(caller));
    const [oldest] = this.#uploads.keys();
    if (this.#uploads.size > MAX_UPLOADS && oldest !== undefined) this.#uploads.delete(oldest);
    return ok(NOTHING);
  }

  async removeFile(caller: Caller, id: string): Answer<Record<string, never>> {
    const desk = await this.#entrance.enter(caller, "files");
    // Whoever was taken out in mid-upload still takes back what they began.
    const begun = this.#uploads.get(id) === nameOf(caller) ? this.#entrance.life() : undefined;
    if (!desk.ok && !begun) return desk;
    this.#uploads.delete(id);
    (desk.ok ? desk.value : begun)?.kernel.commit((tx) => tx.set(FILES, withoutFile(tx.get(FILES), id)));
    return ok(NOTHING);
  }

  async file(caller: Caller, id: string): Answer<FileRef> {
    const desk = await this.#entrance.enter(caller, "read");
    if (!desk.ok) return desk;
    const file = fileOf(desk.value.kernel.get(FILES), id);
    if (this.#uploads.get(id) === nameOf(caller)) this.#uploads.delete(id);
    return file ? ok(file) : err({ code: "not_found", message: "There is no such file." });
  }

  async destroy(caller: Caller): Answer<{ readonly files: readonly string[] }> {
    const desk = await this.#entrance.enter(caller, "delete");
    if (!desk.ok) return desk;
    const files = Object.keys(desk.value.kernel.get(FILES).files);
    try {
      await this.#host.destroy(caller.principalId);
    } catch (error) {
      if (!isStoreFailure(error)) throw error;
      return err(NOT_COPIED);
    }
    return ok({ files });
  }

  async exportPage(
    caller: Caller,
    after: number,
  ): Answer<{ readonly entries: readonly JsonObject[]; readonly next?: number }> {
    const desk = await this.#entrance.enter(caller, "export");
    if (!desk.ok) return desk;
    const entries = desk.value.kernel.entriesAfter(after, EXPORT_PAGE);
    const last = entries.length === EXPORT_PAGE ? entries.at(-1)?.id : undefined;
    return ok({
      entries: entries.map((entry) => ({ ...entry }) as unknown as JsonObject),
      ...(last !== undefined && { next: last }),
    });
  }
}

const FIXED: Readonly<Record<Visibility, Refusal>> = {
  private: { code: "conflict", message: "This conversation is private for ever: open a shared one under a new id." },
  shared: { code: "conflict", message: "This conversation is shared for ever: open a private one under a new id." },
};
