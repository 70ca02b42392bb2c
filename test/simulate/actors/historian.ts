import { defineNamespace, type Kernel, KernelError, type Registry } from "../../../src/kernel/index.ts";
import type { Control } from "../../../src/kernel/state/control.ts";
import type { Result } from "../../../src/lib/result.ts";
import type { RewindData } from "../../../src/protocol/view.ts";
import type { Step } from "../script.ts";
import type { Actor, CommitCheck, Part, Stage } from "../stage.ts";
import { markOf } from "../vendor.ts";

/** A state that follows the transcript, and one that does not. */
export const PAGES = defineNamespace<{ ever: number }, { page: number }>({
  name: "pages",
  sticky: { ever: 0 },
  rewindable: { page: 0 },
  view: (state) => ({ ...state }),
});

/** Somebody who goes back, begins anew, hands over, turns pages and pins what was said. `nth` picks an entry. */
export type HistorianStep = Step & { readonly actor: "historian" } & (
    | { readonly do: "rewind" | "again" | "pin" | "unpin"; readonly nth: number }
    | { readonly do: "reset" | "handOff" | "turn" }
  );

const KINDS = ["rewind", "rewind", "again", "pin", "pin", "unpin", "reset", "handOff", "turn", "turn"] as const;

export const HISTORIAN: Actor<HistorianStep> = {
  name: "historian",
  steps: {
    weight: 3,
    propose(random) {
      const what = random.pick(KINDS);
      const nth = random.between(0, 12);
      const rewinds = ["rewind", "again", "pin", "unpin"].includes(what);
      const step = { actor: "historian", do: what, ...(rewinds && { nth }) };
      const rest = { actor: "time", do: "pass", ms: 5_000 };
      return what === "rewind" || what === "again" ? [rest, step] : step;
    },
  },
  enter: (stage) => new Historian(stage),
};

class Historian implements Part<HistorianStep> {
  readonly #stage: Stage;
  /** Turned pages that were acknowledged, and those that were tried. */
  #turned = 0;
  #tried = 0;
  #said = 0;
  readonly invariants: Part["invariants"];

  constructor(stage: Stage) {
    this.#stage = stage;
    const stickyStateStays = () => this.#findLostPage();
    this.invariants = { commit: [rewindableFollowsTranscript()], rest: [stickyStateStays] };
  }

  register(registry: Registry): void {
    registry.namespace(PAGES);
  }

  async perform(step: HistorianStep): Promise<void> {
    await this.#stage.act((kernel) => this.#perform(kernel, step));
  }

  #perform(kernel: Kernel, step: HistorianStep): void {
    switch (step.do) {
      case "rewind":
        return this.#expectRefusal(kernel.history.rewind(this.#pick(step.nth), "p_anna"));
      case "again":
        return this.#sayFrom(kernel, this.#pick(step.nth));
      case "pin":
      case "unpin":
        kernel.history.pin(this.#pick(step.nth), step.do === "pin");
        return;
      case "reset":
        return this.#write(() => kernel.history.reset("p_anna"));
      case "handOff":
        return this.#write(() => kernel.history.handOff(`${markOf("note", this.#said++)} goes on`, "p_anna"));
      case "turn":
        this.#tried++;
        kernel.commit((tx) => {
          const { page, ever } = tx.get(PAGES);
          tx.set(PAGES, { page: page + 1, ever: ever + 1 });
        });
        this.#turned++;
    }
  }

  /** Says something that goes on from an earlier entry. */
  #sayFrom(kernel: Kernel, rewindTo: number): void {
    const { said, stored } = this.#stage;
    const text = `${markOf("note", this.#said++)} instead`;
    const submission = { key: `p_anna:again${this.#said}`, actor: "p_anna", meta: null, rewindTo } as const;
    const wasLive = isLive(stored.control);
    const result = kernel.submit({ ...submission, content: [{ type: "text", text }] });
    if (result.ok) said.set(submission.key, { ...submission, content: [{ type: "text", text }] });
    this.#expectRefusal(result, wasLive);
  }

  /** Nobody goes back under something that is live; whether it is must be told by what was stored before. */
  #expectRefusal(result: Result<unknown, string>, wasLive = isLive(this.#stage.stored.control)): void {
    const isRight = result.ok ? !wasLive : wasLive || result.error !== "busy";
    if (!isRight) this.#stage.violated("rewindsOnlyAtRest", `${JSON.stringify(result)}, live: ${wasLive}`);
  }

  /** A full inbox refuses what has to wait. */
  #write(write: () => void): void {
    try {
      write();
    } catch (error) {
      if (!(error instanceof KernelError) || error.code !== "too_large") throw error;
    }
  }

  #pick(nth: number): number {
    const { entries } = this.#stage.stored;
    return nth === 0 ? 0 : (entries[nth % Math.max(1, entries.length)]?.id ?? 0);
  }

  #findLostPage(): string | undefined {
    const { ever } = this.#stage.world.kernel.get(PAGES);
    return ever < this.#turned || ever > this.#tried
      ? `${ever} pages, not ${this.#turned} to ${this.#tried}`
      : undefined;
  }
}

/** I-50, I-51: a rewind takes rewindable state back to what the commit of its entry left, code or no code. */
function rewindableFollowsTranscript(): CommitCheck {
  const stateAt = new Map<number, string>([[0, "[]"]]);
  const rewindableStateFollows: CommitCheck = ({ after, appended }) => {
    const state = JSON.stringify([...after.rewindable].filter(([, body]) => body !== "{}"));
    for (const { id, inherited } of appended) if (!inherited) stateAt.set(id, state);
    const rewind = appended.find(({ kind }) => kind === "core.rewind");
    if (!rewind) return undefined;
    const { to } = rewind.data as unknown as RewindData;
    const expected = stateAt.get(to);
    return expected === undefined || state === expected
      ? undefined
      : `back at ${to} it is ${state}, it was ${expected}`;
  };
  return rewindableStateFollows;
}

/** Work in the background that stands on the transcript as it is. */
const KEEPS_HERE: ReadonlySet<string> = new Set(["core.call", "core.import"]);

function isLive({ turn, tasks }: Control): boolean {
  return turn !== null || Object.values(tasks).some(({ background, kind }) => !background || KEEPS_HERE.has(kind));
}
