import { Host, toolsOf } from "../host/index.ts";
import type { Tool } from "../kernel/index.ts";
import { nearest } from "../lib/nearest.ts";
import type { Config } from "../protocol/config.ts";
import { openDatabase } from "../store/database.ts";
import type { ConversationOptions } from "./conversation-options.ts";
import { reportFor } from "./log.ts";
import { BUILT_IN } from "./plugins.ts";

/** Hosts by configuration: set up once per isolate, for all of its conversations. */
const hosts = new WeakMap<Config, Host>();

/** The host of a deployment. One with stand-ins is made anew: they belong to whoever gave them. */
export function hostFor(options: ConversationOptions, env: Env): Host {
  if (options.plugins || options.fetch) return makeHost(options, env);
  const known = hosts.get(options.config);
  if (known) return known;
  const made = makeHost(options, env);
  hosts.set(options.config, made);
  return made;
}

function makeHost({ config, plugins = (builtIn) => builtIn, fetch: standIn }: ConversationOptions, env: Env): Host {
  const context = {
    config,
    fetch: standIn ?? ((input: RequestInfo | URL, init?: RequestInit) => fetch(input, init)),
    secret: (name: string) => secretOf(env, name),
    database: () => openDatabase(env.DB),
    log: reportFor("host").report,
  };
  const host = new Host(plugins(BUILT_IN), context, config.features);
  requireKnownTools(config, toolsOf(host));
  return host;
}

/** A rule for a tool that is not there would forbid nothing, whoever believes in it. */
function requireKnownTools({ policy }: Config, tools: readonly Tool[]): void {
  const names = tools.map(({ name }) => name);
  const unknown = [...policy.deny, ...policy.ask].find(({ tool }) => !names.includes(tool));
  if (!unknown) return;
  const close = nearest(unknown.tool, names);
  const hint = close === undefined ? `there are ${names.join(", ")}.` : `did you mean ${close}?`;
  throw new Error(`althing.config.ts: policy names a tool ${JSON.stringify(unknown.tool)} that there is not: ${hint}`);
}

/** A secret of the deployment; blank ones count as not set. */
export function secretOf(env: object, name: string): string | undefined {
  const value: unknown = Reflect.get(env, name);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
