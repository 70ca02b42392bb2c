import type { TaskView } from "../../../src/protocol/view.ts";
import { type MockConversation, toJson } from "./conversation.ts";
import { Refusal } from "./refusal.ts";
import { summarise } from "./summary.ts";

class TaskStopped extends Error {}

/** What runs beside the turn of one conversation: a summary that somebody asked for, and whatever a test lets run. */
export class MockTasks {
  readonly #conversation: MockConversation;
  /** Cuts the pause of the running summary short. */
  #wake: (() => void) | undefined;

  constructor(conversation: MockConversation) {
    this.#conversation = conversation;
  }

  /** @returns false when a summary is being made already. */
  compact(): boolean {
    const c = this.#conversation;
    if (c.view.compaction !== null) return false;
    if (c.view.turn !== null) throw new Refusal("busy", "An answer is running. Ask again when it is done.");
    const since = c.active.findLastIndex((entry) => entry.kind === "core.summary");
    const said = c.active.slice(since + 1).filter((entry) => entry.kind === "core.user");
    if (said.length < 2) throw new Refusal("nothing_to_do", "There is nothing older to summarise yet.");
    void this.#summarise(this.begin({ kind: "core.compaction", status: { phase: "prepare" } }));
    return true;
  }

  /** A task as the view shows it. @returns its id. */
  begin(view: TaskView): number {
    const task = this.#conversation.newId();
    this.#conversation.commit(["s", ["tasks", String(task)], toJson(view)]);
    return task;
  }

  stop(task: number): void {
    const c = this.#conversation;
    if (c.view.compaction?.task === task) {
      c.commit(["s", ["compaction", "stopping"], true]);
      return this.#wake?.();
    }
    if (c.view.tasks[task] === undefined) throw new Refusal("nothing_to_do", "It is over already.");
    c.commit(["s", ["tasks", String(task), "stopping"], true]);
    setTimeout(() => c.commit(["d", ["tasks", String(task)]]), 200);
  }

  async #summarise(task: number): Promise<void> {
    const c = this.#conversation;
    try {
      await summarise(c, task, "manual", (ms) => this.#pause(ms));
    } catch (error) {
      if (!(error instanceof TaskStopped)) throw error;
      c.commit(["s", ["compaction"], null]);
    }
    c.commit(["d", ["tasks", String(task)]]);
  }

  async #pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    const { isDeleted, view } = this.#conversation;
    if (isDeleted || view.compaction?.stopping === true) throw new TaskStopped();
  }
}
