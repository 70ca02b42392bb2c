import type { HostRead } from "../kernel/index.ts";
import type { ConversationFacts } from "../people/facts.ts";

/** Nobody sits in this conversation who could be asked: another conversation owns it. */
export function hasNobodyToAsk({ facts }: Pick<HostRead, "facts">): boolean {
  return (facts as unknown as ConversationFacts).owned !== undefined;
}

export function visibilityOf({ facts }: Pick<HostRead, "facts">): ConversationFacts["visibility"] {
  return (facts as unknown as ConversationFacts).visibility;
}
