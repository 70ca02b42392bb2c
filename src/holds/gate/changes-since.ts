import { must, unreachable } from "../../lib/assert.ts";
import { type CallSeal, changedParts } from "../bound/call-seal.ts";
import type { Change } from "../record/record.ts";
import type { Described } from "../rule/describe.ts";

/** What differs from what was shown. A call that no rule holds any more counts as changed: it was not shown so. */
export function changesSince(shown: CallSeal, described: Described, seal: CallSeal | undefined): readonly Change[] {
  switch (described.kind) {
    case "free":
      return ["rule"];
    case "denied":
      return ["deny rule"];
    case "held":
      return changedParts(shown, must(seal, "a held call comes with its seal"));
    default:
      return unreachable(described);
  }
}
