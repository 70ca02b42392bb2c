import { err, ok, type Result } from "../../lib/result.ts";
import type { RewindData, ViewEntry } from "../../protocol/view.ts";
import { renderEntry, renderWholeEntry } from "../commit/render-view.ts";
import { composeRequest } from "../context/sent-request.ts";
import { type ForkPageRequest, readForkPage } from "../fork/read-page.ts";
import { readStretches, shownSpans } from "../fork/read-shown.ts";
import type { ModelRequest } from "../ports/model.ts";
import type { ForkPage } from "../ports/origin.ts";
import type { Services } from "../run/services.ts";
import { importOf } from "../state/importing.ts";
import { HANDOFF, RESET, REWIND } from "../state/kinds.ts";
import type { Spans } from "../state/spans.ts";
import { type Entry, readEntriesAfter, readEntry, readEntryRange, readShownBefore } from "../storage/entries.ts";
import { writeEntry } from "../turn/writes.ts";
import { letRest } from "./let-rest.ts";
import { type PinRefusal, setPin } from "./pins.ts";
import { type Findings, findSaid, redactEntries, redactSaid } from "./redact.ts";
import { type RewindRefusal, rewindTo } from "./rewind.ts";
import { WALK_START, type Walk } from "./said-by.ts";

/** Entries of a branch that are shown at once. */
const MAX_LEFT_SHOWN = 200;

/** A request as it was sent, and the newest entry that it includes. */
export interface SentRequest {
  readonly request: ModelRequest;
  readonly cutoff: number;
}

/** The transcript over time: what is shown, what was left, what was sent, and how a conversation begins anew. */
export class History {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** The newest `limit` entries before an id, oldest first, as shown; `earlier` when there are more. */
  page(before: number, limit: number): { readonly entries: readonly ViewEntry[]; readonly earlier: boolean } {
    const { ports, store } = this.#services;
    const entries = readShownBefore(ports.storage, before, limit + 1, store.control.left);
    const earlier = entries.length > limit;
    return { entries: entries.slice(earlier ? 1 : 0).map(renderEntry), earlier };
  }

  /** Entries after an id, as shown, tool outputs whole; those that were left behind too. */
  entriesAfter(after: number, limit: number): readonly ViewEntry[] {
    return readEntriesAfter(this.#services.ports.storage, after, limit).map(renderWholeEntry);
  }

  /** One entry as shown, its tool output whole. */
  entry(id: number): ViewEntry | undefined {
    const entry = readEntry(this.#services.ports.storage, id);
    return entry && renderWholeEntry(entry);
  }

  /** What a rewind left behind, its first 200 entries; undefined when the entry is none. */
  left(rewind: number): readonly ViewEntry[] | undefined {
    const { storage } = this.#services.ports;
    const entry = readEntry(storage, rewind);
    if (entry?.kind !== REWIND) return undefined;
    const [from, to] = (entry.data as unknown as RewindData).left;
    return readEntryRange(storage, from, to).slice(0, MAX_LEFT_SHOWN).map(renderEntry);
  }

  /** Goes back to an entry, 0: to the start. Gives the id of the entry that says so. */
  rewind(to: number, by: string): Result<number, RewindRefusal> {
    const { store, ports } = this.#services;
    return store.commit((tx) => rewindTo(tx, ports.storage, to, by));
  }

  /** Begins the transcript anew: models see nothing from before. `queued`: when the running turn is between its steps. */
  reset(by: string): "placed" | "queued" {
    return this.#services.store.commit((tx) => placed(writeEntry(tx, { kind: RESET, data: { by } })));
  }

  /** As {@link reset}, going on from a text. */
  handOff(text: string, by: string): "placed" | "queued" {
    return this.#services.store.commit((tx) => placed(writeEntry(tx, { kind: HANDOFF, text, data: { by } })));
  }

  pin(entry: number, on: boolean): Result<void, PinRefusal> {
    return this.#services.store.commit((tx) => setPin(tx, entry, on));
  }

  /** Ends whatever still writes for these actors. False: something has not ended yet, ask again. */
  letRest(actors: readonly string[]): boolean {
    return this.#services.store.commit((tx) => letRest(tx, actors));
  }

  /** What these actors said, and what was made of it: the next stretch that still has their words. */
  said(actors: readonly string[], from: Walk = WALK_START): Findings {
    return findSaid(this.#services.ports.storage, actors, from);
  }

  /** Puts tombstones in the places of at most 200 entries. Gives how many were none before. @throws as {@link redactEntries}. */
  redact(entries: readonly number[], by: string): number {
    const { store, ports } = this.#services;
    return store.commit((tx) => redactEntries(tx, ports.storage, entries, by));
  }

  /** Forgets the rest of what is known of their inputs that ended, 200 at once. Gives how many; 0: there are no more. */
  redactInputs(actors: readonly string[]): number {
    const { store, ports } = this.#services;
    return store.commit(() => redactSaid(ports.storage, actors));
  }

  /** A page of what a fork at an entry begins with. `busy`: this one is being copied itself. `missing`: no such entry. */
  forkPage({ at, after }: ForkPageRequest): Result<ForkPage, "busy" | "missing"> {
    const { ports, store } = this.#services;
    if (importOf(store.control)) return err("busy");
    const entry = readEntry(ports.storage, at);
    return entry ? ok(readForkPage(ports.storage, entry, after)) : err("missing");
  }

  /** The newest entry, and the stretches up to it that no rewind left behind. Undefined: this one is being copied itself. */
  shown(): { readonly through: number; readonly spans: Spans } | undefined {
    const { control } = this.#services.store;
    if (importOf(control)) return undefined;
    const { lastEntry: through } = control;
    return { through, spans: shownSpans(control.left, through) };
  }

  /** The page after an entry (0: the first) of such stretches. `next`: there are more after that id. */
  stretches(spans: Spans, after: number): { readonly entries: readonly Entry[]; readonly next?: number } {
    return readStretches(this.#services.ports.storage, spans, after);
  }

  /** The request that was sent for an answer, to the byte; undefined where none was, none was recorded, or words of it were erased. */
  sentRequest(entry: number): SentRequest | undefined {
    const { ports, active } = this.#services;
    const sent = readEntry(ports.storage, entry)?.request;
    const entries = sent ? active.upTo(sent.cutoff) : [];
    // What was sent is not to be had any more: anything else would be another request.
    if (!sent || entries.some(({ redacted }) => redacted !== undefined)) return undefined;
    return { request: composeRequest(ports.storage, entries, sent), cutoff: sent.cutoff };
  }
}

function placed(entry: number | null): "placed" | "queued" {
  return entry === null ? "queued" : "placed";
}
