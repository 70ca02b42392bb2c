import { type Signal, signal } from "@preact/signals";
import type { ConversationSummary } from "../../../src/protocol/rest.ts";
import type { Refused, Rest } from "../net/rest.ts";
import { mergeList, refreshList } from "../state/list.ts";

/** The person's conversations, as far as they were read. */
export class ConversationList {
  readonly items: Signal<readonly ConversationSummary[]> = signal([]);
  /** `loading` before the first answer, `failed` when it did not come. */
  readonly status: Signal<"loading" | "ready" | "failed"> = signal("loading");
  /** Cursor of the next page; undefined at the end. */
  readonly next: Signal<string | undefined> = signal(undefined);
  readonly #rest: Rest;
  #isReading = false;
  #isStale = false;

  constructor(rest: Rest) {
    this.#rest = rest;
  }

  /** Reads the newest page again. Calls during a read are joined into one more read after it. */
  async refresh(): Promise<void> {
    this.#isStale = true;
    if (this.#isReading) return;
    this.#isReading = true;
    while (this.#isStale) {
      this.#isStale = false;
      await this.#readFirst();
    }
    this.#isReading = false;
  }

  async more(): Promise<void> {
    const cursor = this.next.value;
    if (cursor === undefined) return;
    const reply = await this.#rest.conversations(cursor);
    if (!reply.ok) return;
    this.items.value = mergeList(this.items.value, reply.value.conversations);
    this.next.value = reply.value.next;
  }

  /** The server knows that this one was seen. */
  markSeen(id: string): void {
    this.items.value = this.items.value.map((item) => (item.id === id ? { ...item, unread: false } : item));
  }

  async rename(id: string, title: string): Promise<Refused | undefined> {
    const reply = await this.#rest.settings(id, { title });
    if (!reply.ok) return reply.error;
    this.items.value = this.items.value.map((item) => (item.id === id ? { ...item, title } : item));
    return undefined;
  }

  async remove(id: string): Promise<Refused | undefined> {
    const reply = await this.#rest.remove(id);
    const isGone = reply.ok || reply.error.status === 404;
    if (!isGone) return reply.error;
    this.forget(id);
    return undefined;
  }

  /** Takes a conversation out of the list that is not the person's any more. */
  forget(id: string): void {
    this.items.value = this.items.value.filter((item) => item.id !== id);
  }

  async #readFirst(): Promise<void> {
    const reply = await this.#rest.conversations();
    if (!reply.ok) {
      if (this.status.value === "loading") this.status.value = "failed";
      return;
    }
    const { conversations, next } = reply.value;
    const isWholeList = next === undefined;
    const wasPaged = this.items.value.length > conversations.length;
    this.items.value = refreshList(this.items.value, conversations, isWholeList);
    if (isWholeList || !wasPaged) this.next.value = next;
    this.status.value = "ready";
  }
}
