import { describe, expect, it } from "vitest";
import { defineTask, type TaskRun } from "../../src/kernel/index.ts";
import { started } from "./started.ts";

type Phase = { readonly phase: "work" };

const forever = () => new Promise<never>(() => undefined);

function world(abort?: (run: TaskRun<null, Phase>) => Promise<void>) {
  const kind = defineTask<null, Phase>({
    kind: "deaf.task",
    initial: () => ({ phase: "work" }),
    phases: { work: forever },
    ...(abort && { abort }),
  });
  const made = started({ register: (registry) => void registry.registerTaskKind(kind) });
  const task = made.kernel.commit((tx) => tx.createTask(kind, null));
  return { made, task };
}

describe("a task whose code does not listen", () => {
  it("[K-74] [I-128] a phase that ignores a stop is waited for five seconds", async () => {
    const { made, task } = world();
    await made.run(() => false, made.clock.now());
    const from = made.clock.now();
    expect(made.kernel.commit((tx) => tx.abort(task))).toBe(true);
    await made.run();
    expect(made.clock.now() - from).toBe(5_000);
    expect(made.kernel.receipt(task)).toMatchObject({ outcome: "aborted" });
  });

  it("[K-74] cleaning up that never ends is waited for a minute, and said to have failed", async () => {
    const { made, task } = world(forever);
    await made.run(() => false, made.clock.now());
    const from = made.clock.now();
    made.kernel.commit((tx) => tx.abort(task));
    await made.run();
    expect(made.clock.now() - from).toBe(65_000);
    expect(made.kernel.receipt(task)).toMatchObject({
      outcome: "faulted",
      result: { error: "it took longer than 60 s" },
    });
    expect(made.alarm.armedFor).toBeNull();
  });
});
