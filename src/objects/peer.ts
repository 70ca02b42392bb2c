import type { ObjectRpc } from "./rpc.ts";

/** Another conversation's object, as this one reaches it. A fresh stub each time: one that failed once stays broken. */
export function peerOf(env: Env, key: string): ObjectRpc {
  // The namespace's own type maps every method through RPC serialisation, which these plain records pass unchanged.
  return env.CONVERSATION.getByName(key) as unknown as ObjectRpc;
}
