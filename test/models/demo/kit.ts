import { Host, toolsOf } from "../../../src/host/index.ts";
import type { ModelRequest, ToolSpec } from "../../../src/kernel/ports/model.ts";
import type { Tool } from "../../../src/kernel/registry/tool.ts";
import { calculatorPlugin } from "../../../src/plugins/calculator/plugin.ts";
import { clockPlugin } from "../../../src/plugins/clock/plugin.ts";
import { notesPlugin } from "../../../src/plugins/notes/plugin.ts";
import { questionsPlugin } from "../../../src/plugins/questions/plugin.ts";
import { subagentsPlugin } from "../../../src/plugins/subagents/plugin.ts";
import { createWebPlugin } from "../../../src/plugins/web/plugin.ts";
import { createWebhookPlugin } from "../../../src/plugins/webhook/plugin.ts";
import type { AssistantMessage, Message, ToolMessage, UserMessage } from "../../../src/protocol/message.ts";
import { hostContext } from "../../kit/host-context.ts";
import { fakeNames, fakeWeb, html } from "../../lib/kit/fake-web.ts";

const webhooks = {
  build: { url: "https://build.example.com/hook", label: "the build server" },
  deploy: { url: "https://deploy.example.com/hook", label: "the deployment" },
};
const web = fakeWeb({
  "https://example.com/": html("<title>Example</title><h1>Example Domain</h1><p>For use in documents."),
});

/** The real tools, on a web and a webhook of their own. */
export const TOOLS: readonly Tool[] = toolsOf(
  new Host(
    [
      clockPlugin,
      calculatorPlugin,
      notesPlugin,
      questionsPlugin,
      createWebPlugin({ fetch: web.fetch, lookup: fakeNames() }),
      subagentsPlugin,
      createWebhookPlugin({ targets: webhooks, fetch: async () => new Response("queued") }),
    ],
    hostContext(),
  ),
);

const SPECS: readonly ToolSpec[] = TOOLS.map(({ name, description, parameters }) => ({
  name,
  description,
  parameters,
}));

export function requestOf(messages: readonly Message[], changes: Partial<ModelRequest> = {}): ModelRequest {
  return { model: "demo/demo", thinking: "off", system: "", volatile: "", messages, tools: SPECS, ...changes };
}

export function user(text: string): UserMessage {
  return { role: "user", content: [{ type: "text", text }] };
}

export function assistant(text: string): AssistantMessage {
  return { role: "assistant", content: [{ type: "text", text }], stop: "end" };
}

/** A step that calls tools; ids are `demo_1`, `demo_2`, … */
export function step(...calls: ReadonlyArray<readonly [name: string, args: unknown]>): AssistantMessage {
  const content = calls.map(([name, args], index) => {
    const raw = typeof args === "string" ? args : JSON.stringify(args);
    return { type: "call", id: `demo_${index + 1}`, name, args: raw } as const;
  });
  return { role: "assistant", content, stop: "calls" };
}

export function result(name: string, text: string, changes: Partial<ToolMessage> = {}): ToolMessage {
  return { role: "tool", callId: "demo_1", name, content: [{ type: "text", text }], isError: false, ...changes };
}
