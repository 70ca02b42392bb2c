import { describe, expect, it } from "vitest";
import { MAX_NAMESPACE_BYTES } from "../../../src/kernel/limits.ts";
import type { FileRef } from "../../../src/protocol/message.ts";
import { type FilesState, fileOf, MAX_FILE_LIST_BYTES, withFile } from "../../../src/surfaces/webchat/files-state.ts";

const file = (n: number, name = `picture ${n}.png`): FileRef => {
  return { id: `01k9file${String(n).padStart(18, "0")}`, name, mime: "image/png", bytes: 10 };
};

/** A state of so many files, as it was stored once. */
const stateOf = (count: number, name?: string): FilesState => {
  const files = Array.from({ length: count }, (_, n) => file(n, name));
  return { files: Object.fromEntries(files.map((one) => [one.id, one])) };
};

describe("the files of a conversation", () => {
  it("[W-26] 500 are kept, the next is refused with the limit", () => {
    const next = withFile(stateOf(499), file(499));
    expect(next).toEqual({ ok: true, value: stateOf(500) });
    expect(withFile(stateOf(500), file(500))).toEqual({ ok: false, error: expect.stringContaining("limit is 500") });
  });

  it("[W-26] fewer are kept when their names are long, so that their list can always be stored", () => {
    const name = "名".repeat(255);
    const each = new TextEncoder().encode(JSON.stringify(stateOf(1, name))).byteLength - '{"files":{}}'.length + 1;
    const most = Math.floor((MAX_FILE_LIST_BYTES - '{"files":{}}'.length + 1) / each);
    expect(most).toBeGreaterThan(250);
    expect(withFile(stateOf(most - 1, name), file(most - 1, name))).toMatchObject({ ok: true });
    const refused = withFile(stateOf(most, name), file(most, name));
    expect(refused).toEqual({ ok: false, error: expect.stringContaining(`the limit is ${MAX_FILE_LIST_BYTES}`) });
    expect(withFile(stateOf(most, name), file(most, "x"))).toMatchObject({ ok: true });
    expect(MAX_FILE_LIST_BYTES).toBeLessThan(MAX_NAMESPACE_BYTES);
  });

  it("[W-17] only an id that was registered is found, also where objects have members of their own", () => {
    const state = stateOf(1);
    expect(fileOf(state, file(0).id)).toEqual(file(0));
    for (const id of ["other", "__proto__", "constructor", "toString", ""]) expect(fileOf(state, id)).toBeUndefined();
  });
});
