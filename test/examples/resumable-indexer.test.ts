import { describe, expect, it } from "vitest";
import { type PageSink, registerIndexer } from "../../examples/kernel/resumable-indexer.ts";
import { tasksOf, until } from "../kernel/guarded.ts";
import { containing, lines, results, send } from "../kernel/make.ts";
import { started } from "../kernel/started.ts";
import type { KernelWorld } from "../kit/kernel-world.ts";
import { callsThenText, type EffectServer, say } from "../kit/scenarios.ts";
import type { WorldOptions } from "../kit/world-options.ts";
import { itSurvivesDeathAnywhere } from "./cut-example.ts";

/** A sink that outlives every process. The same key again changes nothing. */
class FakeSink implements PageSink {
  readonly pages = new Map<string, readonly string[]>();
  readonly log: string[] = [];
  /** Decides what a put throws. */
  failure: (nth: number) => string | undefined = () => undefined;
  #puts = 0;

  async put(key: string, documents: readonly string[]): Promise<void> {
    await Promise.resolve();
    const failure = this.failure(++this.#puts);
    this.log.push(failure === undefined ? `put ${key.split("/").at(-1)}` : "failed");
    if (failure !== undefined) throw new Error(failure);
    if (!this.pages.has(key)) this.pages.set(key, documents);
  }

  async remove(prefix: string): Promise<void> {
    await Promise.resolve();
    this.log.push("remove");
    for (const key of this.pages.keys()) if (key.startsWith(prefix)) this.pages.delete(key);
  }

  get documents(): readonly string[] {
    return [...this.pages.values()].flat();
  }
}

const names = (n: number) => Array.from({ length: n }, (_, i) => `doc-${i}`);
const call = (n: number) => ({ name: "index_documents", args: JSON.stringify({ documents: names(n) }) });

function indexing(n: number, sink = new FakeSink(), options: WorldOptions = {}) {
  const world = started({
    script: callsThenText([call(n)]),
    ...options,
    register: (registry) => void registerIndexer(registry, sink),
  });
  send(world, "go");
  return { world, sink };
}

const indexer = (world: KernelWorld) => tasksOf(world).find(({ kind }) => kind === "example.indexer");

describe("an indexer", () => {
  it("indexes page by page, tells so once, and its call has the result", async () => {
    const { world, sink } = indexing(25);
    await world.run();
    expect(sink.documents).toEqual(names(25));
    expect(sink.log).toEqual(["put 0", "put 10", "put 20"]);
    expect(lines(world).filter((line) => line.startsWith("notice"))).toEqual(["notice: 25 documents are indexed."]);
    expect(results(world)).toEqual([{ outcome: "ok", text: 'Indexed: {"documents":25}' }]);
  });

  it("[K-59] [A-14] shows how far it is", async () => {
    const { world } = indexing(25);
    await world.run();
    const shown = world.commits.flatMap(({ ops }) => ops.map((op) => JSON.stringify(op)));
    for (const indexed of [10, 20]) {
      expect(
        shown.some((op) => op.includes("indexed") && op.includes(String(indexed))),
        `${indexed}`,
      ).toBe(true);
    }
  });

  it("[K-55] sleeps twice as long after each failure of a page, and goes on where it was", async () => {
    const sink = new FakeSink();
    sink.failure = (nth) => (nth >= 2 && nth <= 4 ? "busy" : undefined);
    const { world } = indexing(25, sink);
    const from = world.clock.now();
    await world.run();
    expect(sink.log).toEqual(["put 0", "failed", "failed", "failed", "put 10", "put 20"]);
    expect(world.clock.now() - from).toBe(1_000 + 2_000 + 4_000);
    expect(results(world)).toMatchObject([{ outcome: "ok" }]);
  });

  it.each([4, 5])("fails after five attempts of one page, not after four: %i", async (failures) => {
    const sink = new FakeSink();
    sink.failure = (nth) => (nth <= failures ? "disk full" : undefined);
    const { world } = indexing(5, sink);
    await world.run();
    const failed = { outcome: "error", code: "not_indexed", text: containing("no page after document 0: disk full") };
    expect(results(world)).toEqual([failures < 5 ? { outcome: "ok", text: 'Indexed: {"documents":5}' } : failed]);
  });

  it("[K-51] takes the page size that the conversation is configured with, from its next page on", async () => {
    const gate = Promise.withResolvers<void>();
    const sink = new FakeSink();
    const put = sink.put.bind(sink);
    sink.put = async (key, documents) => {
      await gate.promise;
      await put(key, documents);
    };
    const { world } = indexing(25, sink);
    await until(world, () => indexer(world)?.checkpoint.phase === "put");
    expect(world.kernel.snapshot().view.config).toMatchObject({ indexerPageSize: 10, indexerAttempts: 5 });
    world.kernel.commit((tx) => tx.configure("indexerPageSize", 7));
    gate.resolve();
    await world.run();
    expect([...sink.pages.values()].map((page) => page.length)).toEqual([10, 7, 7, 1]);
  });

  it("[K-53] puts the same page under the same key again after a death, whatever was configured meanwhile", async () => {
    const sink = new FakeSink();
    const put = sink.put.bind(sink);
    let isFirst = true;
    sink.put = async (key, documents) => {
      await put(key, documents);
      if (isFirst) await new Promise(() => undefined);
    };
    const { world } = indexing(25, sink);
    await until(world, () => sink.pages.size === 1);
    world.kernel.commit((tx) => tx.configure("indexerPageSize", 7));
    isFirst = false;
    world.crash();
    world.start().resume();
    await world.run();
    expect(sink.log.slice(0, 2)).toEqual(["put 0", "put 0"]);
    expect(sink.documents).toEqual(names(25));
    expect([...sink.pages.values()].map((page) => page.length)).toEqual([10, 7, 7, 1]);
  });

  it("[K-56] takes its pages away when its turn is stopped", async () => {
    const sink = new FakeSink();
    sink.failure = (nth) => (nth > 1 ? "busy" : undefined);
    const { world } = indexing(25, sink);
    await until(world, () => indexer(world)?.status === "sleeping");
    expect(sink.documents).toHaveLength(10);
    world.kernel.stop();
    await world.run();
    expect(sink.documents).toEqual([]);
    expect(sink.log.at(-1)).toBe("remove");
    expect(results(world)).toMatchObject([{ outcome: "stopped" }]);
    expect(lines(world).some((line) => line.startsWith("notice"))).toBe(false);
  });

  it("takes nonsense in its configuration for one", async () => {
    const { world, sink } = indexing(3, new FakeSink(), {
      script: (_request, nth) => (nth === 0 ? { calls: [call(3)] } : {}),
    });
    world.kernel.commit((tx) => {
      tx.configure("indexerPageSize", "many");
      tx.configure("indexerAttempts", -1);
    });
    await world.run();
    expect(sink.log).toEqual(["put 0", "put 1", "put 2"]);
  });

  it("can be taken back, kind and tool", () => {
    const world = started();
    const undo = registerIndexer(world.registry, new FakeSink());
    undo();
    registerIndexer(world.registry, new FakeSink());
    undo();
    expect([...world.registry.configDefaults().keys()]).toEqual(["indexerPageSize", "indexerAttempts"]);
  });
});

describe("indexing", () => {
  /** A busy sink: each page fails once. */
  const sinkOf = (server: EffectServer): PageSink => ({
    async put(key, documents) {
      await Promise.resolve();
      if (server.calls.get(`lookup:${key}`) === undefined) {
        server.receive(`lookup:${key}`);
        throw new Error("busy");
      }
      server.sink.set(key, documents.join());
    },
    remove: () => Promise.resolve(),
  });

  itSurvivesDeathAnywhere(
    "every page is in the sink once",
    {
      name: "pages into a keyed sink",
      options: (server) => ({
        script: callsThenText([call(25)]),
        register: (registry) => void registerIndexer(registry, sinkOf(server)),
      }),
      actions: [say("go")],
    },
    ({ sink }) => [...sink.values()],
  );
});
