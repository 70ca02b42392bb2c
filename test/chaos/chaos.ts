import type { ToolResultData, View } from "../../src/protocol/view.ts";
import { ChatClient } from "../kit/chat-client.ts";
import type { EffectReceiver } from "../kit/effect-receiver.ts";
import type { SeededRandom } from "../kit/random.ts";

/** A server that can be killed: the app under Miniflare, or under `wrangler dev`. */
export interface KillableServer {
  readonly url: string;
  start(): Promise<void>;
  kill(): Promise<void>;
}

export interface ChaosOptions {
  readonly kills: number;
  readonly random: SeededRandom;
  readonly server: KillableServer;
  readonly receiver: EffectReceiver;
  readonly cookie: string;
  /** After a restart the answer must go on within this time of the server being up. */
  readonly resumeWithinMs: number;
  readonly say: (line: string) => void;
}

export interface ChaosReport {
  readonly kills: number;
  readonly killedInTurn: number;
  readonly messages: number;
  readonly outcomes: { readonly [status: string]: number };
  readonly effects: number;
  readonly unknown: number;
  readonly slowestResumeMs: number;
  readonly violations: readonly string[];
}

const UTTERANCES = [
  "Hello there",
  "What time is it in Tokyo?",
  "What is 12 * (3 + 4)?",
  "Use several tools at once",
  "Add a note: buy milk",
  "Send the build webhook",
  "Call the build webhook please",
  "Write something long",
] as const;

const MAX_WAIT_MS = 30_000;

/** Talks like a person while the server is killed at random moments; then checks what must hold whatever happened. */
export class Chaos {
  readonly #options: ChaosOptions;
  readonly #client: ChatClient;
  readonly #conversation: string;
  readonly #sent = new Map<string, { readonly text: string; readonly mode: "queue" | undefined }>();
  readonly #accepted = new Set<string>();
  readonly #violations: string[] = [];
  #killedInTurn = 0;
  #slowestResumeMs = 0;

  private constructor(options: ChaosOptions, conversation: string) {
    this.#options = options;
    this.#conversation = conversation;
    this.#client = new ChatClient(options.server.url, conversation, options.cookie);
  }

  /** Runs on a server that is up, and leaves it up. */
  static async run(options: ChaosOptions): Promise<ChaosReport> {
    const conversation = crypto.randomUUID();
    await createConversation(options, conversation);
    const chaos = new Chaos(options, conversation);
    await chaos.#client.connect();
    for (let kill = 1; kill <= options.kills; kill++) await chaos.#round(kill);
    return chaos.#finish();
  }

  async #round(kill: number): Promise<void> {
    const { random, server, say } = this.#options;
    await this.#talk(random.between(30, 1_200));
    const before = this.#client.view;
    await server.kill();
    const isInTurn = Boolean(before?.turn && before.turn.stage !== "waiting");
    if (isInTurn) this.#killedInTurn++;
    await server.start();
    const upAt = Date.now();
    const comesBack = random.unit() < 0.5;
    if (!comesBack) await sleep(this.#options.resumeWithinMs);
    if (!(await this.#reconnect())) return void this.#violations.push(`kill ${kill}: no connection afterwards`);
    if (isInTurn && before) await this.#expectProgress(kill, before, upAt);
    say(`kill ${kill}: ${before?.turn?.stage ?? "idle"}, now at revision ${this.#client.rev}`);
  }

  /** Sends, decides and now and then stops, for a while. */
  async #talk(forMs: number): Promise<void> {
    const { random } = this.#options;
    const until = Date.now() + forMs;
    while (Date.now() < until) {
      await this.#decideCards();
      const { view } = this.#client;
      if ((view?.inbox.length ?? 0) < 2 && random.unit() < 0.6) this.#say();
      // What a failed turn left queued is started by hand, as a person would.
      if (view && !view.turn && view.inbox.length > 0) this.#client.raw(JSON.stringify({ type: "continue" }));
      if (this.#client.view?.turn && random.unit() < 0.03) this.#client.stop();
      await sleep(random.between(5, 150));
    }
  }

  #say(): void {
    const { random } = this.#options;
    const id = `m${this.#sent.size + 1}`;
    const text = random.pick(UTTERANCES);
    const mode = random.unit() < 0.3 ? "queue" : undefined;
    this.#sent.set(id, { text, mode });
    void this.#client.say(id, text, mode).then(() => this.#accepted.add(id));
  }

  async #decideCards(): Promise<void> {
    const { random } = this.#options;
    for (const card of this.#client.cards) {
      if (card.status !== "open" || random.unit() < 0.4) continue;
      const decision = random.unit() < 0.75 ? "approve" : "decline";
      this.#client.decide(card, decision);
      // Pressed twice, as impatient people do.
      if (random.unit() < 0.3) this.#client.decide(card, decision);
    }
    await sleep(1);
  }

  async #reconnect(): Promise<boolean> {
    for (let tries = 0; tries < 50; tries++) {
      if (await this.#client.connect()) return true;
      await sleep(20);
    }
    return false;
  }

  /** Something of the interrupted turn went on: a newer state, or text that streams. */
  async #expectProgress(kill: number, before: View, upAt: number): Promise<void> {
    const { resumeWithinMs } = this.#options;
    const wentOn = () => isFurther(before, this.#client.view) || this.#client.live.size > 0;
    const wasAway = Date.now() - upAt >= resumeWithinMs;
    const inTime = await this.#client.until(wentOn, Math.max(1, upAt + resumeWithinMs - Date.now()));
    if (!wasAway) this.#slowestResumeMs = Math.max(this.#slowestResumeMs, Date.now() - upAt);
    if (!inTime) this.#violations.push(`kill ${kill}: the turn did not go on within ${resumeWithinMs} ms`);
  }

