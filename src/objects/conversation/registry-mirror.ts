import type { Kernel, Namespace } from "../../kernel/index.ts";
import type { ConversationNow } from "../../people/facts.ts";
import type { ConversationSummary } from "../../protocol/rest.ts";
import { mirrorConversation } from "../../store/conversations.ts";
import type { Database } from "../../store/database.ts";
import type { ChatState } from "../../surfaces/webchat/chat-state.ts";

/** Tells D1's list what this conversation is now. Idempotent: the newest revision wins there. */
export async function sendMirror(
  db: Database,
  kernel: Kernel,
  { key, owner, visibility, members = [] }: ConversationNow,
  chat: Namespace<ChatState>,
): Promise<void> {
  const { rev, createdAt, usage } = kernel.control;
  const row = {
    key,
    id: key.slice(key.indexOf(":") + 1),
    owner,
    title: kernel.get(chat).title,
    createdAt,
    updatedAt: kernel.lastActivity(),
    state: stateOf(kernel),
    usage: { ...usage },
    rev,
    visibility,
  };
  await mirrorConversation(db, row, members);
}

function stateOf(kernel: Kernel): ConversationSummary["state"] {
  const { view } = kernel.snapshot();
  const kinds = Object.values(view.tasks).map(({ kind }) => kind);
  if (kinds.includes("core.import")) return "running";
  // A turn that waits for conversations of its own is at work.
  if (view.turn?.stage === "waiting" || kinds.some((kind) => kind !== "core.child")) return "waiting";
  if (view.turn) return "running";
  const last = view.entries.at(-1)?.data as { readonly display?: { readonly reason: string } } | undefined;
  return last?.display?.reason === "failed" ? "failed" : "idle";
}
