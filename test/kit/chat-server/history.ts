import type { ForkData, RewindData, View, ViewEntry } from "../../../src/protocol/view.ts";
import { type MockConversation, toJson } from "./conversation.ts";
import { Refusal } from "./refusal.ts";

const MAX_PINS = 3;

/** Refuses while something runs or waits that going back would pull the ground from under. */
function checkRest(view: View): void {
  const holds = view.plugins.holds as { readonly cards: readonly { readonly status: string }[] };
  const isWaiting = holds.cards.some((card) => card.status === "open");
  if (view.turn !== null || view.compaction !== null || isWaiting)
    throw new Refusal("busy", "An answer is running or an approval waits. Stop it or wait, then try again.");
}

/** Goes back to an entry (0: to the start): what came after it leaves the active transcript. Commits nothing. */
export function rewind(c: MockConversation, to: number, by: string): void {
  checkRest(c.view);
  if (to !== 0 && !c.active.some((entry) => entry.id === to))
    throw new Refusal("not_found", "There is no such entry in the conversation as it stands.");
  const gone = c.active.filter((entry) => entry.id > to);
  const last = gone.at(-1);
  if (last === undefined) throw new Refusal("nothing_to_do", "Nothing came after it.");
  c.active = c.active.filter((entry) => entry.id <= to);
  const data: RewindData = { to, left: [to + 1, last.id], by };
  c.append({ kind: "core.rewind", data: toJson(data) });
  const mark = c.active.at(-1);
  if (mark !== undefined) c.left.set(mark.id, gone);
}

/** What a `core.rewind` entry left behind. */
export function leftBehind(c: MockConversation, entry: number): readonly ViewEntry[] {
  const gone = c.left.get(entry);
  if (gone === undefined) throw new Refusal("not_found", "There is no such point.");
  return gone.map((one) => c.shown(one));
}

/** Fills a fresh conversation with everything up to an entry, active or left behind. */
export function fillFork(from: MockConversation, at: number, fork: MockConversation): void {
  const copied = lineTo(from, at);
  if (copied.length === 0) throw new Refusal("not_found", "There is no such entry.");
  for (const entry of copied) fork.adopt({ ...entry, inherited: true });
  for (const [id, file] of from.files) fork.files.set(id, file);
  const data: ForkData = { from: `web:${from.id}`, at };
  fork.append({ kind: "core.fork", data: toJson(data) });
  fork.commit(...fork.windowOps(), ["s", ["plugins", "chat"], toJson(from.chat)]);
}

/** The entries that somebody at this entry looks back on. */
function lineTo(c: MockConversation, at: number): readonly ViewEntry[] {
  if (c.active.some((entry) => entry.id === at)) return c.active.filter((entry) => entry.id <= at);
  for (const [mark, gone] of c.left) {
    if (!gone.some((entry) => entry.id === at)) continue;
    const data = c.entries.find((entry) => entry.id === mark)?.data as Partial<RewindData> | undefined;
    const to = data?.to ?? 0;
    return [...(to === 0 ? [] : lineTo(c, to)), ...gone.filter((entry) => entry.id <= at)];
  }
  return [];
}

export function pin(c: MockConversation, entry: number, on: boolean): void {
  const kind = c.active.find((one) => one.id === entry)?.kind;
  if (kind !== "core.user" && kind !== "core.assistant")
    throw new Refusal("not_found", "There is no such message in the conversation as it stands.");
  const others = c.view.pins.filter((id) => id !== entry);
  if (on && others.length >= MAX_PINS)
    throw new Refusal("too_large", `${MAX_PINS} messages are pinned already, which is the limit. Unpin one first.`);
  c.commit(["s", ["pins"], on ? [...others, entry] : others]);
}
