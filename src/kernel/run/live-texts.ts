import type { DeltaChannel, LiveText } from "../../protocol/frames.ts";
import type { ClockPort, PublishPort, ReportPort } from "../ports/ports.ts";

/** Text that arrives faster than this is sent together; what comes after a pause is sent at once. Milliseconds. */
const FLUSH_EVERY_MS = 25;

interface Streaming {
  readonly live: LiveText;
  /** Units of the text that were published. */
  readonly published: number;
}

/** Streaming text that no commit holds yet. Lost in a crash, by design: the transcript never depends on it. */
export class LiveTexts {
  readonly #publish: PublishPort;
  readonly #report: ReportPort;
  readonly #clock: ClockPort;
  readonly #texts = new Map<string, Streaming>();
  #flushedAt = Number.NEGATIVE_INFINITY;
  #timer: AbortController | undefined;

  constructor(ports: { readonly publish: PublishPort; readonly report: ReportPort; readonly clock: ClockPort }) {
    this.#publish = ports.publish;
    this.#report = ports.report;
    this.#clock = ports.clock;
  }

  /** Adds to the text of a task's attempt; what was added is published at its offset, at once or within 25 ms. */
  add(task: number, attempt: number, channel: DeltaChannel, text: string): void {
    if (text === "") return;
    const key = `${task}:${channel}`;
    const before = this.#texts.get(key);
    const isSame = before?.live.attempt === attempt;
    const old = isSame ? before.live.text : "";
    const live = { task, attempt, channel, text: old + text };
    this.#texts.set(key, { live, published: isSame ? before.published : 0 });
    // Whoever waits for an answer sees its first words at once; only what follows is gathered.
    if (isSame) this.#schedule();
    else this.#flush();
  }

  /** Replaces a task's line of progress. */
  replace(task: number, attempt: number, channel: DeltaChannel, text: string): void {
    this.#texts.set(`${task}:${channel}`, { live: { task, attempt, channel, text }, published: 0 });
    this.#schedule();
  }

  textOf(task: number, channel: DeltaChannel): string {
    return this.#texts.get(`${task}:${channel}`)?.live.text ?? "";
  }

  /** Forgets a task's text: an entry holds it, or it came to nothing. */
  drop(task: number): void {
    for (const [key, { live }] of this.#texts) if (live.task === task) this.#texts.delete(key);
    if (this.#texts.size === 0) this.#timer?.abort();
  }

  /** Everything streamed so far. What was not published yet is published first: the next delta goes on where this ends. */
  all(): readonly LiveText[] {
    this.#flush();
    return [...this.#texts.values()].map(({ live }) => live);
  }

  #schedule(): void {
    if (this.#timer) return;
    const due = this.#flushedAt + FLUSH_EVERY_MS;
    if (this.#clock.now() >= due) return this.#flush();
    const timer = new AbortController();
    this.#timer = timer;
    void this.#clock.wait(due, timer.signal).then(() => {
      this.#timer = undefined;
      this.#flush();
    });
  }

  #flush(): void {
    for (const [key, { live, published }] of this.#texts) {
      if (published === live.text.length) continue;
      this.#flushedAt = this.#clock.now();
      this.#texts.set(key, { live, published: live.text.length });
      this.#send(live, published);
    }
  }

  #send({ task, attempt, channel, text }: LiveText, offset: number): void {
    try {
      this.#publish.delta({ type: "delta", task, attempt, channel, offset, text: text.slice(offset) });
    } catch (error) {
      this.#report.report("publish.failed", { error: String(error) });
    }
  }
}
