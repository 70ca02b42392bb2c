import { describe, expect, it } from "vitest";
import { utf8Bytes } from "../../../src/lib/bytes.ts";
import { notesPlugin } from "../../../src/plugins/notes/plugin.ts";
import { MAX_NOTE_UNITS, MAX_NOTES, MAX_NOTES_BYTES, NOTES, type Note } from "../../../src/plugins/notes/state.ts";
import { run, type ToolWorld, toolOf, toolWorld } from "../kit/tool-context.ts";

const add = (world: ToolWorld, task: number, text: string) =>
  run(toolOf(notesPlugin, "add_note"), { text }, world.context(task));
const search = (world: ToolWorld, query: string) =>
  run(toolOf(notesPlugin, "search_notes"), { query }, world.context());
const list = (world: ToolWorld) => run(toolOf(notesPlugin, "list_notes"), {}, world.context());
const remove = (world: ToolWorld, task: number, id: string) =>
  run(toolOf(notesPlugin, "delete_note"), { id }, world.context(task));
const stored = (world: ToolWorld) => world.context().read(NOTES).items;

function note(index: number, text = "x"): Note {
  return { id: `n${index}`, text, at: 0 };
}

/** Notes that leave room for exactly 100 units of plain text in a note `n999` added at `now`. */
function notesBelow(bytes: number, now: number): readonly Note[] {
  const full = Array.from({ length: 90 }, (_, i) => note(i, "€".repeat(700)));
  const size = (pad: number) =>
    utf8Bytes(
      JSON.stringify({ items: [...full, note(90, "x".repeat(pad)), { ...note(999, "x".repeat(100)), at: now }] }),
    );
  return [...full, note(90, "x".repeat(bytes - size(0)))];
}

describe("add_note", () => {
  it("[G-9] keeps a note under an id made from its call", async () => {
    const world = toolWorld();
    expect(await add(world, 7, " buy milk ")).toEqual({ text: "Note n7 is kept: buy milk" });
    expect(stored(world)).toEqual([{ id: "n7", text: "buy milk", at: world.now }]);
  });

  it("[G-9] the same call run again changes nothing and answers the same", async () => {
    const world = toolWorld();
    const first = await add(world, 7, "buy milk");
    const before = stored(world);
    world.now += 60_000;
    expect(await add(world, 7, "buy milk")).toEqual(first);
    expect(stored(world)).toEqual(before);
  });

  it("[G-9] the same call run again is fine when its own note was the last that fits", async () => {
    const world = toolWorld();
    world.set(NOTES, { items: Array.from({ length: MAX_NOTES - 1 }, (_, i) => note(i)) });
    const first = await add(world, 500, "the last");
    expect(first.isError).toBeUndefined();
    expect(await add(world, 500, "the last")).toEqual(first);
    expect(stored(world)).toHaveLength(MAX_NOTES);
  });

  it("[G-11] takes 2,000 units and refuses 2,001", async () => {
    const world = toolWorld();
    expect((await add(world, 1, "x".repeat(MAX_NOTE_UNITS))).isError).toBeUndefined();
    const refused = await add(world, 2, "x".repeat(MAX_NOTE_UNITS + 1));
    expect(refused).toMatchObject({ isError: true, code: "limit" });
    expect(refused.text).toBe("The note has 2001 characters; the limit is 2000. Shorten or split it.");
    expect(stored(world)).toHaveLength(1);
  });

  it("[G-11] takes the 100th note and refuses the 101st", async () => {
    const world = toolWorld();
    world.set(NOTES, { items: Array.from({ length: MAX_NOTES - 1 }, (_, i) => note(i)) });
    expect((await add(world, 1_000, "fits")).isError).toBeUndefined();
    const refused = await add(world, 1_001, "does not");
    expect(refused).toEqual({
      text: "There are 100 notes already. Delete one first.",
      isError: true,
      code: "limit",
    });
    expect(stored(world)).toHaveLength(MAX_NOTES);
  });

  it("[G-11] takes 200 KB in all and refuses one byte more", async () => {
    const world = toolWorld();
    world.set(NOTES, { items: notesBelow(MAX_NOTES_BYTES, world.now) });
    expect((await add(world, 999, "x".repeat(100))).isError).toBeUndefined();
    expect(utf8Bytes(JSON.stringify(world.context().read(NOTES)))).toBe(MAX_NOTES_BYTES);
    world.set(NOTES, { items: notesBelow(MAX_NOTES_BYTES, world.now) });
    const refused = await add(world, 999, "x".repeat(101));
    expect(refused).toMatchObject({ isError: true, code: "limit" });
    expect(refused.text).toContain("would take 200001 bytes; the limit is 200000");
    expect(stored(world).some(({ id }) => id === "n999")).toBe(false);
  });
});

