import type { AuditLine } from "../../src/protocol/audit.ts";

/** Every execution that an audit tells of had one approval of its own, by somebody who could give it. */
export function checkDecisions(
  lines: readonly AuditLine[],
  mayDecide: (line: AuditLine) => boolean,
): { readonly violations: readonly string[]; readonly approved: number } {
  const violations: string[] = [];
  const holds = Map.groupBy(lines, ({ hold }) => hold);
  holds.delete(null);
  let approved = 0;
  for (const [hold, ofHold] of holds) {
    const count = (event: AuditLine["event"]) => ofHold.filter((line) => line.event === event).length;
    const [yes, no, spent, allowed] = [count("approved"), count("declined"), count("spent"), count("allowed")];
    approved += yes + allowed;
    if (yes + no > 1 || spent > yes || allowed > 1) {
      violations.push(`${hold} was approved ${yes}, declined ${no}, spent ${spent}, allowed ${allowed} times`);
    }
    const decisions = ofHold.filter(({ event }) => event === "approved" || event === "declined");
    for (const line of decisions) {
      const couldDecide = line.tier !== null && line.tier !== "guest" && mayDecide(line);
      if (!couldDecide) violations.push(`${hold} was ${line.event} by ${line.by} as ${line.tier}`);
    }
  }
  return { violations, approved };
}
