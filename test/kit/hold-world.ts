import * as z from "zod";
import { AuditTable } from "../../src/holds/audit/audit-table.ts";
import type { HeldFile } from "../../src/holds/bound-call.ts";
import type { CardChange } from "../../src/holds/change-card.ts";
import { MAX_HELD_FILE_BYTES } from "../../src/holds/held-files.ts";
import type { HoldsState } from "../../src/holds/hold-state.ts";
import type { DenyRule, HoldDescription, Holds, KnownPerson, PressRefused } from "../../src/holds/index.ts";
import { type HoldsHost, installHolds, type NamedHoldRule, WITHDRAWALS } from "../../src/holds/index.ts";
import type { AllowWish } from "../../src/holds/policy/allow-rule.ts";
import {
  type BeforeTool,
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
import { err, type Result } from "../../src/lib/result.ts";
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
  isDirectoryAway = false;
  /** Files of the conversation, by id. */
  readonly files = new Map<string, Omit<HeldFile, "id">>();
  isFileStoreAway = false;
  /** The identity by which people speak is linked to somebody else. */
  isSpeakerUnlinked = false;
  /** Runs before each answer of the directory. */
  beforeAnswer: () => Promise<void> = async () => undefined;
  /** Runs inside the tool, before it has its effect. */
  beforeEffect: () => Promise<void> = () => Promise.resolve();
  describe: NamedHoldRule["describe"] = ({ tool }) => (tool === "send" ? HELD : undefined);
  deny: DenyRule["deny"] = () => undefined;
  /** A plugin's handler, registered before the gate. Read at each call. */
  handler: NonNullable<Hooks["beforeTool"]> = () => Promise.resolve({ kind: "pass" });
  /** Arguments that the tool's schema refuses beside its own. */
  isFitting: (input: Json) => boolean = () => true;
  /** What the tool's schema makes of its arguments. */
  readInput: (input: Json) => Json = (input) => input;
  version = "1";
  toolTier: Tier = "member";
  /** Read at each start of a process. */
  nobodyToAsk: string | undefined;
  /** Read at each start of a process. */
  visibility: "private" | "shared" = "private";
  #holds: Holds | undefined;
  #ulids = 0;

  constructor({ script = callSend, killAt = [] }: { script?: Script; killAt?: readonly number[] } = {}) {
    this.world = nodeWorld({
      script,
      killAt,
      tools: [this.#sendTool()],
      register: (registry, kernel) => this.#register(registry, kernel),
      deliver: async (row) => {
        if (row.target === WITHDRAWALS) this.#installed().deliver(row);
        return { status: "sent" };
      },
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

  say(text: string, mode?: "queue" | "steer"): void {
    const content = [{ type: "text", text } as const];
    this.kernel.submit({ key: `${ANNA}:${text}`, actor: ANNA, meta: null, content, ...(mode && { mode }) });
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
    const host: HoldsHost = {
      conversation: "web:test",
      visibility: this.visibility,
      ...(this.nobodyToAsk !== undefined && { nobodyToAsk: this.nobodyToAsk }),
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
      speaker: async ({ actor }, { fresh }) => {
        const person = fresh ? await this.#ask(life, actor) : this.people.get(actor);
        return this.isSpeakerUnlinked ? undefined : person;
      },
      file: (id) => this.#file(life, id),
      read: kernel,
      commit: (builder) => kernel().commit(builder),
      entry: (id) => readEntry(this.world.storage, id),
      storage: this.world.storage,
      changed: (tx) => tx.send({ key: "registry", target: "registry", payload: null }),
      turn: () => kernel().control.turn?.task ?? 0,
      report: (event, facts) => void this.world.reports.push({ event, facts }),
    };
    registry.namespace(SHAPER);
    registry.hooks(SHAPER, { beforeTool: (call, api) => this.handler(call, api) });
    this.#holds = installHolds(registry, host);
  }

  async #ask(life: number, id: string): Promise<KnownPerson | undefined> {
    await this.beforeAnswer();
    this.world.crashes.point(life, "directory");
    if (this.isDirectoryAway) throw new Error("the directory is away");
    return this.people.get(id);
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
        await this.beforeEffect();
        this.inputs.push(input);
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
