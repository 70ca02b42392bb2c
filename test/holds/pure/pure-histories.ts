import { ANNA, BERT, OLGA, type Op } from "./pure-history.ts";

export const say = (as: readonly string[], by = ANNA): Op => ({ kind: "say", by, as, rest: true });
export const press = (changes: Partial<Extract<Op, { kind: "press" }>> = {}): Op => ({
  ...{ kind: "press", by: ANNA, card: 0, approve: true, edit: undefined, stale: false, rest: true },
  ...changes,
});

/** Histories and what runs in each: that promises are kept is worth little where nothing ever runs. */
export const HISTORIES = [
  ["pressed", ["plain"], [say(["plain"]), press()]],
  ["pressed by an owner", ["admins"], [say(["admins"], BERT), press({ by: OLGA })]],
  ["two calls of one answer", ["plain", "filed"], [say(["plain", "filed"]), press({ card: 1 }), press()]],
  ["edited", ["own"], [say(["plain"]), press({ edit: "own" })]],
  [
    "edited to what an owner approves",
    ["admins"],
    [say(["plain"], BERT), press({ by: BERT, edit: "admins" }), press({ by: OLGA })],
  ],
  [
    "many at once",
    ["plain", "filed"],
    [say(["plain", "filed"]), { kind: "many", by: ANNA, approve: true, rest: true }],
  ],
  ["late, once its turn had gone", ["plain", "free"], [say(["plain"]), say(["free"]), press()]],
  [
    "asked again",
    ["plain"],
    [
      say(["plain"]),
      { kind: "pass", ms: 25 * 3_600_000 },
      { kind: "again", by: ANNA, card: 0 },
      { kind: "settle" },
      press(),
    ],
  ],
  ["the newer of a key", ["keyed"], [say(["keyed"]), say(["keyed"]), press(), press({ card: 1 })]],
  [
    "what another key does not withdraw",
    ["filed", "plain"],
    [say(["plain", "filed"]), { kind: "withdraw" }, press(), press({ card: 1 })],
  ],
  [
    "once, asked again twice",
    ["plain"],
    [
      say(["plain"]),
      { kind: "pass", ms: 25 * 3_600_000 },
      { kind: "again", by: ANNA, card: 0 },
      { kind: "again", by: ANNA, card: 0 },
      { kind: "settle" },
      press(),
      press({ card: 1 }),
    ],
  ],
  [
    "answered while it is checked",
    ["plain"],
    [say(["plain"]), { kind: "crash" }, press({ rest: false }), { kind: "go", nths: [1, 1] }, { kind: "settle" }],
  ],
  [
    "nothing of an approver who fell",
    [],
    [say(["plain"]), { kind: "soon", in: 4, what: { kind: "tier", of: OLGA, tier: "guest" } }, press({ by: OLGA })],
  ],
  ["nothing after a stop", [], [say(["plain"]), { kind: "stop" }, press()]],
  ["nothing of another file", [], [say(["filed"]), { kind: "file" }, press()]],
  ["nothing after a withdrawal", [], [say(["keyed"]), { kind: "withdraw" }, press()]],
] as const satisfies readonly (readonly [string, readonly string[], readonly Op[]])[];
