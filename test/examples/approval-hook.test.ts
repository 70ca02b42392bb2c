import { describe, expect, it } from "vitest";
import { APPROVALS, decide, MAX_OPEN_APPROVALS, registerApprovals } from "../../examples/kernel/approval-hook.ts";
import { tasksOf, until } from "../kernel/guarded.ts";
import { containing, entriesOf, lines, results, send, tool } from "../kernel/make.ts";
import { started } from "../kernel/started.ts";
import type { KernelWorld } from "../kit/kernel-world.ts";
import { callsThenText, say } from "../kit/scenarios.ts";
import type { WorldOptions } from "../kit/world-options.ts";
import { itSurvivesDeathAnywhere } from "./cut-example.ts";

const PAY = { name: "pay", args: '{"amount":5}' };

function payments(options: WorldOptions = {}) {
  const paid: unknown[] = [];
  const pay = tool("pay", (input) => {
    paid.push(input);
    return Promise.resolve({ text: "paid" });
  });
  const look = tool("look", () => Promise.resolve({ text: "seen" }));
  const world = started({
    tools: [pay, look],
    script: callsThenText([PAY]),
    ...options,
    register: (registry, kernel) => {
      registerApprovals(registry, (name) => name === "pay");
      options.register?.(registry, kernel);
    },
  });
  send(world, "go");
  return { world, paid };
}

const cards = (world: KernelWorld) =>
  world.kernel.snapshot().view.plugins[APPROVALS.name] as readonly { task: number }[];

async function waiting(options: WorldOptions = {}) {
  const { world, paid } = payments(options);
  await until(world, () => cards(world).length > 0);
  return { world, paid, task: cards(world)[0]?.task ?? 0 };
}

