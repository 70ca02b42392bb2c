import { coreNotice, defineEntry, type Kernel, KernelError } from "../../../src/kernel/index.ts";
import { MAX_INBOX } from "../../../src/kernel/limits.ts";
import type { Step } from "../script.ts";
import type { Actor, Part, Stage } from "../stage.ts";
import { markOf } from "../vendor.ts";

const REMARK = defineEntry({ kind: "sim.remark" });

/** A plugin that puts entries into the transcript, for models to read or for people only. */
export type WriterStep = Step & {
  readonly actor: "writer";
  readonly do: "remark" | "show" | "notice";
};

export const WRITER: Actor<WriterStep> = {
  name: "writer",
  steps: {
    weight: 2,
    propose: (random) => ({ actor: "writer", do: random.pick(["remark", "remark", "show", "notice"]) }),
  },
  enter: (stage) => new Writer(stage),
};

class Writer implements Part<WriterStep> {
  readonly #stage: Stage;
  #written = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  async perform(step: WriterStep): Promise<void> {
    await this.#stage.act((kernel) => this.#write(kernel, step.do));
  }

  /** A write is placed at once or waits; it never begins a turn, and only a full inbox refuses it. */
  #write(kernel: Kernel, what: WriterStep["do"]): void {
    const { turn, inbox, tasks } = this.#stage.stored.control;
    const text = `${markOf("remark", this.#written++)} by the way`;
    const kind = what === "notice" ? coreNotice : REMARK;
    const draft = what === "show" ? { data: { shown: true } } : { text };
    const isCopied = Object.values(tasks).some((task) => task.kind === "core.import");
    const mustWait = isCopied || (turn !== null && what !== "show");
    try {
      const id = kernel.commit((tx) => tx.write(kind, draft));
      if ((id === null) !== mustWait)
        this.#stage.violated("writesWaitForTheirPlace", `${what} gave ${id}, must wait: ${mustWait}`);
    } catch (error) {
      const isFull = error instanceof KernelError && error.code === "too_large" && inbox.length >= MAX_INBOX;
      if (!isFull) throw error;
    }
  }
}
