import { describe, expect, it } from "vitest";
import { FileCache, MAX_CACHED_BYTES } from "../../src/objects/files/file-cache.ts";

/** A cache, and the ids of what had to be loaded. */
function make() {
  const cache = new FileCache();
  const loaded: string[] = [];
  const read = async (id: string, bytes: number) => {
    const file = await cache.read(id, async () => {
      loaded.push(id);
      return new Uint8Array(bytes);
    });
    return file.byteLength;
  };
  return { read, loaded };
}

describe("the files that models were shown", () => {
  it("[W-36] one of 8 MiB is loaded once, one of a byte more each time", async () => {
    const { read, loaded } = make();
    for (const bytes of [MAX_CACHED_BYTES, MAX_CACHED_BYTES + 1]) {
      const id = String(bytes);
      expect([await read(id, bytes), await read(id, bytes)]).toEqual([bytes, bytes]);
    }
    expect(loaded).toEqual([String(MAX_CACHED_BYTES), String(MAX_CACHED_BYTES + 1), String(MAX_CACHED_BYTES + 1)]);
  });

  it("[W-36] together they have 8 MiB at most; the one that was used longest ago goes first", async () => {
    const { read, loaded } = make();
    const half = MAX_CACHED_BYTES / 2;
    for (const id of ["a", "b", "a"]) await read(id, half);
    expect(loaded).toEqual(["a", "b"]);
    await read("c", 1);
    for (const id of ["a", "c"]) await read(id, half);
    expect(loaded).toEqual(["a", "b", "c"]);
    await read("b", half);
    expect(loaded).toEqual(["a", "b", "c", "b"]);
  });

  it("[W-36] a load that fails is tried again, and one that was asked for twice at once counts once", async () => {
    const { read, loaded } = make();
    const cache = new FileCache();
    const failing = () => Promise.reject(new Error("away"));
    await expect(cache.read("a", failing)).rejects.toThrow("away");
    expect((await cache.read("a", async () => new Uint8Array(3))).byteLength).toBe(3);
    const half = MAX_CACHED_BYTES / 2;
    await Promise.all([read("a", half), read("a", half)]);
    await read("b", half);
    loaded.length = 0;
    for (const id of ["a", "b"]) await read(id, half);
    expect(loaded).toEqual([]);
  });
});
