import { requestMirror } from "../../host/index.ts";
import type { HostTx } from "../../kernel/index.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Life } from "./life.ts";

/** Title and settings of the other conversation, where nothing was chosen here. */
export function takeSettings(tx: HostTx, { chat }: Life, given: JsonObject): void {
  const own: JsonObject = tx.get(chat);
  const isUnset = (key: string) => JSON.stringify(own[key]) === JSON.stringify((chat.defaults as JsonObject)[key]);
  // What follows the transcript comes with it, as it stood at the entry.
  const isSetting = (key: string) => Object.hasOwn(chat.defaults, key) && !chat.rewindable.has(key);
  const taken = Object.entries(given).filter(([key]) => isSetting(key) && isUnset(key));
  tx.set<JsonObject>(chat, Object.fromEntries(taken));
  requestMirror(tx);
}
