import { decideAudience, decidePress, type KnownPerson } from "../../holds/index.ts";
import { err, type Result } from "../../lib/result.ts";
import type { Host } from "../host.ts";
import type { AnswerRefused, PromptAnswer, PromptConversation } from "./prompts.ts";

/** Brings an answer to the plugin that asked, whichever that is. */
export function answerPrompt(
  host: Host,
  conversation: PromptConversation & { readonly visibility: "private" | "shared" },
  { by, ...body }: Omit<PromptAnswer, "refusalFor">,
): Result<Record<string, never>, AnswerRefused> {
  const refusalFor = (speaker: string) => answerRefusal(conversation.visibility, speaker, by);
  for (const { parts } of host.plugins) {
    for (const prompts of parts.prompts ?? []) {
      const answered = prompts.answer(conversation, { ...body, by, refusalFor });
      if (answered !== undefined) return answered;
    }
  }
  return err({ code: "unknown_prompt", message: "There is no such question, or it ended long ago." });
}

/** The table of holds with nothing to approve: the one who was asked, and in a shared conversation the owners. */
function answerRefusal(visibility: "private" | "shared", speaker: string, by: KnownPerson): string | undefined {
  const asked = { principalId: speaker, tier: "guest", reachable: true } as const;
  const audience = decideAudience({ visibility, speaker: asked, minTier: "guest", approvers: null, approval: null });
  if (decidePress(audience, by).kind === "allowed") return undefined;
  return visibility === "private"
    ? "Only the person who was asked may answer this. The question stays open."
    : "Only the person who was asked and the owners may answer this. The question stays open.";
}
