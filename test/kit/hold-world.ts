import * as z from "zod";
import { AuditTable } from "../../src/holds/audit/audit-table.ts";
import type { HeldFile } from "../../src/holds/bound/bound-call.ts";
import { MAX_HELD_FILE_BYTES } from "../../src/holds/bound/held-files.ts";
import type { MessageQuestion } from "../../src/holds/holds-host.ts";
import type {
  CallListing,
  DenyRule,
  HoldDescription,
  Holds,
  KnownPerson,
  PressRefused,
} from "../../src/holds/index.ts";
import { type HoldsHost, installHolds, type NamedHoldRule, WITHDRAWALS } from "../../src/holds/index.ts";
import type { AllowWish } from "../../src/holds/policy/allow-rule.ts";
import type { CardChange } from "../../src/holds/press/change-card.ts";
import type { HoldsState } from "../../src/holds/record/hold-state.ts";
import { completeSurface, LANE, type MessageSurface, SAYINGS } from "../../src/host/index.ts";
import {
  type BeforeTool,
  type DeliveryOutcome,
  defineNamespace,
  defineTool,
  type Hooks,
  type Kernel,
  type OutboxRow,
  type Registry,
  readEntry,
  type Tool,
} from "../../src/kernel/index.ts";
import type { Json } from "../../src/lib/json.ts";
import { err, ok, type Result } from "../../src/lib/result.ts";
import {
  laneHooks,
  promiseList,
  requestSending,
  SURFACE,
  SurfaceLane,
} from "../../src/objects/surface/surface-lane.ts";
import type { Tier } from "../../src/people/facts.ts";
import type { AuditLine } from "../../src/protocol/audit.ts";
import type { HoldCard, HoldsView } from "../../src/protocol/cards.ts";
import type { KernelWorld } from "./kernel-world.ts";
import { nodeWorld } from "./node-world.ts";
import type { Script } from "./scripted-model.ts";

export const ANNA = "p_anna";
const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

/** What is held: as in a real conversation, each call of `send`. */
export const HELD: HoldDescription = { text: "POST JSON to the build server", target: "the build server" };

const SHAPER = defineNamespace({ name: "shaper", sticky: {} });

/** One call of `send` per "go" (or "go to <ref>"), then a text. */
const callSend: Script = (request) => {
  const last = request.messages.at(-1);
  const said = last?.role === "user" && last.content[0]?.type === "text" ? last.content[0].text : "";
  const [, ref = "main"] = /^go to (\w+)/.exec(said) ?? [];
  return said.startsWith("go") ? { calls: [{ name: "send", args: JSON.stringify({ ref }) }] } : { text: "All done." };
};

/** The network that a conversation is on, and its channel there. */
export interface HoldNetwork {
  readonly surface: MessageSurface;
  readonly channel: string;
}

interface HoldWorldOptions {
  readonly script?: Script;
  readonly killAt?: readonly number[];
  /** Absent: its clients follow the conversation itself. */
  readonly network?: HoldNetwork;
}

/**
 * A conversation with real holds on the kernel's test world: a directory, rules and a tool that a test may change between
 * any two steps, and the other side of the tool, which outlives every crash.
 */
export class HoldWorld {
  readonly world: KernelWorld;
  readonly people = new Map<string, KnownPerson>([[ANNA, { principalId: ANNA, name: "Anna", tier: "member" }]]);
  /** How often each call had its effect, by idempotency key. */
  readonly effects = new Map<string, number>();
  /** What the tool was called with, each time. */
  readonly inputs: Json[] = [];
  /** Who let it run and what they pressed, as the tool was told. */
  readonly approvals: { readonly by: string | undefined; readonly prompt: string | undefined }[] = [];
  isDirectoryAway = false;
  /** Files of the conversation, by id. */
  readonly files = new Map<string, Omit<HeldFile, "id">>();
  isFileStoreAway = false;
  /** The identity by which people speak is linked to somebody else. */
  isSpeakerUnlinked = false;
  /** Runs before each answer of the directory. */
  beforeAnswer: () => Promise<void> = async () => undefined;
  /** Hears each answer of the directory about somebody. */
  answered: (id: string, person: KnownPerson | undefined) => void = () => undefined;
  /** Runs inside the tool, before it has its effect. */
  beforeEffect: (call: RunningCall) => Promise<void> = () => Promise.resolve();
  describe: NamedHoldRule["describe"] = ({ tool }) => (tool === "send" ? HELD : undefined);
  deny: DenyRule["deny"] = () => undefined;
  /** A plugin's handler, registered before the gate. Read at each call. */
  handler: NonNullable<Hooks["beforeTool"]> = () => Promise.resolve({ kind: "pass" });
  /** Arguments that the tool's schema refuses beside its own. */
  isFitting: (input: Json) => boolean = () => true;
  /** What the tool's schema makes of its arguments. */
  readInput: (input: Json) => Json = (input) => input;
  version = "1";
  /** The version that the running process knows. */
  runningVersion = "1";
  toolTier: Tier = "member";
  /** Principals to whom the conversation is not open, whatever the directory says of them. */
  readonly outside = new Set<string>();
  /** Read at each start of a process. */
  nobodyToAsk: string | undefined;
  /** Read at each start of a process. */
  visibility: "private" | "shared" = "private";
  /** No card can be shown: calls are listed, and messages answer. Read at each start of a process. */
  isListing = false;
  /** What a message is judged to mean; undefined: it cannot be judged. */
  judgement: (message: string) => { readonly choice: string; readonly confidence: number } | undefined = (message) => ({
    choice: message,
    confidence: 0.9,
  });
  /** What the judge was asked. */
  readonly judged: MessageQuestion[] = [];
  /** How often the host was told of a call that no reply will list. */
  unlisted = 0;
  #holds: Holds | undefined;
  #ulids = 0;

