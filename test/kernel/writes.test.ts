import { describe, expect, it } from "vitest";
import { coreNotice, defineEntry, type Tool } from "../../src/kernel/index.ts";
import { countRows, entriesOf, lines, results, send, tool } from "./make.ts";
import { started } from "./started.ts";

const NOTE = defineEntry({ kind: "diary.note" });

/** A tool that does something while it runs. */
const doing = (work: () => void): Tool =>
  tool("do", async () => {
    await Promise.resolve();
    work();
    return { text: "did" };
  });

const callsOnce = (_request: unknown, nth: number) =>
  nth === 0 ? { calls: [{ name: "do", args: "{}" }] } : { text: `answer ${nth}` };

describe("what plugins write", () => {
  it("[T-47] [B-6] [C-6] idle, it is placed at once and begins no turn", async () => {
    const world = started();
    const id = world.kernel.commit((tx) => tx.write(NOTE, { text: "[a note]", data: { n: 1 } }));
    expect(id).toBe(entriesOf(world, "diary.note")[0]?.id);
    await world.run();
    expect(world.model.requests).toEqual([]);
    send(world, "hi");
    await world.run();
    expect(world.model.requests[0]?.messages.map((message) => message.role)).toEqual(["user", "user"]);
  });

  it("[T-47] [I-94] [I-95] [C-7] [C-13] in a turn it waits for the next request, before the input that waits there too", async () => {
    const ids: unknown[] = [];
    const world = started({
      tools: [
        doing(() => {
          send(world, "steer");
          ids.push(world.kernel.commit((tx) => tx.write(coreNotice, { text: "[one]" })));
          ids.push(world.kernel.commit((tx) => tx.write(NOTE, { text: "[two]" })));
          const { inbox } = world.kernel.snapshot().view;
          ids.push(inbox.map(({ mode, text }) => `${mode} ${text}`));
        }),
      ],
      script: callsOnce,
    });
    send(world, "go");
    await world.run();
    expect(ids).toEqual([null, null, ["steer steer", "write [one]", "write [two]"]]);
    expect(lines(world).slice(2)).toEqual([
      "tool_result: did",
      "notice: [one]",
      "diary.note: [two]",
      "user: steer",
      "assistant: answer 1",
    ]);
    expect(world.control.inbox).toEqual([]);
  });

  it("[T-47] what only people see is placed at once, and no request holds it", async () => {
    const world = started({
      tools: [doing(() => world.kernel.commit((tx) => tx.write(NOTE, { data: "half done" })))],
      script: callsOnce,
    });
    send(world, "go");
    await world.run();
    expect(lines(world).slice(1)).toEqual([
      "assistant: call do",
      "diary.note: ",
      "tool_result: did",
      "assistant: answer 1",
    ]);
    expect(JSON.stringify(world.model.requests)).not.toContain("half done");
  });

  it.each(["failed", "stopped"])("[T-47] [I-96] [B-7] a turn that %s places what waited", async (how) => {
    const world = started({
      tools: [
        doing(() => {
          world.kernel.commit((tx) => tx.write(NOTE, { text: "[note]" }));
          if (how === "stopped") world.kernel.stop();
        }),
      ],
      script: (_request, nth) =>
        nth === 0 ? { calls: [{ name: "do", args: "{}" }] } : { error: { retryable: false } },
    });
    send(world, "go");
    await world.run();
    expect(entriesOf(world, "diary.note")).toHaveLength(1);
    expect(world.control.inbox).toEqual([]);
    expect(countRows(world, "inputs")).toBe(2);
  });

  it("[T-47] [T-8] what waits for its place is nobody's to take back", async () => {
    const outcomes: unknown[] = [];
    const world = started({
      tools: [
        doing(() => {
          world.kernel.commit((tx) => tx.write(NOTE, { text: "[note]" }));
          outcomes.push(world.kernel.withdraw(world.control.inbox[0]?.key ?? ""));
        }),
      ],
      script: callsOnce,
    });
    send(world, "go");
    await world.run();
    expect(outcomes).toEqual(["not_found"]);
    expect(entriesOf(world, "diary.note")).toHaveLength(1);
  });

  it("[T-47] a full inbox refuses one more, naming it, and nothing is lost", async () => {
    const counts: number[] = [];
    const world = started({
      tools: [
        doing(() => {
          for (let i = 0; i < 100; i++) world.kernel.commit((tx) => tx.write(NOTE, { text: `n${i}` }));
          expect(() => world.kernel.commit((tx) => tx.write(NOTE, { text: "one more" }))).toThrow(
            "The inbox holds 100 inputs: diary.note was not written.",
          );
          counts.push(world.control.inbox.length);
        }),
      ],
      script: callsOnce,
    });
    send(world, "go");
    await world.run();
    expect(counts).toEqual([100]);
    expect(results(world)).toEqual([{ outcome: "ok", text: "did" }]);
    expect(entriesOf(world, "diary.note")).toHaveLength(100);
  });
});

