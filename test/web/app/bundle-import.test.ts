import { describe, expect, it } from "vitest";
import { err, ok, type Result } from "../../../src/lib/result.ts";
import { BundleImport } from "../../../web/src/app/bundle-import.ts";
import type { Refused } from "../../../web/src/net/rest.ts";

const FILE = new File(["0123456789"], "talk.ndjson", { lastModified: 1 });
const CUT: Refused = { status: undefined, code: "unreachable", message: "The upload was cut off." };

/** An import whose uploads are answered by the test. */
function importing() {
  const sent: { id: string; onBytes: (bytes: number) => void; answer: (reply: Result<unknown, Refused>) => void }[] =
    [];
  const made: string[] = [];
  let ids = 0;
  let cancelled = 0;
  const imports = new BundleImport({
    uuid: () => `id-${++ids}`,
    send(id, _file, onBytes) {
      const { promise, resolve } = Promise.withResolvers<Result<unknown, Refused>>();
      sent.push({ id, onBytes, answer: resolve });
      return { done: promise, cancel: () => (cancelled += 1) };
    },
    onMade: (id) => made.push(id),
  });
  return { imports, sent, made, cancelled: () => cancelled };
}

describe("importing a file", () => {
  it("[L-176] tells how many bytes have left, then that the server looks, and opens what it became", async () => {
    const { imports, sent, made } = importing();
    const done = imports.start(FILE);
    expect(imports.state.value).toEqual({ status: "sending", sent: 0, total: 10 });
    sent[0]?.onBytes(4);
    expect(imports.state.value).toEqual({ status: "sending", sent: 4, total: 10 });
    sent[0]?.onBytes(10);
    expect(imports.state.value).toEqual({ status: "checking", sent: 10, total: 10 });
    sent[0]?.answer(ok({}));
    await done;
    expect([imports.state.value, made]).toEqual([{ status: "idle" }, ["id-1"]]);
  });

  it("[L-177] sent again after a failure it goes under the same UUID; another file gets one of its own", async () => {
    const { imports, sent, made } = importing();
    const first = imports.start(FILE);
    sent[0]?.answer(err(CUT));
    await first;
    expect(imports.state.value).toEqual({ status: "refused", words: "The upload was cut off." });
    const second = imports.start(FILE);
    sent[1]?.answer(err({ status: 400, code: "bad_request", message: "Line 3 is no JSON." }));
    await second;
    expect(imports.state.value).toEqual({ status: "refused", words: "Line 3 is no JSON." });
    const other = imports.start(new File(["x"], "other.ndjson"));
    sent[2]?.answer(ok({}));
    await other;
    expect([sent.map(({ id }) => id), made]).toEqual([["id-1", "id-1", "id-2"], ["id-2"]]);
  });

  it("[L-176] one file goes at a time; leaving stops it, and its late answer opens nothing", async () => {
    const { imports, sent, made, cancelled } = importing();
    const done = imports.start(FILE);
    await imports.start(FILE);
    expect(sent).toHaveLength(1);
    imports.leave();
    sent[0]?.answer(ok({}));
    await done;
    expect([cancelled(), made, imports.state.value]).toEqual([1, [], { status: "idle" }]);
  });
});
