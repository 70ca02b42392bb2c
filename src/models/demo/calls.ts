import type { ToolSpec } from "../../kernel/ports/model.ts";
import { cutText } from "../../lib/cut.ts";
import type { Json, JsonObject } from "../../lib/json.ts";
import { codeSpan, REMINDER_PREFIX } from "./words.ts";

/** A tool call that the demo model makes. */
export interface PlannedCall {
  readonly name: string;
  readonly args: JsonObject;
}

const MAX_WEBHOOK_WORDS = 500;

/** A call of the webhook tool: to the target that the words name, else to the first that the tool offers. */
export function riskyCall(spec: ToolSpec, words: string): PlannedCall {
  const targets = offeredTargets(spec.parameters);
  const said = words.toLowerCase().split(/[^a-z0-9-]+/);
  const named = targets.find((target) => said.includes(target.toLowerCase()));
  const body = { from: "the Althing demo model", message: cutText(words, MAX_WEBHOOK_WORDS) };
  return { name: spec.name, args: { target: named ?? targets[0] ?? "default", body } };
}

function offeredTargets(parameters: Json): readonly string[] {
  const values = member(member(member(parameters, "properties"), "target"), "enum");
  return Array.isArray(values) ? values.filter((value) => typeof value === "string") : [];
}

/** The arguments of a stored call; none when they are malformed, as another model may have left them. */
export function readArgs(args: string): JsonObject {
  try {
    const value = JSON.parse(args) as Json;
    return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as JsonObject) : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** What a call is after, for the middle of a sentence. */
export function describeCall(name: string, args: JsonObject): string {
  const text = (key: string) => codeSpan(stringIn(args, key));
  switch (name) {
    case "current_time":
      return member(args, "zone") === undefined ? "the time" : `the time in ${text("zone")}`;
    case "calculate":
      return `the calculation ${text("expression")}`;
    case "add_note":
      return isReminder(args) ? "keeping the reminder as a note" : "adding the note";
    case "search_notes":
      return `the search for ${text("query")} in your notes`;
    case "list_notes":
      return "the list of your notes";
    case "delete_note":
      return `deleting the note ${text("id")}`;
    case "fetch_page":
      return `the page ${text("url")}`;
    case "run_subagent":
      return `a subagent for ${text("task")}`;
    case "ask_user":
      return "a question for you";
    case "ask_questions":
      return "a few questions for you";
    case "send_webhook":
      return `the webhook ${text("target")}`;
    default:
      return `the call of ${codeSpan(name)}`;
  }
}

export function isReminder(args: JsonObject): boolean {
  return stringIn(args, "text").startsWith(REMINDER_PREFIX);
}

function stringIn(args: JsonObject, key: string): string {
  const value = member(args, key);
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
}

function member(value: Json | undefined, key: string): Json | undefined {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined;
}
