import type { ReportPort } from "../../kernel/index.ts";
import type { ToldEvent } from "./events-of.ts";
import type { HostEvents } from "./host-events.ts";

/** Events that one plugin may be busy with at once in a conversation; further ones are not told to it. */
export const MAX_BUSY_EVENTS = 100;

/** The handlers of a plugin. */
export interface Watcher {
  readonly plugin: string;
  readonly events: HostEvents;
}

/** Tells plugins what happened in one conversation. Waits for none of them. */
export class EventTeller {
  readonly #watchers: readonly (Watcher & { busy: number; isDeaf: boolean })[];
  readonly #report: ReportPort;

  constructor(watchers: readonly Watcher[], report: ReportPort) {
    this.#watchers = watchers.map((watcher) => ({ ...watcher, busy: 0, isDeaf: false }));
    this.#report = report;
  }

  get isNeeded(): boolean {
    return this.#watchers.length > 0;
  }

  /** Never throws. */
  tell(events: readonly ToldEvent[]): void {
    for (const told of events) for (const watcher of this.#watchers) this.#tellOne(watcher, told);
  }

  #tellOne(watcher: Watcher & { busy: number; isDeaf: boolean }, { name, event }: ToldEvent): void {
    const { plugin, events } = watcher;
    // Each name goes with its own event, which a union of handlers cannot say.
    const handler = events[name] as ((event: unknown) => Promise<void> | void) | undefined;
    if (handler === undefined) return;
    if (watcher.busy >= MAX_BUSY_EVENTS) {
      if (!watcher.isDeaf) this.#report.report("event.dropped", { plugin, event: name, busy: watcher.busy });
      watcher.isDeaf = true;
      return;
    }
    watcher.busy++;
    void this.#call(plugin, name, () => handler.call(events, structuredClone(event))).then(() => {
      watcher.busy--;
      watcher.isDeaf = false;
    });
  }

  async #call(plugin: string, event: string, handle: () => Promise<void> | void): Promise<void> {
    try {
      await handle();
    } catch (error) {
      this.#report.report("event.failed", { plugin, event, error: String(error) });
    }
  }
}
