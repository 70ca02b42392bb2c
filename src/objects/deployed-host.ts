import { createModelJudge, Host, type HostContext, toolsOf } from "../host/index.ts";
import type { Tool } from "../kernel/index.ts";
import { nearest } from "../lib/nearest.ts";
import type { Models } from "../models/index.ts";
import type { Config } from "../protocol/config.ts";
import { openDatabase } from "../store/database.ts";
import type { ConversationOptions } from "./conversation/conversation-options.ts";
import { deployedModels, requireOwnName } from "./deployed-models.ts";
import { reportFor } from "./log.ts";
import { BUILT_IN } from "./plugins.ts";
import { secretOf } from "./secret-of.ts";

/** Hosts by configuration: set up once per isolate, for all of its conversations. */
const hosts = new WeakMap<Config, Host>();

/** What a host needs of the platform. */
type HostEnv = { readonly DB: D1Database };

/** The host of a deployment. One with stand-ins is made anew: they belong to whoever gave them. */
export function hostFor(options: ConversationOptions, env: HostEnv): Host {
  if (options.plugins || options.fetch) return makeHost(options, env);
  const known = hosts.get(options.config);
  if (known) return known;
  const made = makeHost(options, env);
  hosts.set(options.config, made);
  return made;
}

function makeHost(options: ConversationOptions, env: HostEnv): Host {
  const { config, plugins = (builtIn) => builtIn, fetch: standIn } = options;
  let models: Models | undefined;
  const judging = () => {
    models ??= deployedModels(options, env, host, () => Promise.reject(new Error("a question has no files")));
    return { port: models.port, model: models.defaultModel, timer: (ms: number) => AbortSignal.timeout(ms) };
  };
  const context: HostContext = {
    config,
    fetch: standIn ?? ((input: RequestInfo | URL, init?: RequestInit) => fetch(input, init)),
    secret: (name) => secretOf(env, name),
    database: () => openDatabase(env.DB),
    log: reportFor("host").report,
    defaults: { judge: createModelJudge(judging) },
  };
  const host = new Host(plugins(BUILT_IN), context, config.features);
  requireOwnName(config, env, host);
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
