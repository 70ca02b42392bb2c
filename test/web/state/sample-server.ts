import type { Json } from "../../../src/lib/json.ts";
import type { LiveText, ServerFrame } from "../../../src/protocol/frames.ts";
import { foldOps, type Op } from "../../../src/protocol/ops.ts";
import type { View } from "../../../src/protocol/view.ts";
import { answerEntry, makeTurn, makeView, userEntry } from "./sample-view.ts";

/** What the model server can be told to do. */
export type ServerAct =
  | { readonly kind: "say"; readonly text: string }
  | { readonly kind: "begin" }
  | { readonly kind: "stream"; readonly text: string }
  | { readonly kind: "retry" }
  | { readonly kind: "answer" }
  | { readonly kind: "proceed" }
  | { readonly kind: "end" };

const WINDOW = 4;

/** A small truthful server: the view by folding its own operations, streamed text beside it. */
export function makeServer() {
  let view: View = makeView();
  let rev = 1;
  let entryId = 0;
  let task = 6;
  /** Counts the turn's requests, as the real server numbers streamed text: a new step never reuses a number. */
  let attempt = 1;
  let text = "";
  const streamed = new Set<string>();

  const commit = (ops: readonly Op[]): ServerFrame[] => {
    if (ops.length === 0) return [];
    rev += 1;
    view = foldOps(view as unknown as Json, ops) as unknown as View;
    return [{ type: "commit", rev, ops, events: [] }];
  };
  const append = (entry: unknown): Op[] => {
    const count = view.entries.length;
    const add: Op = ["p", ["entries"], count, 0, JSON.parse(JSON.stringify(entry)) as Json];
    return count < WINDOW ? [add] : [add, ["p", ["entries"], 0, 1], ["s", ["earlier"], true]];
  };
  const act = (what: ServerAct): ServerFrame[] => {
    switch (what.kind) {
      case "say":
        entryId += 1;
        return commit(append(userEntry(entryId, what.text)));
      case "begin":
        if (view.turn !== null) return [];
        task += 1;
        attempt = 1;
        text = "";
        return commit([["s", ["turn"], JSON.parse(JSON.stringify(makeTurn({ task }))) as Json]]);
      case "stream": {
        if (view.turn?.stage !== "requesting") return [];
        const offset = text.length;
        text += what.text;
        for (let i = 1; i <= text.length; i++) streamed.add(key(task, attempt, text.slice(0, i)));
        return [{ type: "delta", task, attempt, channel: "text", offset, text: what.text }];
      }
      case "retry": {
        if (view.turn?.stage !== "requesting") return [];
        attempt += 1;
        text = "";
        const first = commit([["s", ["turn", "stage"], "retrying"]]);
        return [
          ...first,
          ...commit([
            ["s", ["turn", "stage"], "requesting"],
            ["s", ["turn", "attempt"], attempt],
          ]),
        ];
      }
      case "answer": {
        if (view.turn?.stage !== "requesting") return [];
        entryId += 1;
        const entry = answerEntry(entryId, text, { task });
        text = "";
        return commit([...append(entry), ["s", ["turn", "stage"], "tools"]]);
      }
      case "proceed":
        if (view.turn?.stage !== "tools") return [];
        attempt += 1;
        return commit([
          ["s", ["turn", "stage"], "requesting"],
          ["s", ["turn", "step"], view.turn.step + 1],
        ]);
      case "end":
        text = "";
        return view.turn === null ? [] : commit([["s", ["turn"], null]]);
    }
  };
  const live = (): LiveText[] => (text === "" ? [] : [{ task, attempt, channel: "text", text }]);
  return {
    act,
    hello: (lastRev: number | undefined): ServerFrame =>
      lastRev === rev ? { type: "ready", rev, live: live() } : { type: "snapshot", rev, view, live: live() },
    rev: () => rev,
    view: () => view,
    task: () => task,
    liveText: () => text,
    /** True for a text that this task and attempt really had at some time. */
    everStreamed: (item: LiveText | undefined) =>
      item === undefined || streamed.has(key(item.task, item.attempt, item.text)),
  };
}

function key(task: number, attempt: number, text: string): string {
  return JSON.stringify([task, attempt, text]);
}
