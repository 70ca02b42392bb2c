import type { AdmissionReceipt, AdmissionRefusal, Kernel, Submission } from "../../../src/kernel/index.ts";
import { MAX_INBOX } from "../../../src/kernel/limits.ts";
import type { Result } from "../../../src/lib/result.ts";
import type { Step } from "../script.ts";
import type { Actor, Part, Stage } from "../stage.ts";
import { askFor, markOf } from "../vendor.ts";

/** More than fit into an inbox. */
const FLOOD = MAX_INBOX + 2;

/** `asks`: names of tools that the message asks the vendor to call; `long`: some thousand characters more. */
interface Saying {
  readonly who: string;
  readonly mode: "queue" | "steer" | "none";
  readonly asks?: readonly string[];
  readonly long?: boolean;
}

/** People who write, repeat themselves, take back, stop and go on. `nth` picks one of what was said so far. */
export type PeopleStep = Step & { readonly actor: "people" } & (
    | (Saying & { readonly do: "say" | "flood" })
    | { readonly do: "repeat" | "contradict" | "withdraw"; readonly nth: number }
    | { readonly do: "stop" | "continue" }
  );

const WHO = ["p_anna", "p_anna", "p_bert", "p_carl"] as const;

export const PEOPLE: Actor<PeopleStep> = {
  name: "people",
  steps: {
    weight: 10,
    propose(random) {
      const dice = random.between(1, 100);
      if (dice <= 55) {
        const mode = random.pick(["none", "none", "queue", "steer"] as const);
        return { actor: "people", do: "say", who: random.pick(WHO), mode };
      }
      if (dice === 56) return { actor: "people", do: "flood", who: random.pick(WHO), mode: "none" };
      if (dice <= 80) {
        const what = random.pick(["repeat", "contradict", "withdraw", "withdraw"] as const);
        return { actor: "people", do: what, nth: random.between(0, 9) };
      }
      return { actor: "people", do: random.pick(["stop", "continue"] as const) };
    },
  },
  enter: (stage) => new People(stage),
};

class People implements Part<PeopleStep> {
  readonly #stage: Stage;
  #messages = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  async perform(step: PeopleStep): Promise<void> {
    switch (step.do) {
      case "say":
        return this.#say(step);
      case "flood":
        for (let n = 0; n < FLOOD; n++) await this.#say(step);
        return;
      case "repeat":
      case "contradict":
        return this.#sayAgain(step.nth, step.do === "contradict");
      case "withdraw":
        return this.#withdraw(step.nth);
      case "stop":
        await this.#stage.act((kernel) => this.#stop(kernel));
        return;
      case "continue":
        await this.#stage.act((kernel) => kernel.resumeQueue());
    }
  }

  async calm(): Promise<void> {
    await this.#stage.act((kernel) => kernel.resumeQueue());
  }

  async #say({ who: actor, mode, asks = [], long = false }: Saying): Promise<void> {
    const text = `${markOf("message", this.#messages++)} ${askFor(asks)}${long ? " on and on".repeat(300) : ""}`;
    const key = `${actor}:${this.#messages}`;
    const content = [{ type: "text", text } as const];
    const submission: Submission = { key, actor, meta: null, content, ...(mode !== "none" && { mode }) };
    const isFull = () => this.#stage.stored.control.inbox.length >= MAX_INBOX;
    const receipt = await this.#stage.act((kernel) => ({ before: isFull(), ...kernel.submit(submission) }));
    if (receipt.ok) this.#stage.said.set(key, submission);
    else if (receipt.error !== "inbox_full" || !receipt.before) this.#complain("admitsWhatFits", receipt.error);
  }

  /** A repeat tells what became of the first and writes nothing; with another body it is refused. */
  async #sayAgain(nth: number, otherwise: boolean): Promise<void> {
    const first = this.#pick(nth);
    if (!first) return;
    const again = otherwise ? { ...first, content: [{ type: "text", text: "something else" } as const] } : first;
    await this.#stage.act((kernel) => {
      const before = this.#saidSoFar();
      const status = this.#stage.stored.inputs.get(first.key)?.status;
      const result = kernel.submit(again);
      if (this.#saidSoFar() !== before) this.#complain("repeatsWriteNothing", first.key);
      const isRight = otherwise ? !result.ok && result.error === "conflict" : isReceipt(result, first.key, status);
      if (!isRight) this.#complain("repeatsGetTheFirstReceipt", `${first.key} got ${JSON.stringify(result)}`);
    });
  }

  /** Inputs of people: what the loop does as it wakes up may add what the system tells. */
  #saidSoFar(): number {
    return [...this.#stage.stored.inputs.keys()].filter((key) => !key.startsWith("system:")).length;
  }

  async #withdraw(nth: number): Promise<void> {
    const key = this.#pick(nth)?.key ?? "p_nobody:1";
    await this.#stage.act((kernel) => {
      const expected = expectedWithdrawal(this.#stage.stored.inputs.get(key)?.status);
      const outcome = kernel.withdraw(key);
      if (outcome !== expected) this.#complain("withdrawsOnlyWhatWaits", `${key}: ${outcome}, not ${expected}`);
    });
  }

  #stop(kernel: Kernel): void {
    const { turn, tasks } = this.#stage.stored.control;
    const copy = Object.values(tasks).find(({ kind }) => kind === "core.import");
    const expected = copy ? !copy.aborting : turn !== null && !turn.stopping;
    const stopped = kernel.stop();
    if (stopped !== expected) this.#complain("stopsWhatRuns", `stop gave ${stopped} at ${JSON.stringify(turn)}`);
  }

  #pick(nth: number): Submission | undefined {
    const all = [...this.#stage.said.values()];
    return all[nth % Math.max(1, all.length)];
  }

  #complain(invariant: string, what: string): void {
    this.#stage.violated(invariant, what);
  }
}

function isReceipt(
  result: Result<AdmissionReceipt, AdmissionRefusal>,
  key: string,
  status: string | undefined,
): boolean {
  return result.ok && result.value.input === key && result.value.status === status;
}

function expectedWithdrawal(status: string | undefined): string {
  if (status === undefined) return "not_found";
  if (status === "queued") return "aborted";
  return status === "placed" ? "already_placed" : "settled";
}
