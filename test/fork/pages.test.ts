import { describe, expect, it } from "vitest";
import { readForkPage } from "../../src/kernel/fork/read-page.ts";
import { readEntry } from "../../src/kernel/index.ts";
import { MAX_FORK_ATTEMPTS, MAX_FORK_PAGE_ENTRIES, MAX_FORK_PAGE_UNITS } from "../../src/kernel/limits.ts";
import type { ForkPage, OriginPort } from "../../src/kernel/ports/origin.ts";
import { ok } from "../../src/lib/result.ts";
import { entriesOf, lines, send } from "../kernel/make.ts";
import { started } from "../kernel/started.ts";
import { editWorld } from "../kit/edit-world.ts";
import type { KernelWorld } from "../kit/kernel-world.ts";
import { nodeWorld } from "../kit/node-world.ts";
import { transcript } from "../kit/transcript.ts";
import { exchange, finishedFork, forkOf, ids, inheritedIds, originOf } from "./make.ts";

function written(exchanges: number, text = "word"): KernelWorld {
  const world = started();
  editWorld(world, (tx) => {
    for (let n = 0; n < exchanges; n++) exchange(tx, `${text} ${n}`);
  });
  return world;
}

const newest = (world: KernelWorld) => ids(world).at(-1) ?? 0;

function pagesOf(world: KernelWorld, at: number): ForkPage[] {
  const pages: ForkPage[] = [];
  const entry = readEntry(world.storage, at);
  if (!entry) throw new Error(`no entry ${at}`);
  for (let after = 0; after < at; ) {
    const page = readForkPage(world.storage, entry, after);
    pages.push(page);
    after = page.entries.at(-1)?.id ?? at;
  }
  return pages;
}

describe("pages", () => {
  it("[F-8] hold 200 entries and no more", () => {
    const world = written(MAX_FORK_PAGE_ENTRIES / 2);
    expect(pagesOf(world, newest(world)).map(({ entries }) => entries.length)).toEqual([MAX_FORK_PAGE_ENTRIES]);
    editWorld(world, (tx) => tx.append({ kind: "test.note" }));
    expect(pagesOf(world, newest(world)).map(({ entries }) => entries.length)).toEqual([MAX_FORK_PAGE_ENTRIES, 1]);
  });

  it("[F-8] hold about 512 KB, a larger entry alone", () => {
    const world = started();
    const append = (units: number) =>
      editWorld(world, (tx) => tx.append({ kind: "test.note", data: "x".repeat(units) }));
    const half = MAX_FORK_PAGE_UNITS / 2;
    append(half - 200);
    append(half - 200);
    append(half);
    append(3 * MAX_FORK_PAGE_UNITS);
    append(1);
    const pages = pagesOf(world, newest(world));
    expect(pages.map(({ entries }) => entries.map(({ id }) => id))).toEqual([[1, 2], [3], [4], [5]]);
    expect(pages.map(({ documents }) => documents !== undefined)).toEqual([false, false, false, true]);
  });

  it("[F-8] 5,000 entries come in bounded pages: a row for each and one for the page", async () => {
    const parent = written(2_500);
    const fork = await finishedFork(parent, newest(parent));
    expect(inheritedIds(fork)).toEqual(ids(parent));
    // Creating and opening aside, a commit is a page; the last also writes the end of the copy and its receipt.
    const costs = fork.costs.map(({ rows }) => rows).filter((rows) => rows >= MAX_FORK_PAGE_ENTRIES);
    expect(costs).toEqual([...Array<number>(24).fill(MAX_FORK_PAGE_ENTRIES + 1), MAX_FORK_PAGE_ENTRIES + 3]);
    expect(fork.kernel.snapshot().view.entries.length).toBeLessThan(100);
    expect(fork.kernel.snapshot().view.earlier).toBe(true);
    expect(fork.alarm.armedFor).toBeNull();
  });
});

describe("dying", () => {
  it("[F-9] [E-16] before or after every commit and call, the copy comes to the same, with no entry twice or missing", async () => {
    const parent = written(3 * MAX_FORK_PAGE_ENTRIES);
    const at = newest(parent);
    const whole = await finishedFork(parent, at);
    const expected = transcript(whole);
    const points = whole.crashes.passed;
    expect(points.filter((point) => point === "after page")).toHaveLength(6);
    for (const index of points.keys()) {
      for (const killAt of [[index], [index, index + 2]]) {
        const world = await forkAtRest(parent, at, killAt);
        const where = `killed at ${killAt.join()} (${points[index]})`;
        expect(transcript(world), where).toEqual(expected);
        expect(ids(world).length, where).toBe(new Set(ids(world)).size);
        expect(world.control.tasks, where).toEqual({});
        expect(world.alarm.armedFor, where).toBeNull();
      }
    }
  }, 60_000);
});

async function forkAtRest(parent: KernelWorld, at: number, killAt: readonly number[]): Promise<KernelWorld> {
  const world = nodeWorld({ origin: originOf(parent), fork: { from: "web:parent", at }, killAt });
  await world.run();
  world.kernel.resume();
  await world.run();
  return world;
}

/** An origin that answers in a way of its own from the page after `from` on. */
function failing(parent: KernelWorld, from: number, page: OriginPort["page"]): OriginPort {
  const good = originOf(parent);
  return { page: (ref, after, signal) => (after >= from ? page(ref, after, signal) : good.page(ref, after, signal)) };
}

