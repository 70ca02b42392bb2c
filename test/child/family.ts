import * as z from "zod";
import { POLICY } from "../../src/holds/index.ts";
import {
  CHILD_TARGET,
  type ChildResult,
  type DeliveryOutcome,
  defineTool,
  errorOf,
  type OutboxRow,
  type Tool,
} from "../../src/kernel/index.ts";
import type { ChildRequest } from "../../src/kernel/ports/children.ts";
import { err } from "../../src/lib/result.ts";
import type { ChildRpc } from "../../src/objects/child/child-rpc.ts";
import { OwnedDesk } from "../../src/objects/child/owned-desk.ts";
import { ownedHooks } from "../../src/objects/child/owned-hooks.ts";
import { OwnerDesk } from "../../src/objects/child/owner-desk.ts";
import type { ConversationFacts } from "../../src/people/facts.ts";
import type { FileRef } from "../../src/protocol/message.ts";
import { chatNamespace } from "../../src/surfaces/webchat/chat-state.ts";
import { FILES } from "../../src/surfaces/webchat/files-state.ts";
import { KernelWorld, settle } from "../kit/kernel-world.ts";
import { NodeStorage } from "../kit/node-storage.ts";
import type { Script } from "../kit/scripted-model.ts";
import type { WorldOptions } from "../kit/world-options.ts";

export const OWNER = "web:owner";

export interface FamilyOptions {
  /** The owner's model; one call of `ask`, then what came of it. */
  readonly script?: Script;
  /** The model of everything that is owned. */
  readonly childScript?: Script;
  readonly request?: ChildRequest;
  readonly tools?: readonly Tool[];
  readonly killOwnerAt?: readonly number[];
  /** Where the process of the first owned conversation dies. */
  readonly killChildAt?: readonly number[];
  /** Registers what a plugin of the owner would. */
  readonly register?: WorldOptions["register"];
  /** An owned conversation is about to be forgotten. */
  readonly onGone?: (world: KernelWorld) => void;
  /** Changes how the owner reaches others. */
  readonly reach?: (peer: ChildRpc, key: string) => ChildRpc;
}

/** Asks once, then says what it heard. */
const askOnce: Script = ({ messages }) => {
  const last = messages.at(-1);
  if (last?.role === "user") return { calls: [{ name: "ask", args: "{}" }] };
  const text =
    last?.role === "tool" ? last.content.map((part) => (part.type === "text" ? part.text : "")).join("") : "";
  return { text: `Heard: ${text}` };
};

/**
 * Conversations that own conversations, each in a world of its own, over the objects' own desks. Each may die at any
 * point; whoever is called while dead starts again first, as the platform does.
 */
export class Family {
  readonly worlds = new Map<string, KernelWorld>();
  /** Keys of the owned conversations, as often as one was created. */
  readonly created: string[] = [];
  /** Files by key of the conversation and id. */
  readonly files = new Set<string>();
  readonly owner: KernelWorld;
  /** Keys of conversations that cannot be reached. */
  readonly away = new Set<string>();
  readonly #options: FamilyOptions;

  constructor(options: FamilyOptions = {}) {
    this.#options = options;
    this.owner = this.#world({ key: OWNER, visibility: "private", owner: "p_anna" }, options.killOwnerAt ?? []);
  }

  /** The first owned conversation. */
  get child(): KernelWorld {
    const [, child] = this.worlds.values();
    if (!child) throw new Error("there is no owned conversation");
    return child;
  }

  get keys(): readonly string[] {
    return [...this.worlds.keys()].filter((key) => key !== OWNER);
  }

  /** Lets all of them run, until nothing is left to do or the condition holds. */
  async run(until: () => boolean = () => false): Promise<void> {
    for (let rounds = 0; rounds < 3_000; rounds++) {
      for (const world of this.worlds.values()) await world.run(() => true);
      await settle();
      if (until()) return;
      const next = Math.min(...[...this.worlds.values()].map(nextTime));
      if (next === Number.POSITIVE_INFINITY) return;
      await this.#passTo(next);
    }
    throw new Error("the family does not come to rest");
  }

  /** Lets time pass for all. */
  async pass(ms: number): Promise<void> {
    const end = this.owner.clock.now() + ms;
    await this.run(() => Math.min(...[...this.worlds.values()].map(nextTime)) > end);
    await this.#passTo(end);
  }

