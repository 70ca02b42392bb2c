import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readImageInfo } from "../../../src/models/files/image-info.ts";
import { loadFiles, MAX_ALL_IMAGE_BYTES, MAX_IMAGE_BYTES, MAX_LOADED_FILES } from "../../../src/models/files/load.ts";
import { describeFile, MAX_QUOTED_BYTES, quoteText } from "../../../src/models/files/quote.ts";
import type { FileRef, Message } from "../../../src/protocol/message.ts";
import { anyText, pngOf } from "../arbitrary.ts";
import { CLOCK_TOOL, ONE_OF_EACH, openWorld, say } from "../kit.ts";

const ref = (changes: Partial<FileRef> = {}): FileRef => ({
  id: "f",
  name: "a.txt",
  mime: "text/plain",
  bytes: 3,
  ...changes,
});
const attach = (...files: FileRef[]): Message => ({
  role: "user",
  content: files.map((file) => ({ type: "file", file })),
});
const bytes = (text: string) => new TextEncoder().encode(text);

async function load(file: FileRef, content: Uint8Array | Error, takesImages = true) {
  const read = () => (content instanceof Error ? Promise.reject(content) : Promise.resolve(content));
  const shown = (await loadFiles([attach(file)], takesImages, read)).get(file.id);
  return shown?.type === "image" ? `image ${shown.mime}` : shown?.text;
}

/** The first bytes of a JPEG with a comment before its frame header. */
function jpegOf(width: number, height: number): Uint8Array {
  return new Uint8Array([
    0xff,
    0xd8,
    0xff,
    0xfe,
    0,
    4,
    1,
    2,
    0xff,
    0xff,
    0xc2,
    0,
    17,
    8,
    height >> 8,
    height & 255,
    width >> 8,
    width & 255,
    3,
    1,
  ]);
}

describe("images", () => {
  it("[M-38] reads format and size from the bytes", () => {
    const gif = bytes("GIF89a....");
    gif.set([2, 1, 3, 0], 6);
    const webp = (kind: string, at: number, size: number[]) => {
      const all = new Uint8Array(40);
      all.set(bytes(`RIFF....WEBP${kind}`));
      all.set(size, at);
      return all;
    };
    expect(readImageInfo(pngOf(640, 480))).toEqual({ mime: "image/png", width: 640, height: 480 });
    expect(readImageInfo(gif)).toEqual({ mime: "image/gif", width: 258, height: 3 });
    expect(readImageInfo(jpegOf(1000, 700))).toEqual({ mime: "image/jpeg", width: 1000, height: 700 });
    expect(readImageInfo(webp("VP8 ", 26, [0x40, 1, 0xf0, 0]))).toEqual({
      mime: "image/webp",
      width: 320,
      height: 240,
    });
    expect(readImageInfo(webp("VP8X", 24, [0x3f, 1, 0, 0xef, 0, 0]))).toEqual({
      mime: "image/webp",
      width: 320,
      height: 240,
    });
    expect(readImageInfo(webp("VP8L", 21, [0x3f, 0xc1, 0x3b, 0]))).toEqual({
      mime: "image/webp",
      width: 320,
      height: 240,
    });
  });

  it("[M-38] reads no size out of anything else, and never throws", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 60 }),
        fc.constantFrom("", "\x89PNG\r\n\x1a\n", "GIF89a", "RIFF....WEBPVP8X"),
        (rest, head) => {
          const all = new Uint8Array([...Array.from(head, (char) => char.charCodeAt(0)), ...rest]);
          const info = readImageInfo(all);
          if (head === "" && info) expect(all[0]).toBeOneOf([0x89, 0x47, 0x52, 0xff]);
        },
      ),
    );
  });

  it("[M-38] [M-39] believes the bytes, not the declared type", async () => {
    expect(await load(ref({ mime: "image/png" }), jpegOf(9, 9))).toBe("image image/jpeg");
    expect(await load(ref({ mime: "image/png; x=y" }), pngOf(9, 9))).toBe("image image/png");
    expect(await load(ref({ mime: "image/png" }), bytes("<svg/>"))).toContain("not a readable image");
    expect(await load(ref({ mime: "image/svg+xml" }), bytes("<svg/>"))).toContain("its contents are not shown");
  });

  it("[M-39] names what cannot be shown: n is shown, n + 1 is not", async () => {
    const image = { mime: "image/png" };
    expect(await load(ref({ ...image, bytes: MAX_IMAGE_BYTES }), pngOf(8000, 1))).toBe("image image/png");
    expect(await load(ref({ ...image, bytes: MAX_IMAGE_BYTES + 1 }), pngOf(1, 1))).toContain(
      `above ${MAX_IMAGE_BYTES} bytes`,
    );
    expect(await load(ref(image), pngOf(8001, 1))).toContain("8001 × 1 pixels");
    expect(await load(ref(image), pngOf(0, 0))).toContain("0 × 0 pixels");
    expect(await load(ref(image), pngOf(1, 1), false)).toContain("takes no images");
    expect(await load(ref(image), new Error("gone"))).toContain("could not be read");
  });

  it("[M-42] reads the newest 20 files and names the others", async () => {
    const files = Array.from({ length: MAX_LOADED_FILES + 1 }, (_, at) => ref({ id: `f${at}` }));
    const read: string[] = [];
    const shown = await loadFiles([attach(...files)], true, ({ id }) => {
      read.push(id);
      return Promise.resolve(bytes("x"));
    });
    expect(read).toHaveLength(MAX_LOADED_FILES);
    expect(read).not.toContain("f0");
    expect(shown.get("f0")).toMatchObject({ text: expect.stringContaining("only the newest 20") as string });
    expect(shown.size).toBe(MAX_LOADED_FILES + 1);
  });

  it("[M-42] reads at most 12 MiB of images, the newest first", async () => {
    const each = MAX_IMAGE_BYTES;
    const files = Array.from({ length: 5 }, (_, at) => ref({ id: `f${at}`, mime: "image/png", bytes: each }));
    const shown = await loadFiles(
      files.map((file) => attach(file)),
      true,
      () => Promise.resolve(pngOf(1, 1)),
    );
    const images = [...shown.values()].filter(({ type }) => type === "image").length;
    expect(images).toBe(Math.floor(MAX_ALL_IMAGE_BYTES / each));
    expect(shown.get("f4")?.type).toBe("image");
    expect(shown.get("f0")?.type).toBe("text");
  });
});

