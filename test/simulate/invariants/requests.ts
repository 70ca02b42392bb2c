import type { Entry, ModelRequest } from "../../../src/kernel/index.ts";
import { MAX_ATTEMPTS } from "../../../src/kernel/limits.ts";
import type { GenerationCheckpoint } from "../../../src/kernel/state/checkpoints.ts";
import type { AssistantEntryData } from "../../../src/protocol/view.ts";
import { checkMessages } from "../../kit/check-messages.ts";
import { HINT } from "../actors/watcher.ts";
import type { Invariants, RequestCheck, Stage, StateCheck } from "../stage.ts";
import type { Stored } from "../stored.ts";
import { isSummaryRequest, marksIn } from "../vendor.ts";
import { callsOf, isNew, isResultOf } from "./entries.ts";

/** The request that the turn's generation committed before it was sent. */
function committedRequest({ stored }: Pick<Stage, "stored">): (GenerationCheckpoint & { task: number }) | undefined {
  const { turn, tasks } = stored.control;
  const checkpoint = turn && (tasks[String(turn.task)]?.checkpoint as unknown as GenerationCheckpoint);
  return checkpoint ? { ...checkpoint, task: turn.task } : undefined;
}

/** I-57: a request leaves only after the commit that says so, and not in a turn that is stopping. */
const requestingBeforeRequest: RequestCheck = (request, { stored }) => {
  if (isSummaryRequest(request)) return undefined;
  const committed = committedRequest({ stored });
  if (committed?.phase !== "requesting") return `asked in the phase ${committed?.phase}`;
  return stored.control.turn?.stopping ? "asked although the turn is stopping" : undefined;
};

/** I-36, I-37, I-38: every vendor's wire takes the request: pairs complete, in call order, nothing empty. */
const requestsAreValid: RequestCheck = ({ messages }) => {
  const complaints = checkMessages(messages);
  return complaints.length > 0 ? complaints.join("; ") : undefined;
};

/** I-42, I-38, I-39: a request says what entries up to its cutoff say, all of it, in order, and nothing else. */
const cutoffIsRespected: RequestCheck = (request, { stored }) => {
  if (isSummaryRequest(request)) return undefined;
  const committed = committedRequest({ stored });
  if (!committed?.pinned) return "nothing is pinned";
  const { cutoff } = committed.pinned;
  const expected = messagesFor(stored, cutoff).flatMap(({ message }) => marksIn(JSON.stringify(message)));
  const said = request.messages.flatMap((message) => marksIn(JSON.stringify(message)));
  const pinned = pinnedMarks(stored, cutoff);
  const lost = expected.find((mark) => !said.includes(mark));
  const added = said.find((mark) => !expected.includes(mark) && !pinned.includes(mark));
  const isTwice = said.some(
    (mark, at) => said.indexOf(mark) !== at && expected.filter((one) => one === mark).length < 2,
  );
  if (lost === undefined && added === undefined && !isTwice) return undefined;
  return `up to ${cutoff} the entries say ${expected.join()}, pins ${pinned.join()}, the request ${said.join()}`;
};

/** I-30, I-34: the entries that models read up to a cutoff; of those that began the transcript anew the newest only. */
function messagesFor({ entries }: Stored, cutoff: number): readonly Entry[] {
  const known = entries.filter(({ id }) => id <= cutoff);
  const head = known.findLast((entry) => entry.head !== undefined);
  const isActive = ({ id }: Entry) => !head || id >= head.id || holds(head.head ?? [], id);
  const active = known.filter(isActive);
  const opening = active.findLast((entry) => entry.head !== undefined && entry.message !== undefined);
  return active.filter((entry) => isForModels(entry) && (entry.head === undefined || entry === opening));
}

function pinnedMarks({ rewindable, entries }: Stored, cutoff: number): readonly string[] {
  const { entries: ids = [] } = JSON.parse(rewindable.get("core.pins") ?? "{}") as { entries?: readonly number[] };
  const pinned = entries.filter(({ id }) => id <= cutoff && ids.includes(id));
  return pinned.flatMap(({ message }) => marksIn(JSON.stringify(message)));
}

