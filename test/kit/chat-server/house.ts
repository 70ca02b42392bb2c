import type {
  ClientFrame,
  DecideBody,
  DecisionOutcome,
  ErrorCode,
  ReceiptStatus,
} from "../../../src/protocol/frames.ts";
import { MAX_PAGE_ENTRIES } from "../../../src/protocol/limits.ts";
import type { UserPart } from "../../../src/protocol/message.ts";
import type { Notice } from "../../../src/protocol/notices.ts";
import type { ConversationSummary, Me, SettingsBody } from "../../../src/protocol/rest.ts";
import type { QueuedInput, ResetData } from "../../../src/protocol/view.ts";
import { MockConversation, type Send, toJson } from "./conversation.ts";
import { fillFork, rewind } from "./history.ts";
import { Refusal } from "./refusal.ts";
import { MockTasks } from "./tasks.ts";
import { MockTurns, type Pace } from "./turn.ts";

const OWNER = "p_01hmockowner0000000000000a";

const RESET: ResetData = { by: OWNER };

const MODELS: Me["models"] = [
  { id: "demo/demo", label: "Demo", thinking: ["off", "low", "medium", "high"], images: false, demo: true },
  { id: "demo/brief", label: "Demo, brief", thinking: ["off"], images: false, demo: true },
];

export const ME: Me = {
  principal: { id: OWNER, name: "Owner", tier: "owner" },
  models: MODELS,
  defaultModel: "demo/demo",
  personas: [
    { kind: "assistant", label: "Assistant" },
    { kind: "pirate", label: "Pirate <b>Jack</b>" },
  ],
  defaultPersona: "assistant",
  limits: { textUnits: 32_000, filesPerMessage: 8, fileBytes: 10 * 1024 * 1024, titleUnits: 80 },
};

export interface Room {
  readonly conversation: MockConversation;
  readonly turns: MockTurns;
  readonly tasks: MockTasks;
}

/** Everything the mock remembers; it stands while the "process" restarts. */
export class MockHouse {
  readonly rooms = new Map<string, Room>();
  /** Client ids of every `send` that arrived, repeats included. */
  readonly sends: string[] = [];
  /** Where the latest `send` went back to. */
  lastRewind: number | undefined;
  /** The next sends are refused with this code. */
  refuseSends: ErrorCode | undefined;
  notices: readonly Notice[] = [];
  /** Up to which revision each conversation was seen. */
  readonly seen = new Map<string, number>();
  pace: Pace = { units: 9, ms: 12 };
  /** What people can sign in with, beside a code. */
  providers: readonly { readonly name: string; readonly label: string }[] = [];

  create(id: string): Room {
    const known = this.rooms.get(id);
    if (known !== undefined) return known;
    const conversation = new MockConversation(id, Date.now(), ME.defaultModel);
    const turns = new MockTurns(conversation, () => this.pace);
    const room: Room = { conversation, turns, tasks: new MockTasks(conversation) };
    turns.onEnd = () => this.#next(room);
    this.rooms.set(id, room);
    return room;
  }

  remove(id: string): void {
    const room = this.rooms.get(id);
    if (room === undefined) return;
    room.conversation.isDeleted = true;
    this.rooms.delete(id);
  }

  /** UUIDs of every fork that was asked for, repeats included. */
  readonly forks: string[] = [];

  fork(room: Room, id: string, at: number): void {
    this.forks.push(id);
    if (this.rooms.has(id)) return;
    const made = this.create(id);
    try {
      fillFork(room.conversation, at, made.conversation);
    } catch (error) {
      this.rooms.delete(id);
      throw error;
    }
  }

  change(room: Room, { tools: switched, ...settings }: SettingsBody): void {
    const before = room.conversation.chat;
    const unknown = Object.keys(switched ?? {}).find((name) => !before.tools.some((tool) => tool.name === name));
    if (unknown !== undefined) throw new Refusal("bad_request", `There is no tool ${unknown}.`);
    const { persona } = settings;
    if (persona !== undefined && !ME.personas.some(({ kind }) => kind === persona)) {
      throw new Refusal("bad_request", `There is no persona "${persona}" here.`);
    }
    const tools = before.tools.map((tool) => ({ ...tool, on: switched?.[tool.name] ?? tool.on }));
    const chat = { ...before, ...settings, tools };
    room.conversation.commit(["s", ["plugins", "chat"], toJson(chat)]);
  }