describe("quoted text", () => {
  it("[M-40] stands in a fence that the text cannot close", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("`", "``", "```", "a", "\n"), { maxLength: 30 }), (pieces) => {
        const quoted = quoteText(ref(), bytes(pieces.join("")));
        const [, fence = "?"] = /:\n(`+)\n/.exec(quoted) ?? [];
        expect(quoted.endsWith(`\n${fence}`)).toBe(true);
        expect(pieces.join("")).not.toContain(fence);
      }),
    );
  });

  it("[M-40] is cut at 64 KiB, between characters, with the cut stated: n whole, n + 1 cut", () => {
    const whole = quoteText(ref(), bytes("x".repeat(MAX_QUOTED_BYTES)));
    expect(whole).not.toContain("cut");
    expect(whole).toContain("x".repeat(MAX_QUOTED_BYTES));
    const cut = quoteText(ref(), bytes(`${"x".repeat(MAX_QUOTED_BYTES - 1)}é`));
    expect(cut).toContain(`cut: the first ${MAX_QUOTED_BYTES} of ${MAX_QUOTED_BYTES + 1} bytes`);
    expect(cut).not.toContain("\ufffd");
  });

  it("[M-40] shows JSON, and nothing that only claims to be text", async () => {
    expect(await load(ref({ mime: "application/json" }), bytes('{"a":1}'))).toContain('{"a":1}');
    expect(await load(ref({ mime: "text/csv" }), new Uint8Array([80, 75, 3, 4, 0, 0]))).toContain("it is not text");
    expect(await load(ref({ mime: "application/pdf" }), bytes("%PDF"))).toContain("its contents are not shown");
  });

  it("[M-41] names stay on their line, whatever they hold", () => {
    fc.assert(
      fc.property(anyText, anyText, (name, mime) => {
        const line = describeFile(ref({ name, mime }), "no.");
        expect(line).toMatch(/^\[File ".*" \(.+, 3 bytes\) is attached; no\.\]$/);
        expect(line).not.toMatch(/[\u0000-\u001f\u200b-\u200f\u2028-\u202e]/);
      }),
    );
    expect(describeFile(ref({ name: 'x"\n\u202egnp.exe', mime: "a/b\n<c>" }), "no.")).toBe(
      '[File "x\\"gnp.exe" (unknown type, 3 bytes) is attached; no.]',
    );
  });
});

describe.each(ONE_OF_EACH)("files over $vendor", ({ model }) => {
  it("[M-38] sends images of people and of tools, and quoted text", async () => {
    await using world = await openWorld({
      loadFile: ({ id }) => Promise.resolve(id === "txt" ? bytes("words") : pngOf(2, 2)),
    });
    const png = (id: string) => ({ type: "file" as const, file: ref({ id, name: `${id}.png`, mime: "image/png" }) });
    const messages: Message[] = [
      {
        role: "user",
        content: [{ type: "text", text: "Look" }, png("mine"), { type: "file", file: ref({ id: "txt" }) }],
      },
      { role: "assistant", content: [{ type: "call", id: "c", name: "clock", args: "{}" }], stop: "calls" },
      {
        role: "tool",
        callId: "c",
        name: "clock",
        content: [{ type: "text", text: "shot" }, png("shot")],
        isError: false,
      },
      say("And?"),
    ];
    await world.ask(model, { messages, tools: [CLOCK_TOOL] });
    const [request] = world.server.requests;
    expect(request?.complaints).toEqual([]);
    const sent = JSON.stringify(request?.body);
    const base64 = Buffer.from(pngOf(2, 2)).toString("base64");
    expect(sent.split(base64)).toHaveLength(3);
    expect(sent).toContain("words");
  });

  it("[M-8] an abort ends a call that waits for a file", async () => {
    await using world = await openWorld({ loadFile: () => new Promise(() => undefined) });
    const stop = new AbortController();
    const asked = world.ask(model, { messages: [attach(ref())] }, stop.signal);
    stop.abort();
    expect((await asked).error?.kind).toBe("aborted");
    expect(world.server.requests).toEqual([]);
  });
});
