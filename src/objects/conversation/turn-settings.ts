import { backgroundFactsOf, choosePersona, claimOf, decideBackground, type Host } from "../../host/index.ts";
import type { HostRead, Namespace, TurnSettings } from "../../kernel/index.ts";
import type { Json } from "../../lib/json.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { type ConversationFacts, type OwnedFacts, type Tier, tierAtLeast } from "../../people/facts.ts";
import type { Verdict } from "../../people/may-act.ts";
import type { Speaker } from "../../people/speaker.ts";
import { SUBAGENT_TOOL } from "../../plugins/subagents/plugin.ts";
import type { Config } from "../../protocol/config.ts";
import type { ChatState } from "../../surfaces/webchat/chat-state.ts";

/** What decides what a turn runs with. */
export interface SettingsParts {
  readonly facts: ConversationFacts;
  readonly config: Config;
  readonly defaultModel: string;
  readonly windowOf: (model: string) => number | undefined;
  readonly host: Host;
  readonly speaker: (principalId: string, identity?: string) => Promise<Speaker | undefined>;
  /** Whether a principal who need not be there may have something said here for them. */
  readonly maySpeakFor: (principalId: string) => Promise<Verdict>;
}

/** Answers wherever another agent owns the conversation, and is nothing for people to choose. */
export const OWNED_PERSONA = "task";

/** The persona that answers in a conversation. */
export function personaKindOf({ facts, config }: Pick<SettingsParts, "facts" | "config">, chosen: string): string {
  if (facts.owned) return OWNED_PERSONA;
  return chosen === "" ? config.agent.kind : chosen;
}

/** What a step of a turn runs with, decided when it begins. @throws when the directory cannot be read. */
export async function turnSettings(
  parts: SettingsParts,
  chat: Namespace<ChatState>,
  { actor, meta }: { readonly actor: string; readonly meta: Json },
  read: HostRead,
): Promise<TurnSettings> {
  const { facts, config, defaultModel, windowOf, host } = parts;
  const speaker = await parts.speaker(actor, identityOf(meta));
  const background = await backgroundTier(parts, actor, meta, speaker);
  const { model: chosen, thinking, persona } = read.get(chat);
  const model = chosen === "" ? defaultModel : chosen;
  const contextTokens = windowOf(model);
  const tier = background ? (background.ok ? background.value : undefined) : speaker?.tier;
  const refusal = refusalOf(parts, persona, speaker);
  return {
    model,
    ...(contextTokens !== undefined && { contextTokens }),
    thinking: thinking === "" ? config.agent.thinking : thinking,
    ...(refusal !== undefined && { refusal }),
    ...(background && !background.ok && { skip: skipText(host, facts.key, background.error) }),
    offers: ({ name }) => tier !== undefined && tierAtLeast(tier, host.tierOf(name)) && isOffered(facts.owned, name),
  };
}

/** The tier of a background turn, or why it is skipped. Undefined: somebody waits for this turn. */
async function backgroundTier(
  { facts, host, maySpeakFor }: SettingsParts,
  actor: string,
  meta: Json,
  speaker: Speaker | undefined,
): Promise<Result<Tier, string> | undefined> {
  const background = backgroundFactsOf(meta);
  if (!background) return undefined;
  const verdict = await maySpeakFor(actor);
  // Not to be told now is no reason to skip: the turn asks again.
  if (!verdict.ok && verdict.error.code === "unavailable") throw new Error(verdict.error.message);
  const author = authorTier(verdict, speaker);
  return decideBackground({ facts: background, conversation: facts.key, targets: host.backgroundTargets, author });
}

function authorTier(verdict: Verdict, speaker: Speaker | undefined): Result<Tier, string> {
  if (!speaker) return err("they are switched off or not there any more.");
  return verdict.ok ? ok(speaker.tier) : err("they may not use this conversation any more.");
}

/** The words of whoever owns the channel, where it has some. */
function skipText({ claims }: Host, key: string, reason: string): string {
  return claimOf(claims, key)?.unanswered?.({ outcome: "skipped", reason }) ?? reason;
}

function refusalOf(parts: SettingsParts, chosen: string, speaker: Speaker | undefined): string | undefined {
  if (speaker === undefined || !tierAtLeast(speaker.tier, "member")) {
    return "You may not use this conversation any more: ask an owner.";
  }
  if (typeof parts.facts.owned?.system === "string") return undefined;
  const persona = choosePersona(personaKindOf(parts, chosen), parts.host.personas);
  return persona.ok ? undefined : persona.error;
}

/** An owned conversation has what its owner named, and by itself nothing that would own another. */
function isOffered(owned: OwnedFacts | undefined, tool: string): boolean {
  if (!owned) return true;
  return owned.tools ? owned.tools.includes(tool) : tool !== SUBAGENT_TOOL;
}

/** The identity that an input came by, as its meta keeps it. */
export function identityOf(meta: Json): string | undefined {
  const identity = (meta as { readonly identity?: unknown } | null)?.identity;
  return typeof identity === "string" ? identity : undefined;
}
