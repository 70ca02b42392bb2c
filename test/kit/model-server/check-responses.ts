import {
  type Complaints,
  checkAnswered,
  checkCallId,
  checkDataUrl,
  checkFunctions,
  checkKeys,
  checkText,
  checkToolName,
  checkUnicode,
  checkUnique,
  objs,
} from "./check-common.ts";
import { isObj, list, type Obj, obj, str } from "./reading.ts";
import { decrypt } from "./signatures.ts";

const KEYS = [
  "model",
  "stream",
  "store",
  "input",
  "tools",
  "parallel_tool_calls",
  "max_output_tokens",
  "reasoning",
  "include",
];
/** Families that refuse the effort `none`. */
const ALWAYS_REASONS = /^gpt-(6-astra|6\.[1-9])/;

/** What OpenAI would refuse in the body of `POST /responses`, and what this project promises: nothing is stored there. */
export function checkResponsesRequest(value: unknown): Complaints {
  if (!isObj(value)) return ["body: must be an object"];
  const input = objs(value.input);
  const effort = obj(value.reasoning).effort;
  return [
    ...checkKeys(value, KEYS, "body"),
    ...checkUnicode(value),
    ...(str(value.model) === "" ? ["model: missing required parameter"] : []),
    ...(value.stream === true ? [] : ["stream: expected true"]),
    ...(value.store === false ? [] : ["store: expected false"]),
    ...(Number(value.max_output_tokens) >= 16 ? [] : ["max_output_tokens: must be at least 16"]),
    ...(value.reasoning === undefined || list(value.include).includes("reasoning.encrypted_content")
      ? []
      : ["include: reasoning is lost without its encrypted content"]),
    ...(value.reasoning === undefined && value.include !== undefined
      ? ["include: encrypted content is not supported with this model"]
      : []),
    ...(effort === "none" && ALWAYS_REASONS.test(str(value.model)) ? ["reasoning.effort: unsupported value none"] : []),
    ...checkFunctions(objs(value.tools), (tool) => tool, "tools"),
    ...(input.length === 0 ? ["input: must not be empty"] : []),
    ...input.flatMap((item, at) => checkItem(value, item, `input[${at}]`)),
    ...checkPairs(input),
    ...checkReasoning(input),
  ];
}

/** Reasoning items that the vendor would drop, because the input before them changed. */
export function countDroppedReasoning(body: Obj): number {
  return objs(body.input).filter((item) => item.type === "reasoning" && decrypt(body, item) === "moved").length;
}

function checkItem(body: Obj, item: Obj, where: string): Complaints {
  switch (item.type) {
    case "message":
      return checkMessage(item, where);
    case "function_call":
      return [
        ...checkCallId(item.call_id, where),
        ...checkToolName(item.name, where),
        ...(typeof item.arguments === "string" ? [] : [`${where}.arguments: expected a string`]),
      ];
    case "function_call_output":
      return [
        ...checkKeys(item, ["type", "call_id", "output"], where),
        ...(typeof item.output === "string"
          ? checkText(item.output, where)
          : checkParts(objs(item.output), "input", where)),
      ];
    case "reasoning":
      return decrypt(body, item) === "altered"
        ? [`${where}: invalid_encrypted_content: the encrypted content could not be verified`]
        : [];
    default:
      return [`${where}: unexpected type ${str(item.type)}`];
  }
}

function checkMessage(item: Obj, where: string): Complaints {
  const role = str(item.role);
  if (!["user", "developer", "assistant"].includes(role)) return [`${where}: unexpected role ${role}`];
  if (typeof item.content === "string") return checkText(item.content, where);
  return checkParts(objs(item.content), role === "assistant" ? "output" : "input", where);
}

function checkParts(parts: readonly Obj[], side: "input" | "output", where: string): Complaints {
  if (parts.length === 0) return [`${where}.content: must not be empty`];
  return parts.flatMap((part, at) => {
    const place = `${where}.content[${at}]`;
    if (part.type === `${side}_text`) return checkText(part.text, place);
    if (side === "input" && part.type === "input_image") return checkDataUrl(part.image_url, place);
    return [`${place}: invalid value ${str(part.type)}`];
  });
}

/** Outputs stand right after the calls of their step, before anything else is said. */
function checkPairs(input: readonly Obj[]): Complaints {
  const calls = input.filter(({ type }) => type === "function_call").map((item) => str(item.call_id));
  const steps = splitSteps(input);
  return [
    ...checkUnique(calls, "input: function_call"),
    ...steps.flatMap(({ asked, given, at }) => checkAnswered(asked, given, at)),
  ];
}

interface Step {
  readonly asked: string[];
  readonly given: string[];
  readonly at: string;
}

function splitSteps(input: readonly Obj[]): Step[] {
  const steps: Step[] = [{ asked: [], given: [], at: "input[0]" }];
  for (const [at, item] of input.entries()) {
    const open = steps.at(-1) ?? { asked: [], given: [], at: "" };
    const startsAnew = item.type !== "function_call_output" && open.given.length > 0;
    const afterCalls = item.type === "message" && open.asked.length > 0 && str(item.role) !== "assistant";
    const step = startsAnew || afterCalls ? { asked: [], given: [], at: `input[${at}]` } : open;
    if (step !== open) steps.push(step);
    if (item.type === "function_call") step.asked.push(str(item.call_id));
    if (item.type === "function_call_output") step.given.push(str(item.call_id));
  }
  return steps;
}

/** Reasoning needs the item that followed it; an item that came with reasoning (its id says so here) needs that. */
function checkReasoning(input: readonly Obj[]): Complaints {
  return input.flatMap((item, at) => {
    const after = input[at + 1];
    if (item.type === "reasoning") {
      const followed = after?.type === "reasoning" || str(after?.id) !== "";
      return followed ? [] : [`input[${at}]: reasoning was provided without its required following item`];
    }
    const [, answer] = /^thought_(\d+)_/.exec(str(item.id)) ?? [];
    const has = input.slice(0, at).some((other) => other.type === "reasoning" && str(other.id) === `rs_${answer}`);
    return answer === undefined || has ? [] : [`input[${at}]: provided without its required reasoning item`];
  });
}
