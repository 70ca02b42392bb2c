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
import { isBlank, isObj, list, type Obj, obj, str } from "./reading.ts";

const KEYS = [
  "model",
  "stream",
  "stream_options",
  "messages",
  "tools",
  "max_tokens",
  "max_completion_tokens",
  "reasoning_effort",
];

/**
 * What OpenAI or a strict local server (chat templates that demand one leading system message and alternating roles)
 * would refuse in the body of `POST /chat/completions`.
 */
export function checkChatRequest(value: unknown): Complaints {
  if (!isObj(value)) return ["body: must be an object"];
  const limits = [value.max_tokens, value.max_completion_tokens].filter((limit) => limit !== undefined);
  return [
    ...checkKeys(value, KEYS, "body"),
    ...(str(value.model) === "" ? ["model: you must provide a model parameter"] : []),
    ...(value.stream === true ? [] : ["stream: expected true"]),
    ...(limits.length === 1 && Number(limits[0]) >= 1 ? [] : ["expected one limit of output tokens"]),
    ...(["none", "low", "medium", "high", undefined].includes(value.reasoning_effort as string | undefined)
      ? []
      : ["reasoning_effort: unsupported value"]),
    ...checkChatPrompt(value),
  ];
}

/** Messages and tools alone; also what the Workers AI binding takes. */
export function checkChatPrompt(prompt: Obj): Complaints {
  const messages = objs(prompt.messages);
  return [
    ...checkUnicode(prompt.messages),
    ...(prompt.tools === undefined || list(prompt.tools).length > 0 ? [] : ["tools: array too short"]),
    ...checkFunctions(objs(prompt.tools), (tool) => obj(tool.function), "tools"),
    ...checkRoles(messages),
    ...messages.flatMap((message, at) => checkMessage(message, `messages[${at}]`)),
    ...checkPairs(messages),
  ];
}

function checkRoles(messages: readonly Obj[]): Complaints {
  const roles = messages.map(({ role }) => str(role));
  const last = roles.at(-1) ?? "";
  return [
    ...(last === "user" || last === "tool" ? [] : ["messages: must end with a user or tool message"]),
    ...roles.flatMap((role, at): Complaints => {
      const before = roles[at - 1] ?? "";
      const where = `messages[${at}]`;
      if (!["system", "user", "assistant", "tool"].includes(role)) return [`${where}: unexpected role ${role}`];
      if (role === "system") return at === 0 ? [] : [`${where}: the system message must be at the beginning`];
      if (role === "tool") {
        const placed = before === "assistant" || before === "tool";
        return placed ? [] : [`${where}: role 'tool' must follow a message with 'tool_calls'`];
      }
      if (role === "user") return before === "user" ? [`${where}: conversation roles must alternate`] : [];
      return before === "user" || before === "tool" ? [] : [`${where}: conversation roles must alternate`];
    }),
  ];
}

function checkMessage(message: Obj, where: string): Complaints {
  const { content } = message;
  switch (message.role) {
    case "tool":
      return [
        ...checkKeys(message, ["role", "tool_call_id", "content"], where),
        ...(typeof content === "string" ? checkText(content, where) : [`${where}.content: expected a text`]),
      ];
    case "assistant":
      return checkAnswer(message, where);
    case "user":
      return [
        ...checkKeys(message, ["role", "content"], where),
        ...(typeof content === "string" ? checkText(content, where) : checkParts(objs(content), where)),
      ];
    default:
      return checkText(content, where);
  }
}

function checkParts(parts: readonly Obj[], where: string): Complaints {
  if (parts.length === 0) return [`${where}.content: must not be empty`];
  return parts.flatMap((part, at) => {
    if (part.type === "text") return checkText(part.text, `${where}.content[${at}]`);
    if (part.type === "image_url") return checkDataUrl(obj(part.image_url).url, `${where}.content[${at}]`);
    return [`${where}.content[${at}]: unexpected part ${str(part.type)}`];
  });
}

function checkAnswer(message: Obj, where: string): Complaints {
  const calls = objs(message.tool_calls);
  const known = ["role", "content", "tool_calls", "reasoning", "reasoning_content", "reasoning_details"];
  return [
    ...checkKeys(message, known, where),
    ...(typeof message.content === "string" ? [] : [`${where}.content: must not be null`]),
    ...(calls.length === 0 && isBlank(message.content) ? [`${where}: content or tool_calls must be set`] : []),
    ...(message.tool_calls !== undefined && calls.length === 0 ? [`${where}.tool_calls: array too short`] : []),
    ...calls.flatMap((call, at) => [
      ...(call.type === "function" ? [] : [`${where}.tool_calls[${at}].type: must be "function"`]),
      ...checkCallId(call.id, `${where}.tool_calls[${at}]`),
      ...(str(call.id).length > 40 ? [`${where}.tool_calls[${at}].id: string too long`] : []),
      ...checkToolName(obj(call.function).name, `${where}.tool_calls[${at}]`),
      ...checkArguments(obj(call.function).arguments, `${where}.tool_calls[${at}]`),
    ]),
  ];
}

/** Local servers parse the arguments of a history. */
function checkArguments(value: unknown, where: string): Complaints {
  try {
    return isObj(JSON.parse(str(value))) ? [] : [`${where}.arguments: must be a JSON object`];
  } catch {
    return [`${where}.arguments: must be valid JSON`];
  }
}

function checkPairs(messages: readonly Obj[]): Complaints {
  const idsOf = (message: Obj | undefined) => objs(message?.tool_calls).map(({ id }) => str(id));
  const answers = messages.flatMap((message, at) => (message.role === "assistant" ? [at] : []));
  const strays = messages.flatMap((message, at) => (message.role === "tool" && !isAnswer(messages, at) ? [at] : []));
  return [
    ...checkUnique(messages.flatMap(idsOf), "messages: tool_calls"),
    ...strays.map((at) => `messages[${at}]: tool message without a call`),
    ...answers.flatMap((at) => {
      const end = messages.findIndex(({ role }, later) => later > at && role !== "tool");
      const results = messages.slice(at + 1, end === -1 ? undefined : end);
      return checkAnswered(
        idsOf(messages[at]),
        results.map((result) => str(result.tool_call_id)),
        `messages[${at}]`,
      );
    }),
  ];
}

function isAnswer(messages: readonly Obj[], at: number): boolean {
  return messages.slice(0, at).findLast(({ role }) => role !== "tool")?.role === "assistant";
}