describe("a parent that does not answer", () => {
  it("[F-12] is asked again, eight times in a row at most; then a notice says so and the rest is usable", async () => {
    const parent = written(MAX_FORK_PAGE_ENTRIES);
    let asked = 0;
    const origin = failing(parent, 1, () => {
      asked++;
      return Promise.reject(new Error("no route"));
    });
    const fork = await finishedFork(parent, newest(parent), { origin });
    expect(asked).toBe(MAX_FORK_ATTEMPTS);
    expect(inheritedIds(fork)).toHaveLength(MAX_FORK_PAGE_ENTRIES);
    expect(lines(fork).at(-1)).toMatch(/notice: .*ended early: it could not be read 8 times in a row/);
    send(fork, "still there?");
    await fork.run();
    expect(lines(fork).at(-1)).toBe("assistant: Hello.");
  });

  it("[F-12] an answer in between begins the count anew", async () => {
    const parent = written(MAX_FORK_PAGE_ENTRIES);
    const good = originOf(parent);
    let asked = 0;
    const page: OriginPort["page"] = (ref, after, signal) =>
      ++asked % MAX_FORK_ATTEMPTS === 0 ? good.page(ref, after, signal) : Promise.reject(new Error("no route"));
    const fork = await finishedFork(parent, newest(parent), { origin: { page } });
    expect(asked).toBe(2 * MAX_FORK_ATTEMPTS);
    expect(inheritedIds(fork)).toEqual(ids(parent));
    expect(entriesOf(fork, "core.fork")).toHaveLength(1);
  });

  it("[F-12] one that hangs counts as one that failed", async () => {
    const parent = written(2);
    const signals: AbortSignal[] = [];
    const page: OriginPort["page"] = (_ref, _after, signal) => {
      signals.push(signal);
      return new Promise(() => {});
    };
    const fork = await finishedFork(parent, newest(parent), { origin: { page } });
    expect(signals).toHaveLength(MAX_FORK_ATTEMPTS);
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    expect(lines(fork).at(-1)).toMatch(/^notice: /);
  });
});

describe("a parent that refuses", () => {
  it("[F-13] after a page leaves what has arrived, a notice with the reason, and the queue", async () => {
    const parent = written(MAX_FORK_PAGE_ENTRIES);
    let ended = 0;
    const origin: OriginPort = {
      ...failing(parent, 1, () => Promise.resolve({ ok: false, error: "it is gone" })),
      ended: () => ended++,
    };
    const fork = forkOf(parent, newest(parent), { origin });
    send(fork, "go on");
    await fork.run();
    expect(ended).toBe(1);
    expect(inheritedIds(fork)).toHaveLength(MAX_FORK_PAGE_ENTRIES);
    expect(lines(fork).at(-1)).toMatch(/^notice: \[System\].*ended early: it is gone\./);
    expect(fork.control.inbox.map(({ key }) => key)).toEqual(["p_anna:go on"]);
    expect(fork.kernel.receipt(newest(parent) + 1)).toMatchObject({
      outcome: "failed",
      result: { error: "it is gone" },
    });
    expect(fork.kernel.resumeQueue()).toBe(true);
    await fork.run();
    expect(lines(fork).at(-1)).toBe("assistant: Hello.");
    const [request] = fork.model.requests;
    expect(request?.messages).toHaveLength(MAX_FORK_PAGE_ENTRIES + 2);
  });

  it("[F-13] without an origin, the fork says so", async () => {
    const fork = started({ fork: { from: "web:parent", at: 3 } });
    fork.kernel.resume();
    await fork.run();
    expect(lines(fork)).toEqual([expect.stringMatching(/cannot read other conversations/)]);
    send(fork, "hello");
    await fork.run();
    expect(lines(fork).at(-1)).toBe("assistant: Hello.");
  });

  const entry = { kind: "test.note", rev: 0, at: 1, inherited: true } as const;
  const bad: readonly (readonly [string, ForkPage])[] = [
    [
      "an entry twice",
      {
        entries: [
          { ...entry, id: 2 },
          { ...entry, id: 2 },
        ],
      },
    ],
    ["an entry beyond the fork", { entries: [{ ...entry, id: 5 }], documents: {} }],
    ["an entry that is not marked", { entries: [{ kind: "test.note", rev: 0, at: 1, id: 4 }], documents: {} }],
    ["an id that is no number", { entries: [{ ...entry, id: Number.NaN }] }],
    ["nothing", { entries: [], documents: {} }],
    ["an end too early", { entries: [{ ...entry, id: 3 }], documents: {} }],
    ["no end", { entries: [{ ...entry, id: 4 }] }],
  ];

  it.each(bad)("[F-13] a page that gives %s is not stored", async (_, page) => {
    const fork = started({
      fork: { from: "web:parent", at: 4 },
      origin: { page: () => Promise.resolve(ok({ page })) },
    });
    fork.kernel.resume();
    await fork.run();
    expect(inheritedIds(fork)).toEqual([]);
    expect(lines(fork)).toEqual([expect.stringMatching(/ended early: it/)]);
    expect(fork.control.tasks).toEqual({});
  });

  it("[F-13] what breaks while a page is stored ends the copy too", async () => {
    const parent = written(2);
    const origin: OriginPort = {
      page: async (ref, after, signal) => {
        const answer = await originOf(parent).page(ref, after, signal);
        if (!answer.ok) return answer;
        return ok({
          ...answer.value,
          place: () => {
            throw new Error("no room");
          },
        });
      },
    };
    const fork = await finishedFork(parent, newest(parent), { origin });
    expect(inheritedIds(fork)).toEqual([]);
    expect(lines(fork)).toEqual([expect.stringMatching(/the server failed at it \(no room\)/)]);
  });
});