  summaries(): readonly ConversationSummary[] {
    const all = [...this.rooms.values()].map(({ conversation: c }): ConversationSummary => {
      const isWaiting = c.view.turn?.stage === "waiting";
      const last = c.view.entries.findLast((entry) => entry.kind === "core.assistant");
      const display = (last?.data as { readonly display?: { readonly reason: string } } | undefined)?.display;
      const rest = display?.reason === "failed" ? "failed" : "idle";
      return {
        id: c.id,
        visibility: "private",
        title: c.chat.title,
        createdAt: c.createdAt,
        updatedAt: c.updatedAt,
        state: isWaiting ? "waiting" : c.view.turn === null ? rest : "running",
        usage: c.view.usage,
        unread: c.rev > (this.seen.get(c.id) ?? c.rev),
      };
    });
    return all.sort((a, b) => b.updatedAt - a.updatedAt);
  }

  /** What a client's frame does. Refusals become error frames that name what they refer to. */
  handle(room: Room, frame: ClientFrame, send: Send): void {
    try {
      this.#handle(room, frame, send);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const ref =
        frame.type === "send"
          ? frame.id
          : frame.type === "decide"
            ? frame.hold
            : frame.type === "answer"
              ? frame.prompt
              : frame.type === "withdraw"
                ? frame.input
                : undefined;
      send({ type: "error", code: error.code, message: error.message, ...(ref === undefined ? {} : { ref }) });
    }
  }

  #handle(room: Room, frame: ClientFrame, send: Send): void {
    const c = room.conversation;
    switch (frame.type) {
      case "hello":
        send(c.hello(frame.lastRev));
        return send(c.choices());
      case "send":
        return this.#submit(room, frame, send);
      case "stop":
        if (!room.turns.stop()) throw new Refusal("nothing_to_do", "Nothing is running.");
        return;
      case "withdraw": {
        const index = c.view.inbox.findIndex((item) => item.input === frame.input);
        if (index < 0) throw new Refusal("already_placed", "The message is being answered already.");
        return c.commit(["p", ["inbox"], index, 1]);
      }
      case "decide":
        return this.#decide(room, frame);
      case "decideMany":
        return send({ type: "decided", id: frame.id, outcomes: this.#decideMany(room, frame) });
      case "answer":
        throw new Refusal("unknown_prompt", "Nobody asks anything here.");
      case "continue":
        if (c.view.inbox.length === 0) throw new Refusal("nothing_to_do", "Nothing is queued.");
        return this.#next(room);
      case "more":
        return send({ type: "page", before: frame.before, ...c.page(frame.before, MAX_PAGE_ENTRIES) });
      case "auth":
        throw new Refusal("unauthenticated", "This server takes no access tokens.");
      case "ack":
        return;
    }
  }

  #submit(room: Room, frame: Extract<ClientFrame, { type: "send" }>, send: Send): void {
    const c = room.conversation;
    const input = `${OWNER}:${frame.id}`;
    this.sends.push(frame.id);
    this.lastRewind = frame.rewindTo;
    const known = c.receipts.get(frame.id);
    if (known !== undefined) return send({ type: "receipt", id: frame.id, input, status: "done" });
    if (this.refuseSends === "busy") throw new Refusal("busy", "An answer is running. Send it when it is done.");
    if (this.refuseSends !== undefined)
      throw new Refusal(this.refuseSends, "The inbox is full: 100 messages wait. Withdraw some.");
    const files = (frame.attachments ?? []).map((id) => c.files.get(id)?.ref);
    if (files.includes(undefined))
      throw new Refusal("unknown_attachment", "An attached file is not known. Attach it again.");
    if (frame.rewindTo !== undefined) rewind(c, frame.rewindTo, OWNER);
    c.receipts.set(frame.id, frame.text);
    const content: UserPart[] = [
      ...files.flatMap((file) => (file === undefined ? [] : [{ type: "file" as const, file }])),
      ...(frame.text === "" ? [] : [{ type: "text" as const, text: frame.text }]),
    ];
    const isBusy = c.view.turn !== null;
    const status: ReceiptStatus = isBusy ? "queued" : "placed";
    if (c.chat.title === "") this.change(room, { title: frame.text.split("\n")[0]?.slice(0, 80) ?? "" });
    if (isBusy) {
      const item: QueuedInput = {
        input,
        actor: OWNER,
        mode: frame.mode ?? "steer",
        text: frame.text,
        files: files.length,
        at: Date.now(),
      };
      c.commit(["p", ["inbox"], c.view.inbox.length, 0, toJson(item)]);
    } else {
      this.#place(room, input, content);
    }
    send({ type: "receipt", id: frame.id, input, status });
    if (!isBusy) room.turns.begin(frame.text, [input], OWNER);
  }

