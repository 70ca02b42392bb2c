import * as z from "zod";
import { definePlugin, type Plugin, type PluginParts } from "../../host/index.ts";
import { defineTool, type Tool, type ToolResult } from "../../kernel/index.ts";
import { must } from "../../lib/assert.ts";
import { utf8Bytes } from "../../lib/bytes.ts";
import type { Json } from "../../lib/json.ts";
import { DEMO_WEBHOOKS, withDemoReceiver } from "./demo-receiver.ts";
import { POST_TIMEOUT_MS, type PostFetch, type PostPorts, post } from "./post.ts";
import { checkTargets, hostOf, versionOf, type WebhookTargets } from "./targets.ts";

/** UTF-8 bytes of the JSON that is posted. */
export const MAX_BODY_BYTES = 64 * 1024;

const TOOL = "send_webhook";
/** The kernel's own limit comes later than the tool's, so that the tool says what happened. */
const TOOL_TIMEOUT_MS = POST_TIMEOUT_MS + 5_000;

/** What stands in for configuration and outside; absent parts are the host's and the platform's. */
export interface WebhookOptions {
  /** Default: `webhooks` of `althing.config.ts`, and where there are none the demo receiver. */
  readonly targets?: WebhookTargets;
  readonly fetch?: PostFetch;
  /** Default: `AbortSignal.timeout`. */
  readonly timer?: (ms: number) => AbortSignal;
}

/** Posting JSON to the operator's webhooks: the risky tool. Without a target there is no tool; one must be http or https. */
export function createWebhookPlugin(options: WebhookOptions = {}): Plugin {
  return definePlugin({
    name: "webhook",
    setup({ config, fetch }): PluginParts {
      const configured = Object.keys(config.webhooks).length > 0 ? config.webhooks : DEMO_WEBHOOKS;
      const targets = options.targets ?? configured;
      checkTargets(targets);
      if (Object.keys(targets).length === 0) return {};
      const timer = options.timer ?? ((ms: number) => AbortSignal.timeout(ms));
      const ports = { fetch: options.fetch ?? withDemoReceiver(fetch), timer };
      const tool = defineSendWebhook(targets, ports);
      return { tools: [{ tool, tier: "member" }], holdRules: [holdRuleFor(targets)] };
    },
  });
}

function defineSendWebhook(targets: WebhookTargets, ports: PostPorts): Tool {
  const names = Object.keys(targets);
  const known = names.map((name) => `"${name}" (${targetOf(targets, name).label})`).join(", ");
  // Any JSON object; zod's own JSON type would make the schema recursive, which some models refuse.
  const body = z.looseObject({}).refine(fits, { error: tooLarge }) as unknown as z.ZodType<Json>;
  return defineTool({
    name: TOOL,
    description: `Posts a JSON object to a webhook. A person has to approve each call. Targets: ${known}.`,
    input: z.strictObject({
      target: z.enum(names, { error: ({ input }) => unknownTarget(input, names) }),
      body: body.describe("The JSON object to post."),
    }),
    replay: "unsafe",
    version: versionOf(targets),
    timeoutMs: TOOL_TIMEOUT_MS,
    async execute(input, context): Promise<ToolResult> {
      const target = targetOf(targets, input.target);
      const { idempotencyKey, signal } = context;
      return post(ports, { target, body: JSON.stringify(input.body), idempotencyKey, signal });
    },
  });
}

/** Holds every call, whatever its input. */
function holdRuleFor(targets: WebhookTargets) {
  return ({ tool, input }: { readonly tool: string; readonly input: Json }) => {
    if (tool !== TOOL) return undefined;
    const name = (input as { readonly target?: Json } | null)?.target;
    const target = typeof name === "string" && Object.hasOwn(targets, name) ? targets[name] : undefined;
    if (target === undefined) return { text: "POST JSON to an unknown webhook" };
    return { text: `POST JSON to ${target.label}`, target: `${target.label} (${hostOf(target)})` };
  };
}

function targetOf(targets: WebhookTargets, name: string) {
  return must(targets[name], `the schema accepted the target ${name}`);
}

function unknownTarget(input: unknown, names: readonly string[]): string {
  const given = typeof input === "string" ? JSON.stringify(input.slice(0, 100)) : "this";
  return `${given} is no webhook of this deployment; known are ${names.join(", ")}`;
}

function fits(body: object): boolean {
  return utf8Bytes(JSON.stringify(body)) <= MAX_BODY_BYTES;
}

function tooLarge(issue: { readonly input?: unknown }): string {
  const bytes = utf8Bytes(JSON.stringify(issue.input));
  return `the body has ${bytes} bytes; the limit is ${MAX_BODY_BYTES}`;
}
