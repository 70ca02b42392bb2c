import { describe, expect, it } from "vitest";
import { err, ok } from "../../../src/lib/result.ts";
import { History } from "../../../web/src/app/history.ts";
import type { Refused, Rest } from "../../../web/src/net/rest.ts";

const LOST: Refused = { status: undefined, code: "unreachable", message: "The server cannot be reached." };

function makeHistory(rest: Partial<Rest>) {
  const done: string[] = [];
  const refused: string[] = [];
  let ids = 0;
  const ports = { rest: rest as Rest, uuid: () => `uuid-${++ids}` };
  const history = new History("c1", ports, {
    onDone: (words) => done.push(words),
    onRefusal: (message) => refused.push(message),
  });
  return { history, done, refused };
}

describe("commands about the past", () => {
  it("[L-59] a fork whose answer was lost is asked for again under the same UUID, the next one under its own", async () => {
    const asked: [string, number][] = [];
    let isLost = true;
    const { history, refused } = makeHistory({
      fork: (_id, fork, at) => {
        asked.push([fork, at]);
        return Promise.resolve(isLost ? err(LOST) : ok({}));
      },
    });
    expect(await history.fork(7)).toBeUndefined();
    expect(refused).toEqual([LOST.message]);
    isLost = false;
    expect(await history.fork(9)).toBe("uuid-2");
    expect(await history.fork(7)).toBe("uuid-1");
    expect(await history.fork(7)).toBe("uuid-3");
    expect(asked).toEqual([
      ["uuid-1", 7],
      ["uuid-2", 9],
      ["uuid-1", 7],
      ["uuid-3", 7],
    ]);
  });

  it("[L-51] what the server says to a summary is told; one that starts speaks for itself", async () => {
    let started = true;
    const { history, done, refused } = makeHistory({
      compact: () => Promise.resolve(ok({ started })),
      reset: () => Promise.resolve(err({ status: 409, code: "busy", message: "Something runs." })),
    });
    await history.compact();
    expect(done).toEqual([]);
    started = false;
    await history.compact();
    expect(done).toEqual(["Older messages are being summarised already."]);
    await history.startAfresh();
    expect(refused).toEqual(["Something runs."]);
  });

  it("[L-51] that there is nothing to do is told as an answer, not as a problem", async () => {
    const message = "There is nothing to summarise.";
    const { history, done, refused } = makeHistory({
      compact: () => Promise.resolve(err({ status: 409, code: "nothing_to_do", message })),
    });
    await history.compact();
    expect([done, refused]).toEqual([[message], []]);
  });

  it("[L-61] a refused pin is told", async () => {
    const message = "20 messages are pinned already. Unpin one first.";
    const { history, refused } = makeHistory({
      pin: () => Promise.resolve(err({ status: 413, code: "too_large", message })),
    });
    await history.pin(4, true);
    expect(refused).toEqual([message]);
  });
});
