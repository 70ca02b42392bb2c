import type { HoldCard } from "../../protocol/cards.ts";

/**
 * A list of calls as people read it below a reply: the host's words and what would run, escaped as on a card. Empty for no
 * calls.
 */
export function listText(calls: readonly Pick<HoldCard, "tool" | "action" | "target" | "args" | "files">[]): string {
  if (calls.length === 0) return "";
  const [head, how] =
    calls.length === 1
      ? ["This waits for your answer and has not run:", "Answer yes to run exactly this, or no."]
      : [`These ${calls.length} calls wait for your answer and have not run:`, "Answer yes or no with the number."];
  return [head, ...calls.map((call, index) => callLines(call, index + 1)), how].join("\n");
}

function callLines(
  { tool, action, target, args, files = [] }: Pick<HoldCard, "tool" | "action" | "target" | "args" | "files">,
  nth: number,
) {
  const what = `${nth}. ${tool}: ${action}${target === null ? "" : ` (${target})`}`;
  const inputs = args.map(({ name, value }) => `   ${name}: ${value}`);
  return [what, ...inputs, ...files.map(({ name, bytes }) => `   file: ${name} (${bytes} bytes)`)].join("\n");
}
