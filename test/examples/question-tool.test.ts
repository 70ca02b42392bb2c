import { describe, expect, it } from "vitest";
import { answer, MAX_OPEN_QUESTIONS, QUESTIONS, registerQuestions } from "../../examples/kernel/question-tool.ts";
import { tasksOf, until } from "../kernel/guarded.ts";
import { containing, dump, lines, results, send } from "../kernel/make.ts";
import { started } from "../kernel/started.ts";
import type { KernelWorld } from "../kit/kernel-world.ts";
import { callsThenText, say } from "../kit/scenarios.ts";
import type { Script } from "../kit/scripted-model.ts";
import { itSurvivesDeathAnywhere } from "./cut-example.ts";

const HOUR = 3_600_000;
const ASK = { name: "ask", args: '{"question":"Red or blue?","hours":2}' };

/** A world where the model asks, once per message "go". */
function asked(calls = [ASK], script: Script = callsThenText(calls)): KernelWorld {
  return started({ script, register: (registry) => void registerQuestions(registry) });
}

const openIn = (world: KernelWorld) => world.kernel.snapshot().view.plugins[QUESTIONS.name];
const parkedIn = (world: KernelWorld) =>
  tasksOf(world)
    .filter(({ status }) => status === "parked")
    .map(({ id }) => id);

async function ask(): Promise<{ world: KernelWorld; task: number }> {
  const world = asked();
  send(world, "go");
  await until(world, () => parkedIn(world).length === 1);
  return { world, task: parkedIn(world)[0] ?? 0 };
}

describe("a question", () => {
  it("[A-29] waits visibly until somebody answers, and the answer is the call's result", async () => {
    const { world, task } = await ask();
    expect(openIn(world)).toEqual([{ task, text: "Red or blue?", until: world.clock.now() + 2 * HOUR }]);
    await world.pass(HOUR);
    expect(answer(world.kernel, task, { by: "Bert", text: "Blue." })).toBe(true);
    expect(openIn(world)).toEqual([]);
    await world.run();
    expect(results(world)).toEqual([{ outcome: "ok", text: "Bert answered: Blue." }]);
    expect(lines(world).at(-1)).toBe("assistant: All done.");
    expect(world.commits.flatMap(({ events }) => events)).toContainEqual({
      type: "plugin.example.questions.answered",
      task,
      by: "Bert",
    });
  });

  it("[A-30] [I-107] is seen by whoever joins late, also after a restart", async () => {
    const { world, task } = await ask();
    world.crash();
    world.start().resume();
    await until(world, () => false);
    expect(openIn(world)).toMatchObject([{ task, text: "Red or blue?" }]);
  });

  it("[A-1] is answered once when two answer", async () => {
    const { world, task } = await ask();
    const told = ["Blue.", "Red."].map((text) => answer(world.kernel, task, { by: "Bert", text }));
    await world.run();
    expect(told).toEqual([true, false]);
    expect(results(world)).toEqual([{ outcome: "ok", text: "Bert answered: Blue." }]);
    expect(answer(world.kernel, task, { by: "Bert", text: "Late." }), "the call is over").toBe(false);
    expect(dump(world), "nothing of it is left beside the call").toContain('["memos",[]]');
  });

  it("[T-31] expires at its deadline, which a restart does not move", async () => {
    const { world, task } = await ask();
    await world.pass(HOUR);
    world.crash();
    world.start();
    const from = world.clock.now();
    await world.run();
    expect(world.clock.now() - from).toBe(HOUR);
    expect(results(world)).toEqual([{ outcome: "blocked", code: "expired", text: containing("is over") }]);
    expect(openIn(world)).toEqual([]);
    expect(answer(world.kernel, task, { by: "Bert", text: "Blue." })).toBe(false);
  });

  it("[T-33] goes on alone when the person says something more, and its answer comes as a message", async () => {
    const { world, task } = await ask();
    send(world, "never mind");
    await world.run(() => world.control.turn === null, world.clock.now());
    const [moved = 0] = parkedIn(world);
    expect(moved).not.toBe(task);
    expect(openIn(world)).toMatchObject([{ task: moved, text: "Red or blue?" }]);
    expect(answer(world.kernel, moved, { by: "Bert", text: "Blue." })).toBe(true);
    await world.run();
    expect(lines(world).join("\n")).toMatch(/notice: .*has run.*\|Bert answered: Blue\./);
  });

  it("[A-10] [C-27] is closed when its turn is stopped", async () => {
    const { world } = await ask();
    world.kernel.stop();
    await world.run();
    expect(openIn(world)).toEqual([]);
    expect(results(world)).toMatchObject([{ outcome: "stopped" }]);
  });

  it("is one of twenty at most; one more is refused to the model", async () => {
    const world = asked(Array.from({ length: MAX_OPEN_QUESTIONS + 1 }, () => ASK));
    send(world, "go");
    await until(world, () => results(world).length === 1);
    expect(results(world)).toEqual([
      { outcome: "blocked", code: "too_many", text: containing("20 questions are open") },
    ]);
    expect(openIn(world)).toHaveLength(MAX_OPEN_QUESTIONS);
  });

  it("other tools are none of its business, and it can be taken back", async () => {
    const world = started({ script: callsThenText([ASK]) });
    const undo = registerQuestions(world.registry);
    undo();
    undo();
    registerQuestions(world.registry);
    send(world, "go");
    await until(world, () => parkedIn(world).length === 1);
    expect(openIn(world)).toHaveLength(1);
  });
});

describe("question and answer", () => {
  itSurvivesDeathAnywhere(
    "asked once, answered once",
    {
      name: "a question that is answered",
      options: () => ({
        script: callsThenText([ASK]),
        register: (registry) => void registerQuestions(registry),
      }),
      actions: [
        say("go"),
        (kernel) => {
          const [task] = Object.keys(kernel.get(QUESTIONS).open);
          if (task !== undefined) return answer(kernel, Number(task), { by: "Bert", text: "Blue." });
          // Answered in the life before.
          return kernel.entriesAfter(0, 100).some(({ kind }) => kind === "core.tool_result");
        },
      ],
    },
    ({ calls }) => [...calls],
  );
});
