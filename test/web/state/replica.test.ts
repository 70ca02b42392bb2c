import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ServerFrame } from "../../../src/protocol/frames.ts";
import { liveText } from "../../../web/src/state/live.ts";
import { EMPTY_REPLICA, helloFrame, type Replica, reduceFrame, startSync } from "../../../web/src/state/replica.ts";
import { makeServer, type ServerAct } from "./sample-server.ts";
import { answerEntry, makeTurn, makeView, userEntry } from "./sample-view.ts";

function delta(offset: number, text: string, attempt = 1): ServerFrame {
  return { type: "delta", task: 7, attempt, channel: "text", offset, text };
}

function follow(frames: readonly ServerFrame[], from: Replica = EMPTY_REPLICA) {
  let replica = from;
  const asks: string[] = [];
  for (const frame of frames) {
    const step = reduceFrame(replica, frame);
    replica = step.replica;
    if (step.ask !== undefined) asks.push(step.ask);
  }
  return { replica, asks, text: liveText(replica.live, 7, "text") };
}

const running: ServerFrame = { type: "snapshot", rev: 5, view: makeView({ turn: makeTurn() }) };

describe("the page's copy of a conversation", () => {
  it("[L-1] folds the next commit, ignores a known one, asks after a gap", () => {
    const commit = (rev: number, title: string): ServerFrame => ({
      type: "commit",
      rev,
      ops: [["s", ["plugins", "chat", "title"], title]],
      events: [],
    });
    const next = follow([running, commit(6, "A"), commit(6, "B"), commit(4, "C")]);
    expect(next.replica.rev).toBe(6);
    expect(next.replica.view?.plugins.chat).toMatchObject({ title: "A" });
    expect(next.asks).toEqual([]);
    const gap = follow([running, commit(7, "D")]);
    expect(gap.asks).toEqual(["current"]);
    expect(gap.replica.view?.plugins.chat).toMatchObject({ title: "Talk" });
    expect(helloFrame(gap.replica, "current")).toEqual({ type: "hello", lastRev: 5 });
  });

  it("[L-2] an operation that does not fit asks for the whole", () => {
    const { replica, asks } = follow([
      running,
      { type: "commit", rev: 6, ops: [["p", ["entries"], 9, 1]], events: [] },
    ]);
    expect(asks).toEqual(["whole"]);
    expect(replica.rev).toBe(5);
    expect(helloFrame(replica, "whole")).toEqual({ type: "hello" });
  });

  it("[L-3] a repeated delta adds nothing, an overlap only what is new, a hole asks", () => {
    expect(follow([running, delta(0, "Hello"), delta(0, "Hello"), delta(0, "Hel")]).text).toBe("Hello");
    expect(follow([running, delta(0, "Hello"), delta(3, "lo world")]).text).toBe("Hello world");
    const hole = follow([running, delta(0, "Hello"), delta(6, "world")]);
    expect(hole.text).toBe("Hello");
    expect(hole.asks).toEqual(["current"]);
    expect(follow([running, delta(2, "x")]).asks).toEqual(["current"]);
  });

  it("[L-4] a newer attempt starts over in every channel, an older one is ignored", () => {
    const thinking: ServerFrame = { type: "delta", task: 7, attempt: 2, channel: "thinking", offset: 0, text: "Hm" };
    const next = follow([running, delta(0, "First"), thinking, delta(0, "Sec", 2), delta(5, " late", 1)]);
    expect(next.text).toBe("Sec");
    expect(liveText(next.replica.live, 7, "thinking")).toBe("Hm");
    expect(next.asks).toEqual([]);
  });

  it("[L-5] streamed text goes with its answer, its attempt and its task", () => {
    const answered: ServerFrame = {
      type: "commit",
      rev: 6,
      ops: [["p", ["entries"], 0, 0, JSON.parse(JSON.stringify(answerEntry(3, "Hello")))]],
      events: [],
    };
    const retrying: ServerFrame = { type: "commit", rev: 6, ops: [["s", ["turn", "stage"], "retrying"]], events: [] };
    const over: ServerFrame = { type: "commit", rev: 6, ops: [["s", ["turn"], null]], events: [] };
    const other: ServerFrame = { type: "commit", rev: 6, ops: [["s", ["turn", "stage"], "tools"]], events: [] };
    for (const end of [answered, retrying, over]) expect(follow([running, delta(0, "Hello"), end]).text).toBe("");
    expect(follow([running, delta(0, "Hello"), other]).text).toBe("Hello");
    expect(follow([running, delta(0, "Hello"), answered, delta(0, "Next")]).text).toBe("Next");
  });

  it("[L-5] the progress of a tool stays while it runs and goes when it is done", () => {
    const tool = { task: 8, entry: 3, index: 0, name: "t", status: "running" as const };
    const snapshot: ServerFrame = { type: "snapshot", rev: 5, view: makeView({ turn: makeTurn({ tools: [tool] }) }) };
    const progress: ServerFrame = { type: "delta", task: 8, attempt: 1, channel: "progress", offset: 0, text: "10 %" };
    const commit = (path: (string | number)[], value: string): ServerFrame => ({
      type: "commit",
      rev: 6,
      ops: [["s", path, value]],
      events: [],
    });
    const stage = follow([snapshot, progress, commit(["turn", "stage"], "tools")]);
    expect(liveText(stage.replica.live, 8, "progress")).toBe("10 %");
    const next: ServerFrame = { ...progress, text: "20 %" };
    expect(liveText(follow([snapshot, progress, next]).replica.live, 8, "progress")).toBe("20 %");
    const done = follow([snapshot, progress, commit(["turn", "tools", 0, "status"], "done")]);
    expect(liveText(done.replica.live, 8, "progress")).toBe("");
  });

  it("[L-7] commits and deltas before the answer to hello are ignored", () => {
    const { replica } = follow([running, delta(0, "Hello")]);
    const waiting = follow(
      [delta(5, " world"), { type: "commit", rev: 6, ops: [["s", ["earlier"], true]], events: [] }],
      startSync(replica),
    );
    expect(waiting.text).toBe("Hello");
    expect(waiting.replica.rev).toBe(5);
    const ready = follow(
      [{ type: "ready", rev: 5, live: [{ task: 7, attempt: 1, channel: "text", text: "Hello world" }] }],
      waiting.replica,
    );
    expect(ready.text).toBe("Hello world");
    expect(ready.replica.syncing).toBe(false);
  });

  it("[L-7] a late or doubled answer changes nothing", () => {
    const { replica } = follow([running, delta(0, "Hello")]);
    const late = follow([{ type: "ready", rev: 5 }, running, { ...running, rev: 3 }], replica);
    expect(late.replica).toBe(replica);
  });

  it("[L-8] what leaves the window's front stays before it, and pages join once", () => {
    const entries = [10, 11, 12].map((id) => userEntry(id, `m${id}`));
    const start: ServerFrame = { type: "snapshot", rev: 1, view: makeView({ entries, earlier: true }) };
    const slide: ServerFrame = {
      type: "commit",
      rev: 2,
      ops: [
        ["p", ["entries"], 0, 2],
        ["p", ["entries"], 1, 0, JSON.parse(JSON.stringify(userEntry(13, "m13")))],
      ],
      events: [],
    };
    const page: ServerFrame = {
      type: "page",
      before: 10,
      entries: [userEntry(8, "m8"), userEntry(9, "m9")],
      earlier: false,
    };
    const ids = (replica: Replica) => replica.pages.older.map((entry) => entry.id);
    const slid = follow([start, slide]);
    expect(ids(slid.replica)).toEqual([10, 11]);
    expect(slid.replica.pages.earlier).toBe(true);
    const paged = follow([page, page, { ...page, before: 12 }], slid.replica);
    expect(ids(paged.replica)).toEqual([8, 9, 10, 11]);
    expect(paged.replica.pages.earlier).toBe(false);
    const overlap: ServerFrame = {
      type: "snapshot",
      rev: 9,
      view: makeView({ entries: [userEntry(13, "m13")], earlier: true }),
    };
    expect(ids(follow([overlap], paged.replica).replica)).toEqual([8, 9, 10, 11, 12]);
    const apart: ServerFrame = {
      type: "snapshot",
      rev: 9,
      view: makeView({ entries: [userEntry(40, "m40")], earlier: true }),
    };
    const jumped = follow([apart], paged.replica).replica;
    expect(ids(jumped)).toEqual([]);
    expect(jumped.pages.earlier).toBe(true);
  });

  it("[L-6] lossy, doubling and reconnecting lines end in the server's truth and never show a text twice", () => {
    const act: fc.Arbitrary<ServerAct> = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({ kind: fc.constant("stream" as const), text: fc.string({ minLength: 1, maxLength: 6 }) }),
      },
      fc.record({ kind: fc.constant("say" as const), text: fc.string({ maxLength: 5 }) }),
      fc.constant({ kind: "begin" as const }),
      fc.constant({ kind: "answer" as const }),
      fc.constant({ kind: "proceed" as const }),
      fc.constant({ kind: "retry" as const }),
      fc.constant({ kind: "end" as const }),
    );
    const line = fc.constantFrom("pass", "pass", "pass", "drop", "double", "reconnect", "again");
    fc.assert(
      fc.property(fc.array(fc.tuple(act, line), { maxLength: 80 }), (script) => {
        const server = makeServer();
        let replica: Replica = EMPTY_REPLICA;
        let last: ServerFrame | undefined;
        const receive = (frame: ServerFrame): void => {
          const step = reduceFrame(replica, frame);
          replica = step.replica;
          if (step.ask !== undefined) greet(step.ask);
        };
        const greet = (ask: "current" | "whole"): void => {
          const hello = helloFrame(replica, ask);
          replica = startSync(replica);
          // A line never brings a frame from before the answer to hello after it.
          last = undefined;
          receive(server.hello(hello.lastRev));
        };
        greet("current");
        for (const [what, how] of script) {
          for (const frame of server.act(what)) {
            if (how !== "drop") receive(frame);
            if (how === "double") receive(frame);
            if (how === "again" && last !== undefined) receive(last);
            last = frame;
          }
          if (how === "reconnect") greet("current");
          const text = liveText(replica.live, server.task(), "text");
          expect(server.everStreamed(replica.live.find((item) => item.channel === "text"))).toBe(true);
          if (how === "pass" && replica.rev === server.rev()) expect(server.liveText().startsWith(text)).toBe(true);
        }
        greet("current");
        expect(replica.rev).toBe(server.rev());
        expect(replica.view).toEqual(server.view());
        expect(liveText(replica.live, server.task(), "text")).toBe(server.liveText());
      }),
      { numRuns: 1_000 },
    );
  });
});
