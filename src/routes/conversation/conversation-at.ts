import * as z from "zod";
import { type AppEnv, type ConversationStub, conversationOf } from "../../env.ts";
import { notFound } from "../refusal.ts";

const uuid = z.uuid();

/** A web conversation as routes reach it. */
export interface ConversationPlace {
  /** The UUID, in lower case: keys name objects, so one id must have one spelling. */
  readonly id: string;
  /** The channel key, `web:<uuid>`. */
  readonly key: string;
  readonly conversation: ConversationStub;
}

/**
 * The web conversation with this UUID, whether or not it exists.
 * @throws Refuse `not_found` when it is no UUID.
 */
export function conversationAt(env: AppEnv, text: string): ConversationPlace {
  if (!uuid.safeParse(text).success) throw notFound();
  const id = text.toLowerCase();
  const key = `web:${id}`;
  return { id, key, conversation: conversationOf(env, key) };
}
