import { tasksOf } from "../../../src/kernel/state/control.ts";
import type { CommitCheck, Invariants, StateCheck } from "../stage.ts";
import type { StoredInput } from "../stored.ts";
import { isNew } from "./entries.ts";

const FORWARD: Readonly<Record<StoredInput["status"], readonly StoredInput["status"][]>> = {
  queued: ["placed", "done", "unanswered"],
  placed: ["done", "unanswered"],
  done: [],
  unanswered: [],
};

/** I-96, I-1: queued inputs are in the inbox, placed ones in the running turn, settled ones in neither, and none twice. */
const eachInputInOnePlace: CommitCheck = ({ after: { control, inputs } }) => {
  const inbox = control.inbox.map(({ key }) => key);
  const turn = control.turn?.inputs ?? [];
  const places = [...inbox, ...turn];
  if (new Set(places).size !== places.length) return `twice in ${JSON.stringify(places)}`;
  for (const [key, { status }] of inputs) {
    const expected = status === "queued" ? inbox : status === "placed" ? turn : undefined;
    if (expected ? !expected.includes(key) : places.includes(key))
      return `${key} is ${status}, places ${places.join()}`;
  }
  const lost = places.find((key) => !inputs.has(key));
  return lost && `${lost} has no row`;
};

/** I-92, I-99: a status goes forward only, and what ended stays as it ended. */
const statusesGoForward: CommitCheck = ({ before, after }) => {
  for (const [key, old] of before.inputs) {
    const now = after.inputs.get(key);
    if (!now) return `${key} is gone`;
    if (
      now.status === old.status
        ? JSON.stringify(now) !== JSON.stringify(old)
        : !FORWARD[old.status].includes(now.status)
    )
      return `${key} was ${JSON.stringify(old)} and is ${JSON.stringify(now)}`;
  }
  return undefined;
};

/** I-90: an input is placed by one entry at most, and that entry stands in the transcript. */
const inputsArePlacedOnce: CommitCheck = ({ before, after, appended }) => {
  const placed = new Set(before.entries.filter(isNew).flatMap((entry) => inputOf(entry.data) ?? []));
  for (const { id, data } of appended.filter(isNew)) {
    const key = inputOf(data);
    if (key === undefined) continue;
    if (placed.has(key)) return `${key} is placed again by entry ${id}`;
    placed.add(key);
    if (after.inputs.get(key)?.entry !== id) return `entry ${id} places ${key}, whose row says otherwise`;
  }
  return undefined;
};

/** I-93, I-106: whoever shared a turn ends in the commit that ends it, with the same answer. */
const groupsEndTogether: CommitCheck = ({ before, after }) => {
  const ended = before.control.turn;
  if (!ended || after.control.turn?.task === ended.task) return undefined;
  const ends = new Set(ended.inputs.map((key) => endOf(after.inputs.get(key))));
  return ends.size > 1 || ends.has("open") ? `${ended.inputs.join()} ended as ${[...ends].join(" and ")}` : undefined;
};

/** I-92: done inputs name an answer that stands in the transcript, after the entry that placed them; writes are placed. */
const answersExist: CommitCheck = ({ after }) => {
  const kinds = new Map(after.entries.map(({ id, kind }) => [id, kind]));
  for (const [key, { status, entry = 0, answer = 0 }] of after.inputs) {
    if (status !== "done") continue;
    if (key.startsWith("write:") && kinds.has(entry)) continue;
    if (kinds.get(answer) !== "core.assistant" || answer < entry) return `${key} was answered by ${answer}`;
  }
  return undefined;
};

/** I-97, I-96: what waits waits for a running turn, or for a person after a turn that failed. */
const nothingIsStranded: CommitCheck = ({ before, after }) => {
  const { turn, inbox } = after.control;
  const isCopied = [before, after].some(({ control }) => tasksOf(control).some(({ kind }) => kind === "core.import"));
  if (turn || inbox.length === 0 || isCopied) return undefined;
  if (!before.control.turn) return before.control.inbox.length > 0 ? undefined : "something waits and nothing runs";
  const ends = before.control.turn.inputs.map((key) => endOf(after.inputs.get(key)));
  return ends.includes("unanswered failed")
    ? undefined
    : `the turn ended as ${ends.join()} and ${inbox.length} still wait`;
};

/** I-94: whoever steers joins before the next request of a new step. */
const steeringJoinsNextStep: CommitCheck = ({ before, after }) => {
  const { turn, inbox, tasks } = after.control;
  const checkpoint = turn && tasks[String(turn.task)]?.checkpoint;
  const old = turn && before.control.tasks[String(turn.task)]?.checkpoint;
  if (checkpoint?.phase !== "requesting" || old?.["step"] === checkpoint["step"]) return undefined;
  const late = inbox.find(({ mode, actor }) => mode === "steer" && actor === turn?.actor);
  return late && `${late.key} steers and is not part of step ${JSON.stringify(checkpoint["step"])}`;
};

/** I-90, I-96: what was accepted is known forever. */
const acceptedIsNeverLost: StateCheck = ({ said, stored }) => {
  const lost = [...said.keys()].find((key) => !stored.inputs.has(key));
  return lost && `${lost} was accepted and is not known any more`;
};

function inputOf(data: unknown): string | undefined {
  const key = (data as { readonly input?: unknown } | undefined)?.input;
  // What a handler says to go on, and why a copy ended early, stands for no input.
  return typeof key === "string" && !/^system:(?:yield|fork):/.test(key) ? key : undefined;
}

function endOf(input: StoredInput | undefined): string {
  if (input?.status === "done") return `done ${input.answer}`;
  return input?.status === "unanswered" ? `unanswered ${input.reason}` : "open";
}

export const INPUT_INVARIANTS: Invariants = {
  commit: [
    eachInputInOnePlace,
    statusesGoForward,
    inputsArePlacedOnce,
    groupsEndTogether,
    answersExist,
    nothingIsStranded,
    steeringJoinsNextStep,
  ],
  step: [acceptedIsNeverLost],
};
