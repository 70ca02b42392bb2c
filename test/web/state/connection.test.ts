import { describe, expect, it } from "vitest";
import { CLOSE } from "../../../src/protocol/close.ts";
import {
  BUSY_PAUSE_MS,
  type Connection,
  decideAfterLoss,
  type Loss,
  MAX_PAUSE_MS,
  pauseMs,
} from "../../../web/src/state/connection.ts";

const calm = { attempt: 0, online: true, nowMs: 1_000, random: 0.5 };

function why(loss: Loss, online = true): string {
  const next: Connection = decideAfterLoss(loss, { ...calm, online });
  return next.status === "waiting" || next.status === "ended" ? `${next.status} ${next.why}` : next.status;
}

describe("connection", () => {
  it("[L-9] says why there is no connection", () => {
    expect(why({ kind: "closed", code: 1006 })).toBe("waiting unreachable");
    expect(why({ kind: "closed", code: 1006 }, false)).toBe("waiting offline");
    expect(why({ kind: "closed", code: 1012 })).toBe("waiting restarting");
    expect(why({ kind: "closed", code: 1001 })).toBe("waiting restarting");
    expect(why({ kind: "closed", code: CLOSE.internal })).toBe("waiting unreachable");
    expect(why({ kind: "probed", status: undefined })).toBe("waiting unreachable");
    expect(why({ kind: "probed", status: 503 })).toBe("waiting restarting");
    expect(why({ kind: "probed", status: 200 })).toBe("waiting unreachable");
  });

  it("[L-10] pauses grow with jitter up to 30 s", () => {
    const pauses = [0, 1, 2, 3, 10, 60].map((attempt) => pauseMs({ ...calm, attempt, random: 1 - Number.EPSILON }));
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000, MAX_PAUSE_MS, MAX_PAUSE_MS]);
    expect(pauseMs({ ...calm, attempt: 10, random: 0 })).toBe(MAX_PAUSE_MS / 2);
    const next = decideAfterLoss({ kind: "closed", code: 1006 }, { ...calm, attempt: 3 });
    expect(next).toEqual({ status: "waiting", why: "unreachable", attempt: 4, until: 1_000 + 3_000 });
  });

  it("[L-10] a refusal for rate waits at least 10 s", () => {
    for (const loss of [
      { kind: "closed", code: CLOSE.rate },
      { kind: "probed", status: 429 },
    ] as const) {
      expect(decideAfterLoss(loss, calm)).toMatchObject({ why: "busy", until: 1_000 + BUSY_PAUSE_MS });
    }
  });

  it("[L-11] an ended session, a lost right and a deleted conversation are the end", () => {
    expect(why({ kind: "closed", code: CLOSE.expired })).toBe("ended signed_out");
    expect(why({ kind: "closed", code: CLOSE.forbidden })).toBe("ended forbidden");
    expect(why({ kind: "closed", code: CLOSE.gone })).toBe("ended gone");
    expect(why({ kind: "probed", status: 401 })).toBe("ended signed_out");
    expect(why({ kind: "probed", status: 403 })).toBe("ended forbidden");
    expect(why({ kind: "probed", status: 404 })).toBe("ended gone");
    expect(why({ kind: "probed", status: 401 }, false)).toBe("ended signed_out");
  });
});
