import type { Tool } from "../../kernel/index.ts";
import type { Json } from "../../lib/json.ts";
import type { BoundCall } from "../bound/bound-call.ts";
import { type CallSeal, sealCall } from "../bound/call-seal.ts";
import { hashSchema } from "../bound/digest.ts";
import { type HeldFiles, readHeldFiles } from "../bound/held-files.ts";
import type { HoldsHost, KnownPerson } from "../holds-host.ts";
import { rulesWith } from "../policy/policy-state.ts";
import { type Audience, decideAudience, hasAudience } from "../press/audience.ts";
import { DESCRIBE_TIMEOUT_MS, type Described, describeCall } from "../rule/describe.ts";
import { genericDescription, type HeldDescription } from "../rule/description.ts";

/** What a call would run right now, who it runs for, and what the rules say of it now. */
export interface Inspection {
  readonly described: Described;
  readonly bound: BoundCall | undefined;
  readonly seal: CallSeal | undefined;
  readonly speaker: KnownPerson | undefined;
  readonly audience: Audience | undefined;
  readonly files: HeldFiles;
}

const NO_FILES: HeldFiles = { shown: [], bound: [] };

/** Of a call that is bound to nothing. */
export const NOTHING_BOUND = {
  bound: undefined,
  seal: undefined,
  speaker: undefined,
  audience: undefined,
  files: NO_FILES,
} as const;

/** Reads everything that an approval is bound to, at this moment. @throws when directory or files cannot be read. */
export async function inspectCall(
  host: HoldsHost,
  call: { readonly tool: Tool; readonly input: Json; readonly actor: string },
): Promise<Inspection> {
  const { tool, input, actor } = call;
  const ruled = { tool: tool.name, input };
  const options = { timeoutMs: DESCRIBE_TIMEOUT_MS, clock: host.clock, toolTier: host.tierOf(tool.name) };
  const described = await describeCall(rulesWith(host.rules, host.read()), ruled, { actor }, options);
  if (described.kind !== "free") {
    for (const { ruleId, error } of described.failures) host.report("hold_rule.failed", { ruleId, error });
  }
  if (described.kind !== "held") {
    return { described, ...NOTHING_BOUND };
  }
  const speaker = await host.person(actor);
  const files = await readHeldFiles(host, described.description.files);
  const bound = bindCall(host, call, described.description, files);
  return {
    described,
    bound,
    seal: sealCall(bound),
    speaker,
    audience: audienceOf(host, described.description, speaker),
    files,
  };
}

/** In place of a rule's id: no rule holds the call as it was edited. */
const NO_RULE = "";

/**
 * As {@link inspectCall}, of arguments that a person put in place of a held call's. What no rule would hold as edited is
 * still only for those to approve who could approve it before.
 */
export async function inspectEdited(
  host: HoldsHost,
  call: { readonly tool: Tool; readonly input: Json; readonly actor: string },
  { minTier, approvers, approval }: Pick<HeldDescription, "minTier" | "approvers" | "approval">,
): Promise<Inspection> {
  const found = await inspectCall(host, call);
  if (found.described.kind !== "free") return found;
  const description = { ...genericDescription(call.tool.name, NO_RULE, minTier), approvers, approval };
  const speaker = await host.person(call.actor);
  const bound = bindCall(host, call, description, NO_FILES);
  const described = { kind: "held", description, failures: [] } as const;
  const audience = audienceOf(host, description, speaker);
  return { described, bound, seal: sealCall(bound), speaker, audience, files: NO_FILES };
}

function bindCall(
  host: HoldsHost,
  { tool, input, actor }: { readonly tool: Tool; readonly input: Json; readonly actor: string },
  { minTier, approvers, approval, ruleId, target }: HeldDescription,
  files: HeldFiles,
): BoundCall {
  return {
    conversation: host.conversation,
    provider: host.providerOf(tool.name),
    tool: tool.name,
    version: tool.version,
    schemaHash: hashSchema(tool.parameters),
    input,
    speaker: actor,
    files: files.bound,
    audience: { minTier, approvers, approval, ruleId, target },
  };
}

/** Who may answer, with the tiers of this moment. */
export function audienceOf(
  host: HoldsHost,
  held: Pick<HeldDescription, "minTier" | "approvers" | "approval">,
  speaker: KnownPerson | undefined,
): Audience {
  return decideAudience({
    visibility: host.visibility,
    speaker: speaker ? { ...speaker, reachable: true } : null,
    minTier: held.minTier,
    approvers: held.approvers?.map((principalId) => ({ principalId, reachable: host.isMember(principalId) })) ?? null,
    approval: held.approval,
  });
}

/** Somebody may answer a card of this call. */
export function canBeAnswered({ audience }: Inspection): boolean {
  return audience !== undefined && hasAudience(audience);
}
