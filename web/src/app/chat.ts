import { batch, type Signal, signal } from "@preact/signals";
import type { HoldCard } from "../../../src/protocol/cards.ts";
import type { ClientFrame, DecideBody, GivenAnswer, ServerFrame } from "../../../src/protocol/frames.ts";
import type { FileRef } from "../../../src/protocol/message.ts";
import type { QuestionCard } from "../../../src/protocol/questions.ts";
import type { SettingsBody } from "../../../src/protocol/rest.ts";
import type { View, ViewEntry } from "../../../src/protocol/view.ts";
import { Line } from "../net/line.ts";
import type { Refused, Reply } from "../net/rest.ts";
import { type Choices, NO_CHOICES } from "../state/cards.ts";
import type { Connection } from "../state/connection.ts";
import { type Ask, EMPTY_REPLICA, helloFrame, type Replica, reduceFrame, startSync } from "../state/replica.ts";
import { entryBefore } from "../state/rest-point.ts";
import { waitingIn } from "../state/waiting.ts";
import { Announcer } from "./announcer.ts";
import { AnswerDrafts } from "./drafts.ts";
import { History } from "./history.ts";
import { Policy } from "./policy.ts";
import type { Ports } from "./ports.ts";
import { Post } from "./post.ts";
import { NO_CONNECTION, Presses } from "./presses.ts";
import { createTranscript, type Transcript } from "./transcript.ts";

/** What a conversation tells the rest of the page. */
export interface ChatEvents {
  /** Words for screen readers. */
  readonly onAnnounce: (words: string) => void;
  /** A refusal that belongs to nothing on the screen. */
  readonly onRefusal: (message: string) => void;
  /** A sentence about what was done that nothing on the screen shows yet. */
  readonly onDone: (words: string) => void;
  /** The list may have changed: it was created, or a turn ended. */
  readonly onActivity: () => void;
}

type Decision = DecideBody["decision"];

/** One open conversation: its copy, its connection and what the person has on the way to it. */
export class Chat {
  readonly id: string;
  readonly connection: Signal<Connection> = signal<Connection>({ status: "idle" });
  readonly post: Post;
  readonly presses = new Presses();
  readonly drafts = new AnswerDrafts();
  readonly history: History;
  readonly policy: Policy;
  /** An entry that the person wants to see; older pages are loaded until it is there. */
  readonly wanted: Signal<{ readonly entry: number } | undefined> = signal(undefined);
  readonly isPaging: Signal<boolean> = signal(false);
  /** Settings chosen before the conversation exists. */
  readonly wishes: Signal<SettingsBody> = signal({});
  readonly replica: Signal<Replica> = signal(EMPTY_REPLICA);
  /** What the person may do with the cards. */
  readonly choices: Signal<Choices> = signal(NO_CHOICES);
  readonly transcript: Transcript;
  /** True until the server knows the conversation. */
  readonly isNew: Signal<boolean>;
  readonly #ports: Ports;
  readonly #events: ChatEvents;
  readonly #announcer: Announcer;
  readonly #line: Line;
  #creating: Promise<Refused | undefined> | undefined;

  constructor(id: string, isNew: boolean, ports: Ports, events: ChatEvents) {
    this.id = id;
    this.#ports = ports;
    this.#events = events;
    this.#announcer = new Announcer(events.onAnnounce);
    this.isNew = signal(isNew || ports.keep.isUncreated(id));
    this.post = new Post(id, ports);
    this.history = new History(id, ports, events);
    this.policy = new Policy(id, ports);
    this.transcript = createTranscript(this.replica, this.choices);
    this.#line = new Line(
      {
        prepare: () => this.#prepare(),
        open: (protocol) => ports.openSocket(`/chat/ws?conversation=${id}`, protocol),
        probe: () => ports.rest.probe(id).then((reply) => (reply.ok ? 200 : reply.error.status)),
        isOnline: ports.isOnline,
        nowMs: ports.nowMs,
        random: ports.random,
        after: ports.after,
      },
      {
        onConnection: (connection) => this.#follow(connection),
        onOpen: () => this.#greet("current"),
        onFrame: (frame) => batch(() => this.#receive(frame)),
      },
    );
  }

