import { describe, expect, it } from "vitest";
import {
  MAX_FILE_BYTES,
  MAX_FILES_PER_MESSAGE,
  MAX_FRAME_BYTES,
  MAX_TEXT_UNITS,
} from "../../../src/protocol/limits.ts";
import { decideKey, type KeyPress } from "../../../web/src/parts/composer/composer-keys.ts";
import {
  formatBytes,
  formatCost,
  formatDay,
  formatDuration,
  formatLeft,
  formatRelative,
} from "../../../web/src/state/format.ts";
import { admitFiles, describeCount, findMessageFault } from "../../../web/src/state/message-limits.ts";
import { chatPath, readRoute, signInNews } from "../../../web/src/state/route.ts";

const limits = { textUnits: MAX_TEXT_UNITS, filesPerMessage: MAX_FILES_PER_MESSAGE, fileBytes: MAX_FILE_BYTES };
const ID = "0b8f6f0e-6f0a-4d3e-9f5c-3a3f3a1d2c4b";

describe("limits", () => {
  it("[L-16] a text at the limit goes, one unit more does not, and the limit is named", () => {
    expect(findMessageFault("x".repeat(MAX_TEXT_UNITS), [], limits)).toBeUndefined();
    expect(findMessageFault("x".repeat(MAX_TEXT_UNITS + 1), [], limits)).toMatch(/32,001 characters; 32,000 fit/);
  });

  it("[L-16] the frame's bytes are checked as well", () => {
    const bytes = (text: string) =>
      new TextEncoder().encode(JSON.stringify({ type: "send", id: "x".repeat(36), text, attachments: [] })).length;
    const count = Math.floor((MAX_FRAME_BYTES - bytes("")) / 3);
    expect(bytes("€".repeat(count + 1))).toBeGreaterThan(MAX_FRAME_BYTES);
    expect(findMessageFault("€".repeat(count), [], limits)).toBeUndefined();
    expect(findMessageFault("€".repeat(count + 1), [], limits)).toMatch(/64 KiB fit/);
  });

  it("[L-16] a count is shown near the limit only", () => {
    expect(describeCount(28_799, MAX_TEXT_UNITS)).toBeUndefined();
    expect(describeCount(28_800, MAX_TEXT_UNITS)).toBe("28,800 / 32,000");
  });

  it("[L-17] eight files of 10 MiB are taken; the ninth and one byte more are refused by name", () => {
    const file = (name: string, size = MAX_FILE_BYTES) => ({ name, size });
    const eight = Array.from({ length: MAX_FILES_PER_MESSAGE }, (_, index) => file(`f${index}`));
    expect(admitFiles(eight, 0, limits)).toEqual({ taken: eight, refused: [] });
    expect(admitFiles([...eight, file("ninth")], 0, limits).refused).toEqual([
      "ninth was left out: a message carries 8 files.",
    ]);
    expect(admitFiles([file("one")], 8, limits).taken).toEqual([]);
    expect(admitFiles([file("big", MAX_FILE_BYTES + 1)], 0, limits).refused).toEqual([
      "big has 11 MiB; a file may have 10 MiB.",
    ]);
  });
});

describe("keys", () => {
  const enter: KeyPress = {
    key: "Enter",
    shiftKey: false,
    altKey: false,
    ctrlKey: false,
    metaKey: false,
    isComposing: false,
    keyCode: 13,
  };

  it("[L-18] Enter sends, Shift+Enter breaks the line, a touch screen's Enter breaks the line", () => {
    expect(decideKey(enter, false)).toBe("send");
    expect(decideKey({ ...enter, shiftKey: true }, false)).toBe("type");
    expect(decideKey(enter, true)).toBe("type");
    expect(decideKey({ ...enter, ctrlKey: true }, true)).toBe("send");
    expect(decideKey({ ...enter, key: "a" }, false)).toBe("type");
  });

  it("[L-18] Enter that ends a composition does neither", () => {
    expect(decideKey({ ...enter, isComposing: true }, false)).toBe("type");
    expect(decideKey({ ...enter, keyCode: 229 }, false)).toBe("type");
  });
});

