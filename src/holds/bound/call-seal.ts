import { canonicalJson } from "../../lib/canonical.ts";
import type { Json } from "../../lib/json.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import { approversJson, type BoundCall, filesJson, providerJson } from "./bound-call.ts";
import { digestCall } from "./digest.ts";

/** A part of a {@link BoundCall}, in the words that people read when it changed. */
export const BOUND_PARTS = [
  "conversation",
  "provider",
  "tool",
  "version",
  "schema",
  "input",
  "speaker",
  "files",
  "minimum tier",
  "approvers",
  "approval",
  "rule",
  "target",
] as const;
export type BoundPart = (typeof BOUND_PARTS)[number];

/** Short fingerprints of each part: they say what changed, never whether something may run. */
export type PartPrints = { readonly [P in BoundPart]: string };

/** What a hold keeps of the call that it is bound to. */
export interface CallSeal {
  readonly digest: string;
  readonly parts: PartPrints;
}

const PRINT_LENGTH = 8;

/** Digest and fingerprints of a call. */
export function sealCall(call: BoundCall): CallSeal {
  return { digest: digestCall(call), parts: printParts(call) };
}

function printParts(call: BoundCall): PartPrints {
  const { minTier, approvers, approval, ruleId, target } = call.audience;
  return {
    conversation: print(call.conversation),
    provider: print(providerJson(call.provider)),
    tool: print(call.tool),
    version: print(call.version),
    schema: print(call.schemaHash),
    input: print(call.input),
    speaker: print(call.speaker),
    files: print(filesJson(call.files)),
    "minimum tier": print(minTier),
    approvers: print(approversJson(approvers)),
    approval: print(approval),
    rule: print(ruleId),
    target: print(target),
  };
}

/**
 * Which parts differ, in the order of {@link BOUND_PARTS}: empty exactly when the digests are equal. Fingerprints are
 * short, so a change that they miss is laid to the input, which has the most room for one.
 */
export function changedParts(shown: CallSeal, now: CallSeal): readonly BoundPart[] {
  if (shown.digest === now.digest) return [];
  const changed = BOUND_PARTS.filter((part) => shown.parts[part] !== now.parts[part]);
  return changed.length > 0 ? changed : ["input"];
}

function print(value: Json): string {
  return sha256Hex(canonicalJson(value)).slice(0, PRINT_LENGTH);
}
