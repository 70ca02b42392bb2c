import { describe, expect, it, vi } from "vitest";
import { Kernel, type KernelHost, type KernelPorts, Registry } from "../../src/kernel/index.ts";
import { MAX_ENTRY_ROW_BYTES, WINDOW_MAX_BYTES, WINDOW_MAX_ENTRIES } from "../../src/kernel/limits.ts";
import { windowTrim } from "../../src/kernel/state/window.ts";
import { type Entry, insertEntry, readEntry } from "../../src/kernel/storage/entries.ts";
import { MIGRATIONS, migrate } from "../../src/kernel/storage/migrations.ts";
import { utf8Bytes } from "../../src/lib/bytes.ts";
import { NodeStorage } from "../kit/node-storage.ts";
import { putControl } from "../kit/planted-task.ts";
import { countRows, dump, NOTES, send, tool } from "./make.ts";
import { inTask } from "./make-task.ts";
import { started } from "./started.ts";

// Long histories on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

const HOST: KernelHost = { name: "c", settings: () => ({ model: null, thinking: "off", offers: () => false }) };

function step(id: string, ...statements: string[]) {
  return { id, statements };
}

function tablesOf(storage: NodeStorage): string[] {
  return storage.sql
    .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .toArray()
    .map((row) => row.name);
}

describe("migrations", () => {
  const first = step("1", "CREATE TABLE a (x)");
  const second = step("2", "CREATE TABLE b (x)");
  const third = step("3", "CREATE TABLE c (x)");

  it("[K-14] a ledger that is a prefix of the code's list is extended, by the missing steps alone", () => {
    const storage = new NodeStorage();
    migrate(storage, [first, second]);
    storage.sql.exec("INSERT INTO a (x) VALUES (7)");
    migrate(storage, [first, second, third]);
    expect(tablesOf(storage)).toEqual(["a", "b", "c", "migrations"]);
    expect(storage.sql.exec("SELECT x FROM a").toArray()).toEqual([{ x: 7 }]);
    expect(
      storage.sql
        .exec("SELECT id FROM migrations ORDER BY n")
        .toArray()
        .map((row) => row["id"]),
    ).toEqual(["1", "2", "3"]);
  });

  it("[K-14] a ledger longer than the code's list is accepted as it is", () => {
    const storage = new NodeStorage();
    migrate(storage, [first, second, third]);
    const { written } = storage.counts;
    migrate(storage, [first]);
    expect(storage.counts.written).toBe(written);
    expect(tablesOf(storage)).toEqual(["a", "b", "c", "migrations"]);
  });

  it("[K-14] a ledger that differs is refused, naming both steps, and nothing is written", () => {
    const storage = new NodeStorage();
    migrate(storage, [first, second]);
    const { written } = storage.counts;
    const other = step("2b", "CREATE TABLE d (x)");
    expect(() => migrate(storage, [first, other, third])).toThrow(/step 1 is 2, this code expects 2b/);
    expect(storage.counts.written).toBe(written);
    expect(tablesOf(storage)).toEqual(["a", "b", "migrations"]);
  });

  it("[K-14] the shipped steps only add, and the first of them stays what it is", () => {
    const statements = MIGRATIONS.flatMap((migration) => migration.statements);
    for (const statement of statements) expect(statement).toMatch(/^(CREATE TABLE|CREATE INDEX|ALTER TABLE \w+ ADD) /);
    expect(MIGRATIONS[0]?.id).toBe("0001-conversation");
  });
});

