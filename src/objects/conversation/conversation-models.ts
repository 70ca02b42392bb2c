import type { Host } from "../../host/index.ts";
import type { Models } from "../../models/index.ts";
import type { FileRef } from "../../protocol/message.ts";
import { deployedModels } from "../deployed-models.ts";
import { FileCache } from "../files/file-cache.ts";
import { filePlace } from "../files/stored-files.ts";
import type { ConversationOptions } from "./conversation-options.ts";

/** The deployment's models, as one conversation asks them. @param key its channel key, once it is open. */
export function conversationModels(options: ConversationOptions, env: Env, host: Host, key: () => string): Models {
  const files = new FileCache();
  return deployedModels(options, env, host, (file) => files.read(file.id, () => loadFile(env, key(), file)));
}

async function loadFile({ FILES }: Env, conversation: string, file: FileRef): Promise<Uint8Array> {
  const stored = await FILES.get(filePlace(conversation, file.id));
  if (!stored) throw new Error(`file ${file.id} is not stored`);
  return new Uint8Array(await stored.arrayBuffer());
}