describe("words", () => {
  it("[L-22] durations and sizes read naturally", () => {
    expect([0, 12, 999, 1_000, 9_949, 12_400, 125_000].map(formatDuration)).toEqual([
      "0 ms",
      "12 ms",
      "999 ms",
      "1.0 s",
      "9.9 s",
      "12 s",
      "2 min 5 s",
    ]);
    expect([0, 1_023, 1_024, 10_485_760, 10_485_761].map(formatBytes)).toEqual([
      "0 B",
      "1023 B",
      "1 KiB",
      "10 MiB",
      "11 MiB",
    ]);
  });

  it("[L-33] the time left is never negative and gets finer towards the end", () => {
    expect([-5, 0, 12_000, 244_000, 3_540_000, 86_400_000].map(formatLeft)).toEqual([
      "0 s",
      "0 s",
      "12 s",
      "4 min 04 s",
      "59 min",
      "24 h",
    ]);
  });

  it("[L-43] cost and age are short", () => {
    expect([0, 50, 4_210, 1_250_000].map(formatCost)).toEqual(["", "<$0.0001", "$0.0042", "$1.25"]);
    const now = new Date(2026, 10, 3, 12).getTime();
    const ago = (minutes: number) => formatRelative(now - minutes * 60_000, now);
    expect([ago(0), ago(5), ago(180), ago(60 * 24 * 2), ago(60 * 24 * 40), ago(60 * 24 * 400)]).toEqual([
      "now",
      "5 min",
      "3 h",
      "Sun",
      "24 Sept",
      "29 Sept 2025",
    ]);
  });

  it("[L-21] days have names", () => {
    const now = new Date(2026, 10, 3, 12).getTime();
    expect(formatDay(now, now)).toBe("Today");
    expect(formatDay(new Date(2026, 10, 2, 23).getTime(), now)).toBe("Yesterday");
    expect(formatDay(new Date(2026, 9, 20).getTime(), now)).toBe("Tuesday 20 October");
    expect(formatDay(new Date(2025, 9, 20).getTime(), now)).toBe("Monday 20 October 2025");
  });
});

describe("addresses", () => {
  it("[L-45] a claim's code stands in the fragment", () => {
    expect(readRoute({ pathname: "/claim", hash: "#abc%20" })).toEqual({ page: "claim", code: "abc" });
    expect(readRoute({ pathname: "/claim", hash: "" })).toEqual({ page: "claim", code: undefined });
    expect(readRoute({ pathname: "/claim", hash: "#%E0%A4%A" })).toEqual({ page: "claim", code: undefined });
  });

  it("[L-44] a conversation's address holds its UUID; anything else is a new chat", () => {
    expect(readRoute({ pathname: `/chat/${ID.toUpperCase()}`, hash: "" })).toEqual({ page: "chat", conversation: ID });
    expect(readRoute({ pathname: chatPath(ID), hash: "" })).toEqual({ page: "chat", conversation: ID });
    for (const pathname of ["/", "/chat", "/chat/", "/chat/nonsense", "/chat/../x"]) {
      expect(readRoute({ pathname, hash: "#x" })).toEqual({ page: "chat", conversation: undefined });
    }
  });

  it.each([
    ["#sign-in=cancelled", "cancelled"],
    ["#sign-in=not-admitted", "Ask an owner"],
    ["#sign-in=failed", "could not confirm"],
    ["#sign-in=start-again", "Start it again"],
    ["#sign-in=<b>new</b>", "did not work"],
  ])("[L-66] %s is said in words", (hash, words) => {
    expect(signInNews(hash)).toContain(words);
    expect(signInNews(hash)).not.toContain("<b>");
  });

  it.each(["", "#", "#link", "#invite=x", "#sign-inn=failed"])("[L-66] %j says nothing of a sign-in", (hash) => {
    expect(signInNews(hash)).toBeUndefined();
  });
});
