import { describe, expect, it } from "vitest";
import { abortable } from "../../src/lib/abortable.ts";

describe("abortable", () => {
  const reason = new Error("enough");
  const never = new AbortController().signal;

  it("[G-19] gives the work's own outcome", async () => {
    await expect(abortable(Promise.resolve(1), never)).resolves.toBe(1);
    await expect(abortable(Promise.reject(new Error("own")), never)).rejects.toThrow("own");
  });

  it("[G-19] rejects with the signal's reason while the work hangs, and when it was aborted before", async () => {
    const stop = new AbortController();
    const waiting = abortable(new Promise(() => undefined), stop.signal);
    stop.abort(reason);
    await expect(waiting).rejects.toMatchObject({ cause: reason });
    await expect(abortable(Promise.resolve(1), stop.signal)).rejects.toMatchObject({ cause: reason });
  });

  it("[G-19] work that fails after the abort disturbs nobody", async () => {
    const stop = new AbortController();
    let fail: (error: Error) => void = () => undefined;
    const waiting = abortable(new Promise((_, reject) => (fail = reject)), stop.signal);
    stop.abort(reason);
    await expect(waiting).rejects.toMatchObject({ cause: reason });
    fail(new Error("late"));
    await new Promise((resolve) => setTimeout(resolve, 1));
  });
});