function holds(spans: readonly (readonly [number, number])[], id: number): boolean {
  return spans.some(([from, to]) => from <= id && id <= to);
}

/** I-37: before the next request every call of the transcript has its stored result. */
const callsHaveResults: RequestCheck = (request, { stored }) => {
  if (isSummaryRequest(request)) return undefined;
  const cutoff = committedRequest({ stored })?.pinned?.cutoff ?? 0;
  for (const { id } of messagesFor(stored, cutoff)) {
    const open = callsOf(stored, id).findIndex((_call, index) => {
      return !stored.entries.some((other) => other.id <= cutoff && isResultOf(other, id, index));
    });
    if (open >= 0) return `call ${id}:${open} has no result before the cutoff ${cutoff}`;
  }
  return undefined;
};

function isForModels({ message, data }: Pick<Entry, "message" | "data">): boolean {
  const { display } = (data ?? {}) as Partial<AssistantEntryData>;
  return message !== undefined && message.role !== "system" && display === undefined;
}

/** Tells one pinned request from any other: a step may be made anew behind a summary. */
function pinnedName(stage: Pick<Stage, "stored">): string {
  const { task, step, pinned } = committedRequest(stage) ?? {};
  return `step ${step} of turn ${task} up to ${pinned?.cutoff}`;
}

/** T-17, T-19: a step has five attempts at most, those that a crash cut counted. */
function attemptsAreCounted(): RequestCheck {
  const counts = new Map<string, number>();
  const attemptsAreBounded: RequestCheck = (request, { stored }) => {
    if (isSummaryRequest(request)) return undefined;
    const key = pinnedName({ stored });
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count > MAX_ATTEMPTS ? `attempt ${count} of ${key}` : undefined;
  };
  return attemptsAreBounded;
}

/** I-42: a repeat of a step sends the same bytes, whatever code came or went meanwhile. */
function repeatedStepsAreEqual(): RequestCheck {
  const sent = new Map<string, ModelRequest>();
  const repeatsAreEqual: RequestCheck = (request, { stored }) => {
    if (isSummaryRequest(request)) return undefined;
    const key = pinnedName({ stored });
    const first = sent.get(key);
    if (!first) {
      sent.set(key, unedited(request));
      return undefined;
    }
    const [a, b] = [JSON.stringify(first), JSON.stringify(unedited(request))];
    return a === b ? undefined : `step ${key} sent ${a}, then ${b}`;
  };
  return repeatsAreEqual;
}

/** The request before a handler put its hint in: what handlers make of messages is never stored. */
function unedited<T extends ModelRequest | undefined>(request: T): T {
  const messages = request?.messages.filter((message) => JSON.stringify(message) !== JSON.stringify(HINT));
  return structuredClone(request && { ...request, messages });
}

/** K-67: what was sent for an answer can be made again, to the byte, whatever happened since. */
const sentRequestsComeAgain: StateCheck = ({ stored, world }) => {
  for (const entry of stored.entries) {
    const { id, kind, message } = entry;
    const [mark] =
      kind === "core.assistant" && isForModels(entry) && isNew(entry) ? marksIn(JSON.stringify(message)) : [];
    if (mark === undefined) continue;
    const sent = unedited(world.model.requests[Number(/\d+/.exec(mark)?.[0])]);
    const again = world.kernel.history.sentRequest(id)?.request;
    if (JSON.stringify(again) !== JSON.stringify(sent))
      return `for ${id} ${JSON.stringify(sent)} was sent, not ${JSON.stringify(again)}`;
  }
  return undefined;
};

export function requestInvariants(): Invariants {
  return {
    request: [
      requestingBeforeRequest,
      requestsAreValid,
      cutoffIsRespected,
      callsHaveResults,
      attemptsAreCounted(),
      repeatedStepsAreEqual(),
    ],
    rest: [sentRequestsComeAgain],
  };
}
