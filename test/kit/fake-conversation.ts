import type { JsonObject } from "../../src/lib/json.ts";
import { err, ok, type Result } from "../../src/lib/result.ts";
import type { ForkRpc } from "../../src/objects/fork/fork-rpc.ts";
import type {
  Answer,
  ConversationRpc,
  MembersAnswer,
  PageAnswer,
  Refusal,
  SnapshotAnswer,
  SubmitReceipt,
} from "../../src/objects/rpc.ts";
import { createDirectory, type Directory } from "../../src/people/directory.ts";
import type { Caller, ConversationNow, Origin } from "../../src/people/facts.ts";
import type { Action } from "../../src/people/may-act.ts";
import type { AuditLine, ChainPage } from "../../src/protocol/audit.ts";
import type {
  AnswerBody,
  CardAction,
  DecideBody,
  DecideManyBody,
  DecisionOutcome,
  SendBody,
} from "../../src/protocol/frames.ts";
import { type FileRef, NO_USAGE } from "../../src/protocol/message.ts";
import type {
  ConstraintBody,
  PinBody,
  ReplayAnswer,
  SentRequest,
  SettingsBody,
  Visibility,
} from "../../src/protocol/rest.ts";
import type { ViewEntry } from "../../src/protocol/view.ts";
import type { Database } from "../../src/store/database.ts";

/** One call that reached the object, by method name and arguments after the caller. */
export interface SeenCall {
  readonly method: string;
  readonly caller: Caller;
  readonly args: readonly unknown[];
}

const NO_HOLD: Refusal = { code: "unknown_hold", message: "There is no such card." };

/**
 * A Conversation object for tests of the Worker's edge: keeps whose it is, entries and files in memory, asks `mayAct`
 * like the real one, and notes every call that reached it.
 */
export class FakeConversation implements ConversationRpc, Pick<ForkRpc, "fork"> {
  readonly seen: SeenCall[] = [];
  readonly upgrades: Request[] = [];
  readonly files = new Map<string, FileRef>();
  entriesHeld: JsonObject[] = [];
  linesHeld: readonly AuditLine[] = [];
  facts: ConversationNow | undefined;
  /** What the next call answers instead, if set. */
  refuseNext: Refusal | undefined;
  /** What the next call throws, if set. */
  throwNext: Error | undefined;
  /** Runs when a file was registered, before its bytes arrive. */
  afterAddFile: () => void = () => {};
  readonly #directory: Directory;

  constructor(db: Database, clock: { now(): number }) {
    this.#directory = createDirectory(db, clock, { maxAgeMs: 0 });
  }

