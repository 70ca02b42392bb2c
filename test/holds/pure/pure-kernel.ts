import type {
  BeforeTool,
  Entry,
  Hooks,
  HostRead,
  HostTx,
  Namespace,
  Registry,
  Tool,
} from "../../../src/kernel/index.ts";
import { CallRefused } from "../../../src/kernel/index.ts";
import type { Json, JsonObject } from "../../../src/lib/json.ts";
import type { Message } from "../../../src/protocol/message.ts";
import { NodeStorage } from "../../kit/node-storage.ts";

/** A call on its way: checked, waiting for a person, or running. */
interface PureTask {
  readonly id: number;
  readonly entry: number;
  readonly index: number;
  readonly actor: string;
  readonly detached: boolean;
  readonly phase: "check" | "parked" | "started";
  readonly deadline: number | null;
  readonly memos: Readonly<Record<string, Json>>;
}

/** What somebody says: the arguments of each call that comes of it. */
export interface Saying {
  readonly actor: string;
  readonly calls: readonly JsonObject[];
}

/** Everything that outlives a death. Values are never changed, only replaced. */
interface PureState {
  namespaces: Readonly<Record<string, JsonObject>>;
  entries: readonly Entry[];
  tasks: Readonly<Record<number, PureTask>>;
  nextId: number;
  turn: { readonly id: number; readonly actor: string } | null;
  queue: readonly Saying[];
  notices: readonly string[];
  outbox: readonly { readonly key: string; readonly payload: string }[];
}

/** The process died: whoever goes on hears it. */
export class Dead extends Error {
  override readonly name = "Dead";
}

/** A call as it starts, seen right after the commit that starts it. */
export interface Start {
  readonly task: number;
  readonly entry: number;
  readonly index: number;
  readonly input: Json;
}

interface PureParts {
  /** Registers everything for another life. Only its own commits count. */
  register(life: number): { readonly registry: Registry; readonly tool: () => Tool };
  started(start: Start): void;
  /** Looks at what a commit made of what was. */
  committed(before: PureState, after: PureState): void;
}

/**
 * The kernel's promises about calls and transcript as a reducer: commits that stand or fall whole, calls that are checked,
 * parked, let go, stopped and started. Whoever has to wait waits at a turnstile until a test lets them through, so that
 * every order can be had; a death forgets whoever stands there.
 */
