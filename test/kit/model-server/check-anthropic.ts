import { checkThinkingConfig, readClaude } from "./check-claude-thinking.ts";
import {
  type Complaints,
  checkAnswered,
  checkCallId,
  checkImage,
  checkKeys,
  checkSchema,
  checkText,
  checkToolName,
  checkUnicode,
  checkUnique,
  objs,
} from "./check-common.ts";
import { isObj, list, type Obj, obj, str } from "./reading.ts";
import { verify } from "./signatures.ts";

const KEYS = [
  "model",
  "max_tokens",
  "stream",
  "system",
  "tools",
  "tool_choice",
  "messages",
  "thinking",
  "output_config",
];

/**
 * What Anthropic's API would refuse in the body of `POST /v1/messages`, and what this project promises on top: strictly
 * alternating turns, results in call order. An empty list means that the request is good.
 */
export function checkAnthropicRequest(value: unknown, beta = ""): Complaints {
  if (!isObj(value)) return ["body: must be an object"];
  const messages = objs(value.messages);
  return [
    ...checkKeys(value, KEYS, "body"),
    ...checkUnicode(value),
    ...checkHead(value),
    ...checkTools(value, messages),
    ...checkThinkingConfig(value, beta),
    ...checkRoles(value, messages),
    ...messages.flatMap((message, at) => checkMessage(value, message, `messages.${at}`)),
    ...checkPairs(messages),
    ...checkThinkingBlocks(value, messages),
    ...checkCacheMarks(value),
  ];
}

/** Thinking blocks that the vendor would drop, because the prompt before them changed. */
export function countDroppedThinking(body: Obj): number {
  if (!readClaude(str(body.model)).bound) return 0;
  return thinkingBlocks(objs(body.messages)).filter((block) => verifyBlock(body, block) === "moved").length;
}

function checkHead(body: Obj): Complaints {
  const system = body.system;
  const blocks = typeof system === "string" ? [{ type: "text", text: system }] : objs(system);
  return [
    ...(str(body.model) === "" ? ["model: field required"] : []),
    ...(Number.isInteger(body.max_tokens) && Number(body.max_tokens) >= 1 ? [] : ["max_tokens: must be at least 1"]),
    ...(body.stream === true ? [] : ["stream: expected true"]),
    ...(system === undefined || blocks.length > 0 ? [] : ["system: must not be empty"]),
    ...blocks.flatMap((block, at) => checkText(block.text, `system.${at}`)),
  ];
}

function checkTools(body: Obj, messages: readonly Obj[]): Complaints {
  const tools = objs(body.tools);
  const called = messages.some((message) => objs(message.content).some(({ type }) => type === "tool_use"));
  const choice = obj(body.tool_choice).type;
  return [
    ...(called && tools.length === 0 ? ["tools: requests which include `tool_use` blocks must define tools"] : []),
    ...(body.tools !== undefined && tools.length === 0 ? ["tools: must not be empty"] : []),
    ...(choice === undefined || choice === "auto" || choice === "none"
      ? []
      : ["tool_choice: forced tool use is not supported"]),
    ...checkUnique(
      tools.map(({ name }) => str(name)),
      "tools",
    ),
    ...tools.flatMap((tool, at) => [
      ...checkKeys(tool, ["name", "description", "input_schema", "cache_control"], `tools.${at}`),
      ...checkToolName(tool.name, `tools.${at}`),
      ...checkSchema(tool.input_schema, `tools.${at}.input_schema`),
    ]),
  ];
}

function checkRoles(body: Obj, messages: readonly Obj[]): Complaints {
  const roles = messages.map(({ role }) => str(role));
  const takesSystem = readClaude(str(body.model)).systemRole;
  return [
    ...(roles.length === 0 ? ["messages: at least one message is required"] : []),
    ...(roles[0] === "user" || roles.length === 0 ? [] : ["messages.0: first message must use the user role"]),
    ...(roles.at(-1) === "assistant" ? ["messages: must not end with an assistant message (prefill)"] : []),
    ...roles.flatMap((role, at): Complaints => {
      const where = `messages.${at}`;
      if (role === "system") {
        const placed = roles[at - 1] === "user" && (at === roles.length - 1 || roles[at + 1] === "assistant");
        return [
          ...(takesSystem ? [] : [`${where}: role 'system' is not supported on this model`]),
          ...(placed ? [] : [`${where}: a system message follows a user message and ends the turn`]),
        ];
      }
      if (role !== "user" && role !== "assistant") return [`${where}.role: unexpected value ${role}`];
      return roles[at - 1] === role ? [`${where}: roles must alternate between user and assistant`] : [];
    }),
  ];
}

function checkMessage(body: Obj, message: Obj, where: string): Complaints {
  if (typeof message.content === "string") return checkText(message.content, where);
  const blocks = objs(message.content);
  if (blocks.length === 0) return [`${where}.content: must not be empty`];
  return blocks.flatMap((block, at) => checkBlock(str(message.role), block, `${where}.content.${at}`, body));
}

