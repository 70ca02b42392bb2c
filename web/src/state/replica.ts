import type { Json } from "../../../src/lib/json.ts";
import type { ServerFrame } from "../../../src/protocol/frames.ts";
import { foldOps, type Op } from "../../../src/protocol/ops.ts";
import type { View } from "../../../src/protocol/view.ts";
import { applyDelta, type Live, NO_LIVE } from "./live.ts";
import { mayStream, settleLive } from "./live-end.ts";
import { carryPages, type Pages, pagesOf, prependPage } from "./pages.ts";

/**
 * The page's copy of a conversation: the server's view at a revision, streaming text beside it, older entries before
 * it. Frames go in, the next copy comes out; when the copy may have a hole, `ask` says what to send.
 */
export interface Replica {
  readonly rev: number | undefined;
  readonly view: View | undefined;
  readonly pages: Pages;
  readonly live: Live;
  /** True from `hello` until its answer: frames of the stream before it would not fit. */
  readonly syncing: boolean;
}

/** `current`: say hello with the known revision. `whole`: the copy went astray, ask without one. */
export type Ask = "current" | "whole";

export interface Step {
  readonly replica: Replica;
  readonly ask?: Ask;
}

type Frame<T extends ServerFrame["type"]> = Extract<ServerFrame, { readonly type: T }>;

export const EMPTY_REPLICA: Replica = {
  rev: undefined,
  view: undefined,
  pages: { older: [], earlier: false },
  live: NO_LIVE,
  syncing: false,
};

/** Marks that `hello` was sent. */
export function startSync(replica: Replica): Replica {
  return replica.syncing ? replica : { ...replica, syncing: true };
}

/** What `hello` says about the copy. */
export function helloFrame(replica: Replica, ask: Ask): { readonly type: "hello"; readonly lastRev?: number } {
  return ask === "whole" || replica.rev === undefined ? { type: "hello" } : { type: "hello", lastRev: replica.rev };
}

/** Applies one frame. Frames that do not concern the copy (receipts, errors) leave it as it is. */
export function reduceFrame(replica: Replica, frame: ServerFrame): Step {
  switch (frame.type) {
    case "ready":
      return reduceReady(replica, frame);
    case "snapshot":
      return reduceSnapshot(replica, frame);
    case "commit":
      return reduceCommit(replica, frame);
    case "delta":
      return reduceDelta(replica, frame);
    case "page":
      return replica.view === undefined
        ? { replica }
        : { replica: { ...replica, pages: prependPage(replica.pages, replica.view, frame) } };
    default:
      return { replica };
  }
}

function reduceReady(replica: Replica, frame: Frame<"ready">): Step {
  if (!replica.syncing) return { replica };
  if (replica.view === undefined || frame.rev !== replica.rev) return { replica, ask: "whole" };
  return { replica: { ...replica, syncing: false, live: frame.live ?? NO_LIVE } };
}

function reduceSnapshot(replica: Replica, frame: Frame<"snapshot">): Step {
  const isStale = !replica.syncing && replica.rev !== undefined && frame.rev <= replica.rev;
  if (isStale) return { replica };
  const pages = replica.view === undefined ? pagesOf(frame.view) : carryPages(replica.pages, replica.view, frame.view);
  return {
    replica: { rev: frame.rev, view: frame.view, pages, live: frame.live ?? NO_LIVE, syncing: false },
  };
}

function reduceCommit(replica: Replica, frame: Frame<"commit">): Step {
  const { rev, view } = replica;
  if (replica.syncing || rev === undefined || view === undefined || frame.rev <= rev) return { replica };
  if (frame.rev > rev + 1) return { replica, ask: "current" };
  const next = foldView(view, frame.ops);
  if (next === undefined) return { replica, ask: "whole" };
  return {
    replica: {
      rev: frame.rev,
      view: next,
      pages: carryPages(replica.pages, view, next),
      live: settleLive(replica.live, view, next),
      syncing: false,
    },
  };
}

function reduceDelta(replica: Replica, frame: Frame<"delta">): Step {
  if (replica.syncing || replica.view === undefined || !mayStream(replica.view, frame)) return { replica };
  const live = applyDelta(replica.live, frame);
  if (live === undefined) return { replica, ask: "current" };
  return { replica: live === replica.live ? replica : { ...replica, live } };
}

/** The view after a commit, or undefined when an operation does not fit it. */
function foldView(view: View, ops: readonly Op[]): View | undefined {
  try {
    return foldOps(view as unknown as Json, ops) as unknown as View;
  } catch {
    return undefined;
  }
}
