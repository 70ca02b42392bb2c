import * as z from "zod";
import { nearest } from "../lib/nearest.ts";
import { err, ok, type Result } from "../lib/result.ts";

type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * Checks outside input against a schema.
 * @returns the parsed value, or one sentence per fault: the place, what is wrong, and for an unknown key the one that
 * was probably meant.
 */
export function validate<S extends z.ZodType>(schema: S, value: unknown): Result<z.output<S>, readonly string[]> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  return err(parsed.error.issues.flatMap((issue) => describeIssue(schema, issue)));
}

function describeIssue(schema: z.ZodType, issue: z.core.$ZodIssue): string[] {
  if (issue.code === "unrecognized_keys") {
    const known = knownKeys(schema, issue.path);
    return issue.keys.map((key) => `${placeOf([...issue.path, key])} is not a known key${suggestion(key, known)}`);
  }
  return [`${placeOf(issue.path)}: ${issue.message}`];
}

function suggestion(key: string, known: readonly string[]): string {
  const meant = nearest(key, known);
  if (meant !== undefined) return `; did you mean ${meant}?`;
  return known.length === 0 ? "." : `; known are ${known.join(", ")}.`;
}

function placeOf(path: readonly PropertyKey[]): string {
  return path.length === 0 ? "the whole" : path.map((step) => cutKey(String(step))).join(".");
}

/** A key is outside input too: it is named, but not repeated at any length. */
function cutKey(key: string): string {
  return key.length <= 64 ? key : `${key.slice(0, 63)}…`;
}

/** The keys that the schema knows at a path. */
function knownKeys(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  const root = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  const places = path.reduce<JsonSchema[]>((nodes, step) => nodes.flatMap((node) => stepInto(node, step)), [root]);
  return places.flatMap(branchesOf).flatMap((node) => Object.keys(node.properties ?? {}));
}

function stepInto(node: JsonSchema, step: PropertyKey): JsonSchema[] {
  return branchesOf(node)
    .flatMap((branch) => [branch.properties?.[String(step)], branch.additionalProperties, branch.items].flat())
    .filter((next): next is JsonSchema => typeof next === "object");
}

function branchesOf(node: JsonSchema): JsonSchema[] {
  const inner = [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])];
  return [node, ...inner.filter((branch): branch is JsonSchema => typeof branch === "object")];
}
