import { createHash } from "node:crypto";
import type { HoldCard } from "../../../src/protocol/cards.ts";
import type { AssistantPart, StopReason, Usage } from "../../../src/protocol/message.ts";
import type { ToolOutcome, ToolView, TurnView } from "../../../src/protocol/view.ts";
import { type MockConversation, toJson } from "./conversation.ts";
import { type Beat, type Outcome, type Script, type ScriptedCall, scriptFor } from "./script.ts";
import { summarise } from "./summary.ts";

/** How fast the scripted agent speaks. */
export interface Pace {
  /** Units of one delta. */
  readonly units: number;
  /** Pause after each delta. */
  readonly ms: number;
}

/** Arguments longer than this are cut on the card. */
const CARD_VALUE_UNITS = 400;
const DAY_MS = 86_400_000;

class Stopped extends Error {}

/** The turns of one conversation, one after the other. A restart breaks a turn off; `resume` runs its step again. */
export class MockTurns {
  readonly #conversation: MockConversation;
  readonly #pace: () => Pace;
  readonly #decisions = new Map<string, (decision: "approve" | "decline" | "expired") => void>();
  /** Pauses and waits of the running turn, cut short by a stop or a crash. */
  readonly #wakers = new Set<() => void>();
  #script: Script | undefined;
  #isBroken = false;
  #partial = "";
  /** Calls that ran, for tests that count effects. */
  readonly ran: ScriptedCall[] = [];

  constructor(conversation: MockConversation, pace: () => Pace) {
    this.#conversation = conversation;
    this.#pace = pace;
  }

  /** Begins a turn for inputs that were placed already. */
  begin(text: string, inputs: readonly string[], actor: string): void {
    const c = this.#conversation;
    const turn: TurnView = {
      task: c.newId(),
      actor,
      inputs,
      stage: "requesting",
      step: 1,
      attempt: 1,
      model: c.chat.model,
      startedAt: Date.now(),
      stopping: false,
      tools: [],
    };
    c.commit(["s", ["turn"], toJson(turn)]);
    this.#script = scriptFor(text);
    void this.#run();
  }

