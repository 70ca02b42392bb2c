import { canonicalJson } from "../../lib/canonical.ts";
import type { Json } from "../../lib/json.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import { approversJson, type BoundCall, filesJson, providerJson } from "./bound-call.ts";

/** Names the layout of what is hashed. Another layout takes another name, so that no old approval can fit it. */
const LAYOUT = "althing.hold.v1";

/** Hash of a tool's parameter schema, independent of the order of its keys. */
export function hashSchema(parameters: Json): string {
  return sha256Hex(canonicalJson(parameters));
}

/** The digest that a hold is bound to (design of holds, "What a hold is bound to"). Synchronous: it is compared inside commits. */
export function digestCall(call: BoundCall): string {
  const { minTier, approval, ruleId, target } = call.audience;
  return sha256Hex(
    canonicalJson([
      LAYOUT,
      call.conversation,
      providerJson(call.provider),
      call.tool,
      call.version,
      call.schemaHash,
      call.input,
      call.speaker,
      filesJson(call.files),
      { minTier, approvers: approversJson(call.audience.approvers), approval, ruleId, target },
    ]),
  );
}
