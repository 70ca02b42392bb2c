import { addUsage, NO_USAGE, type Usage } from "../../../src/protocol/message.ts";
import type { AssistantEntryData } from "../../../src/protocol/view.ts";
import { SCRIPTED_USAGE } from "../../kit/scripted-model.ts";
import type { CommitCheck, Invariants } from "../stage.ts";
import { isNew } from "./entries.ts";

/** I-117, I-118: a turn that is stopping stays so until it ends, for the same speaker. */
const stoppingIsFinal: CommitCheck = ({ before, after }) => {
  const [old, now] = [before.control.turn, after.control.turn];
  if (!old || old.task !== now?.task) return undefined;
  if (old.stopping && !now.stopping) return `turn ${now.task} is not stopping any more`;
  if (old.actor !== now.actor) return `turn ${now.task} was ${old.actor}'s and is ${now.actor}'s`;
  const left = old.inputs.find((key) => !now.inputs.includes(key));
  return left && `${left} left turn ${now.task}`;
};

/** I-94: a turn begins for inputs that are placed in the same commit; nothing else begins one. */
const turnsBeginForInputs: CommitCheck = ({ before, after, appended }) => {
  const { turn } = after.control;
  if (!turn || turn.task === before.control.turn?.task) return undefined;
  const placed = new Set(appended.map(({ id }) => id));
  const isPlaced = (key: string) => placed.has(after.inputs.get(key)?.entry ?? 0);
  return turn.inputs.length > 0 && turn.inputs.every(isPlaced)
    ? undefined
    : `turn ${turn.task} of ${turn.inputs.join()}`;
};

/** I-100: a stop withdraws what its speaker had queued, and only that; what the system has to tell stays. */
const stopWithdrawsOwnQueue: CommitCheck = ({ before, after }) => {
  const [old, now] = [before.control.turn, after.control.turn];
  if (!now?.stopping || old?.task !== now.task || old.stopping) return undefined;
  for (const { key, actor } of before.control.inbox) {
    const isWithdrawn = actor === now.actor && !key.startsWith("system:");
    if (after.control.inbox.some((item) => item.key === key) === isWithdrawn) return `${key} of ${actor}`;
  }
  return undefined;
};

/** I-94: a turn answers what its own speaker said. */
const turnsHaveOneSpeaker: CommitCheck = ({ after: { control, inputs } }) => {
  const other = control.turn?.inputs.find((key) => inputs.get(key)?.actor !== control.turn?.actor);
  return other && `${other} is part of a turn of ${control.turn?.actor}`;
};

/** I-106: the last answer, the ends of its inputs and the end of its turn are one commit. */
const answersEndTurns: CommitCheck = ({ before, after, appended }) => {
  // A handler may make the turn go on.
  if (appended.some(({ data }) => JSON.stringify(data ?? null).includes("system:yield:"))) return undefined;
  for (const { id, task, message } of appended) {
    if (message?.role !== "assistant" || message.content.some((part) => part.type === "call")) continue;
    if (task !== undefined && task === before.control.turn?.task && after.control.turn?.task === task)
      return `entry ${id} answers, and turn ${task} goes on`;
  }
  return undefined;
};

/** I-36: each call of a stored answer is a task of the turn, or has its result. */
const callsBecomeTasks: CommitCheck = ({ after, appended }) => {
  const tools = new Set((after.control.turn?.tools ?? []).map(({ entry, index }) => `${entry}:${index}`));
  for (const { id, message } of appended.filter(isNew)) {
    if (message?.role !== "assistant") continue;
    const calls = message.content.filter((part) => part.type === "call");
    const lost = calls.findIndex((_call, index) => !tools.has(`${id}:${index}`));
    if (lost >= 0 && lost < MAX_CALLS) return `call ${id}:${lost} became no task`;
  }
  return undefined;
};

const MAX_CALLS = 64;

/** T-22: usage holds what the entries tell, what came to nothing besides, and nothing twice. */
const usageIsTheSum: CommitCheck = ({ after: { control, entries } }, { world }) => {
  const told = entries
    .filter(isNew)
    .reduce<Usage>((sum, { data }) => addUsage(sum, usageOf(data) ?? NO_USAGE), NO_USAGE);
  const most = world.model.requests.length * SCRIPTED_USAGE.input;
  const isRight = told.input <= control.usage.input && control.usage.input <= most;
  return isRight
    ? undefined
    : `the entries tell ${told.input}, counted is ${control.usage.input}, sent at most ${most}`;
};

function usageOf(data: unknown): Usage | undefined {
  return (data as Partial<AssistantEntryData> | undefined)?.usage;
}

export const TURN_INVARIANTS: Invariants = {
  commit: [
    turnsBeginForInputs,
    stoppingIsFinal,
    stopWithdrawsOwnQueue,
    turnsHaveOneSpeaker,
    answersEndTurns,
    callsBecomeTasks,
    usageIsTheSum,
  ],
};