  stop(): boolean {
    if (this.#conversation.view.turn === null) return false;
    this.#conversation.commit(["s", ["turn", "stopping"], true]);
    this.#wakeAll();
    return true;
  }

  decide(hold: string, decision: "approve" | "decline"): void {
    this.#decisions.get(hold)?.(decision);
  }

  /** The process dies: nothing of the running step goes on. */
  crash(): void {
    this.#isBroken = true;
    this.#conversation.live = [];
    this.#wakeAll();
  }

  /** The process is back: an interrupted request counts as an attempt and is sent again. */
  resume(): void {
    this.#isBroken = false;
    const { turn } = this.#conversation.view;
    if (turn === null) return;
    if (turn.stage === "requesting") this.#conversation.commit(["s", ["turn", "attempt"], turn.attempt + 1]);
    void this.#run(turn.stage === "requesting" || turn.stage === "retrying" ? undefined : turn.tools);
  }

  async #run(tools?: readonly ToolView[]): Promise<void> {
    try {
      if (tools !== undefined && this.#script !== undefined) this.#script = await this.#rejoin(this.#script, tools);
      while (this.#script !== undefined) this.#script = await this.#step(this.#script);
      this.#end();
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      if (!this.#isBroken) this.#endStopped();
    }
  }

  async #step(script: Script): Promise<Script | undefined> {
    const c = this.#conversation;
    const parts: AssistantPart[] = [];
    const startedAt = Date.now();
    this.#partial = "";
    for (const beat of script.beats) {
      if (beat.kind === "calls") {
        const outcomes = await this.#callTools(parts, beat.calls, startedAt);
        return script.next?.(outcomes);
      }
      const isOver = await this.#play(beat, parts, startedAt);
      if (isOver) return undefined;
    }
    c.live = [];
    c.commit(...this.#answer(parts, "end", startedAt));
    return undefined;
  }

  /** Goes on with the calls of a step that a crash broke off: what is done stays done. */
  async #rejoin(script: Script, tools: readonly ToolView[]): Promise<Script | undefined> {
    const calls = script.beats.flatMap((beat) => (beat.kind === "calls" ? beat.calls : []));
    const outcomes = await Promise.all(
      tools.map((tool, index): Promise<Outcome> => {
        const call = calls[index];
        if (call === undefined) throw new Error("mock: a tool without a call");
        const isDone = tool.status === "done";
        return isDone
          ? Promise.resolve({ name: call.name, ran: true, output: call.output })
          : this.#callTool(call, index, tool.entry);
      }),
    );
    this.#nextStep();
    return script.next?.(outcomes);
  }

  /** @returns true when the turn failed. */
  async #play(beat: Exclude<Beat, { kind: "calls" }>, parts: AssistantPart[], startedAt: number): Promise<boolean> {
    const c = this.#conversation;
    switch (beat.kind) {
      case "pause":
        await this.#pause(beat.ms);
        return false;
      case "text":
      case "thinking":
        await this.#speak(beat.kind, beat.text);
        parts.push({ type: beat.kind, text: beat.text });
        return false;
      case "retry": {
        c.live = [];
        parts.length = 0;
        const retry = { until: Date.now() + beat.ms, error: beat.error };
        c.commit(["s", ["turn", "stage"], "retrying"], ["s", ["turn", "retry"], retry]);
        await this.#pause(beat.ms);
        const attempt = (c.view.turn?.attempt ?? 1) + 1;
        c.commit(["d", ["turn", "retry"]], ["s", ["turn", "stage"], "requesting"], ["s", ["turn", "attempt"], attempt]);
        return false;
      }
      case "summary":
        c.commit(["s", ["turn", "stage"], "compacting"]);
        await summarise(c, c.newId(), beat.reason, (ms) => this.#pause(ms));
        c.commit(["s", ["turn", "stage"], "requesting"]);
        return false;
      case "fail": {
        c.live = [];
        const choices = beat.choices === undefined ? {} : { choices: beat.choices };
        c.commit(...this.#answer(parts, "end", startedAt, { reason: "failed", error: beat.error, ...choices }));
        return true;
      }
    }
  }

  async #speak(channel: "text" | "thinking", text: string): Promise<void> {
    const { turn } = this.#conversation.view;
    for (let at = 0; at < text.length; at += this.#pace().units) {
      await this.#pause(this.#pace().ms);
      const piece = text.slice(at, at + this.#pace().units);
      if (channel === "text") this.#partial += piece;
      this.#conversation.stream(turn?.task ?? 0, this.#conversation.view.turn?.attempt ?? 1, channel, piece);
    }
  }

  async #callTools(parts: AssistantPart[], calls: readonly ScriptedCall[], startedAt: number): Promise<Outcome[]> {
    const c = this.#conversation;
    for (const [index, call] of calls.entries()) {
      parts.push({ type: "call", id: `call_${index}`, name: call.name, args: JSON.stringify(call.args) });
    }
    c.live = [];
    const ops = this.#answer(parts, "calls", startedAt);
    const entry = c.entries.at(-1)?.id ?? 0;
    const tools = calls.map(
      (call, index): ToolView => ({ task: c.newId(), entry, index, name: call.name, status: "pending" }),
    );
    c.commit(...ops, ["s", ["turn", "stage"], "tools"], ["s", ["turn", "tools"], toJson(tools)]);
    const outcomes = await Promise.all(calls.map((call, index) => this.#callTool(call, index, entry)));
    this.#nextStep();
    return outcomes;
  }

  #nextStep(): void {
    const step = (this.#conversation.view.turn?.step ?? 1) + 1;
    this.#conversation.commit(
      ["s", ["turn", "tools"], []],
      ["s", ["turn", "stage"], "requesting"],
      ["s", ["turn", "step"], step],
      ["s", ["turn", "attempt"], 1],
    );
  }

  async #callTool(call: ScriptedCall, index: number, entry: number): Promise<Outcome> {
    const c = this.#conversation;
    const card = call.hold === undefined ? undefined : this.#openCard(call, index);
    if (card !== undefined) {
      const decision = await this.#waitFor(card);
      if (decision !== "approve") {
        const code = decision === "decline" ? "declined" : "expired";
        c.commit(
          ...this.#result(call, index, entry, { outcome: "blocked", code, decidedBy: "Owner" }),
          this.#withoutCard(card),
        );
        return { name: call.name, ran: false, output: "" };
      }
    }
    c.commit(
      ["s", ["turn", "tools", index, "status"], "running"],
      ["s", ["turn", "tools", index, "startedAt"], Date.now()],
      ["s", ["turn", "stage"], "tools"],
    );
    await this.#pause(call.ms);
    this.ran.push(call);
    const outcome: ToolOutcome = call.outcome ?? "ok";
    const decidedBy = card === undefined ? {} : { decidedBy: "Owner" };
    const ops = this.#result(call, index, entry, { outcome, ms: call.ms, ...decidedBy });
    c.commit(...ops, ...(card === undefined ? [] : [this.#withoutCard(card)]));
    return { name: call.name, ran: true, output: call.output };
  }

  #openCard(call: ScriptedCall, index: number): HoldCard {
    const c = this.#conversation;
    const task = c.view.turn?.tools[index]?.task ?? 0;
    const open = this.#cards().find((card) => card.task === task);
    if (open !== undefined) return open;
    const args = Object.entries(call.args as Record<string, unknown>).map(([name, value]) => {
      const text = JSON.stringify(value);
      if (text.length <= CARD_VALUE_UNITS) return { name, value: text };
      const sha256 = createHash("sha256").update(text).digest("hex");
      return { name, value: text.slice(0, CARD_VALUE_UNITS), cut: { length: text.length, sha256 } };
    });
    const card: HoldCard = {
      hold: `hold-${task}`,
      task,
      digest: createHash("sha256").update(JSON.stringify(call.args)).digest("hex"),
      tool: call.name,
      action: call.hold?.action ?? `run ${call.name}`,
      target: call.hold?.target ?? null,
      args,
      truncated: args.some((arg) => "cut" in arg),
      ...call.hold?.extras,
      askedBy: "Owner",
      askedAt: Date.now(),
      deadline: Date.now() + (call.hold?.deadlineMs ?? DAY_MS),
      minTier: "member",
      status: "open",
    };
    c.commit(
      ["s", ["plugins", "holds", "cards"], toJson([...this.#cards(), card])],
      ["s", ["turn", "tools", index, "status"], "waiting"],
      ["s", ["turn", "tools", index, "waitingOn"], "holds"],
      ["s", ["turn", "stage"], "waiting"],
    );
    return card;
  }

  async #waitFor(card: HoldCard): Promise<"approve" | "decline" | "expired"> {
    const decided = new Promise<"approve" | "decline" | "expired">((resolve) =>
      this.#decisions.set(card.hold, resolve),
    );
    const left = card.deadline - Date.now();
    const timer = left < DAY_MS / 2 ? setTimeout(() => this.#decisions.get(card.hold)?.("expired"), left) : undefined;
    let wake = (): void => undefined;
    const stopped = new Promise<undefined>((resolve) => {
      wake = () => resolve(undefined);
    });
    this.#wakers.add(wake);
    const decision = await Promise.race([decided, stopped]);
    this.#wakers.delete(wake);
    clearTimeout(timer);
    this.#decisions.delete(card.hold);
    if (decision === undefined) throw new Stopped();
    const status = decision === "approve" ? "approved" : decision === "decline" ? "declined" : "expired";
    const end = { ...card, status, decision: { by: "Owner", at: Date.now() } };
    this.#conversation.commit([
      "s",
      ["plugins", "holds", "cards"],
      toJson(this.#cards().map((other) => (other.hold === card.hold ? end : other))),
    ]);
    await this.#pause(60);
    return decision;
  }

  #cards(): readonly HoldCard[] {
    return (this.#conversation.view.plugins.holds as unknown as { readonly cards: readonly HoldCard[] }).cards;
  }

  #withoutCard(card: HoldCard): readonly ["s", readonly string[], ReturnType<typeof toJson>] {
    return ["s", ["plugins", "holds", "cards"], toJson(this.#cards().filter((other) => other.hold !== card.hold))];
  }

  #result(call: ScriptedCall, index: number, entry: number, data: object) {
    const c = this.#conversation;
    const ops = c.append({
      kind: "core.tool_result",
      task: c.view.turn?.tools[index]?.task ?? 0,
      message: {
        role: "tool",
        callId: `call_${index}`,
        name: call.name,
        isError: call.outcome === "error",
        content: [{ type: "text", text: call.output }],
      },
      data: toJson({ entry, index, ...data }),
    });
    return [...ops, ["s", ["turn", "tools", index, "status"], "done"] as const];
  }

  #answer(parts: readonly AssistantPart[], stop: StopReason, startedAt: number, display?: object) {
    const c = this.#conversation;
    const usage: Usage = { input: 1_240, output: 96, cachedRead: 800, cachedWrite: 0, costMicros: 4_210 };
    const ops = c.append({
      kind: "core.assistant",
      task: c.view.turn?.task ?? 0,
      message: { role: "assistant", content: [...parts], stop },
      data: toJson({
        model: c.chat.model,
        usage,
        ms: Date.now() - startedAt,
        ...(display === undefined ? {} : { display }),
      }),
    });
    return [...ops, c.spend(usage)];
  }

  #end(): void {
    this.#conversation.commit(["s", ["turn"], null]);
    this.onEnd?.();
  }

  #endStopped(): void {
    const c = this.#conversation;
    c.live = [];
    const parts: AssistantPart[] = this.#partial === "" ? [] : [{ type: "text", text: this.#partial }];
    const ops =
      c.view.turn?.stage === "requesting" ? this.#answer(parts, "end", Date.now(), { reason: "stopped" }) : [];
    c.commit(...ops, ["s", ["plugins", "holds", "cards"], []], ["s", ["compaction"], null], ["s", ["turn"], null]);
    this.#script = undefined;
    this.onEnd?.();
  }

  /** Called when a turn is over: what is queued may begin. */
  onEnd: (() => void) | undefined;

  #wakeAll(): void {
    for (const wake of this.#wakers) wake();
  }

  async #pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#wakers.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#wakers.add(done);
    });
    const { isDeleted, view } = this.#conversation;
    if (this.#isBroken || view.turn?.stopping === true || isDeleted) throw new Stopped();
  }
}