describe("opening and creating", () => {
  it("[K-15] opening storage without a conversation writes nothing and says so", () => {
    const storage = new NodeStorage();
    const ports = { storage } as unknown as KernelPorts;
    expect(Kernel.exists(ports)).toBe(false);
    expect(() => Kernel.open(ports, new Registry(), HOST)).toThrow(/holds no conversation/);
    expect(Kernel.exists(ports)).toBe(false);
    expect(tablesOf(storage)).toEqual([]);
  });

  it("[K-16] [I-27] the first creation's facts stand", () => {
    const world = started();
    const before = dump(world);
    world.crash();
    world.facts = { name: "another" };
    const kernel = world.start();
    expect(kernel.facts).toEqual({ name: "test" });
    expect(Kernel.factsOf(world)).toEqual({ name: "test" });
    expect(dump(world)).toBe(before);
  });

  it("[K-18] [I-23] [I-26] ids rise strictly and are never used again, also after deaths", async () => {
    const world = started({ script: (request) => ({ text: `answer ${request.messages.length}` }) });
    const seen: number[] = [];
    for (let life = 0; life < 4; life++) {
      send(world, `message ${life}`);
      await world.run(() => world.model.requests.length > life * 2 && life % 2 === 0);
      const ids = [
        ...world.storage.sql
          .exec<{ id: number }>("SELECT id FROM entries")
          .toArray()
          .map((row) => row.id),
        ...world.storage.sql
          .exec<{ task: number }>("SELECT task FROM done")
          .toArray()
          .map((row) => row.task),
        ...Object.keys(world.control.tasks).map(Number),
      ].toSorted((a, b) => a - b);
      expect(new Set(ids).size).toBe(ids.length);
      const fresh = ids.filter((id) => !seen.includes(id));
      expect(Math.min(...fresh)).toBeGreaterThan(Math.max(0, ...seen));
      seen.push(...fresh);
      world.crash();
      world.start();
    }
    expect(seen.length).toBeGreaterThan(8);
    expect(world.control.nextId).toBeGreaterThan(Math.max(...seen));
  });

  it("[K-19] [E-21] opening a conversation of 20,000 entries reads no more rows than one of 200", () => {
    const reads = [200, 20_000].map((count) => {
      const world = started();
      world.crash();
      const body = JSON.stringify({ at: 1, message: { role: "user", content: [{ type: "text", text: "hello" }] } });
      for (let id = 1; id <= count; id++) {
        world.storage.sql.exec("INSERT INTO entries (id, kind, rev, body) VALUES (?, 'core.user', 1, ?)", id, body);
      }
      const range = { firstEntry: 1, activeFrom: 1, windowFrom: count - 49, lastEntry: count, nextId: count + 1 };
      putControl(world, { ...world.control, ...range });
      const { read } = world.storage.counts;
      const { view } = world.start().snapshot();
      expect(view.entries.map((entry) => entry.id)).toEqual(Array.from({ length: 50 }, (_, i) => count - 49 + i));
      expect(view.earlier).toBe(true);
      return world.storage.counts.read - read;
    });
    expect(reads[1]).toBe(reads[0]);
    expect(reads[0]).toBeLessThan(60);
  });
});

describe("large entries", () => {
  function stored(data: string): { entry: Entry; storage: NodeStorage } {
    const storage = new NodeStorage();
    migrate(storage);
    const entry: Entry = { id: 1, kind: "test.entry", rev: 1, at: 1, data };
    insertEntry(storage, entry);
    return { entry, storage };
  }

  const overhead = utf8Bytes(JSON.stringify({ at: 1, data: "" }));

  it.each([
    [MAX_ENTRY_ROW_BYTES, 0],
    [MAX_ENTRY_ROW_BYTES + 1, 2],
    [2 * MAX_ENTRY_ROW_BYTES, 2],
    [2 * MAX_ENTRY_ROW_BYTES + 1, 3],
  ])("[K-17] [E-14] a body of %i bytes lies in %i parts and is read back whole", (bytes, parts) => {
    const { entry, storage } = stored("x".repeat(bytes - overhead));
    expect(storage.sql.exec("SELECT n FROM entry_parts").toArray()).toHaveLength(parts);
    expect(readEntry(storage, 1)).toEqual(entry);
  });

  // At a boundary the cut must neither split a code point nor lose one that decoders swallow.
  it.each([
    ["two bytes", "é"],
    ["three bytes", "€"],
    ["a surrogate pair", "😀"],
    ["a byte order mark and a euro", "\ufeff€"],
  ])("[K-17] a body of %s each is read back whole, wherever the cut falls", (_name, unit) => {
    for (let shift = 0; shift < 6; shift++) {
      const { entry, storage } = stored("x".repeat(shift) + unit.repeat(Math.ceil(2_100_000 / utf8Bytes(unit))));
      const sizes = storage.sql
        .exec<{ bytes: number }>("SELECT length(CAST(data AS BLOB)) AS bytes FROM entry_parts")
        .toArray()
        .map((row) => row.bytes);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(MAX_ENTRY_ROW_BYTES);
      expect(readEntry(storage, 1)).toEqual(entry);
    }
  });

  it("[K-17] a large message reaches model, page and reopened conversation whole", async () => {
    const text = "long ".repeat(300_000);
    const world = started();
    send(world, text, { key: "k" });
    await world.run();
    expect(countRows(world, "entry_parts")).toBe(2);
    world.crash();
    world.start();
    send(world, "again");
    await world.run();
    expect(world.model.requests[1]?.messages[0]).toEqual({ role: "user", content: [{ type: "text", text }] });
    expect(world.kernel.history.page(100, 50).entries[0]?.message).toEqual({
      role: "user",
      content: [{ type: "text", text }],
    });
  });
});

