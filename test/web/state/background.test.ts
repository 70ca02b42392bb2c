import { describe, expect, it } from "vitest";
import type { TaskView } from "../../../src/protocol/view.ts";
import { backgroundTasks, describeCompaction } from "../../../web/src/state/background.ts";
import { makeCompaction, makeTurn, makeView } from "./sample-view.ts";

function lines(tasks: { readonly [id: string]: TaskView }): readonly string[] {
  return backgroundTasks(makeView({ tasks })).map(({ name, words }) => `${name}: ${words}`);
}

describe("what runs beside the conversation", () => {
  it("[L-54] a task is named by its kind and told by what the kind describes", () => {
    expect(lines({ 4: { kind: "core.call", status: "watching" } })).toEqual(["tool call: watching"]);
    const call = (phase: string) => lines({ 4: { kind: "core.call", status: { phase } } });
    expect([call("check"), call("started")]).toEqual([["tool call: waits for somebody"], ["tool call: runs"]]);
    expect(lines({ 4: { kind: "digest", status: { phase: "wait", left: 3 } } })).toEqual(["digest: wait, left 3"]);
    expect(lines({ 4: { kind: "digest.nightly_run", status: "x" } })).toEqual(["nightly run: x"]);
    expect(lines({ 4: { kind: "digest", status: null } })).toEqual(["digest: "]);
    expect(lines({ 4: { kind: "digest", status: "x".repeat(500) } })[0]).toHaveLength("digest: ".length + 120);
  });

  it("[L-54] missing code and stopping are told instead", () => {
    expect(lines({ 4: { kind: "digest", status: "x", blocked: true } })).toEqual([
      "digest: its code is missing; it waits",
    ]);
    const [task] = backgroundTasks(makeView({ tasks: { 4: { kind: "digest", status: "x", stopping: true } } }));
    expect(task).toMatchObject({ id: 4, words: "stopping…", isStopping: true });
  });

  it("[L-54] a summary that was asked for is one line; one inside of a turn is told with the turn", () => {
    const compaction = makeCompaction({ task: 11, part: 2 });
    const tasks = { 11: { kind: "core.compaction", status: "x" }, 12: { kind: "digest", status: "y" } };
    const shown = backgroundTasks(makeView({ compaction, tasks }));
    expect(shown.map(({ id, words }) => [id, words])).toEqual([
      [11, "Summarising older messages… part 2 of 3"],
      [12, "y"],
    ]);
    expect(backgroundTasks(makeView({ compaction, tasks, turn: makeTurn() })).map(({ id }) => id)).toEqual([12]);
  });

  it("[L-49] the part is told where there are several, and later attempts", () => {
    expect(describeCompaction(makeCompaction({ parts: 1 }))).toBe("Summarising older messages…");
    expect(describeCompaction(makeCompaction({ part: 2 }))).toBe("Summarising older messages… part 2 of 3");
    expect(describeCompaction(makeCompaction({ attempt: 2, part: 3 }))).toBe(
      "Summarising older messages… part 3 of 3, attempt 2",
    );
    expect(describeCompaction(makeCompaction({ stopping: true }))).toBe("Stopping the summary…");
  });
});
