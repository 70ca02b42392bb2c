import type { HostRead } from "./host-tx.ts";

/** Whom a prompt is made for. */
export interface SectionContext {
  readonly actor: string;
  readonly read: HostRead;
  readonly now: number;
}

/**
 * A part of the system prompt. `stable` text is stored as an entry when it changes, so it must not hold times or counters;
 * those belong into a `volatile` section, which goes last and is never stored.
 */
export interface Section {
  readonly name: string;
  readonly kind: "stable" | "volatile";
  /** A throw leaves the section out of this request and is reported. */
  render(context: SectionContext): string | Promise<string>;
}