  #place(room: Room, input: string, content: readonly UserPart[]): void {
    const c = room.conversation;
    c.append({ kind: "core.user", message: { role: "user", content }, data: { input, actor: OWNER } });
    c.commit(...c.windowOps());
  }

  #decideMany(room: Room, { cards, decision }: Extract<ClientFrame, { type: "decideMany" }>): DecisionOutcome[] {
    return cards.map((card) => {
      try {
        this.#decide(room, { ...card, decision });
        return { hold: card.hold };
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return { hold: card.hold, error: { code: error.code, message: error.message } };
      }
    });
  }

  #decide(room: Room, frame: Pick<DecideBody, "hold" | "digest" | "decision">): void {
    const holds = room.conversation.view.plugins.holds as {
      readonly cards: readonly { hold: string; digest: string; status: string }[];
    };
    const card = holds.cards.find((other) => other.hold === frame.hold);
    if (card === undefined) throw new Refusal("unknown_hold", "There is no such approval any more.");
    if (card.status !== "open") throw new Refusal("already_decided", "It was decided already.");
    if (card.digest !== frame.digest) throw new Refusal("changed", "What would run changed. Look again.");
    room.turns.decide(frame.hold, frame.decision);
  }

  /** Models see nothing from before it. While a turn runs it waits for the end. */
  reset(room: Room): "placed" | "queued" {
    const c = room.conversation;
    if (c.view.turn === null) {
      c.commit(...c.append({ kind: "core.reset", data: toJson(RESET) }));
      return "placed";
    }
    const item: QueuedInput = {
      input: `${OWNER}:reset`,
      actor: OWNER,
      mode: "write",
      text: "",
      files: 0,
      at: Date.now(),
    };
    c.commit(["p", ["inbox"], c.view.inbox.length, 0, toJson(item)]);
    return "queued";
  }

  /** Places what is queued, all of it, and answers it together. Writes come first and ask for no answer. */
  #next(room: Room): void {
    const c = room.conversation;
    const writes = c.view.inbox.filter((item) => item.mode === "write");
    if (c.view.turn === null && writes.length > 0) {
      const left = c.view.inbox.filter((item) => item.mode !== "write");
      const placed = writes.flatMap(() => c.append({ kind: "core.reset", data: toJson(RESET) }));
      c.commit(["s", ["inbox"], toJson(left)], ...placed);
    }
    const [...queued] = c.view.inbox;
    const last = c.view.entries.findLast((entry) => entry.kind === "core.assistant");
    const display = (last?.data as { readonly display?: { readonly reason: string } } | undefined)?.display;
    if (queued.length === 0 || c.view.turn !== null || (display?.reason === "failed" && this.#holdBack(room))) return;
    c.commit(["s", ["inbox"], []]);
    for (const item of queued) this.#place(room, item.input, [{ type: "text", text: item.text }]);
    room.turns.begin(
      queued.map((item) => item.text).join("\n"),
      queued.map((item) => item.input),
      OWNER,
    );
  }

  /** After a failed turn what is queued waits for "continue": the first attempt to go on is held back. */
  #holdBack(room: Room): boolean {
    const isFirst = !this.#heldBack.has(room.conversation.rev);
    this.#heldBack.add(room.conversation.rev);
    return isFirst;
  }

  readonly #heldBack = new Set<number>();
}