  async #finish(): Promise<ChaosReport> {
    await this.#settle();
    await this.#checkMessages();
    this.#checkEffects();
    await this.#checkReplica();
    const { kills, receiver } = this.#options;
    const results = this.#results();
    this.#client.close();
    return {
      kills,
      killedInTurn: this.#killedInTurn,
      messages: this.#sent.size,
      outcomes: countBy(this.#outcomes),
      effects: receiver.total,
      unknown: results.filter((result) => result.outcome === "unknown").length,
      slowestResumeMs: this.#slowestResumeMs,
      violations: [...this.#violations, ...this.#client.violations],
    };
  }

  /** Everything that was accepted comes to its end. */
  async #settle(): Promise<void> {
    const deadline = Date.now() + MAX_WAIT_MS;
    while (Date.now() < deadline) {
      for (const card of this.#client.cards) if (card.status === "open") this.#client.decide(card, "approve");
      const { view } = this.#client;
      if (view && !view.turn && view.inbox.length > 0) this.#client.raw(JSON.stringify({ type: "continue" }));
      const isDone = view && !view.turn && view.inbox.length === 0 && Object.keys(view.tasks).length === 0;
      if (isDone && this.#accepted.size === this.#sent.size) return;
      await sleep(50);
    }
    const { view } = this.#client;
    const missing = [...this.#sent.keys()].filter((id) => !this.#accepted.has(id));
    this.#violations.push(
      `not at rest: turn ${JSON.stringify(view?.turn)}, inbox ${view?.inbox.length}, tasks ${JSON.stringify(view?.tasks)}, without receipt ${missing.join(" ")}`,
    );
  }

  readonly #outcomes: string[] = [];

  /** Every accepted message stands in the transcript at most once and has one terminal outcome. */
  async #checkMessages(): Promise<void> {
    const entries = await this.#allEntries();
    for (const [id, { text, mode }] of this.#sent) {
      const said = entries.filter((entry) => entry.data?.["input"]?.toString().endsWith(`:${id}`));
      const status = await this.#receiptOf(id, text, mode);
      this.#outcomes.push(status);
      if (said.length > 1) this.#violations.push(`${id} stands ${said.length} times in the transcript`);
      if (status === "done" && said.length !== 1) this.#violations.push(`${id} is done but not in the transcript`);
    }
  }

  /** A repeat under the same id tells what became of the message. By REST: a socket takes 60 frames a minute. */
  async #receiptOf(id: string, text: string, mode: "queue" | undefined): Promise<string> {
    const { server, cookie } = this.#options;
    const response = await fetch(`${server.url}/api/v1/conversations/${this.#conversation}/messages`, {
      method: "POST",
      headers: { cookie, origin: server.url, "content-type": "application/json" },
      body: JSON.stringify({ id, text, ...(mode && { mode }) }),
    });
    const { status } = await response.json<{ readonly status?: string }>();
    if (status === "done" || status === "unanswered") return status;
    this.#violations.push(`${id} has no terminal outcome: ${response.status} ${status ?? "no receipt"}`);
    return status ?? "none";
  }

  #checkEffects(): void {
    const { receiver } = this.#options;
    for (const [key, count] of receiver.arrived) {
      if (count > 1) this.#violations.push(`${key} had its effect ${count} times`);
    }
    if (receiver.keyless > 0) this.#violations.push(`${receiver.keyless} effects without a key`);
  }

  #results(): readonly ToolResultData[] {
    const entries = this.#client.view?.entries ?? [];
    return entries
      .filter((entry) => entry.kind === "core.tool_result")
      .map((entry) => entry.data as unknown as ToolResultData);
  }

  /** What the client folded equals what somebody sees who comes now. */
  async #checkReplica(): Promise<void> {
    const fresh = new ChatClient(this.#options.server.url, this.#conversation, this.#options.cookie);
    await fresh.connect();
    await this.#client.until(() => this.#client.rev === fresh.rev, 2_000);
    if (JSON.stringify(sorted(fresh.view)) !== JSON.stringify(sorted(this.#client.view))) {
      this.#violations.push("the folded view differs from a fresh snapshot");
    }
    fresh.close();
  }

  async #allEntries(): Promise<readonly { readonly data?: Record<string, unknown> }[]> {
    const { server, cookie } = this.#options;
    const response = await fetch(`${server.url}/api/v1/conversations/${this.#conversation}/export?format=json`, {
      headers: { cookie },
    });
    const body = await response.json<{ readonly entries: readonly { readonly data?: Record<string, unknown> }[] }>();
    return body.entries;
  }
}

async function createConversation({ server, cookie }: ChaosOptions, id: string): Promise<void> {
  const response = await fetch(`${server.url}/api/v1/conversations`, {
    method: "POST",
    headers: { cookie, origin: server.url, "content-type": "application/json" },
    body: JSON.stringify({ id }),
  });
  if (!response.ok) throw new Error(`no conversation: ${response.status} ${await response.text()}`);
}

function isFurther(before: View, now: View | undefined): boolean {
  if (!now) return false;
  if (now.turn === null || before.turn === null || now.turn.task !== before.turn.task) return true;
  const { step, attempt, stage } = now.turn;
  return step > before.turn.step || attempt > before.turn.attempt || stage !== before.turn.stage;
}

function countBy(values: readonly string[]): { readonly [value: string]: number } {
  const counts: { [value: string]: number } = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
