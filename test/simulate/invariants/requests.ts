import type { ModelRequest } from "../../../src/kernel/index.ts";
import { MAX_ATTEMPTS } from "../../../src/kernel/limits.ts";
import type { GenerationCheckpoint } from "../../../src/kernel/state/checkpoints.ts";
import type { AssistantEntryData } from "../../../src/protocol/view.ts";
import { checkMessages } from "../../kit/check-messages.ts";
import type { Invariants, RequestCheck, Stage } from "../stage.ts";
import type { Stored } from "../stored.ts";
import { marksIn } from "../vendor.ts";
import { callsOf, isResultOf } from "./entries.ts";

/** The request that the turn's generation committed before it was sent. */
function committedRequest({ stored }: Pick<Stage, "stored">): (GenerationCheckpoint & { task: number }) | undefined {
  const { turn, tasks } = stored.control;
  const checkpoint = turn && (tasks[String(turn.task)]?.checkpoint as unknown as GenerationCheckpoint);
  return checkpoint ? { ...checkpoint, task: turn.task } : undefined;
}

/** I-57: a request leaves only after the commit that says so, and not in a turn that is stopping. */
const requestingBeforeRequest: RequestCheck = (_request, { stored }) => {
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
  const committed = committedRequest({ stored });
  if (!committed?.pinned) return "nothing is pinned";
  const { cutoff } = committed.pinned;
  const visible = stored.entries.filter((entry) => entry.id <= cutoff && isForModels(entry));
  const expected = visible.flatMap((entry) => marksIn(JSON.stringify(entry.message)));
  const said = request.messages.flatMap((message) => marksIn(JSON.stringify(message)));
  const [a, b] = [expected.toSorted().join(), said.toSorted().join()];
  return a === b ? undefined : `up to ${cutoff} the entries say ${a}, the request ${b}`;
};

/** I-37: before the next request every call of the transcript has its stored result. */
const callsHaveResults: RequestCheck = (_request, { stored }) => {
  const cutoff = committedRequest({ stored })?.pinned?.cutoff ?? 0;
  for (const { id } of stored.entries.filter((entry) => entry.id <= cutoff && isForModels(entry))) {
    const open = callsOf(stored, id).findIndex((_call, index) => {
      return !stored.entries.some((other) => other.id <= cutoff && isResultOf(other, id, index));
    });
    if (open >= 0) return `call ${id}:${open} has no result before the cutoff ${cutoff}`;
  }
  return undefined;
};

function isForModels({ message, data }: Stored["entries"][number]): boolean {
  const { display } = (data ?? {}) as Partial<AssistantEntryData>;
  return message !== undefined && message.role !== "system" && display === undefined;
}

/** T-17, T-19: a step has five attempts at most, those that a crash cut counted. */
function attemptsAreCounted(): RequestCheck {
  const counts = new Map<string, number>();
  const attemptsAreBounded: RequestCheck = (_request, { stored }) => {
    const { task, step } = committedRequest({ stored }) ?? {};
    const count = (counts.get(`${task}:${step}`) ?? 0) + 1;
    counts.set(`${task}:${step}`, count);
    return count > MAX_ATTEMPTS ? `attempt ${count} of step ${step} of turn ${task}` : undefined;
  };
  return attemptsAreBounded;
}

/** I-42: a repeat of a step sends the same bytes, whatever code came or went meanwhile. */
function repeatedStepsAreEqual(): RequestCheck {
  const sent = new Map<string, ModelRequest>();
  const repeatsAreEqual: RequestCheck = (request, { stored }) => {
    const { task, step } = committedRequest({ stored }) ?? {};
    const key = `${task}:${step}`;
    const first = sent.get(key);
    if (!first) {
      sent.set(key, structuredClone(request));
      return undefined;
    }
    const [a, b] = [JSON.stringify(first), JSON.stringify(request)];
    return a === b ? undefined : `step ${key} sent ${a}, then ${b}`;
  };
  return repeatsAreEqual;
}

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
  };
}
