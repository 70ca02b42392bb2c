import * as z from "zod";
import { definePlugin } from "../../host/index.ts";
import { type ChildResult, defineTool, errorOf } from "../../kernel/index.ts";
import { unitsText } from "../../protocol/units.ts";

/** Name of the tool that runs a conversation of its own. */
export const SUBAGENT_TOOL = "run_subagent";

/** UTF-16 units of a task. */
export const MAX_TASK_UNITS = 4_000;

const runSubagent = defineTool({
  name: SUBAGENT_TOOL,
  description:
    "Gives a task to a subagent: a fresh agent that knows nothing of this conversation, works alone and cannot ask " +
    "anybody. Say everything that it needs in the task. Returns its answer. Several calls in one step run side by side.",
  input: z.strictObject({
    task: unitsText(MAX_TASK_UNITS, 1).describe("What to do, complete in itself."),
    tools: z
      .array(z.string().min(1).max(64))
      .max(32)
      .exactOptional()
      .describe("Names of the only tools it may use. Without: all of yours but this one."),
    model: z
      .string()
      .min(1)
      .max(200)
      .exactOptional()
      .describe("`<provider>/<model>`. Without: the deployment's own choice."),
  }),
  // A rerun finds the conversation that it began.
  replay: "safe",
  execute({ task, tools, model }, context) {
    const request = { prompt: task, ...(tools && { tools }), ...(model !== undefined && { model }) };
    return Promise.resolve({ waitFor: context.spawn("subagent", request) });
  },
  finished(receipt) {
    if (receipt.outcome === "completed") {
      const { text, files } = receipt.result as unknown as ChildResult;
      return Promise.resolve({ text, files });
    }
    const text = `The subagent gave no answer: ${errorOf(receipt)}`;
    return Promise.resolve({ text, isError: true, code: "subagent_failed" });
  },
});

/** Subagents: tasks for conversations of their own. */
export const subagentsPlugin = definePlugin({
  name: "subagents",
  setup: () => ({ tools: [{ tool: runSubagent, tier: "member" }] }),
});
