import { utf8Bytes } from "../../lib/bytes.ts";
import { canonicalJson } from "../../lib/canonical.ts";
import type { Json, JsonObject } from "../../lib/json.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import type { BoundCall } from "../bound/bound-call.ts";
import { digestCall } from "../bound/digest.ts";
import { joinPieces, showJson } from "../card/show-json.ts";
import { showLine } from "../card/show-line.ts";
import { type HoldPerson, type HoldRecord, keptPerson } from "../record/record.ts";

/** Rules of one conversation that have not expired. */
export const MAX_ALLOW_RULES = 20;
/** Bytes of one rule as it is stored. */
const MAX_ALLOW_RULE_BYTES = 4_096;

const LAYOUT = "althing.allow.v1";
const MAX_SHOWN_BYTES = 120;
const HOUR_MS = 3_600_000;

/** An argument that a rule names. `sha256` null: of any value. */
export type AllowedArgument = { readonly name: string; readonly sha256: string | null; readonly shown: string };

/** Calls that somebody approved in advance: of one tool, in one conversation, for one speaker. Plain JSON. */
export type AllowRule = {
  /** The hold whose approval it was saved with. */
  readonly id: string;
  readonly tool: string;
  /** Hash of everything but the arguments that an approval is bound to. */
  readonly frame: string;
  /** Every argument of a call that it covers. */
  readonly args: readonly AllowedArgument[];
  readonly target: string | null;
  readonly speaker: HoldPerson;
  readonly by: HoldPerson;
  readonly at: number;
  readonly expiresAt: number;
  readonly uses: number;
  readonly lastUsedAt: number | null;
};

/** What somebody wants to allow together with their approval. */
export interface AllowWish {
  /** Names of arguments that may have any value. All others keep the one that was shown. */
  readonly any: readonly string[];
  readonly hours: number;
}

/** The rules with one more, or the sentence that refuses it: then nothing is approved either. Expired ones go. */
export function withAllowRule(
  standing: readonly AllowRule[],
  wish: AllowWish,
  shown: { readonly hold: HoldRecord; readonly call: BoundCall; readonly by: HoldPerson; readonly now: number },
): Result<readonly AllowRule[], string> {
  const live = standing.filter(({ expiresAt }) => expiresAt > shown.now);
  if (live.length >= MAX_ALLOW_RULES) {
    return err(
      `This conversation has ${live.length} rules of what is always allowed, the limit is ${MAX_ALLOW_RULES}: revoke one first.`,
    );
  }
  const rule = newRule(wish, shown);
  if (!rule.ok) return rule;
  const bytes = utf8Bytes(JSON.stringify(rule.value));
  if (bytes <= MAX_ALLOW_RULE_BYTES) return ok([...live, rule.value]);
  return err(
    `The rule would have ${bytes} bytes, the limit is ${MAX_ALLOW_RULE_BYTES}: this call has too many arguments to be allowed in advance.`,
  );
}

function newRule(
  { any, hours }: AllowWish,
  { hold, call, by, now }: Parameters<typeof withAllowRule>[2],
): Result<AllowRule, string> {
  const { input } = call;
  if (hold.speaker === null || hold.approval === "speaker" || call.files.length > 0 || !isObject(input)) {
    return err("Calls like this one are asked about each time.");
  }
  const unknown = any.find((name) => !Object.hasOwn(input, name));
  if (unknown !== undefined) {
    return err(
      `The call has no argument ${JSON.stringify(unknown)}: it has ${Object.keys(input).sort().join(", ") || "none"}.`,
    );
  }
  const args = Object.keys(input)
    .sort()
    .map((name) => (any.includes(name) ? { name, sha256: null, shown: "" } : fixedArgument(name, input[name] as Json)));
  return ok({
    id: hold.id,
    tool: call.tool,
    frame: frameOf(call),
    args,
    target: hold.target,
    speaker: hold.speaker,
    by: keptPerson(by),
    at: now,
    expiresAt: now + hours * HOUR_MS,
    uses: 0,
    lastUsedAt: null,
  });
}

/** The rule that allows this call now; undefined: a person is asked. */
export function findAllowRule(rules: readonly AllowRule[], call: BoundCall, now: number): AllowRule | undefined {
  const candidates = rules.filter(({ tool, expiresAt }) => tool === call.tool && now < expiresAt);
  if (candidates.length === 0 || call.files.length > 0 || !isObject(call.input)) return undefined;
  const { input } = call;
  const frame = frameOf(call);
  return candidates.find((rule) => rule.frame === frame && hasArguments(input, rule.args));
}

/** The rules after one of them let a call run. */
export function withUse(rules: readonly AllowRule[], id: string, now: number): readonly AllowRule[] {
  return rules.map((rule) => (rule.id === id ? { ...rule, uses: rule.uses + 1, lastUsedAt: now } : rule));
}

function hasArguments(input: JsonObject, args: readonly AllowedArgument[]): boolean {
  return (
    Object.keys(input).length === args.length &&
    args.every(
      ({ name, sha256 }) => Object.hasOwn(input, name) && (sha256 === null || hashOf(input[name] as Json) === sha256),
    )
  );
}

function fixedArgument(name: string, value: Json): AllowedArgument {
  return { name, sha256: hashOf(value), shown: showLine(joinPieces(showJson(value)), MAX_SHOWN_BYTES).text };
}

/**
 * Whoever asks, whatever would run, and whoever may approve it must be as they were: everything that an approval is bound
 * to but the arguments. Taken from the approval's own digest, so that what is bound there is bound here.
 */
function frameOf(call: BoundCall): string {
  return hashOf([LAYOUT, digestCall({ ...call, input: null, files: [] })]);
}

function hashOf(value: Json): string {
  return sha256Hex(canonicalJson(value));
}

function isObject(input: Json): input is JsonObject {
  return input !== null && typeof input === "object" && !Array.isArray(input);
}
