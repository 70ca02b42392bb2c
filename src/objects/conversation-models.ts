import { createDemoModel } from "../models/demo/model.ts";
import { type AiBinding, createModels, type Models } from "../models/index.ts";
import type { FileRef } from "../protocol/message.ts";
import type { ConversationOptions } from "./conversation-options.ts";
import { secretOf } from "./deployed-host.ts";
import { FileCache } from "./file-cache.ts";
import { systemClock } from "./platform.ts";
import { filePlace } from "./stored-files.ts";

/** The deployment's models, as one conversation asks them. @param key its channel key, once it is open. */
export function conversationModels({ config, models }: ConversationOptions, env: Env, key: () => string): Models {
  const files = new FileCache();
  const deployed = createModels({
    config,
    secrets: (name) => secretOf(env, name),
    loadFile: (file) => files.read(file.id, () => loadFile(env, key(), file)),
    ...aiOf(env),
    demo: createDemoModel({ clock: systemClock }),
    clock: systemClock,
  });
  return models ? models(deployed) : deployed;
}

async function loadFile({ FILES }: Env, conversation: string, file: FileRef): Promise<Uint8Array> {
  const stored = await FILES.get(filePlace(conversation, file.id));
  if (!stored) throw new Error(`file ${file.id} is not stored`);
  return new Uint8Array(await stored.arrayBuffer());
}

/** The Workers AI binding, where the deployment has one: the local configuration never does. */
function aiOf(env: object): { readonly ai?: AiBinding } {
  const ai = Reflect.get(env, "AI") as AiBinding | undefined;
  return ai ? { ai } : {};
}
