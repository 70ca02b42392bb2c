import { describe, expect, it } from "vitest";
import { err, ok, type Result } from "../../../src/lib/result.ts";
import type { FileRef } from "../../../src/protocol/message.ts";
import { DraftBox } from "../../../web/src/app/draft-box.ts";
import type { Refused } from "../../../web/src/net/rest.ts";
import { keepIn } from "../../../web/src/state/storage.ts";
import { makeStorage } from "../state/sample-storage.ts";
import { settle } from "./fake-world.ts";

const limits = { textUnits: 100, filesPerMessage: 2, fileBytes: 10 };
const ref: FileRef = { id: "f1", name: "a.txt", mime: "text/plain", bytes: 3 };

function makeBox(storage = makeStorage(), key = "c1") {
  const uploads: ((reply: Result<FileRef, Refused>) => void)[] = [];
  const cancelled: string[] = [];
  let ids = 0;
  const box = new DraftBox(key, {
    keep: keepIn(storage, () => undefined),
    uuid: () => `key-${++ids}`,
    preview: () => undefined,
    upload: (file, onProgress) => {
      onProgress(0.5);
      return {
        done: new Promise((resolve) => uploads.push(resolve)),
        cancel: () => cancelled.push(file.name),
      };
    },
  });
  return { box, uploads, cancelled, storage };
}

describe("draft", () => {
  it("[L-15] words and uploaded files come back after a reload and a change of address", async () => {
    const { box, uploads, storage } = makeBox(makeStorage(), "new");
    box.write("half a");
    box.attach([new File(["abc"], "a.txt")], limits);
    expect(box.isUploading.value).toBe(true);
    uploads[0]?.(ok(ref));
    await settle();
    expect(box.isUploading.value).toBe(false);
    box.moveTo("c1");
    expect(makeBox(storage, "new").box.text.value).toBe("");
    const again = makeBox(storage, "c1").box;
    expect([again.text.value, again.files.value]).toEqual(["half a", [ref]]);
    again.clear();
    expect(storage.length).toBe(0);
  });

  it("[L-17] takes what fits, names what does not", () => {
    const { box } = makeBox();
    const big = new File(["01234567890"], "big.bin");
    const small = ["a", "b", "c"].map((name) => new File(["x"], name));
    expect(box.attach([big, ...small], limits)).toEqual([
      "big.bin has 11 B; a file may have 10 B.",
      "c was left out: a message carries 2 files.",
    ]);
    expect(box.attachments.value.map((item) => item.name)).toEqual(["a", "b"]);
  });

  it("[L-17] a failed upload says why; a removed one is cancelled", async () => {
    const { box, uploads, cancelled } = makeBox();
    box.attach([new File(["x"], "a"), new File(["x"], "b")], limits);
    uploads[0]?.(err({ status: 413, code: "too_large", message: "Too large." }));
    await settle();
    expect(box.attachments.value[0]).toMatchObject({ status: "failed", message: "Too large." });
    box.detach("key-2");
    expect(cancelled).toEqual(["b"]);
    expect(box.attachments.value.map((item) => item.name)).toEqual(["a"]);
    expect(box.files.value).toEqual([]);
  });

  it("[L-14] a refused message comes back before what was written since", () => {
    const { box } = makeBox();
    box.write("since then");
    box.restore("refused words", [ref, ref]);
    expect(box.text.value).toBe("refused words\n\nsince then");
    expect(box.files.value.map((file) => file.id)).toContain("f1");
  });
});
