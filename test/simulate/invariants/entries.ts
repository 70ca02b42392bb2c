import type { Entry } from "../../../src/kernel/index.ts";
import type { ToolResultData } from "../../../src/protocol/view.ts";
import type { CommitCheck, Invariants, StateCheck } from "../stage.ts";
import type { Stored } from "../stored.ts";

/** I-23, I-26: entries and tasks share one space of ids that only rises; no id stands for two things. */
const idsRise: CommitCheck = ({ before, after, appended }) => {
  const next = before.control.nextId;
  if (after.control.nextId < next) return `the next id went from ${next} to ${after.control.nextId}`;
  const tasks = Object.keys(after.control.tasks).filter((id) => !Object.hasOwn(before.control.tasks, id));
  // What a fork copies keeps its ids: nothing new gets one of them.
  const minted = [...appended.filter(isNew).map(({ id }) => id), ...tasks.map(Number)];
  if (new Set(minted).size !== minted.length) return `an id was used twice: ${minted.join()}`;
  const wrong = minted.find((id) => id < next || id >= after.control.nextId);
  return wrong === undefined ? undefined : `id ${wrong} is not from ${next} to ${after.control.nextId - 1}`;
};

/** I-25: an entry tells the revision of the commit that appended it. */
const entriesKnowTheirRevision: CommitCheck = ({ after, appended }) => {
  const wrong = appended.filter(isNew).find(({ rev }) => rev !== after.control.rev);
  return wrong && `entry ${wrong.id} says ${wrong.rev}, the commit is ${after.control.rev}`;
};

/** I-29, I-40: an entry never changes and never goes. */
const entriesNeverChange: StateCheck = (stage) => {
  const id = stage.findChangedEntry();
  return id === undefined ? undefined : `entry ${id} is not what it was`;
};

/** I-36, I-37: a call has one stored result at most, after its call and naming it. */
const oneResultACall: CommitCheck = ({ after, appended }) => {
  for (const { id, message, data } of appended) {
    if (message?.role !== "tool") continue;
    const { entry, index } = data as unknown as ToolResultData;
    const call = callsOf(after, entry)[index];
    if (call?.name !== message.name || entry >= id) return `result ${id} is of no call: ${entry}:${index}`;
    const results = after.entries.filter((other) => isResultOf(other, entry, index));
    if (results.length > 1) return `call ${entry}:${index} has ${results.length} results`;
  }
  return undefined;
};

/** I-43, I-44: prompt and tools are appended when they differ from the last, or when the transcript began anew. */
const promptsDiffer: CommitCheck = ({ before, appended }) => {
  const prompt = appended.find(({ kind }) => kind === "core.system");
  if (!prompt) return undefined;
  const earlier = [...before.entries, ...appended].filter(({ id }) => id < prompt.id);
  const last = earlier.findLast(({ kind, head }) => kind === "core.system" || head !== undefined);
  const [a, b] = [last, prompt].map((entry) => JSON.stringify([entry?.message, entry?.tools]));
  return a === b ? `the same prompt twice: ${a}` : undefined;
};

/** True for what was not copied from another conversation. */
export function isNew({ inherited }: Pick<Entry, "inherited">): boolean {
  return inherited !== true;
}

/** The calls of an assistant entry. */
export function callsOf({ entries }: Pick<Stored, "entries">, id: number): readonly { readonly name: string }[] {
  const message = entries.find((entry) => entry.id === id)?.message;
  return message?.role === "assistant" ? message.content.filter((part) => part.type === "call") : [];
}

/** True for the stored result of a call. */
export function isResultOf(other: Stored["entries"][number], entry: number, index: number): boolean {
  if (other.message?.role !== "tool") return false;
  const data = other.data as unknown as ToolResultData;
  return data.entry === entry && data.index === index;
}

export const ENTRY_INVARIANTS: Invariants = {
  commit: [idsRise, entriesKnowTheirRevision, oneResultACall, promptsDiffer],
  step: [entriesNeverChange],
};
