import { type Signal, signal } from "@preact/signals";

/** What became of a person's press on a card. */
export type Press = { readonly status: "sending" } | { readonly status: "refused"; readonly message: string };

export const NO_CONNECTION = "There is no connection now. Try again when it is back.";

/** Presses on cards that were not answered yet, or were refused, by hold. None outlives its connection. */
export class Presses {
  readonly all: Signal<ReadonlyMap<string, Press>> = signal(new Map());

  /** A press on each of these has left, or could not. */
  begin(holds: readonly string[], isSent: boolean): void {
    const press: Press = isSent ? { status: "sending" } : { status: "refused", message: NO_CONNECTION };
    for (const hold of holds) this.set(hold, press);
  }

  set(hold: string, press: Press): void {
    this.all.value = new Map(this.all.value).set(hold, press);
  }

  /** @returns false when the hold has no press: the refusal is about something else. */
  refuse(hold: string, message: string): boolean {
    if (!this.all.value.has(hold)) return false;
    this.set(hold, { status: "refused", message });
    return true;
  }

  keep(isKept: (hold: string, press: Press) => boolean): void {
    const kept = new Map([...this.all.value].filter(([hold, press]) => isKept(hold, press)));
    if (kept.size < this.all.value.size) this.all.value = kept;
  }
}
