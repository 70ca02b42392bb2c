import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import type { AnyStep } from "./actors/index.ts";
import { printRegression } from "./print-script.ts";
import type { Script } from "./script.ts";
import { shrink } from "./shrink.ts";
import { scriptOf } from "./write-script.ts";

type AnyScript = Script<AnyStep>;

/** A long script with something to find in it. */
const LONG: AnyScript = {
  ...scriptOf(3),
  steps: [
    ...scriptOf(3).steps,
    { actor: "people", do: "stop", dies: 4 },
    ...scriptOf(4).steps,
    { actor: "plugin", do: "tell", key: "k", afterMs: 5, dies: 3, fails: { in: 2, when: "after" } },
  ],
  answers: [{ kind: "hang" }, { kind: "text" }, { kind: "cut" }],
};

const has = ({ steps }: AnyScript, what: string) => steps.some((step) => step.do === what);

describe("shrinking", () => {
  it("[Z-3] leaves what fails, and nothing that can be left out", async () => {
    const smallest = await shrink(LONG, async (script) => {
      await Promise.resolve();
      const isCut = script.answers.some(({ kind }) => kind === "cut");
      return (
        has(script, "stop") && isCut && script.steps.some((step) => step.do === "tell" && step.fails !== undefined)
      );
    });
    expect(smallest).toEqual({
      steps: [
        { actor: "people", do: "stop" },
        { actor: "plugin", do: "tell", key: "k", afterMs: 5, fails: { in: 2, when: "after" } },
      ],
      answers: [{ kind: "cut" }],
      tools: [{ kind: "ok" }],
      deliveries: [{ kind: "sent" }],
      hooks: [{ kind: "pass" }],
      hosts: [{ kind: "ok" }],
      pages: [{ kind: "ok" }],
      window: null,
      fork: null,
    });
  });

  it("[Z-3] a script that fails whatever it holds becomes empty", async () => {
    expect((await shrink(LONG, () => Promise.resolve(true))).steps).toEqual([]);
  });

  it("[Z-3] a script that fails only as a whole stays as it is", async () => {
    const whole = JSON.stringify(LONG);
    expect(await shrink(LONG, (script) => Promise.resolve(JSON.stringify(script) === whole))).toBe(LONG);
  });

  it("[Z-4] prints a script that reads back as the same", () => {
    const script = scriptOf(12);
    const printed = printRegression('seed 12: "x"', script);
    const read: unknown = runInNewContext(`[${printed}]`);
    expect(JSON.stringify(read)).toBe(JSON.stringify([{ name: 'seed 12: "x"', script }]));
  });
});
