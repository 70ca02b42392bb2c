import { type Signal, signal } from "@preact/signals";
import type { Rest } from "../net/rest.ts";
import type { Asked } from "../state/route.ts";

/** Which dialog about people is open. `link`: one's own sign-ins, with one that a provider has just vouched for. */
export type AccountPanel = "sign-ins" | "link" | "people";

/** An invitation that came in the address: on its way to be kept, kept for the sign-in, or refused. */
export type Invitation =
  | { readonly status: "taking" | "kept" }
  | { readonly status: "refused"; readonly words: string };

/** What the person wants to see about themself and the people here. */
export class Account {
  readonly panel: Signal<AccountPanel | undefined> = signal(undefined);
  readonly invitation: Signal<Invitation | undefined> = signal(undefined);
  readonly #rest: Rest;

  constructor(rest: Rest) {
    this.#rest = rest;
  }

  /** Does what the address asked for. */
  async take(asked: Asked): Promise<void> {
    switch (asked.kind) {
      case "link":
        this.panel.value = "link";
        return;
      case "invitation": {
        this.invitation.value = { status: "taking" };
        const kept = await this.#rest.bringInvitation(asked.code);
        this.invitation.value = kept.ok ? { status: "kept" } : { status: "refused", words: kept.error.message };
        return;
      }
    }
  }
}