describe("the view's window", () => {
  const items = (count: number, bytes: number) =>
    Array.from({ length: count }, (_, i) => ({ entry: { id: i + 1, kind: "test.entry", at: 0 }, bytes }));

  it.each([
    ["as many entries as it may hold", items(WINDOW_MAX_ENTRIES, 1), 0],
    ["one entry more", items(WINDOW_MAX_ENTRIES + 1, 1), 50],
    ["as many bytes as it may hold", items(2, WINDOW_MAX_BYTES / 2), 0],
    ["one byte more", [...items(1, 1), ...items(2, WINDOW_MAX_BYTES / 2)], 2],
    ["one entry larger than all", items(1, WINDOW_MAX_BYTES * 4), 0],
    ["an entry larger than all, at the end", [...items(5, 1), ...items(1, WINDOW_MAX_BYTES * 4)], 5],
  ])("[K-20] %s", (_name, window, trimmed) => {
    expect(windowTrim(window)).toBe(trimmed);
  });

  it.each([
    ["many small entries", "word", 60, WINDOW_MAX_ENTRIES - 1],
    ["a few large entries", "word ".repeat(8_000), 12, 12],
  ])(
    "[K-20] stays within its bounds through %s, and a reopened one shows the same",
    async (_name, text, turns, most) => {
      const world = started({ script: () => ({ text }) });
      let longest = 0;
      for (let n = 0; n < turns; n++) {
        send(world, `message ${n}`);
        await world.run();
        const { entries, earlier } = world.kernel.snapshot().view;
        longest = Math.max(longest, entries.length);
        expect(JSON.stringify(entries).length).toBeLessThanOrEqual(WINDOW_MAX_BYTES);
        expect(entries[0]?.id === 1).toBe(!earlier);
        if (n % 7 !== 0) continue;
        world.crash();
        expect(world.start().snapshot().view.entries).toEqual(entries);
        world.verify();
      }
      expect(longest).toBe(most);
    },
  );
});

describe("pages and entries", () => {
  it("[K-45] pages older entries, oldest first, saying whether there are more", async () => {
    const world = started();
    for (const text of ["one", "two", "three"]) {
      send(world, text);
      await world.run();
    }
    const ids = world.kernel.entriesAfter(0, 100).map((entry) => entry.id);
    const page = (before: number, limit: number) => {
      const { entries, earlier } = world.kernel.history.page(before, limit);
      return [entries.map((entry) => ids.indexOf(entry.id)), earlier];
    };
    expect(page(Number.MAX_SAFE_INTEGER, 5)).toEqual([[1, 2, 3, 4, 5], true]);
    expect(page(Number.MAX_SAFE_INTEGER, 6)).toEqual([[0, 1, 2, 3, 4, 5], false]);
    expect(page(ids[3] ?? 0, 2)).toEqual([[1, 2], true]);
    expect(page(ids[0] ?? 0, 2)).toEqual([[], false]);
    expect(world.kernel.entriesAfter(ids[1] ?? 0, 2).map((entry) => ids.indexOf(entry.id))).toEqual([2, 3]);
  });

  it("[K-45] a vendor's own blocks are kept for the vendor and reach no client", async () => {
    const native = { family: "claude", blocks: [{ signature: "for the vendor only" }] };
    const world = started({ script: (_request, nth) => (nth === 0 ? { text: "Hello.", native } : { text: "Again." }) });
    send(world, "hi");
    await world.run();
    send(world, "and?");
    await world.run();
    expect(world.model.requests[1]?.messages[1]).toMatchObject({ native });
    const { kernel } = world;
    const [first] = kernel.entriesAfter(0, 100).filter((entry) => entry.kind === "core.assistant");
    const shown = [
      world.commits,
      world.deltas,
      kernel.snapshot(),
      kernel.history.page(99, 99),
      kernel.entriesAfter(0, 99),
      kernel.history.entry(first?.id ?? 0),
    ];
    expect(first?.message).toMatchObject({ content: [{ text: "Hello." }] });
    expect(JSON.stringify(shown)).not.toContain("vendor only");
  });

  it("[K-45] [T-27] a long output is cut in the view and whole when its entry is asked for", async () => {
    const text = `${"x".repeat(3_999)}😀 and more`;
    const script = (_request: unknown, nth: number) =>
      nth === 0 ? { calls: [{ name: "look", args: "{}" }] } : { text: "Done." };
    const world = started({ tools: [tool("look", () => Promise.resolve({ text }))], script });
    send(world, "hi");
    await world.run();
    const shown = world.kernel.snapshot().view.entries.find((entry) => entry.kind === "core.tool_result");
    expect(shown).toMatchObject({ cut: text.length, message: { content: [{ text: "x".repeat(3_999) }] } });
    const whole = world.kernel.history.entry(shown?.id ?? 0);
    expect(whole).toMatchObject({ message: { content: [{ text }] } });
    expect(whole).not.toHaveProperty("cut");
    expect(world.kernel.history.entry(9_999)).toBeUndefined();
  });
});

