import { describe, expect, it } from "vitest";
import type { ToolContext } from "../../../src/kernel/index.ts";
import type { Json } from "../../../src/lib/json.ts";
import { MAX_TASK_UNITS, SUBAGENT_TOOL, subagentsPlugin } from "../../../src/plugins/subagents/plugin.ts";
import { toolOf, toolWorld } from "../kit/tool-context.ts";

const tool = toolOf(subagentsPlugin, SUBAGENT_TOOL);

/** Runs the tool with a context that notes what it is to begin. */
async function begun(input: Json) {
  const valid = tool.validate(input);
  if (!valid.ok) return valid.error;
  const spawned: unknown[] = [];
  const spawn: ToolContext["spawn"] = (name, request) => spawned.push([name, request]) + 6;
  const waits = await tool.execute(valid.value, { ...toolWorld().context(), spawn });
  return { waits, spawned };
}

describe("run_subagent", () => {
  it("[O-21] begins a conversation of its own under one name and waits for it", async () => {
    expect(await begun({ task: "Count the trees" })).toEqual({
      waits: { waitFor: 7 },
      spawned: [["subagent", { prompt: "Count the trees" }]],
    });
    const all = { task: "Count", tools: ["calculate"], model: "a/b" };
    expect(await begun(all)).toMatchObject({
      spawned: [["subagent", { prompt: "Count", tools: ["calculate"], model: "a/b" }]],
    });
    expect(tool.replay).toBe("safe");
  });

  it("[O-21] a task has 1 to 4,000 units", async () => {
    expect(await begun({ task: "x".repeat(MAX_TASK_UNITS) })).toMatchObject({ waits: { waitFor: 7 } });
    expect(await begun({ task: "x".repeat(MAX_TASK_UNITS + 1) })).toMatch(/4000/);
    expect(await begun({ task: "" })).toMatch(/task/);
    expect(await begun({})).toMatch(/task/);
  });

  it("[O-21] [O-18] its result is text and files, or an error with the reason", async () => {
    const finish = (outcome: "completed" | "failed" | "aborted", result?: Json) =>
      tool.finished?.(
        { task: 7, kind: "core.child", outcome, ...(result !== undefined && { result }) },
        { task: "x" },
        toolWorld().context(),
      );
    const files = [{ id: "f1", name: "tree.txt", mime: "text/plain", bytes: 4 }];
    expect(await finish("completed", { text: "Twelve.", files })).toEqual({ text: "Twelve.", files });
    expect(await finish("failed", { error: "The key is wrong." })).toEqual({
      text: "The subagent gave no answer: The key is wrong.",
      isError: true,
      code: "subagent_failed",
    });
    expect(await finish("aborted")).toMatchObject({ text: expect.stringContaining("It was stopped") as unknown });
  });
});
