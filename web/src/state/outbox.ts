import type { ErrorCode, ReceiptStatus } from "../../../src/protocol/frames.ts";
import type { FileRef } from "../../../src/protocol/message.ts";
import type { View } from "../../../src/protocol/view.ts";

/** What a person wrote. `id` is the client id: it stays the same however often the message is sent. */
export interface Written {
  readonly id: string;
  readonly text: string;
  readonly files: readonly FileRef[];
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The entry that the conversation goes back to first, 0 for its start: an edit, or the same words once more. */
  readonly rewindTo?: number;
}

/**
 * A written message on its way. `waiting`: not sent on this connection; `sent`: no receipt yet; `accepted`: stored by
 * the server, shown until the view shows it; `refused`: the person decides.
 */
export type Outgoing = Written &
  (
    | { readonly status: "waiting" }
    | { readonly status: "sent" }
    | { readonly status: "accepted" }
    | { readonly status: "refused"; readonly code: ErrorCode; readonly message: string }
  );

export type Outbox = readonly Outgoing[];

export function addWritten(outbox: Outbox, written: Written): Outbox {
  return outbox.some((item) => item.id === written.id) ? outbox : [...outbox, { ...written, status: "waiting" }];
}

/** The messages to send now, in the order they were written. */
export function dueItems(outbox: Outbox): readonly Outgoing[] {
  return outbox.filter((item) => item.status === "waiting");
}

export function markSent(outbox: Outbox, id: string): Outbox {
  return replace(outbox, id, (item) => (item.status === "waiting" ? { ...bare(item), status: "sent" } : item));
}

/** A lost connection: what has no receipt may not have arrived, and is sent again under its own id. */
export function markLost(outbox: Outbox): Outbox {
  return outbox.some((item) => item.status === "sent")
    ? outbox.map((item) => (item.status === "sent" ? { ...bare(item), status: "waiting" } : item))
    : outbox;
}

/** A receipt ends the waiting. A message that is over already is in the transcript and goes at once. */
export function markReceived(outbox: Outbox, receipt: { readonly id: string; readonly status: ReceiptStatus }): Outbox {
  if (receipt.status === "done" || receipt.status === "unanswered") return dropItem(outbox, receipt.id);
  return replace(outbox, receipt.id, (item) => ({ ...bare(item), status: "accepted" }));
}

/** A refusal naming a message keeps it for the person to decide. Unknown references change nothing. */
export function markRefused(
  outbox: Outbox,
  refusal: { readonly ref: string; readonly code: ErrorCode; readonly message: string },
): Outbox {
  return replace(outbox, refusal.ref, (item) => ({
    ...bare(item),
    status: "refused",
    code: refusal.code,
    message: refusal.message,
  }));
}

/** The person wants a refused message sent again, under its own id. */
export function retryItem(outbox: Outbox, id: string): Outbox {
  return replace(outbox, id, (item) => (item.status === "refused" ? { ...bare(item), status: "waiting" } : item));
}

export function dropItem(outbox: Outbox, id: string): Outbox {
  return outbox.some((item) => item.id === id) ? outbox.filter((item) => item.id !== id) : outbox;
}

/**
 * Lets go of messages that the view shows now. With `whole` (a fresh snapshot or `ready`) also of accepted ones that
 * it does not show: they are older than its window.
 */
export function settleOutbox(outbox: Outbox, view: View, whole: boolean): Outbox {
  if (outbox.length === 0) return outbox;
  const shown = shownIds(view);
  const left = outbox.filter((item) => !shown.has(item.id) && !(whole && item.status === "accepted"));
  return left.length === outbox.length ? outbox : left;
}

/** Client ids of every input in the view: a request key is `<principal>:<client id>`. */
function shownIds(view: View): ReadonlySet<string> {
  const keys = view.inbox.map((item) => item.input);
  for (const entry of view.entries) {
    const input = (entry.data as { readonly input?: unknown } | undefined)?.input;
    if (typeof input === "string") keys.push(input);
  }
  return new Set(keys.map((key) => key.slice(key.indexOf(":") + 1)));
}

function bare(item: Outgoing): Written {
  const { id, text, files, at, rewindTo } = item;
  return { id, text, files, at, ...(rewindTo === undefined ? {} : { rewindTo }) };
}

function replace(outbox: Outbox, id: string, edit: (item: Outgoing) => Outgoing): Outbox {
  const index = outbox.findIndex((item) => item.id === id);
  const item = outbox[index];
  if (item === undefined) return outbox;
  const edited = edit(item);
  return edited === item ? outbox : outbox.with(index, edited);
}
