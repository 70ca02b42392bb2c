import type { AssistantMessage } from "../protocol/message.ts";

const GOOD_ID = /^[A-Za-z0-9_-]{1,40}$/;

/** One assistant message of a history, in order. `replayed`: its vendor's own blocks, ids included, go out unchanged. */
export interface Speaker {
  readonly message: AssistantMessage;
  readonly replayed: boolean;
}

/**
 * The ids that calls have on the wire, per message in call order. Stored ids are unique in one message only and may
 * come from another vendor; wires want them unique in the whole request and plain.
 */
export function assignCallIds(speakers: readonly Speaker[]): string[][] {
  const used = new Set<string>();
  for (const { message, replayed } of speakers) if (replayed) for (const id of callIds(message)) used.add(id);
  return speakers.map(({ message, replayed }, at) =>
    replayed ? callIds(message) : callIds(message).map((id, index) => take(id, `call_${at}_${index}`, used)),
  );
}

function callIds(message: AssistantMessage): string[] {
  return message.content.flatMap((part) => (part.type === "call" ? [part.id] : []));
}

function take(id: string, otherwise: string, used: Set<string>): string {
  let free = GOOD_ID.test(id) && !used.has(id) ? id : otherwise;
  while (used.has(free)) free += "_";
  used.add(free);
  return free;
}