describe("limits", () => {
  it("[K-21] a namespace slice of 256 KB is taken, one byte more is refused", () => {
    const world = started();
    const room = 256 * 1024 - utf8Bytes(JSON.stringify({ last: "" }));
    world.kernel.commit((tx) => tx.set(NOTES, { last: "before" }));
    const before = dump(world);
    const tooMuch = () => world.kernel.commit((tx) => tx.set(NOTES, { last: "x".repeat(room + 1) }));
    expect(tooMuch).toThrow(/notes would have 262145 bytes, the limit is 262144/);
    const manyBytes = () => world.kernel.commit((tx) => tx.set(NOTES, { last: "é".repeat(room / 2 + 1) }));
    expect(manyBytes).toThrow(/the limit is 262144/);
    expect(dump(world)).toBe(before);
    world.kernel.commit((tx) => tx.set(NOTES, { last: "x".repeat(room) }));
    expect(world.kernel.get(NOTES).last).toHaveLength(room);
  });

  it("[K-21] a control row of 512 KB is taken, one byte more is refused and the alarm stays as it was", () => {
    const world = started({ deliver: () => new Promise(() => undefined) });
    world.kernel.commit((tx) => tx.send({ key: "k", target: "t", payload: 1 }));
    const standing = utf8Bytes(JSON.stringify(world.control));
    world.kernel.commit((tx) => tx.send({ key: "l", target: "t", payload: 1 }));
    const room =
      512 * 1024 - utf8Bytes(JSON.stringify(world.control)) - (utf8Bytes(JSON.stringify(world.control)) - standing);
    const before = dump(world);
    const { sets } = world.alarm;
    const tooMuch = () => world.kernel.commit((tx) => tx.send({ key: "m".repeat(room + 2), target: "t", payload: 1 }));
    expect(tooMuch).toThrow(/control row has 524289 bytes, the limit is 524288/);
    expect(dump(world)).toBe(before);
    expect(world.alarm.sets).toBe(sets);
    world.kernel.commit((tx) => tx.send({ key: "m".repeat(room + 1), target: "t", payload: 1 }));
    expect(utf8Bytes(JSON.stringify(world.control))).toBe(512 * 1024);
  });

  it("[K-21] [E-14] a memo of 16 KB and a slot of 256 KB are taken, one byte more is refused", async () => {
    expect.assertions(5);
    await inTask((run, world) => {
      const text = (bytes: number) => "x".repeat(bytes - 2);
      const memo = (bytes: number) => run.commit((tx) => tx.memoOnce(run.id, "a", "m", text(bytes)));
      const slot = (bytes: number) => run.commit((tx) => tx.slot(run.id, text(bytes)));
      const before = dump(world);
      expect(() => memo(16 * 1024 + 1)).toThrow(/memo m has 16385 bytes, the limit is 16384/);
      expect(() => slot(256 * 1024 + 1)).toThrow(/has 262145 bytes, the limit is 262144/);
      expect(dump(world)).toBe(before);
      expect(memo(16 * 1024)).toHaveLength(16 * 1024 - 2);
      slot(256 * 1024);
      expect(countRows(world, "slots")).toBe(1);
    });
  });
});
