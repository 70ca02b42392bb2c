import { defineEntry, defineTask, type TaskDefinition, type TaskRun } from "../../src/kernel/index.ts";
import type { StepOrBuilder } from "../../src/kernel/registry/task-definition.ts";
import type { Stage } from "./stage.ts";

/** What a job does, one after the other. */
export type Move =
  | "mark"
  | "effect"
  | "sleep"
  | "nap"
  | "park"
  | "child"
  | "spawn"
  | "memo"
  | "again"
  | "throw"
  | "fail"
  | "hang";

export type JobInput = { readonly moves: readonly Move[] };

type JobCheckpoint =
  | { readonly phase: "moving"; readonly at: number }
  /** In flight. */
  | { readonly phase: "sending"; readonly at: number };
type JobStep = StepOrBuilder<JobCheckpoint>;
type JobRun = Omit<TaskRun<JobInput, JobCheckpoint>, "checkpoint">;

export const JOB = "sim.job";
export const PACE = "sim.pace";
export const DEFAULT_PACE = 7;
/** What a child does: it has none of its own. */
const CHILD: readonly Move[] = ["sleep", "effect", "mark"];
const MARK = defineEntry({ kind: "sim.mark" });

/** A plugin's work in the background: makes its moves, each of them one commit. Its effects may be repeated. */
export class JobKind {
  readonly definition: TaskDefinition<JobInput, JobCheckpoint>;
  readonly #stage: Stage;
  readonly #memos = new Map<string, string>();
  readonly #sawStale = new Set<string>();
  #candidates = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.definition = defineTask<JobInput, JobCheckpoint>({
      kind: JOB,
      initial: () => ({ phase: "moving", at: 0 }),
      config: { [PACE]: DEFAULT_PACE },
      inFlight: ["sending"],
      describe: ({ at }) => ({ at }),
      phases: {
        moving: (run) => this.#move(run, run.checkpoint.at),
        sending: (run) => this.#send(run, run.checkpoint.at),
      },
    });
  }

  async #move(run: JobRun, at: number): Promise<JobStep> {
    const { clock } = this.#stage.world;
    const checkpoint = { phase: "moving", at: at + 1 } as const;
    const move = run.input.moves[at];
    if (move === undefined) return { kind: "complete", result: { moves: at } };
    switch (move) {
      case "mark":
        return (tx) => {
          tx.write(MARK, { data: { job: run.id, at } });
          return { kind: "next", checkpoint };
        };
      case "effect":
        run.enter({ phase: "sending", at });
        return await this.#send(run, at);
      case "sleep":
        return { kind: "sleep", until: run.now() + 20_000, checkpoint };
      case "nap":
        await clock.wait(run.now() + 700, run.signal);
        return { kind: "next", checkpoint };
      case "park":
        return { kind: "park", deadline: run.now() + 600_000, checkpoint };
      case "child":
        return (tx) => {
          const child = tx.createOwned(this.definition, { moves: CHILD });
          return { kind: "wait", tasks: [child], checkpoint };
        };
      case "spawn":
        return (tx) => {
          tx.createOwned(this.definition, { moves: CHILD });
          return { kind: "next", checkpoint };
        };
      case "memo":
        this.#remember(run, at);
        return { kind: "next", checkpoint };
      case "again":
        return this.#isFirstSight(`${run.id}:${at}`) ? { kind: "again" } : { kind: "next", checkpoint };
      case "throw":
        throw new Error("a job that throws");
      case "fail":
        return { kind: "fail", error: "a job that fails" };
      case "hang":
        await clock.wait(Number.MAX_SAFE_INTEGER, run.signal);
        throw new Error("a job that was ended");
    }
  }

  /** The effect under its key, in flight before it happens; after a crash once more. */
  async #send(run: JobRun, at: number): Promise<JobStep> {
    const { stored, effects, world } = this.#stage;
    const { checkpoint } = stored.control.tasks[String(run.id)] ?? {};
    if (checkpoint?.phase !== "sending" || checkpoint["at"] !== at) {
      this.#stage.violated(
        "inFlightBeforeEffect",
        `${run.id} sends at ${at} while it is ${JSON.stringify(checkpoint)}`,
      );
    }
    effects.receive(`job:${run.idempotencyKey}:${at}`);
    await world.clock.wait(run.now() + 300, run.signal);
    return { kind: "next", checkpoint: { phase: "moving", at: at + 1 } };
  }

  #remember(run: JobRun, at: number): void {
    const value = JSON.stringify(run.memo(`m${at}`, `memo-secret-${this.#candidates++}`));
    const key = `${run.id}:${at}`;
    const first = this.#memos.get(key) ?? value;
    this.#memos.set(key, first);
    if (first !== value) this.#stage.violated("memoIsStable", `${key}: ${first}, then ${value}`);
  }

  #isFirstSight(key: string): boolean {
    const isFirst = !this.#sawStale.has(key);
    this.#sawStale.add(key);
    return isFirst;
  }
}