function checkBlock(role: string, block: Obj, where: string, body: Obj): Complaints {
  const type = str(block.type);
  const allowed = { user: ["text", "image", "tool_result"], system: ["text"] }[role] ?? [
    "text",
    "thinking",
    "redacted_thinking",
    "tool_use",
  ];
  if (!allowed.includes(type)) return [`${where}: ${type} blocks are not permitted in a ${role} message`];
  if (type === "text") return checkText(block.text, where);
  if (type === "image") return checkImageBlock(block, where);
  if (type === "tool_use") {
    return [
      ...checkCallId(block.id, where),
      ...checkToolName(block.name, where),
      ...(isObj(block.input) ? [] : [`${where}.input: must be an object`]),
    ];
  }
  if (type === "tool_result") return checkResult(block, where);
  const state = verifyBlock(body, block);
  if (state === "unsigned") return [`${where}: ${type} block has no signature`];
  if (state === "altered") return [`${where}: ${type} blocks cannot be modified`];
  return block.cache_control === undefined ? [] : [`${where}: cache_control cannot be set for ${type} blocks`];
}

function checkImageBlock(block: Obj, where: string): Complaints {
  const source = obj(block.source);
  return source.type === "base64"
    ? checkImage(source.media_type, source.data, where)
    : [`${where}: expected a base64 source`];
}

function checkResult(block: Obj, where: string): Complaints {
  const content = list(block.content);
  return [
    ...checkKeys(block, ["type", "tool_use_id", "content", "is_error", "cache_control"], where),
    ...(content.length === 0 ? [`${where}.content: must not be empty`] : []),
    ...objs(content).flatMap((inner, at) =>
      inner.type === "text"
        ? checkText(inner.text, `${where}.content.${at}`)
        : checkImageBlock(inner, `${where}.content.${at}`),
    ),
  ];
}

function checkPairs(messages: readonly Obj[]): Complaints {
  const ids = messages.flatMap((message) =>
    objs(message.content).flatMap((block) => (block.type === "tool_use" ? [str(block.id)] : [])),
  );
  return [
    ...checkUnique(ids, "messages: tool_use"),
    ...messages.flatMap((message, at) => {
      const blocks = objs(message.content);
      const results = blocks.filter(({ type }) => type === "tool_result");
      const asked = message.role === "user" ? objs(messages[at - 1]?.content) : [];
      const first = blocks.findIndex(({ type }) => type !== "tool_result");
      const late = first !== -1 && blocks.slice(first).some(({ type }) => type === "tool_result");
      return [
        ...(late ? [`messages.${at}: tool_result blocks must come first`] : []),
        ...(message.role === "user"
          ? checkAnswered(
              asked.filter(({ type }) => type === "tool_use").map(({ id }) => str(id)),
              results.map((block) => str(block.tool_use_id)),
              `messages.${at}`,
            )
          : []),
      ];
    }),
  ];
}

function thinkingBlocks(messages: readonly Obj[]): Obj[] {
  const all = messages.flatMap((message) => objs(message.content));
  return all.filter(({ type }) => type === "thinking" || type === "redacted_thinking");
}

function verifyBlock(body: Obj, block: Obj): ReturnType<typeof verify> {
  if (block.type === "thinking") return verify(body, str(block.thinking), str(block.signature));
  const [mark, signature] = str(block.data).split("|");
  return mark === "red" ? verify(body, "redacted", signature ?? "") : "altered";
}

function checkThinkingBlocks(body: Obj, messages: readonly Obj[]): Complaints {
  const { bound } = readClaude(str(body.model));
  const thinking = obj(body.thinking);
  const drops = obj(thinking.block_binding).prefix_mismatch_behavior === "drop_block";
  const moved = bound && !drops && thinkingBlocks(messages).some((block) => verifyBlock(body, block) === "moved");
  const asked = objs(messages.findLast(({ role }) => role === "assistant")?.content);
  const answers = objs(messages.findLast(({ role }) => role === "user")?.content);
  const inLoop = answers.some(({ type }) => type === "tool_result");
  const unthought = thinking.type === "enabled" && inLoop && !/thinking/.test(str(asked[0]?.type));
  return [
    ...(moved ? ["messages: a thinking block is bound to a different conversation"] : []),
    ...(unthought ? ["messages: expected `thinking` or `redacted_thinking`, but found another block"] : []),
  ];
}

function checkCacheMarks(body: Obj): Complaints {
  const marks = (JSON.stringify(body).match(/"cache_control":\{"type":"ephemeral"\}/g) ?? []).length;
  const all = (JSON.stringify(body).match(/"cache_control":/g) ?? []).length;
  return [
    ...(marks > 4 ? [`cache_control: a maximum of 4 blocks may be marked, got ${marks}`] : []),
    ...(all === marks ? [] : ['cache_control: expected { "type": "ephemeral" }']),
  ];
}
