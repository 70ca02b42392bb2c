import type { HostRead, HostTx } from "../../kernel/index.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import type { ConversationFacts } from "../../people/facts.ts";
import { linkTo, notify } from "../notify.ts";

/** Tells those who may answer a prompt that its deadline is an hour away. Says nothing of what is asked. */
export function remindOfPrompt(
  tx: HostTx,
  { facts }: Pick<HostRead, "facts">,
  { id, speaker }: { readonly id: string; readonly speaker: string },
): void {
  const { key, visibility } = facts as unknown as ConversationFacts;
  const notice = {
    // A prompt's name is its conversation's own, and a channel's key may be longer than the id of a notice.
    id: `prompt:${sha256Hex(`${key} ${id}`)}`,
    at: tx.now,
    text: "A question waits for an answer and expires in an hour.",
    link: linkTo(key),
  };
  notify(tx, notice, { people: [speaker], owners: visibility === "shared" });
}
