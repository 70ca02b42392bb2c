import { compactionOf } from "../../../src/kernel/state/compaction.ts";
import { tasksOf } from "../../../src/kernel/state/control.ts";
import type { SummaryData } from "../../../src/protocol/view.ts";
import type { CommitCheck, Invariants, RequestCheck } from "../stage.ts";
import { isSummaryRequest, marksIn } from "../vendor.ts";

/** I-73: one compaction lives at most. */
const oneLiveCompaction: CommitCheck = ({ after }) => {
  const live = tasksOf(after.control).filter(({ kind }) => kind === "core.compaction");
  return live.length > 1 ? `${live.length} compactions live` : undefined;
};

/** I-31, I-33: a summary stands for older entries, keeps everything after them, and parts no call from its result. */
const summariesKeepWhatIsNewer: CommitCheck = ({ before, appended }) => {
  const summary = appended.find(({ kind }) => kind === "core.summary");
  if (!summary) return undefined;
  const { through } = summary.data as unknown as SummaryData;
  const isKept = (id: number) => (summary.head ?? []).some(([from, to]) => from <= id && id <= to);
  const { kept, activeFrom, lastEntry } = before.control;
  const wasActive = (id: number) => [...kept, [activeFrom, lastEntry]].some(([a = 0, b = 0]) => a <= id && id <= b);
  if (!wasActive(through)) return `summary ${summary.id} stands for ${through}, which was not active any more`;
  const lost = before.entries.find(({ id }) => id > through && wasActive(id) && !isKept(id));
  if (lost) return `summary ${summary.id} through ${through} lost entry ${lost.id}`;
  const revived = before.entries.find(({ id }) => isKept(id) && !wasActive(id));
  return revived && `summary ${summary.id} brought entry ${revived.id} back`;
};

/** I-57: a request for a summary leaves only after the commit that says so, and not once it was stopped. */
const summarizingBeforeRequest: RequestCheck = (request, { stored }) => {
  if (!isSummaryRequest(request)) return undefined;
  const task = tasksOf(stored.control).find(({ kind }) => kind === "core.compaction");
  if (!task || task.aborting) return `asked for ${JSON.stringify(task)}`;
  return task.checkpoint.phase === "summarizing" ? undefined : `asked in the phase ${task.checkpoint.phase}`;
};

/** I-42: a summary is asked of entries up to its cut, and of nothing else. */
const summarisesWhatIsOlder: RequestCheck = (request, { stored }) => {
  const task = tasksOf(stored.control).find(({ kind }) => kind === "core.compaction");
  if (!isSummaryRequest(request) || !task) return undefined;
  const { cut } = compactionOf(task);
  const older = stored.entries.filter(({ id, head }) => id <= cut.through || head !== undefined);
  const known = new Set(older.flatMap(({ message }) => marksIn(JSON.stringify(message ?? null))));
  const before = /<summary-so-far>[^]*<\/summary-so-far>/.exec(JSON.stringify(request.messages))?.[0] ?? "";
  const soFar = marksIn(before);
  const other = marksIn(JSON.stringify(request.messages)).find((mark) => !known.has(mark) && !soFar.includes(mark));
  return other && `a summary through ${cut.through} reads ${other}`;
};

export const SUMMARY_INVARIANTS: Invariants = {
  commit: [oneLiveCompaction, summariesKeepWhatIsNewer],
  request: [summarizingBeforeRequest, summarisesWhatIsOlder],
};