  /** Connects, unless there is nothing to connect to before the first message. */
  open(): void {
    if (!this.isNew.value || !this.post.isEmpty) this.#line.connect();
  }

  /** The tab or the network is back: tries at once, and finds out whether the connection still lives. */
  wake(): void {
    if (this.connection.value.status !== "live") return this.open();
    this.#greet("current");
  }

  close(): void {
    this.#line.close();
  }

  /** Puts a message on its way. It is kept until the server has it. @param rewindTo see {@link Post.add} */
  send(text: string, files: readonly FileRef[], rewindTo?: number): void {
    if (this.isNew.value) this.#ports.keep.setUncreated(this.id, true);
    this.post.add(text, files, rewindTo);
    this.#line.connect();
    this.#flush();
  }

  /** Sends a refused message again, under its own id. */
  retry(id: string): void {
    this.post.retry(id);
    this.#flush();
  }

  stop(): void {
    this.#say({ type: "stop" });
  }

  withdraw(input: string): void {
    this.#say({ type: "withdraw", input });
  }

  /** Starts a turn for what stayed queued after a failed one. */
  goOn(): void {
    this.#say({ type: "continue" });
  }

  /** The entry before another one, see {@link entryBefore}. Where it is not known its page is asked for. */
  before(entry: number): number | undefined {
    const { pages, view } = this.replica.value;
    const found = entryBefore([...pages.older, ...(view?.entries ?? [])], entry, pages.earlier);
    if (found === undefined) this.more();
    return found;
  }

  /** Asks for the page before the oldest known entry. */
  more(): void {
    const { pages, view } = this.replica.value;
    const front = pages.older[0] ?? view?.entries[0];
    if (front === undefined || !pages.earlier || this.isPaging.value) return;
    this.isPaging.value = this.#line.send({ type: "more", before: front.id });
  }

  /** @param more a rule to save with the approval, or other arguments to approve. */
  decide(card: HoldCard, decision: Decision, note: string, more: Pick<DecideBody, "always" | "input"> = {}): void {
    const words = note.trim();
    const frame = { type: "decide", hold: card.hold, digest: card.digest, decision } as const;
    this.#press({ ...frame, ...(words !== "" && { note: words }), ...more }, [card.hold]);
  }

  /** @param answers in the order of the card's questions. */
  answer({ prompt }: QuestionCard, answers: readonly GivenAnswer[]): void {
    this.#press({ type: "answer", prompt, answers: [...answers] }, [prompt]);
  }

  decideMany(cards: readonly HoldCard[], decision: Decision): void {
    const list = cards.map(({ hold, digest }) => ({ hold, digest }));
    const holds = cards.map(({ hold }) => hold);
    this.#press({ type: "decideMany", id: this.#ports.uuid(), cards: list, decision }, holds);
  }

