import * as z from "zod";
import { definePlugin } from "../../host/index.ts";
import { defineTool } from "../../kernel/index.ts";
import { evaluate } from "./evaluate.ts";

const calculate = defineTool({
  name: "calculate",
  description:
    "Calculates an arithmetic expression, exactly where possible. Knows + - * / % ^, parentheses, sqrt, abs, round, " +
    "floor, ceil, min, max, log (base 10), ln, sin, cos, tan (radians), pi and e.",
  input: z.strictObject({ expression: z.string().min(1).describe('For example "(3 + 4) * 2^10" or "sqrt(2)".') }),
  replay: "safe",
  async execute({ expression }) {
    const result = evaluate(expression);
    if (!result.ok) return { text: result.error, isError: true, code: "bad_expression" };
    return { text: `${expression.trim()} ${result.value}` };
  },
});

/** A small calculator. */
export const calculatorPlugin = definePlugin({
  name: "calculator",
  setup: () => ({ tools: [{ tool: calculate, tier: "member" }] }),
});