  async #passTo(time: number): Promise<void> {
    for (const [key, world] of [...this.worlds]) {
      if (this.worlds.has(key)) await world.pass(Math.max(0, time - world.clock.now()));
    }
  }

  peer(key: string): ChildRpc {
    const world = () => this.worlds.get(key);
    const reached: ChildRpc = {
      beginChild: (order) => this.#owned(key).beginChild(structuredClone(order)),
      endChild: (ref) => this.#owned(key).endChild(ref),
      lookChild: (ref) => this.#owned(key).lookChild(ref),
      childWanted: (task) => this.#owning(key, world()).childWanted(task),
      childSettled: (task, report) => this.#owning(key, world()).childSettled(task, structuredClone(report)),
      childProgress: (task, progress) => this.#owning(key, world()).childProgress(task, progress),
    };
    const calls = Object.entries(reached) as [string, (...args: never[]) => Promise<unknown>][];
    const guarded = calls.map(([name, call]) => [
      name,
      async (...args: never[]) => {
        await settle();
        if (this.away.has(key)) throw new Error(`${key} cannot be reached`);
        if (world()) await world()?.run(() => true);
        return await call(...args);
      },
    ]);
    const peer = Object.fromEntries(guarded) as unknown as ChildRpc;
    return this.#options.reach?.(peer, key) ?? peer;
  }

  #world(facts: ConversationFacts, killAt: readonly number[]): KernelWorld {
    const { script = askOnce, childScript = () => ({ text: "Forty-two." }), tools = [] } = this.#options;
    const chat = chatNamespace({ model: "test/model", thinking: "off", persona: "task" }, []);
    const options: WorldOptions = {
      script: facts.owned ? childScript : script,
      tools: [...tools, this.#ask()],
      killAt,
      register: (registry, kernel) => {
        registry.namespace(POLICY);
        registry.namespace(chat);
        registry.namespace(FILES);
        if (facts.owned)
          registry.hooks(
            chat,
            ownedHooks((build) => kernel().commit(build)),
          );
        else this.#options.register?.(registry, kernel);
      },
      deliver: (row) => this.#deliver(facts.key, row),
      children: { look: (task, signal) => this.#owning(facts.key, this.worlds.get(facts.key)).look(task, signal) },
    };
    const world = new KernelWorld(new NodeStorage(), options);
    world.facts = { ...facts };
    world.clock.advanceTo(this.owner?.clock.now() ?? 0);
    this.worlds.set(facts.key, world);
    try {
      world.start();
    } catch (death) {
      if (world.crashes.isAlive || facts.owned) throw death;
    }
    return world;
  }

  #ask(): Tool {
    const request = this.#options.request ?? { prompt: "What is it?" };
    return defineTool({
      name: "ask",
      description: "Asks a conversation of its own.",
      input: z.strictObject({}),
      replay: "safe",
      execute: (_input, context) => Promise.resolve({ waitFor: context.spawn("asked", request) }),
      finished(receipt) {
        if (receipt.outcome !== "completed") return Promise.resolve({ text: errorOf(receipt), isError: true });
        const { text, files } = receipt.result as unknown as ChildResult;
        return Promise.resolve({ text, files });
      },
    });
  }

  async #deliver(key: string, row: OutboxRow): Promise<DeliveryOutcome> {
    return row.target === CHILD_TARGET
      ? this.#owning(key, this.worlds.get(key)).deliver(row)
      : this.#owned(key).deliver(row);
  }

  #owning(key: string, world: KernelWorld | undefined): OwnerDesk {
    return new OwnerDesk({
      life: () => world && lifeOf(world),
      peer: (other) => this.peer(other),
      copyFiles: (from, files) => Promise.resolve(files.filter((file) => this.#copy(from, key, file))),
    });
  }

  #copy(from: string, to: string, { id }: FileRef): boolean {
    if (!this.files.has(`${from}/${id}`)) return false;
    this.files.add(`${to}/${id}`);
    return true;
  }

  #owned(key: string): OwnedDesk {
    const begun = this.worlds.get(key)?.crashes.life;
    return new OwnedDesk({
      life: () => {
        const world = this.worlds.get(key);
        return world && lifeOf(world);
      },
      create: (facts) => {
        this.created.push(facts.key);
        return lifeOf(this.#world(facts, this.created.length === 1 ? (this.#options.killChildAt ?? []) : []));
      },
      destroy: () => this.#destroy(key, begun),
      peer: (other) => this.peer(other),
      mayOwn: (principalId) =>
        Promise.resolve(
          principalId === "p_anna"
            ? { ok: true }
            : err({ code: "forbidden", message: "Your account is switched off." } as const),
        ),
      tools: ["ask", "look"],
      models: ["test/model"],
    });
  }

  async #destroy(key: string, life: number | undefined): Promise<void> {
    const world = this.worlds.get(key);
    if (!world || life === undefined) return;
    world.crashes.point(life, "before deletion");
    for (const file of this.files) if (file.startsWith(`${key}/`)) this.files.delete(file);
    await this.#owning(key, world).endAll();
    this.#options.onGone?.(world);
    this.worlds.delete(key);
    const { kernel } = world;
    world.crash();
    empty(world);
    await kernel.close();
  }
}

/** The conversation of a world, as the objects' desks know one. */
function lifeOf({ kernel, registry, facts }: KernelWorld) {
  const chat = registry.namespaces().find(({ name }) => name === "chat") as ReturnType<typeof chatNamespace>;
  return { kernel, chat, facts: facts as unknown as ConversationFacts };
}

/** As the platform leaves an object whose storage was deleted. */
function empty(world: KernelWorld): void {
  const { sql } = world.storage;
  for (const { name } of sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")) {
    sql.exec(`DROP TABLE ${name}`);
  }
  world.alarm.delete();
  world.client.forget();
}

function nextTime(world: KernelWorld): number {
  const { armedFor } = world.alarm;
  return Math.min(armedFor ?? Number.POSITIVE_INFINITY, world.clock.nextTimer() ?? Number.POSITIVE_INFINITY);
}
