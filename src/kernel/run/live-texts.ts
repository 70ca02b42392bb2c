import type { DeltaChannel, LiveText } from "../../protocol/frames.ts";
import type { PublishPort, ReportPort } from "../ports/ports.ts";

/** Streaming text that no commit holds yet. Lost in a crash, by design: the transcript never depends on it. */
export class LiveTexts {
  readonly #publish: PublishPort;
  readonly #report: ReportPort;
  readonly #texts = new Map<string, LiveText>();

  constructor(publish: PublishPort, report: ReportPort) {
    this.#publish = publish;
    this.#report = report;
  }

  /** Adds to the text of a task's attempt and publishes what was added, at its offset. */
  add(task: number, attempt: number, channel: DeltaChannel, text: string): void {
    if (text === "") return;
    const key = `${task}:${channel}`;
    const before = this.#texts.get(key);
    const old = before?.attempt === attempt ? before.text : "";
    this.#texts.set(key, { task, attempt, channel, text: old + text });
    this.#send(task, attempt, channel, old.length, text);
  }

  /** Replaces a task's line of progress. */
  replace(task: number, attempt: number, channel: DeltaChannel, text: string): void {
    this.#texts.set(`${task}:${channel}`, { task, attempt, channel, text });
    this.#send(task, attempt, channel, 0, text);
  }

  textOf(task: number, channel: DeltaChannel): string {
    return this.#texts.get(`${task}:${channel}`)?.text ?? "";
  }

  drop(task: number): void {
    for (const [key, live] of this.#texts) if (live.task === task) this.#texts.delete(key);
  }

  all(): readonly LiveText[] {
    return [...this.#texts.values()];
  }

  #send(task: number, attempt: number, channel: DeltaChannel, offset: number, text: string): void {
    try {
      this.#publish.delta({ type: "delta", task, attempt, channel, offset, text });
    } catch (error) {
      this.#report.report("publish.failed", { error: String(error) });
    }
  }
}
