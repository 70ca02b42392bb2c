import type { ForkRpc } from "./objects/fork/fork-rpc.ts";
import type { ConversationRpc } from "./objects/rpc.ts";
import type { TransferRpc } from "./objects/transfer/transfer-rpc.ts";

/** A Conversation object as the Worker reaches it. */
export interface ConversationStub extends ConversationRpc, Pick<ForkRpc, "fork">, TransferRpc {
  fetch(request: Request): Promise<Response>;
}

/** What the Worker's platform gives it. The generated `Env` fits; so do stand-ins of tests. */
export interface AppEnv {
  readonly DB: D1Database;
  readonly FILES: R2Bucket;
  readonly ASSETS: { fetch(request: Request): Promise<Response> };
  readonly CONVERSATION: { getByName(key: string): unknown };
  readonly PRINCIPAL: { getByName(id: string): unknown };
  readonly BUDGET: { getByName(name: string): unknown };
  /** Set by `npm start` and tests alone: the loopback port that local development listens on. */
  readonly ALTHING_LOCAL_PORT?: string;
}

const BINDINGS = ["DB", "FILES", "ASSETS", "CONVERSATION", "PRINCIPAL", "BUDGET"] as const;

/** The deployment lacks something that it cannot run without. */
export class EnvError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "EnvError";
  }
}

/**
 * The environment, once it is known to be whole.
 * @throws EnvError naming the binding that is missing.
 */
export function checkEnv(env: object): AppEnv {
  for (const name of BINDINGS) {
    if (Reflect.get(env, name) === undefined) {
      throw new EnvError(
        `The binding ${name} is missing. wrangler.toml must declare it; compare it with the repository's.`,
      );
    }
  }
  return env as AppEnv;
}

/** A secret by its name; undefined when it is not set or blank. Its value belongs in no error and no log. */
export function readSecret(env: object, name: string): string | undefined {
  const value: unknown = Reflect.get(env, name);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** The object of a conversation. A fresh stub each time: one that failed once stays broken. */
export function conversationOf(env: AppEnv, key: string): ConversationStub {
  // The namespace's own type maps every method through RPC serialisation, which these plain records pass unchanged.
  return env.CONVERSATION.getByName(key) as ConversationStub;
}
