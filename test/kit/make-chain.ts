import { type LineDraft, sealLine } from "../../src/holds/audit/seal-line.ts";
import type { AuditLine } from "../../src/protocol/audit.ts";

/** A chain of a conversation with these lines. */
export function makeChain(conversation: string, drafts: readonly Partial<LineDraft>[]): readonly AuditLine[] {
  const chain: AuditLine[] = [];
  for (const draft of drafts) chain.push(sealLine(chain.at(-1), { ...BLANK, conversation, ...draft }));
  return chain;
}

const BLANK: LineDraft = {
  conversation: "",
  event: "opened",
  at: 1,
  surface: "web",
  hold: "hold-1",
  tool: "send_webhook",
  rule: "webhook",
  digest: "a".repeat(64),
  shown: "b".repeat(64),
  minTier: "member",
  deadline: 1_000,
  speaker: null,
  by: null,
  tier: null,
  reason: null,
  note: null,
  count: null,
};