  #press(frame: ClientFrame, cards: readonly string[]): void {
    const isSent = this.#line.send(frame);
    if (isSent) this.#line.expect();
    this.presses.begin(cards, isSent);
  }

  wholeEntry(entry: number): Reply<ViewEntry> {
    return this.#ports.rest.entry(this.id, entry);
  }

  /** Changes title, model, thinking level or tools. Before the conversation exists the wish is kept for its creation. */
  async change(settings: SettingsBody): Promise<Refused | undefined> {
    if (this.isNew.value) {
      this.wishes.value = { ...this.wishes.value, ...settings };
      return undefined;
    }
    const reply = await this.#ports.rest.settings(this.id, settings);
    return reply.ok ? undefined : reply.error;
  }

  /** Creates the conversation if it is new; an upload needs it before the first message. Callers share one request. */
  create(): Promise<Refused | undefined> {
    if (!this.isNew.value) return Promise.resolve(undefined);
    this.#creating ??= this.#create().finally(() => {
      this.#creating = undefined;
    });
    return this.#creating;
  }

  async #create(): Promise<Refused | undefined> {
    const created = await this.#ports.rest.create(this.id);
    if (!created.ok) return created.error;
    const wishes = this.wishes.value;
    const chosen = Object.keys(wishes).length > 0 ? await this.#ports.rest.settings(this.id, wishes) : created;
    if (!chosen.ok) this.#events.onRefusal(chosen.error.message);
    this.isNew.value = false;
    this.#ports.keep.setUncreated(this.id, false);
    this.#events.onActivity();
    return undefined;
  }

  async #prepare(): Promise<"ready" | { readonly status: number | undefined }> {
    const refusal = await this.create();
    return refusal === undefined ? "ready" : { status: refusal.status };
  }

  #follow(connection: Connection): void {
    this.connection.value = connection;
    if (connection.status === "live") return;
    this.isPaging.value = false;
    this.post.lose();
    this.presses.keep((_hold, press) => press.status === "refused");
  }

  #greet(ask: Ask): void {
    const frame = helloFrame(this.replica.value, ask);
    if (!this.#line.send(frame)) return;
    this.replica.value = startSync(this.replica.value);
    this.#line.expect();
  }

  #receive(frame: ServerFrame): void {
    const before = this.replica.value;
    const { replica, ask } = reduceFrame(before, frame);
    this.replica.value = replica;
    if (ask !== undefined) this.#greet(ask);
    switch (frame.type) {
      case "ready":
      case "snapshot":
        if (!replica.syncing) this.#line.confirm();
        break;
      case "page":
        this.isPaging.value = false;
        break;
      case "receipt":
        this.post.receive(frame);
        break;
      case "decided":
        for (const { hold, error } of frame.outcomes) if (error) this.presses.refuse(hold, error.message);
        break;
      case "choices":
        this.choices.value = new Map(frame.cards.map((card) => [card.hold, card]));
        break;
      case "error":
        this.#refuse(frame);
        break;
      default:
        break;
    }
    if (replica.view !== undefined && replica.view !== before.view) this.#noticeView(before.view, replica.view);
    if (replica.view !== undefined) this.#announcer.follow(replica.view, this.choices.value);
    this.#settle(frame.type === "ready" || frame.type === "snapshot");
  }

  #noticeView(previous: View | undefined, next: View): void {
    const isOpen = new Set(waitingIn(next).map(({ id }) => id));
    this.presses.keep((id) => isOpen.has(id));
    this.drafts.keep((prompt) => isOpen.has(prompt));
    const hasEnded = previous !== undefined && previous.turn !== null && next.turn === null;
    if (!hasEnded) return;
    const { rev } = this.replica.value;
    if (rev !== undefined) this.#line.send({ type: "ack", rev });
    this.#events.onActivity();
  }

  #settle(isWhole: boolean): void {
    const { view, syncing } = this.replica.value;
    if (view === undefined || syncing) return;
    this.post.settle(view, isWhole);
    if (isWhole) this.#flush();
  }

  #flush(): void {
    if (this.connection.value.status !== "live" || this.replica.value.syncing) return;
    this.post.flush((frame) => {
      const isSent = this.#line.send(frame);
      if (isSent) this.#line.expect();
      return isSent;
    });
  }

  #refuse(error: Extract<ServerFrame, { readonly type: "error" }>): void {
    if (this.post.refuse(error)) return;
    if (error.ref !== undefined && this.presses.refuse(error.ref, error.message)) return;
    this.isPaging.value = false;
    this.#events.onRefusal(error.message);
  }

  #say(frame: Parameters<Line["send"]>[0]): void {
    if (this.#line.send(frame)) this.#line.expect();
    else this.#events.onRefusal(NO_CONNECTION);
  }
}