describe("a risky call", () => {
  it("[A-29] [T-32] runs once it is approved, and the approval is spent in the commit that starts it", async () => {
    const { world, paid, task } = await waiting();
    expect(cards(world)).toEqual([{ task, tool: "pay", input: '{"amount":5}' }]);
    expect(paid).toEqual([]);
    expect(decide(world.kernel, task, true, "Olga")).toBe(true);
    expect(world.kernel.get(APPROVALS)).toEqual({ open: {}, grants: [task] });
    await world.run(() => world.commits.some(({ events }) => events.some(({ type }) => type === "tool.started")));
    expect(world.kernel.get(APPROVALS).grants).toEqual([]);
    await world.run();
    expect(paid).toEqual([{ amount: 5 }]);
    expect(results(world)).toEqual([{ outcome: "ok", text: "Approved by Olga.|paid" }]);
    expect(entriesOf(world, "core.tool_result")[0]?.data).toMatchObject({ decidedBy: "Olga" });
  });

  it("[A-9] does not run when it is declined, and the model reads why", async () => {
    const { world, paid, task } = await waiting();
    decide(world.kernel, task, false, "Olga");
    await world.run();
    expect(results(world)).toEqual([
      { outcome: "blocked", code: "declined", text: containing("Olga declined this call") },
    ]);
    expect(paid).toEqual([]);
    expect(lines(world).at(-1)).toBe("assistant: All done.");
  });

  it.each([true, false])("[A-1] is decided once: the first of two decisions counts (%s)", async (first) => {
    const { world, paid, task } = await waiting();
    expect([decide(world.kernel, task, first, "Olga"), decide(world.kernel, task, !first, "Bert")]).toEqual([
      true,
      false,
    ]);
    await world.run();
    expect(paid).toHaveLength(first ? 1 : 0);
  });

  it("[A-3] [A-11] [R-14] [I-66] is not asked about again when the process dies after the decision", async () => {
    const { world, paid, task } = await waiting();
    decide(world.kernel, task, true, "Olga");
    world.crash();
    world.start().resume();
    expect(cards(world)).toEqual([]);
    await world.run();
    expect(cards(world)).toEqual([]);
    expect(paid).toHaveLength(1);
  });

  it("[A-4] [R-13] is asked about again, with the same card, when it dies before", async () => {
    const { world, paid, task } = await waiting();
    world.crash();
    world.start().resume();
    await until(world, () => false);
    expect(cards(world)).toMatchObject([{ task }]);
    expect(paid).toEqual([]);
  });

  it("does not use an approval that was given for other arguments", async () => {
    let amount = 5;
    const { world, paid, task } = await waiting({
      tools: [
        {
          ...tool("pay", () => Promise.resolve({ text: "never" })),
          // What the schema makes of the same words changes with a deploy.
          validate: () => ({ ok: true, value: { amount } }),
        },
      ],
    });
    amount = 500;
    decide(world.kernel, task, true, "Olga");
    await world.run();
    expect(results(world)).toMatchObject([{ outcome: "blocked", code: "changed" }]);
    expect(paid).toEqual([]);
  });

  it("does not use an approval that was withdrawn before it started", async () => {
    const { world, paid, task } = await waiting();
    decide(world.kernel, task, true, "Olga");
    world.kernel.commit((tx) => tx.set(APPROVALS, { grants: [] }));
    await world.run();
    expect(results(world)).toMatchObject([{ outcome: "blocked", code: "spent" }]);
    expect(paid).toEqual([]);
  });

  it("[T-33] goes on alone when the person says something more, card and all", async () => {
    const { world, paid, task } = await waiting();
    send(world, "and what about the weather?");
    await world.run(() => world.control.turn === null, world.clock.now());
    const [card] = cards(world);
    expect(card?.task).not.toBe(task);
    decide(world.kernel, card?.task ?? 0, true, "Olga");
    await world.run();
    expect(paid).toHaveLength(1);
  });

  it("[C-27] leaves no card and no grant behind when its turn is stopped", async () => {
    const { world, paid, task } = await waiting();
    decide(world.kernel, task, true, "Olga");
    world.kernel.stop();
    await world.run();
    expect(world.kernel.get(APPROVALS)).toEqual({ open: {}, grants: [] });
    expect([paid, tasksOf(world)]).toEqual([[], []]);
  });

  it("is one of fifty at most; one more is refused to the model", async () => {
    const calls = Array.from({ length: MAX_OPEN_APPROVALS + 1 }, () => PAY);
    const { world } = payments({ script: callsThenText(calls) });
    await until(world, () => results(world).length === 1);
    expect(results(world)).toMatchObject([{ outcome: "blocked", code: "too_many" }]);
    expect(cards(world)).toHaveLength(MAX_OPEN_APPROVALS);
  });

  it("is none where the tool is harmless", async () => {
    const { world } = payments({ script: callsThenText([{ name: "look", args: "{}" }]) });
    await world.run();
    expect(results(world)).toEqual([{ outcome: "ok", text: "seen" }]);
  });
});

describe("approval", () => {
  itSurvivesDeathAnywhere(
    "paid once, asked once",
    {
      name: "a risky call that is approved",
      options: (server) => ({
        // `send` is what the crash tests know as a call that must not happen twice.
        tools: [
          tool("send", (_input, context) => {
            server.receive(context.idempotencyKey);
            return Promise.resolve({ text: "sent" });
          }),
        ],
        script: callsThenText([{ name: "send", args: "{}" }]),
        register: (registry) => void registerApprovals(registry, () => true),
      }),
      actions: [
        say("go"),
        (kernel, { server }) => {
          const [task] = Object.keys(kernel.get(APPROVALS).open);
          if (task === undefined) return kernel.entriesAfter(0, 100).some(({ kind }) => kind === "core.tool_result");
          if (server.sink.has("decided")) server.complaints.push("asked again after the decision");
          if (!decide(kernel, Number(task), true, "Olga")) return false;
          server.sink.set("decided", task);
          return true;
        },
      ],
    },
    () => null,
  );
});
