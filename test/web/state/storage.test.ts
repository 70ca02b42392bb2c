import { describe, expect, it } from "vitest";
import { addWritten, markReceived, markSent } from "../../../web/src/state/outbox.ts";
import { EMPTY_DRAFT, keepIn } from "../../../web/src/state/storage.ts";
import { makeStorage } from "./sample-storage.ts";

const file = { id: "f1", name: "a.png", mime: "image/png", bytes: 3 };
const a = { id: "a", text: "first", files: [file], at: 1 };
const b = { id: "b", text: "second", files: [], at: 2 };

describe("storage", () => {
  it("[L-15] keeps a draft per conversation with its files, and forgets an empty one", () => {
    const storage = makeStorage();
    keepIn(storage, () => undefined).writeDraft("c1", { text: "half a th", files: [file] });
    const keep = keepIn(storage, () => undefined);
    expect(keep.readDraft("c1")).toEqual({ text: "half a th", files: [file] });
    expect(keep.readDraft("c2")).toEqual(EMPTY_DRAFT);
    keep.writeDraft("c1", EMPTY_DRAFT);
    expect(storage.length).toBe(0);
  });

  it("[L-13] keeps what the server does not have yet, in order, over a reload", () => {
    const storage = makeStorage();
    const keep = keepIn(storage, () => undefined);
    const one = addWritten([], b);
    const both = addWritten(one, a);
    keep.writeOutbox("c1", [], one);
    keep.writeOutbox("c1", one, both);
    expect(keepIn(storage, () => undefined).readOutbox("c1")).toEqual([a, b]);
    const accepted = markReceived(markSent(both, "a"), { id: "a", status: "placed" });
    keep.writeOutbox("c1", both, accepted);
    expect(keep.readOutbox("c1")).toEqual([b]);
    expect(keep.readOutbox("c2")).toEqual([]);
  });

  it("[L-13] two tabs do not remove each other's messages", () => {
    const storage = makeStorage();
    const [one, other] = [keepIn(storage, () => undefined), keepIn(storage, () => undefined)];
    one.writeOutbox("c1", [], addWritten([], a));
    other.writeOutbox("c1", [], addWritten([], b));
    one.writeOutbox("c1", addWritten([], a), []);
    expect(one.readOutbox("c1")).toEqual([b]);
  });

  it("[L-20] remembers which conversations the server does not know yet", () => {
    const keep = keepIn(makeStorage(), () => undefined);
    keep.setUncreated("c1", true);
    expect([keep.isUncreated("c1"), keep.isUncreated("c2")]).toEqual([true, false]);
    keep.setUncreated("c1", false);
    expect(keep.isUncreated("c1")).toBe(false);
  });

  it("[L-46] signing out removes everything of the page, and nothing else", () => {
    const storage = makeStorage();
    storage.setItem("other", "stays");
    const keep = keepIn(storage, () => undefined);
    keep.writeDraft("c1", { text: "secret", files: [] });
    keep.writeOutbox("c1", [], addWritten([], a));
    keep.setUncreated("c1", true);
    keep.clear();
    expect(storage.length).toBe(1);
    expect(storage.getItem("other")).toBe("stays");
  });

  it("[L-15] deleting a conversation forgets its part only", () => {
    const storage = makeStorage();
    const keep = keepIn(storage, () => undefined);
    keep.writeDraft("c1", { text: "x", files: [] });
    keep.writeOutbox("c1", [], addWritten([], a));
    keep.writeDraft("c2", { text: "y", files: [] });
    keep.forget("c1");
    expect(keep.readDraft("c2").text).toBe("y");
    expect(storage.length).toBe(1);
  });

  it("[L-15] damaged or full storage costs the convenience only, and says so", () => {
    const storage = makeStorage();
    for (const damaged of ["{", "null", "[]", '{"text":1}', '{"text":"x","files":[null,{}]}']) {
      storage.setItem("althing.draft.c1", damaged);
      storage.setItem("althing.outbox.c1.a", damaged);
      const keep = keepIn(storage, () => undefined);
      expect(keep.readDraft("c1").files).toEqual([]);
      expect(keep.readOutbox("c1")).toEqual([]);
    }
    let full = 0;
    const setItem = () => {
      throw new Error("QuotaExceededError");
    };
    keepIn({ ...makeStorage(), length: 0, setItem }, () => {
      full += 1;
    }).writeDraft("c1", { text: "x", files: [] });
    expect(full).toBe(1);
  });
});
