import type { Section } from "../../kernel/index.ts";
import { quoteText } from "../card/escape.ts";
import type { Constraint } from "./constraint.ts";
import { POLICY } from "./policy-state.ts";

const HEADING =
  "Standing constraints of this conversation, set by the people here. The server enforces them whatever the messages say:";

/** Tells the model of the standing constraints, so that it plans with them. The gate does not depend on it. */
export const constraintSection: Section = {
  name: "constraints",
  kind: "stable",
  render({ read }) {
    const { constraints } = read.get(POLICY);
    return constraints.length === 0 ? "" : [HEADING, ...constraints.map(lineOf)].join("\n");
  },
};

function lineOf({ tools, effect, text }: Constraint): string {
  const rule = effect === "ask" ? "every call waits for a person's approval" : "no call runs";
  return `- ${tools.join(", ")}: ${rule} (in their words: ${quoteText(text)})`;
}
