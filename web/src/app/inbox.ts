import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Notice } from "../../../src/protocol/notices.ts";
import type { Rest } from "../net/rest.ts";

/** The person's notices, newest first, as they were read last. */
export class Inbox {
  readonly notices: Signal<readonly Notice[]> = signal([]);
  readonly unread: ReadonlySignal<number> = computed(() => this.notices.value.filter(({ read }) => !read).length);
  readonly #rest: Pick<Rest, "notices" | "readNotices">;

  constructor(rest: Pick<Rest, "notices" | "readNotices">) {
    this.#rest = rest;
  }

  /** What cannot be read now stays as it was. */
  async refresh(): Promise<void> {
    const reply = await this.#rest.notices();
    if (reply.ok) this.notices.value = reply.value.notices;
  }

  /** Marks everything that is shown as read; what the server does not take stays unread. */
  async markRead(): Promise<void> {
    const ids = this.notices.value.filter(({ read }) => !read).map(({ id }) => id);
    if (ids.length === 0) return;
    const reply = await this.#rest.readNotices(ids);
    if (!reply.ok) return;
    this.notices.value = this.notices.value.map((notice) =>
      ids.includes(notice.id) ? { ...notice, read: true } : notice,
    );
  }
}
