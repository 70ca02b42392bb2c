import { abortAllDurableObjects, env, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { type ConversationStub, conversationOf } from "../../src/env.ts";
import type { Control } from "../../src/kernel/state/control.ts";
import type { ObjectRpc, SnapshotAnswer } from "../../src/objects/rpc.ts";
import type { Caller, Tier } from "../../src/people/facts.ts";
import type { HoldCard } from "../../src/protocol/cards.ts";
import type { DecideBody } from "../../src/protocol/frames.ts";
import { openDatabase } from "../../src/store/database.ts";
import { addPerson } from "./directory.ts";
import { Stage } from "./stage.workers.ts";
import { until } from "./until.ts";

/** Tables of a conversation object. */
export const TABLES = [
  "control",
  "entries",
  "entry_parts",
  "inputs",
  "slots",
  "memos",
  "done",
  "namespaces",
  "namespace_versions",
  "outbox",
];

/** A person with a session that is fresh by the wall clock, which the real object goes by. */
export function newPerson(tier: Tier = "member", name = "Anna"): Promise<Caller> {
  return addPerson(openDatabase(env.DB), { tier, name, now: Date.now() });
}

/** A real conversation of a person, as a test talks to it. */
export class Talk {
  readonly stage: Stage;
  readonly caller: Caller;
  #messages = 0;

  private constructor(stage: Stage, caller: Caller) {
    this.stage = stage;
    this.caller = caller;
  }

  static async begin(stage = new Stage(), caller?: Caller): Promise<Talk> {
    const talk = new Talk(stage, caller ?? (await newPerson()));
    await talk.rpc.create(talk.caller, stage.key);
    return talk;
  }

  /** Somebody at a conversation, whether or not it is there. */
  static at(stage: Stage, caller: Caller): Talk {
    return new Talk(stage, caller);
  }

  /** A shared conversation that an owner opens, and each other person as they talk to it. */
  static async room(
    stage: Stage,
    names: readonly string[],
  ): Promise<{ readonly owner: Talk; readonly others: Talk[] }> {
    const owner = new Talk(stage, await newPerson("owner", "Olga"));
    await owner.rpc.create(owner.caller, stage.key, "shared");
    const others = await Promise.all(names.map((name) => owner.joined(name)));
    return { owner, others };
  }

  /** Somebody else who is taken into this shared conversation. */
  async joined(name: string, tier: Tier = "member"): Promise<Talk> {
    const other = new Talk(this.stage, await newPerson(tier, name));
    const added = await this.rpc.addMember(this.caller, other.caller.principalId);
    if (!added.ok) throw new Error(`not taken in: ${added.error.code}`);
    return other;
  }

  /** Somebody else at this conversation, whether or not they may be here. */
  by(caller: Caller): Talk {
    return new Talk(this.stage, caller);
  }

  /** The same person in a new conversation that is a fork of this one. */
  async fork(at: number, stage = new Stage()): Promise<Talk> {
    const talk = new Talk(stage, this.caller);
    const answer = await talk.rpc.fork(this.caller, stage.key, { key: this.stage.key, at });
    if (!answer.ok) throw new Error(`no fork: ${answer.error.code}`);
    return talk;
  }

  /** The same person at another conversation, whether or not it is there. */
  at(stage: Stage): Talk {
    return new Talk(stage, this.caller);
  }

  /** A stub as the Worker makes one for each request: one that failed once stays broken. */
  get rpc(): ConversationStub & ObjectRpc {
    return conversationOf({ ...env, ASSETS: { fetch } }, this.stage.key) as ConversationStub & ObjectRpc;
  }

  say(text: string, id = `m${++this.#messages}`) {
    return this.rpc.submit(this.caller, { id, text });
  }

  decide(card: HoldCard, decision: DecideBody["decision"], changes: Partial<DecideBody> = {}) {
    return this.rpc.decide(this.caller, { hold: card.hold, digest: card.digest, decision, ...changes });
  }

  async snapshot(): Promise<SnapshotAnswer> {
    const answer = await this.rpc.snapshot(this.caller);
    if (!answer.ok) throw new Error(`no snapshot: ${answer.error.code}`);
    return answer.value;
  }

  async cards(): Promise<readonly HoldCard[]> {
    const { view } = await this.snapshot();
    return (view.plugins["holds"] as unknown as { readonly cards: readonly HoldCard[] }).cards;
  }

  /** Says something and waits for the card that comes of it. */
  async toCard(text = "go"): Promise<HoldCard> {
    await this.say(text);
    return this.openCard();
  }

  /** Waits for a card that is open. */
  async openCard(): Promise<HoldCard> {
    let card: HoldCard | undefined;
    await until(async () => {
      card = (await this.cards()).find(({ status }) => status === "open");
      return card !== undefined;
    }, "a card");
    if (!card) throw new Error("there is no card");
    return card;
  }

  /** Waits until no turn runs, what is left waits for people, and the list has been told. */
  async idle(): Promise<void> {
    await until(async () => {
      const { turn, outbox, tasks } = await this.control();
      const isParked = Object.values(tasks).every(({ status }) => status === "parked");
      return turn === null && outbox.length === 0 && isParked;
    }, "rest");
  }

  /** Waits until the list has been told of everything, whether or not a turn runs. */
  told(): Promise<void> {
    return until(async () => (await this.control()).outbox.length === 0, "the list to be told");
  }

  /** The object dies at this very instant, whatever it was doing. What it committed stands. */
  async die(): Promise<void> {
    await abortAllDurableObjects();
  }

  /** The control row as stored. */
  control(): Promise<Control> {
    return runInDurableObject(this.stage.object, (_, { storage }) => {
      const [row] = storage.sql.exec<{ body: string }>("SELECT body FROM control").toArray();
      return JSON.parse(row?.body ?? "null") as Control;
    });
  }

  /** Writes rows as an earlier life may have left them, and ends this life. */
  async plant(write: (storage: DurableObjectStorage) => void): Promise<void> {
    await this.idle();
    await runInDurableObject(this.stage.object, (_, { storage }) => write(storage));
    await evictDurableObject(this.stage.object);
  }

  alarm(): Promise<number | null> {
    return runInDurableObject(this.stage.object, (_, { storage }) => storage.getAlarm());
  }

  /** Everything that the object has stored. */
  stored(): Promise<unknown> {
    return runInDurableObject(this.stage.object, (_, { storage }) =>
      TABLES.map((table) => storage.sql.exec(`SELECT * FROM ${table}`).toArray()),
    );
  }

  /** The texts of the transcript, in order, by kind. */
  async transcript(): Promise<readonly (readonly [kind: string, text: string])[]> {
    const { view } = await this.snapshot();
    return view.entries.flatMap(({ kind, message }) => {
      if (!message || message.role === "system") return [];
      const texts = message.content.map((part) => ("text" in part ? part.text : part.type));
      return [[kind.replace("core.", ""), texts.join("\n")] as const];
    });
  }
}