describe("reset and handing over", () => {
  it("[T-48] [K-60] [C-14] idle, a reset is placed at once: the next request holds nothing from before", async () => {
    const world = started();
    send(world, "before");
    await world.run();
    expect(world.kernel.history.reset("p_anna")).toBe("placed");
    send(world, "after");
    await world.run();
    expect(world.model.requests[1]?.messages).toEqual([{ role: "user", content: [{ type: "text", text: "after" }] }]);
    expect(lines(world)).toEqual(["user: before", "assistant: Hello.", "reset: ", "user: after", "assistant: Hello."]);
  });

  it("[T-48] [C-14] [C-15] between steps it ends the turn as `reset`; what was queued is answered after it, afresh", async () => {
    const world = started({
      tools: [
        doing(() => {
          send(world, "queued before", { mode: "queue" });
          expect(world.kernel.history.reset("p_anna")).toBe("queued");
          send(world, "steer after");
        }),
      ],
      script: callsOnce,
    });
    send(world, "go");
    await world.run();
    expect(world.kernel.input("p_anna:go")?.state).toMatchObject({ status: "unanswered", reason: "reset" });
    expect(lines(world).slice(2)).toEqual([
      "tool_result: did",
      "reset: ",
      "user: queued before",
      "user: steer after",
      "assistant: answer 1",
    ]);
    expect(world.model.requests[1]?.messages).toHaveLength(2);
    expect(world.control.inbox).toEqual([]);
  });

  it("[T-48] at the end of a turn it is placed after the answer, before whoever is next", async () => {
    const world = started({
      script: (_request, nth) => ({
        text: `answer ${nth}`,
        between: () => {
          if (nth === 0) world.kernel.history.reset("p_anna");
          if (nth === 0) send(world, "next", { mode: "queue" });
          return Promise.resolve();
        },
      }),
    });
    send(world, "hi");
    await world.run();
    expect(world.kernel.input("p_anna:hi")?.state.status).toBe("done");
    expect(lines(world)).toEqual(["user: hi", "assistant: answer 0", "reset: ", "user: next", "assistant: answer 1"]);
  });

  it("[T-48] a write behind a reset waits with it", async () => {
    const world = started({
      tools: [
        doing(() => {
          world.kernel.commit((tx) => tx.write(NOTE, { text: "[before]" }));
          world.kernel.history.handOff("Go on from here.", "p_anna");
          world.kernel.commit((tx) => tx.write(NOTE, { text: "[after]" }));
        }),
      ],
      script: callsOnce,
    });
    send(world, "go");
    await world.run();
    send(world, "and?");
    await world.run();
    const texts = world.model.requests[1]?.messages.map((message) =>
      JSON.stringify(message.role === "system" || message.content),
    );
    expect(texts).toEqual(
      ["Go on from here.", "[after]", "and?"].map((text) => JSON.stringify([{ type: "text", text }])),
    );
  });

  it("[T-48] [I-43] after a reset the prompt and the tools are stated anew, and nothing stored is lost", async () => {
    const world = started({
      tools: [doing(() => undefined)],
      register: (registry) => void registry.registerSection({ name: "p", kind: "stable", render: () => "Be kind." }),
    });
    send(world, "one");
    await world.run();
    const before = entriesOf(world, "core.user");
    world.kernel.history.reset("p_anna");
    send(world, "two");
    await world.run();
    expect(entriesOf(world, "core.system")).toHaveLength(2);
    expect(world.model.requests[1]).toMatchObject({ system: "Be kind.", tools: [{ name: "do" }] });
    expect(entriesOf(world, "core.user")[0]).toEqual(before[0]);
  });
});

describe("what results ask of the turn", () => {
  const ending = (name: string, control: { terminate?: boolean; handoff?: string }) =>
    tool(name, () => Promise.resolve({ text: name, control }));
  const calls =
    (...names: string[]) =>
    (_request: unknown, nth: number) =>
      nth === 0 ? { calls: names.map((name) => ({ name, args: "{}" })) } : { text: `answer ${nth}` };
  const tools = [
    ending("end", { terminate: true }),
    ending("end2", { terminate: true }),
    ending("over", { handoff: "First." }),
    ending("over2", { handoff: "Second." }),
    tool("plain", () => Promise.resolve({ text: "plain" })),
    tool("bad", () => Promise.reject(new Error("no"))),
  ];

  it.each<[string, string[], number]>([
    ["all ask", ["end", "end2"], 1],
    ["one does not", ["end", "plain"], 2],
    ["one failed", ["end", "bad"], 2],
  ])("[T-49] [C-24] a turn ends when every call asks for it: %s", async (_how, names, requests) => {
    const world = started({ tools, script: calls(...names) });
    send(world, "go");
    await world.run();
    expect(world.model.requests).toHaveLength(requests);
    const answers = entriesOf(world, "core.assistant");
    expect(world.kernel.input("p_anna:go")?.state).toMatchObject({ status: "done", answer: answers.at(-1)?.id });
  });

  it("[T-49] [C-24] any call that hands over ends it, the last in call order, and the next request begins there", async () => {
    const world = started({ tools, script: calls("over", "plain", "over2") });
    send(world, "go");
    await world.run();
    expect(world.model.requests).toHaveLength(1);
    expect(lines(world).at(-1)).toBe("handoff: Second.");
    expect(world.kernel.input("p_anna:go")?.state.status).toBe("done");
    send(world, "on");
    await world.run();
    expect(world.model.requests[1]?.messages.map((message) => message.role)).toEqual(["user", "user"]);
    expect(JSON.stringify(world.model.requests[1])).toContain("Second.");
    expect(JSON.stringify(world.model.requests[1]?.messages)).not.toContain("plain");
  });

  it("[T-49] calls beyond the limit of a step did not ask", async () => {
    const many = Array.from({ length: 65 }, () => "end");
    const world = started({ tools, script: calls(...many) });
    send(world, "go");
    await world.run();
    expect(world.model.requests).toHaveLength(2);
  });
});
