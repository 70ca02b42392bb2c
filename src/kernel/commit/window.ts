import type { Json } from "../../lib/json.ts";
import type { Op } from "../../protocol/ops.ts";
import { WINDOW_KEEP_ENTRIES } from "../limits.ts";
import type { StoragePort } from "../ports/storage.ts";
import type { Control } from "../state/control.ts";
import { REWIND } from "../state/kinds.ts";
import { holdsId } from "../state/spans.ts";
import { type WindowItem, windowTrim } from "../state/window.ts";
import { type Entry, readEntryRange, readShownBefore } from "../storage/entries.ts";
import { renderEntry } from "./render-view.ts";

function windowItem(entry: Entry): WindowItem {
  const rendered = renderEntry(entry);
  return { entry: rendered, bytes: JSON.stringify(rendered).length };
}

/** The view's window as stored: what a rewind left behind is not in it. */
export function readWindow(storage: StoragePort, control: Control): readonly WindowItem[] {
  const { windowFrom, lastEntry, left } = control;
  if (windowFrom === 0) return [];
  return readEntryRange(storage, windowFrom, lastEntry).flatMap((entry) =>
    holdsId(left, entry.id) ? [] : [windowItem(entry)],
  );
}

/** The window after what a commit replaced and appended, and the operations that lead there. Writes down where it begins. */
export function moveWindow(
  before: readonly WindowItem[],
  control: Control,
  { appended, replaced }: { readonly appended: readonly Entry[]; readonly replaced: ReadonlyMap<number, Entry> },
  storage: StoragePort,
): { readonly window: readonly WindowItem[]; readonly ops: Op[] } {
  const ops: Op[] = [];
  const current = replaced.size === 0 ? before : withTombstones(before, replaced, ops);
  if (appended.length === 0) return { window: current, ops };
  const rewind = appended.find((entry) => entry.kind === REWIND && !entry.inherited);
  const standing = rewind ? withoutLeft(current, control, rewind.id, storage, ops) : current;
  const items = appended.map(windowItem);
  const grown = [...standing, ...items];
  ops.push(["p", ["entries"], standing.length, 0, ...items.map(asJson)]);
  const trim = windowTrim(grown);
  if (trim > 0) ops.push(["p", ["entries"], 0, trim]);
  const window = grown.slice(trim);
  control.windowFrom = window[0]?.entry.id ?? control.windowFrom;
  return { window, ops };
}

function withTombstones(
  before: readonly WindowItem[],
  replaced: ReadonlyMap<number, Entry>,
  ops: Op[],
): readonly WindowItem[] {
  return before.map((item, index) => {
    const entry = replaced.get(item.entry.id);
    if (!entry) return item;
    const next = windowItem(entry);
    ops.push(["s", ["entries", index], asJson(next)]);
    return next;
  });
}

/** What stays of the window when a rewind leaves its end behind; when nothing does, the stretch that it went back to. */
function withoutLeft(
  before: readonly WindowItem[],
  control: Control,
  rewind: number,
  storage: StoragePort,
  ops: Op[],
): readonly WindowItem[] {
  const stay = before.filter(({ entry }) => !holdsId(control.left, entry.id));
  if (stay.length > 0) {
    if (stay.length < before.length) ops.push(["p", ["entries"], stay.length, before.length - stay.length]);
    return stay;
  }
  const found = readShownBefore(storage, rewind, WINDOW_KEEP_ENTRIES, control.left).map(windowItem);
  ops.push(["p", ["entries"], 0, before.length, ...found.map(asJson)]);
  return found;
}

function asJson({ entry }: WindowItem): Json {
  return entry as unknown as Json;
}