export class PureKernel {
  readonly storage = new NodeStorage();
  state: PureState = {
    ...{ namespaces: {}, entries: [], tasks: {}, nextId: 1, turn: null, queue: [], notices: [], outbox: [] },
  };
  now = Date.UTC(2026, 10, 1);
  life = 0;
  /** Commits until one is the process's last, and on which side of it death comes. */
  dies: { in: number; readonly when: "before" | "after" } | undefined;
  readonly #parts: PureParts;
  #draft: PureState | undefined;
  #hooks: Hooks = {};
  #tool: () => Tool = () => {
    throw new Error("no process runs");
  };
  #waiting: (() => void)[] = [];
  #running = new Set<number>();

  constructor(parts: PureParts) {
    this.#parts = parts;
  }

  /** Whoever stands at the turnstile. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Another process opens what is stored: calls that ran have an unknown outcome, the others are looked at again. */
  crash(): void {
    this.life++;
    this.#waiting = [];
    this.#running = new Set();
    this.dies = undefined;
    const { registry, tool } = this.#parts.register(this.life);
    this.#tool = tool;
    this.#hooks = registry.snapshot().hooks.find(({ namespace }) => namespace.name === "holds")?.hooks ?? {};
    for (const { id, phase } of Object.values(this.state.tasks)) {
      if (phase === "started") this.commit(this.life, (tx) => this.#settle(tx, id, "interrupted"));
      else this.#change(id, { phase: "check" });
    }
    this.#runAll();
  }

  /** Waits to be let through. Of a dead process: for ever. */
  pause(life: number): Promise<void> {
    return new Promise((resolve) => {
      if (life === this.life) this.#waiting.push(resolve);
    });
  }

  /** Lets one through, and lets it come to rest. */
  async go(nth: number): Promise<void> {
    const [resolve] = this.#waiting.splice(nth % Math.max(1, this.#waiting.length), 1);
    resolve?.();
    await rest();
  }

  readonly read: HostRead = {
    facts: null,
    get: (namespace) => stateOf(this.state, namespace),
    config: () => undefined,
  };

  entry(id: number): Entry | undefined {
    return (this.#draft ?? this.state).entries.find((one) => one.id === id);
  }

  /** @throws Dead when the process does not live, or dies of it. What it throws is undone. */
  commit<T>(life: number, builder: (tx: HostTx) => T, also?: () => void): T {
    if (life !== this.life) throw new Dead();
    const isLast = this.dies !== undefined && this.dies.in-- <= 0 ? this.dies.when : undefined;
    const before = this.state;
    const draft = { ...before };
    this.#draft = draft;
    let value: T;
    try {
      value = this.storage.transactionSync(() => {
        const made = builder(this.#tx(draft));
        if (isLast === "before") throw new Dead();
        return made;
      });
    } catch (error) {
      this.#draft = undefined;
      if (error instanceof Dead) this.crash();
      throw error;
    }
    this.#draft = undefined;
    this.state = draft;
    this.#parts.committed(before, draft);
    also?.();
    if (isLast === "after") {
      this.crash();
      throw new Dead();
    }
    this.#runAll();
    return value;
  }

  say(saying: Saying): void {
    this.commit(this.life, (tx) => {
      const draft = this.#now();
      draft.queue = [...draft.queue, saying];
      this.#letGo(tx);
      this.#goOn();
    });
  }

  stop(): void {
    this.commit(this.life, (tx) => {
      const draft = this.#now();
      draft.queue = draft.queue.filter(({ actor }) => actor !== draft.turn?.actor);
      for (const { id } of this.#attached()) this.#settle(tx, id, "stopped");
    });
  }

  pass(ms: number): void {
    this.now += ms;
    const due = Object.values(this.state.tasks).filter(
      ({ phase, deadline }) => phase === "parked" && deadline !== null && deadline <= this.now,
    );
    if (due.length > 0) this.commit(this.life, (tx) => due.map(({ id }) => tx.wake(id)));
  }

  /** Somebody changed what is stored of a call. */
  rewrite(entry: number, args: (before: string) => string): void {
    const change = (message: Message): Message =>
      message.role !== "assistant"
        ? message
        : {
            ...message,
            content: message.content.map((part) => (part.type === "call" ? { ...part, args: args(part.args) } : part)),
          };
    const entries = this.state.entries.map((one) =>
      one.id === entry && one.message ? { ...one, message: change(one.message) } : one,
    );
    this.state = { ...this.state, entries };
  }

  #now(): PureState {
    if (!this.#draft) throw new Error("outside of a commit");
    return this.#draft;
  }

  #attached(): readonly PureTask[] {
    return Object.values(this.#now().tasks).filter(({ detached }) => !detached);
  }

  #change(id: number, change: Partial<PureTask>): void {
    const draft = this.#draft ?? this.state;
    const task = draft.tasks[id];
    if (task) draft.tasks = { ...draft.tasks, [id]: { ...task, ...change } };
  }

  #append(entry: Omit<Entry, "id" | "rev" | "at">): number {
    const draft = this.#now();
    const id = draft.nextId++;
    draft.entries = [...draft.entries, { ...entry, id, rev: id, at: this.now }];
    return id;
  }

  #create(task: Omit<PureTask, "id" | "memos">): number {
    const draft = this.#now();
    const id = draft.nextId++;
    draft.tasks = { ...draft.tasks, [id]: { ...task, id, memos: {} } };
    return id;
  }

  /** The turn that is over gives way: to what the system has to tell, then to whoever waits. */
  #goOn(): void {
    const draft = this.#now();
    if (draft.turn && this.#attached().length > 0) return;
    const says = (text: string) =>
      this.#append({
        kind: "core.assistant",
        message: { role: "assistant", content: [{ type: "text", text }], stop: "end" },
      });
    if (draft.turn) says("Done.");
    draft.turn = null;
    for (const text of draft.notices) {
      this.#append({ kind: "core.notice", message: { role: "user", content: [{ type: "text", text }] } });
      says("I see.");
    }
    draft.notices = [];
    const [next, ...queue] = draft.queue;
    if (!next) return;
    const { actor, calls } = next;
    Object.assign(draft, { queue, turn: { id: draft.nextId++, actor } });
    this.#append({ kind: "core.user", message: { role: "user", content: [{ type: "text", text: `from ${actor}` }] } });
    const parts = calls.map((args, nth) => ({
      ...{ type: "call" as const, id: `c${draft.nextId}-${nth}`, name: "send" },
      args: JSON.stringify(args),
    }));
    const message = { role: "assistant", content: parts, stop: "calls" } as const;
    const entry = this.#append({ kind: "core.assistant", message });
    for (const index of calls.keys()) {
      this.#create({ entry, index, actor, detached: false, phase: "check", deadline: null });
    }
  }

  #settle(tx: HostTx, id: number, outcome: string, text = outcome): void {
    const draft = this.#now();
    const task = draft.tasks[id];
    if (!task) return;
    this.#hooks.settled?.(tx, { task: id, outcome: outcome === "ok" ? "ok" : "blocked" });
    const { [id]: _gone, ...rest } = draft.tasks;
    draft.tasks = rest;
    if (task.detached) draft.notices = [...draft.notices, text];
    else this.#result(task, text);
    this.#goOn();
  }

  #result({ entry, index }: PureTask, text: string): void {
    const answer = this.entry(entry)?.message;
    const calls = answer?.role === "assistant" ? answer.content.filter((part) => part.type === "call") : [];
    const call = calls[index];
    if (!call) throw new Error(`entry ${entry} has no call ${index}`);
    const content = [{ type: "text", text }] as const;
    this.#append({
      kind: "core.tool_result",
      message: { role: "tool", callId: call.id, name: call.name, content, isError: false },
      data: { entry, index, outcome: "ok" },
    });
  }

  /** Whoever speaks while their turn waits for people only has gone on: its calls live on beside it. */
  #letGo(tx: HostTx): void {
    const { turn, queue } = this.#now();
    const own = this.#attached();
    if (!queue.some(({ actor }) => actor === turn?.actor) || own.some(({ phase }) => phase !== "parked")) return;
    for (const task of own) this.#detach(tx, task);
  }

  #detach(tx: HostTx, task: PureTask): void {
    const { id: _old, memos: _memos, ...kept } = task;
    const to = this.#create({ ...kept, detached: true });
    this.#hooks.detached?.(tx, { from: task.id, to });
    this.#settle(tx, task.id, "pending");
  }

  #runAll(): void {
    for (const { id, phase } of Object.values(this.state.tasks)) {
      if (phase !== "check" || this.#running.has(id)) continue;
      this.#running.add(id);
      const { life } = this;
      const over = () => life === this.life && this.#running.delete(id);
      void this.#check(life, id).then(over, (error: unknown) => {
        over();
        if (!(error instanceof Dead)) this.failure ??= error;
      });
    }
  }

  /** What broke while nobody waited for it. */
  failure: unknown;

  async #check(life: number, id: number): Promise<void> {
    for (;;) {
      const task = this.state.tasks[id];
      if (task?.phase !== "check") return;
      const { entry, index, actor, detached } = task;
      const tool = this.#tool();
      const stored = this.entry(entry)?.message;
      const calls = stored?.role === "assistant" ? stored.content.filter((part) => part.type === "call") : [];
      const input = JSON.parse(calls[index]?.args ?? "{}") as Json;
      const call = { task: id, entry, index, tool, input, actor, meta: null, detached, signal: NEVER };
      const decision = await this.#hooks.beforeTool?.(call, {
        memo: (name, candidate) => this.commit(life, (tx) => tx.memo(HOLDS, id, name, candidate)),
        recall: (name) => this.state.tasks[id]?.memos[`holds ${name}`],
        emit: () => undefined,
        read: this.read,
        now: () => this.now,
      });
      if (!decision || life !== this.life) throw new Dead();
      if (!this.state.tasks[id]) return;
      if (!(await this.#carryOut(life, { id, entry, index, input }, decision))) return;
    }
  }

  /** True: look again. */
  async #carryOut(
    life: number,
    { id, input, ...place }: Pick<PureTask, "id" | "entry" | "index"> & { readonly input: Json },
    decision: BeforeTool,
  ): Promise<boolean> {
    const settle = (outcome: string, text?: string) => this.commit(life, (tx) => this.#settle(tx, id, outcome, text));
    if (decision.kind === "block") {
      settle("blocked", decision.text);
      return false;
    }
    try {
      if (decision.kind === "park") return this.#park(life, id, decision);
      const given = "input" in decision && decision.input !== undefined ? decision.input : input;
      const start = () => this.#parts.started({ task: id, ...place, input: given });
      this.commit(
        life,
        (tx) => {
          if (decision.kind === "allow") decision.onStarted(tx);
          this.#change(id, { phase: "started" });
        },
        start,
      );
    } catch (error) {
      if (!(error instanceof CallRefused)) throw error;
      settle("blocked", error.message);
      return false;
    }
    await this.pause(life);
    if (this.state.tasks[id]) settle("ok");
    return false;
  }

  #park(life: number, id: number, decision: Extract<BeforeTool, { kind: "park" }>): boolean {
    return this.commit(life, (tx) => {
      if (decision.onParked?.(tx, id) === "again") return true;
      this.#change(id, { phase: "parked", deadline: decision.deadline });
      const task = this.#now().tasks[id];
      if (decision.leaves && task && !task.detached) this.#detach(tx, task);
      else this.#letGo(tx);
      return false;
    });
  }

  #tx(draft: PureState): HostTx {
    const never = (): never => {
      throw new Error("no hold does this");
    };
    return {
      now: this.now,
      get: (namespace) => stateOf(draft, namespace),
      set: (namespace, patch) => {
        const next = { ...stateOf(draft, namespace), ...patch };
        draft.namespaces = { ...draft.namespaces, [namespace.name]: next };
      },
      wake: (task) => {
        const isParked = draft.tasks[task]?.phase === "parked";
        if (isParked) this.#change(task, { phase: "check" });
        return isParked;
      },
      memo: (namespace, task, name, candidate) => {
        const memos = draft.tasks[task]?.memos ?? {};
        const key = `${namespace.name} ${name}`;
        if (memos[key] === undefined) this.#change(task, { memos: { ...memos, [key]: candidate } });
        return memos[key] ?? candidate;
      },
      recall: (namespace, task, name) => draft.tasks[task]?.memos[`${namespace.name} ${name}`],
      write: ({ kind }, { data }) => this.#append({ kind, ...(data !== undefined && { data }) }),
      callAgain: ({ entry, index, actor }) =>
        this.#create({ entry, index, actor, detached: true, phase: "check", deadline: null }),
      send: ({ key, payload }) => {
        const row = { key, payload: JSON.stringify(payload) };
        draft.outbox = [...draft.outbox.filter((one) => one.key !== key), row];
      },
      emit: () => undefined,
      createTask: never,
      abort: never,
      configure: never,
    };
  }
}

/** Stands for the namespace of holds where only its name counts. */
const HOLDS = { name: "holds" } as Namespace;
const NEVER = new AbortController().signal;

function stateOf<T extends JsonObject>({ namespaces }: PureState, { name, defaults }: Namespace<T>): T {
  return { ...defaults, ...namespaces[name] };
}

/** Lets everything happen that waits for nobody. */
export function rest(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