describe("list_notes and search_notes", () => {
  it("[G-10] list all notes, oldest first, with id and time", async () => {
    const world = toolWorld();
    expect(await list(world)).toEqual({ text: "There are no notes yet." });
    await add(world, 3, "first");
    world.now += 3_600_000;
    await add(world, 9, "second");
    expect((await list(world)).text).toBe(
      "2 notes, oldest first:\n- n3 (2025-11-29 11:55 UTC): first\n- n9 (2025-11-29 12:55 UTC): second",
    );
  });

  it("[G-10] a listing cuts a long note and says how long it is; a search shows it whole", async () => {
    const world = toolWorld();
    const long = `${"y".repeat(299)}😀 tail`;
    await add(world, 3, long);
    expect((await list(world)).text).toContain(`${"y".repeat(299)}… (${long.length} characters)`);
    expect((await search(world, "tail")).text).toContain(long);
  });

  it("[G-10] find notes with every word, whatever the case, newest first", async () => {
    const world = toolWorld();
    await add(world, 1, "Buy MILK and bread");
    await add(world, 2, "milk the idea");
    await add(world, 3, "bread only");
    expect((await search(world, "milk")).text).toMatch(/^2 notes match "milk", newest first:\n- n2 .*\n- n1 /);
    expect((await search(world, "BREAD milk")).text).toMatch(/^1 note match.*\n- n1 .*Buy MILK and bread$/);
    expect((await search(world, "cheese")).text).toBe('No note matches "cheese".');
  });

  it("[G-10] the same letters in another Unicode form match", async () => {
    const world = toolWorld();
    await add(world, 1, "caf\u0065\u0301");
    expect((await search(world, "CAF\u00c9")).text).toContain("n1");
  });

  it("[G-10] a search shows 20 matches and counts the rest", async () => {
    const world = toolWorld();
    world.set(NOTES, { items: Array.from({ length: 21 }, (_, i) => note(i, "same")) });
    const { text } = await search(world, "same");
    expect(text.split("\n")).toHaveLength(22);
    expect(text).toContain("… and 1 more");
    world.set(NOTES, { items: Array.from({ length: 20 }, (_, i) => note(i, "same")) });
    expect((await search(world, "same")).text).not.toContain("more");
  });
});

describe("delete_note", () => {
  it("[G-12] deletes exactly the named note, also when the call runs again", async () => {
    const world = toolWorld();
    await add(world, 1, "one");
    await add(world, 11, "eleven");
    const first = await remove(world, 20, "n1");
    expect(first).toEqual({ text: "Note n1 is deleted." });
    expect(await remove(world, 20, "n1")).toEqual(first);
    expect(stored(world).map(({ id }) => id)).toEqual(["n11"]);
  });

  it("[G-12] an unknown id is an error that names the nearest known one", async () => {
    const world = toolWorld();
    await add(world, 11, "eleven");
    expect(await remove(world, 20, "n12")).toEqual({
      text: 'There is no note "n12". Did you mean n11?',
      isError: true,
      code: "unknown_note",
    });
    expect((await remove(world, 21, "the third one")).text).toContain("list_notes shows the ids");
    expect(stored(world)).toHaveLength(1);
  });
});

describe("what clients see", () => {
  it("[G-13] is the number of notes and nothing else", () => {
    expect(NOTES.view?.({ items: [note(1, "secret"), note(2)] })).toEqual({ count: 2 });
  });
});