  readonly #network: HoldNetwork | undefined;

  constructor({ script = callSend, killAt = [], network }: HoldWorldOptions = {}) {
    this.#network = network;
    this.world = nodeWorld({
      script,
      killAt,
      deliver: (row) => this.#deliver(row),
      tools: [this.#sendTool()],
      register: (registry, kernel) => this.#register(registry, kernel),
    });
  }

  get kernel(): Kernel {
    return this.world.kernel;
  }

  get cards(): readonly HoldCard[] {
    const { view } = this.kernel.snapshot();
    return (view.plugins["holds"] as unknown as { cards: readonly HoldCard[] }).cards;
  }

  get card(): HoldCard {
    const [card] = this.cards;
    if (!card) throw new Error("no card is open");
    return card;
  }

  get totalEffects(): number {
    return [...this.effects.values()].reduce((sum, count) => sum + count, 0);
  }

  say(text: string, mode?: "queue" | "steer", by = ANNA): void {
    const content = [{ type: "text", text } as const];
    this.kernel.submit({ key: `${by}:${text}`, actor: by, meta: null, content, ...(mode && { mode }) });
  }

  /** Starts, says "go" and lets the call come to its card. Time stands still. */
  async toCard(): Promise<HoldCard> {
    this.world.start().resume();
    this.say("go");
    await this.world.run(() => this.cards.length > 0);
    return this.card;
  }

  press(
    decision: "approve" | "decline",
    { card = this.card, by = ANNA, note, digest = card.digest, input, always }: PressOptions = {},
  ): Promise<Result<Record<string, never>, PressRefused>> {
    const presser = this.people.get(by);
    if (!presser || !this.#holds) throw new Error(`nobody is ${by}, or the process is not running`);
    const said = {
      ...(note !== undefined && { note }),
      ...(input !== undefined && { input }),
      ...(always && { always }),
    };
    return this.#holds.press({ hold: card.hold, digest, decision, presser, ...said });
  }

  askAgain(hold: string, by = ANNA) {
    return this.#installed().askAgain({ hold, presser: this.#person(by) });
  }

  change(change: CardChange, { hold = this.card.hold, by = ANNA }: { hold?: string; by?: string } = {}) {
    return this.#installed().change({ hold, change, presser: this.#person(by) });
  }

  pressMany(decision: "approve" | "decline", cards: readonly Pick<HoldCard, "hold" | "digest">[], by = ANNA) {
    const unavailable = () => ({ code: "unavailable", message: "away" }) as const;
    return this.#installed().pressMany({ decision, cards, presser: this.#person(by) }, unavailable);
  }

  /** Cards that may be asked again. */
  get again(): HoldsView["again"] {
    const { view } = this.kernel.snapshot();
    return (view.plugins["holds"] as unknown as HoldsView).again;
  }

  #installed(): Holds {
    if (!this.#holds) throw new Error("the process is not running");
    return this.#holds;
  }

  #person(by: string): KnownPerson {
    const person = this.people.get(by);
    if (!person) throw new Error(`nobody is ${by}`);
    return person;
  }

  /** An outbox row comes once more. */
  redeliver(row: OutboxRow): void {
    this.#installed().deliver(row);
  }

  argument(card: HoldCard, name: string): string | undefined {
    return this.#holds?.argument(card.hold, name);
  }

  /** Asks the gate about the call of a card, as the kernel would. */
  async check(card: HoldCard): Promise<BeforeTool | undefined> {
    const { tools, hooks } = this.world.registry.snapshot();
    const record = this.stored.records[card.hold];
    const tool = tools.get("send");
    if (!record || !tool) throw new Error(`there is no hold ${card.hold}`);
    const { task, entry, index } = record;
    const signal = new AbortController().signal;
    const call = { task, entry, index, tool, input: { ref: "main" }, actor: ANNA, meta: null, detached: false, signal };
    const { kernel, clock } = this.world;
    const nothing = { memo: () => null, recall: () => undefined, emit: () => undefined };
    const api = { ...nothing, read: kernel, now: () => clock.now() };
    return hooks.find(({ namespace }) => namespace.name === "holds")?.hooks.beforeTool?.(call, api);
  }

  /** A message with what waits now is shown. Returns its text. */
  list(at = this.world.clock.now()): string {
    const holds = this.#installed();
    const listed = this.kernel.commit((tx) => holds.toList(tx));
    this.kernel.commit((tx) => holds.listed(tx, { holds: listed, reply: `reply:${at}`, at }));
    return holds.listText(listed);
  }

  /** Says something that may answer what is listed, as the host lets it in. */
  async answer(
    text: string,
    {
      by = ANNA,
      sentAt = this.world.clock.now() + 1,
      key = `${by}:${text}`,
    }: { by?: string; sentAt?: number; key?: string } = {},
  ): Promise<void> {
    const signal = new AbortController().signal;
    const heard = await this.#installed().hear({ key, text, sentAt, by: this.#person(by) }, signal);
    const content = [{ type: "text", text } as const];
    this.kernel.submit({ key, actor: by, meta: null, content }, heard);
  }

  /** Lets what can happen without time passing happen. */
  async settle(): Promise<void> {
    await this.world.run(() => false, this.world.clock.now());
  }

  /** The process dies and another one opens. */
  async restart(): Promise<void> {
    this.world.crash();
    this.world.start().resume();
  }

  /** The holds as they are stored, by name. */
  get stored(): HoldsState {
    const [row] = this.world.storage.sql
      .exec<{ body: string }>("SELECT body FROM namespaces WHERE name = 'holds'")
      .toArray();
    return JSON.parse(row?.body ?? "{}") as HoldsState;
  }

  /** The results of calls that the transcript holds, as text. */
  get results(): readonly { readonly outcome: string; readonly code: string | undefined; readonly text: string }[] {
    return this.kernel.entriesAfter(0, 1_000).flatMap(({ kind, message, data }) => {
      if (kind !== "core.tool_result" || message?.role !== "tool") return [];
      const { outcome, code } = data as { outcome: string; code?: string };
      return [{ outcome, code, text: textOf(message.content) }];
    });
  }

  /** The lines of the audit, as they are stored. */
  get audit(): readonly AuditLine[] {
    return new AuditTable(this.world.storage).after(0, 1_000);
  }

  /** The audit of the running process. */
  get audited(): Holds["audit"] {
    if (!this.#holds) throw new Error("the process is not running");
    return this.#holds.audit;
  }

  /** The hold of the card, as it is stored. */
  get record(): HoldsState["records"][string] {
    const record = this.stored.records[this.card.hold];
    if (!record) throw new Error("the hold is not stored");
    return record;
  }

  /** When cards were opened. */
  get opened(): readonly number[] {
    return this.audit.filter(({ event }) => event === "opened").map(({ at }) => at);
  }

  /** What the system told the model by itself. */
  get notices(): readonly string[] {
    return this.kernel.entriesAfter(0, 1_000).flatMap(({ kind, message }) => {
      return kind === "core.notice" && message?.role === "user" ? [textOf(message.content)] : [];
    });
  }

  #register(registry: Registry, kernel: () => Kernel): void {
    const { clock, crashes } = this.world;
    const { life } = crashes;
    if (this.#network) {
      registry.namespace(LANE);
      registry.namespace(SAYINGS);
      const { surface } = this.#network;
      registry.hooks(
        LANE,
        laneHooks({ plugins: [] }, surface, (tx) => this.#installed().toList(tx)),
      );
    }
    this.runningVersion = this.version;
    const host: HoldsHost = {
      conversation: "web:test",
      visibility: this.visibility,
      ...(this.nobodyToAsk !== undefined && { nobodyToAsk: this.nobodyToAsk }),
      ...(this.isListing && { listing: this.#listing(life) }),
      rules: {
        deny: [{ id: "deny", deny: (call) => this.deny(call) }],
        hold: [{ id: "send.0", approvalTier: "member", describe: (call, turn) => this.describe(call, turn) }],
      },
      clock,
      ulid: () => `hold${String(++this.#ulids).padStart(22, "0")}`,
      providerOf: () => ({ kind: "plugin", name: "test" }),
      tierOf: () => this.toolTier,
      tool: (name) => registry.snapshot().tools.get(name),
      person: (id) => this.#ask(life, id),
      isHere: ({ principalId }) => !this.outside.has(principalId),
      isMember: (id) => !this.outside.has(id),
      speaker: async ({ actor }, { fresh }) => {
        const person = fresh ? await this.#ask(life, actor) : this.#present(actor);
        return this.isSpeakerUnlinked ? undefined : person;
      },
      file: (id) => this.#file(life, id),
      read: kernel,
      commit: (builder) => kernel().commit(builder),
      entry: (id) => readEntry(this.world.storage, id),
      storage: this.world.storage,
      changed: (tx) => {
        tx.send({ key: "registry", target: "registry", payload: null });
        if (this.#network) requestSending(tx);
      },
      turn: () => kernel().control.turn?.task ?? 0,
      report: (event, facts) => void this.world.reports.push({ event, facts }),
    };
    registry.namespace(SHAPER);
    registry.hooks(SHAPER, { beforeTool: (call, api) => this.handler(call, api) });
    this.#holds = installHolds(registry, host);
  }

  /** Sends what the conversation has to say, where it is on a network. */
  async #deliver(row: OutboxRow): Promise<DeliveryOutcome> {
    if (row.target === WITHDRAWALS) this.#installed().deliver(row);
    if (!this.#network || row.target !== SURFACE) return { status: "sent" };
    const { surface, channel } = this.#network;
    const report = (event: string, facts: { readonly [key: string]: string }) =>
      void this.world.reports.push({ event, facts });
    const complete = completeSurface(surface, report);
    const lane = new SurfaceLane({
      surface: complete,
      read: () => Promise.resolve(null),
      now: () => this.world.clock.now(),
      report,
    });
    const { kernel } = this;
    const facts = { key: channel, visibility: this.visibility, owner: ANNA };
    return lane.deliver({ kernel, holds: this.#installed(), facts, questions: () => [] });
  }

  #listing(life: number): CallListing {
    return {
      judge: (question) => {
        this.world.crashes.point(life, "judge");
        this.judged.push(question);
        const judgement = this.judgement((question.about as { readonly message: string }).message);
        return Promise.resolve(judgement ? ok(judgement) : err("The judge is away."));
      },
      minConfidence: 0.9,
      unlisted: (tx) => {
        this.unlisted++;
        if (this.#network) promiseList(tx, this.#installed().toList(tx));
      },
    };
  }

  async #ask(life: number, id: string): Promise<KnownPerson | undefined> {
    await this.beforeAnswer();
    this.world.crashes.point(life, "directory");
    if (this.isDirectoryAway) throw new Error("the directory is away");
    const person = this.#present(id);
    this.answered(id, person);
    return person;
  }

  /** Somebody who may be here: known, and the conversation open to them. */
  #present(id: string): KnownPerson | undefined {
    return this.outside.has(id) ? undefined : this.people.get(id);
  }

  async #file(life: number, id: string): Promise<HeldFile | "missing" | "too_large"> {
    this.world.crashes.point(life, "file");
    if (this.isFileStoreAway) throw new Error("the store of files is away");
    const file = this.files.get(id);
    if (!file) return "missing";
    return file.bytes > MAX_HELD_FILE_BYTES ? "too_large" : { id, ...file };
  }

  #sendTool(): Tool {
    const tool = defineTool({
      name: "send",
      description: "Sends something, once.",
      input: z.looseObject({ ref: z.string().optional() }) as unknown as z.ZodType<Json>,
      execute: async (input, context) => {
        await this.beforeEffect({ input, key: context.idempotencyKey });
        this.inputs.push(input);
        this.approvals.push({ by: context.approvedBy, prompt: context.approvedPrompt });
        this.effects.set(context.idempotencyKey, (this.effects.get(context.idempotencyKey) ?? 0) + 1);
        return { text: "sent" };
      },
    });
    const version = () => this.version;
    return {
      ...tool,
      validate: (input) => (this.isFitting(input) ? tool.validate(this.readInput(input)) : err("no such argument")),
      // Read anew at each start of a process, as another deploy would bring it.
      get version() {
        return version();
      },
    };
  }
}

/** A call that has started, as its tool sees it. */
export interface RunningCall {
  readonly input: Json;
  readonly key: string;
}

interface PressOptions {
  readonly card?: HoldCard;
  readonly by?: string;
  readonly note?: string;
  readonly digest?: string;
  readonly input?: Json;
  readonly always?: AllowWish;
}

function textOf(content: readonly { readonly type: string; readonly text?: string }[]): string {
  return content.map((part) => part.text ?? part.type).join("\n");
}
