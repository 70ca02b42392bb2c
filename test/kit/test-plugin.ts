import {
  EventTeller,
  type Host,
  installPlugins,
  matchRoute,
  type Plugin,
  type PluginParts,
  toolsOf,
} from "../../src/host/index.ts";
import type { Json } from "../../src/lib/json.ts";
import type { Tier } from "../../src/people/facts.ts";
import type { KernelWorld } from "./kernel-world.ts";
import { nodeWorld } from "./node-world.ts";
import { hostWith, type TestHostOptions } from "./test-host.ts";

/** What a call came to. */
export interface ToolRun {
  readonly text: string;
  readonly isError: boolean;
  /** The conversation that it ran in, at rest. */
  readonly world: KernelWorld;
}

/** A plugin as a host has set it up, and ways to try what it contributes. */
export interface TestedPlugin {
  readonly host: Host;
  readonly parts: PluginParts;
  /** Tools and who is offered them. */
  readonly tiers: { readonly [tool: string]: Tier };
  /** Runs a tool in a fresh conversation, by the real kernel. */
  runTool(name: string, input: Json): Promise<ToolRun>;
  /** What the plugin's rules say about a call; undefined: none holds it. */
  holds(tool: string, input: Json): Promise<unknown>;
  /** Calls a route as somebody of a tier; the guard before it is the Worker's. @throws when there is none. */
  request(method: string, path: string, options?: { readonly tier?: Tier; readonly body?: string }): Promise<Response>;
  /** Tells an event. */
  tell: EventTeller["tell"];
  preflight(): Promise<void>;
}

/** Sets one plugin up. @throws PluginError as a start does. */
export function testPlugin(plugin: Plugin, options: TestHostOptions = {}): TestedPlugin {
  const host = hostWith([plugin], options);
  const parts = host.plugins.find(({ name }) => name === plugin.name)?.parts ?? {};
  const teller = new EventTeller(host.watchers, { report: options.log ?? (() => undefined) });
  return {
    host,
    parts,
    tiers: Object.fromEntries((parts.tools ?? []).map(({ tool, tier }) => [tool.name, tier])),
    runTool: (name, input) => runTool(host, name, input),
    holds: (tool, input) => firstDescription(host, tool, input),
    request: (method, path, more) => request(host, plugin.name, method, path, more),
    tell: (events) => teller.tell(events),
    preflight: () => host.preflight(),
  };
}

async function runTool(host: Host, name: string, input: Json): Promise<ToolRun> {
  const tools = toolsOf(host);
  if (!tools.some((tool) => tool.name === name)) throw new Error(`The plugin has no tool ${name}.`);
  const world = nodeWorld({
    tools,
    register: (registry) => installPlugins(registry, host),
    script: (_request, nth) => (nth === 0 ? { calls: [{ name, args: JSON.stringify(input) }] } : { text: "Done." }),
  });
  world.start();
  world.kernel.submit({ key: "p_test:1", actor: "p_test", meta: null, content: [{ type: "text", text: "go" }] });
  await world.run();
  const message = world.kernel.entriesAfter(0, 100).find(({ kind }) => kind === "core.tool_result")?.message;
  if (message?.role !== "tool") throw new Error(`The call of ${name} came to no result.`);
  const text = message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  return { text, isError: message.isError, world };
}

async function firstDescription(host: Host, tool: string, input: Json): Promise<unknown> {
  for (const { describe } of host.holdRules) {
    const description = await describe({ tool, input }, { actor: "p_test" });
    if (description !== undefined) return description;
  }
  return undefined;
}

async function request(
  host: Host,
  plugin: string,
  method: string,
  path: string,
  { tier = "member", body = "" }: { readonly tier?: Tier; readonly body?: string } = {},
): Promise<Response> {
  const found = matchRoute(host.routesOf(plugin), method, path.split("?")[0] ?? "");
  if (!found) throw new Error(`The plugin has no route ${method} ${path}.`);
  const url = new URL(`https://althing.example/plugins/${plugin}${path}`);
  const signal = new AbortController().signal;
  return await found.route.handle({ principalId: "p_test", tier, url, params: found.params, body, signal });
}