  async #may<T>(
    method: string,
    action: Action,
    caller: Caller,
    args: readonly unknown[],
    answer: () => Result<T, Refusal>,
  ): Answer<T> {
    this.seen.push({ method, caller, args });
    const { throwNext, refuseNext } = this;
    this.throwNext = undefined;
    this.refuseNext = undefined;
    if (throwNext !== undefined) throw throwNext;
    if (refuseNext !== undefined) return err(refuseNext);
    const verdict = await this.#directory.may(caller, action, () => this.facts);
    return verdict.ok ? answer() : err(verdict.error);
  }

  create(caller: Caller, key: string, visibility: Visibility = "private"): Answer<{ readonly created: boolean }> {
    return this.#may("create", visibility === "shared" ? "share" : "create", caller, [key, visibility], () => {
      const created = this.facts === undefined;
      this.facts ??= { key, visibility, owner: caller.principalId, members: [caller.principalId] };
      return ok({ created });
    });
  }

  members(caller: Caller): Answer<MembersAnswer> {
    const how = { addedBy: caller.principalId, addedAt: 1 };
    return this.#may("members", "read", caller, [], () =>
      ok({ members: (this.facts?.members ?? []).map((principalId) => ({ principalId, ...how })) }),
    );
  }

  addMember(caller: Caller, person: string): Answer<Record<string, never>> {
    return this.#may("addMember", "members", caller, [person], () => {
      if (this.facts) this.facts = { ...this.facts, members: [...(this.facts.members ?? []), person] };
      return ok({});
    });
  }

  removeMember(caller: Caller, person: string): Answer<Record<string, never>> {
    const action = person === caller.principalId ? "leave" : "members";
    return this.#may("removeMember", action, caller, [person], () => {
      const members = this.facts?.members?.filter((id) => id !== person) ?? [];
      if (this.facts) this.facts = { ...this.facts, members };
      return ok({});
    });
  }

  submit(caller: Caller, body: SendBody): Answer<SubmitReceipt> {
    return this.#may("submit", "send", caller, [body], () =>
      ok({ id: body.id, input: `${caller.principalId}:${body.id}`, status: "placed" }),
    );
  }

  withdraw(caller: Caller, input: string): Answer<Record<string, never>> {
    return this.#may("withdraw", "withdraw", caller, [input], () => ok({}));
  }

  stop(caller: Caller): Answer<{ readonly stopped: boolean }> {
    return this.#may("stop", "stop", caller, [], () => ok({ stopped: true }));
  }

  resumeQueue(caller: Caller): Answer<{ readonly started: boolean }> {
    return this.#may("resumeQueue", "continue", caller, [], () => ok({ started: true }));
  }

  decide(caller: Caller, body: DecideBody): Answer<Record<string, never>> {
    return this.#may("decide", "decide", caller, [body], () => ok({}));
  }

  decideMany(caller: Caller, body: DecideManyBody): Answer<{ readonly outcomes: readonly DecisionOutcome[] }> {
    return this.#may("decideMany", "decide", caller, [body], () =>
      ok({ outcomes: body.cards.map(({ hold }) => (hold === "gone" ? { hold, error: NO_HOLD } : { hold })) }),
    );
  }

  actOnCard(caller: Caller, hold: string, action: CardAction): Answer<Record<string, never>> {
    return this.#may("actOnCard", "decide", caller, [hold, action], () => ok({}));
  }

  answer(caller: Caller, body: AnswerBody): Answer<Record<string, never>> {
    return this.#may("answer", "decide", caller, [body], () => ok({}));
  }

  snapshot(caller: Caller): Answer<SnapshotAnswer> {
    return this.#may("snapshot", "read", caller, [], () =>
      ok({
        rev: 1,
        choices: [],
        view: {
          entries: [],
          earlier: false,
          inbox: [],
          turn: null,
          compaction: null,
          pins: [],
          config: {},
          tasks: {},
          usage: NO_USAGE,
          plugins: {},
        },
        live: [],
      }),
    );
  }

  entries(caller: Caller, page: { readonly before?: number; readonly limit: number }): Answer<PageAnswer> {
    return this.#may("entries", "read", caller, [page], () => ok({ entries: [], earlier: false }));
  }

  entry(caller: Caller, id: number): Answer<ViewEntry> {
    return this.#may("entry", "read", caller, [id], () => ok({ id, kind: "core.user", at: 1 }));
  }

  settings(caller: Caller, body: SettingsBody): Answer<Record<string, never>> {
    return this.#may("settings", "settings", caller, [body], () => ok({}));
  }

  constrain(caller: Caller, body: ConstraintBody): Answer<Record<string, never>> {
    return this.#may("constrain", "policy", caller, [body], () => ok({}));
  }

  unconstrain(caller: Caller, id: string): Answer<Record<string, never>> {
    return this.#may("unconstrain", "policy", caller, [id], () => ok({}));
  }

  revoke(caller: Caller, id: string): Answer<Record<string, never>> {
    return this.#may("revoke", "decide", caller, [id], () => ok({}));
  }

  holdArgument(caller: Caller, hold: string, name: string): Answer<{ readonly value: string }> {
    return this.#may("holdArgument", "read", caller, [hold, name], () =>
      hold === "known" ? ok({ value: `the whole of ${name}` }) : err(NO_HOLD),
    );
  }

  addFile(caller: Caller, file: FileRef): Answer<Record<string, never>> {
    return this.#may("addFile", "files", caller, [file], () => {
      this.files.set(file.id, file);
      this.afterAddFile();
      return ok({});
    });
  }

  removeFile(caller: Caller, id: string): Answer<Record<string, never>> {
    return this.#may("removeFile", "files", caller, [id], () => {
      this.files.delete(id);
      return ok({});
    });
  }

  file(caller: Caller, id: string): Answer<FileRef> {
    return this.#may("file", "files", caller, [id], () => {
      const file = this.files.get(id);
      return file === undefined ? err({ code: "not_found", message: "There is no such file." }) : ok(file);
    });
  }

  reset(caller: Caller): Answer<{ readonly status: "placed" | "queued" }> {
    return this.#may("reset", "rewrite", caller, [], () => ok({ status: "queued" }));
  }

  rewind(caller: Caller, to: number): Answer<Record<string, never>> {
    return this.#may("rewind", "rewrite", caller, [to], () => ok({}));
  }

  pin(caller: Caller, body: PinBody): Answer<Record<string, never>> {
    return this.#may("pin", "rewrite", caller, [body], () => ok({}));
  }

  left(caller: Caller, rewind: number): Answer<{ readonly entries: readonly ViewEntry[] }> {
    return this.#may("left", "inspect", caller, [rewind], () => ok({ entries: [{ id: 3, kind: "core.user", at: 1 }] }));
  }

  audit(caller: Caller, page: { readonly after: number; readonly limit: number }): Answer<ChainPage> {
    return this.#may("audit", "audit", caller, [page], () => {
      const rest = this.linesHeld.filter(({ seq }) => seq > page.after);
      const lines = rest.slice(0, page.limit);
      const [newest, last] = [this.linesHeld.at(-1), lines.at(-1)];
      return ok({
        lines,
        ...(newest && { head: { seq: newest.seq, hash: newest.hash } }),
        counting: [],
        ...(last && rest.length > lines.length && { next: last.seq }),
      });
    });
  }

  compact(caller: Caller): Answer<{ readonly started: true }> {
    return this.#may("compact", "rewrite", caller, [], () => ok({ started: true }));
  }

  sentRequest(caller: Caller, entry: number): Answer<SentRequest> {
    const sent = { model: "demo/demo", thinking: "off", system: "", volatile: "", tools: [], messages: [] } as const;
    return this.#may("sentRequest", "inspect", caller, [entry], () => ok({ ...sent, cutoff: entry }));
  }

  replay(caller: Caller, entry: number, model: string): Answer<ReplayAnswer> {
    return this.#may("replay", "inspect", caller, [entry, model], () => ok({ ok: false, error: "It was away." }));
  }

  stopTask(caller: Caller, task: number): Answer<{ readonly stopped: boolean }> {
    return this.#may("stopTask", "rewrite", caller, [task], () => ok({ stopped: true }));
  }

  destroy(caller: Caller): Answer<{ readonly files: readonly string[] }> {
    return this.#may("destroy", "delete", caller, [], () => {
      const files = [...this.files.keys()];
      this.wipe();
      return ok({ files });
    });
  }

  exportPage(
    caller: Caller,
    after: number,
  ): Answer<{ readonly entries: readonly JsonObject[]; readonly next?: number }> {
    return this.#may("exportPage", "export", caller, [after], () => {
      const entries = this.entriesHeld.slice(after, after + 2);
      const next = after + entries.length;
      return ok(next < this.entriesHeld.length ? { entries, next } : { entries });
    });
  }

  fork(caller: Caller, key: string, origin: Origin): Answer<{ readonly created: boolean }> {
    return this.#may("fork", "create", caller, [key, origin], () => {
      const created = this.facts === undefined;
      this.facts ??= { key, visibility: "private", owner: caller.principalId, origin };
      return ok({ created });
    });
  }

  wipe(): void {
    this.facts = undefined;
    this.files.clear();
    this.entriesHeld = [];
  }

  /** The socket's upgrade. Answers 200 in place of 101, with the headers it saw. */
  async fetch(request: Request): Promise<Response> {
    this.upgrades.push(request);
    return Response.json(Object.fromEntries(request.headers));
  }
}

/** A namespace of fake conversations, one per key for as long as it lives. */
export class FakeNamespace {
  readonly opened = new Map<string, FakeConversation>();
  readonly #db: Database;
  readonly #clock: { now(): number };

  constructor(db: Database, clock: { now(): number }) {
    this.#db = db;
    this.#clock = clock;
  }

  getByName(key: string): FakeConversation {
    const known = this.opened.get(key);
    if (known !== undefined) return known;
    const made = new FakeConversation(this.#db, this.#clock);
    this.opened.set(key, made);
    return made;
  }
}
