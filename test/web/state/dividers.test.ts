import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/lib/json.ts";
import type { ViewEntry } from "../../../src/protocol/view.ts";
import { describeLeft, readDivider } from "../../../web/src/state/dividers.ts";
import { layOutRows } from "../../../web/src/state/rows.ts";
import { makeView, NOW, userEntry } from "./sample-view.ts";

const UUID = "0b8f6f0e-6f0a-4d3e-9f5c-3a3f3a1d2c4b";

function entry(kind: string, data: Json = {}): ViewEntry {
  return { id: 5, kind, at: NOW, data };
}

function words(kind: string, data: Json = {}): string | undefined {
  return readDivider(entry(kind, data), "")?.words;
}

describe("dividers", () => {
  it("[L-50] a summary says why it was made and how many tokens it saved", () => {
    const data = { reason: "threshold", through: 4, tokensBefore: 12_300, tokensAfter: 900 };
    expect(words("core.summary", data)).toBe(
      "Older messages were summarised (the model's window was filling up, 12,300 → 900 tokens). They stay readable above.",
    );
    expect(words("core.summary", { ...data, reason: "overflow" })).toContain("they no longer fitted the model");
    expect(words("core.summary", { reason: "manual" })).toContain("(on request).");
    expect(words("core.summary")).toBe("Older messages were summarised. They stay readable above.");
  });

  it("[L-52] starting afresh and a hand-over divide, the latter with its text", () => {
    expect(words("core.reset")).toBe("The agent starts afresh here; it sees nothing from above");
    expect(readDivider(entry("core.handoff"), "Go on with the harbour.")).toMatchObject({
      kind: "handoff",
      text: "Go on with the harbour.",
    });
  });

  it("[L-58] going back divides, and says when it was to the start", () => {
    expect(words("core.rewind", { to: 3, left: [4, 9], by: "p_1" })).toBe("Went back; what followed was left behind");
    expect(words("core.rewind", { to: 0, left: [1, 9], by: "p_1" })).toContain("Went back to the start");
  });

  it("[L-58] how much was left behind is told; of 200 entries and more, that these are the first", () => {
    expect(describeLeft(1, 3)).toBe("1 message was left behind.");
    expect(describeLeft(90, 199)).toBe("90 messages were left behind.");
    expect(describeLeft(90, 200)).toBe("The first 90 messages that were left behind:");
  });

  it("[L-60] a fork tells where it came from; an origin that is no conversation of the page is no link", () => {
    const fork = (from: string) => readDivider(entry("core.fork", { from, at: 3 }), "");
    expect(fork(`web:${UUID}`)).toMatchObject({ kind: "fork", conversation: UUID });
    for (const from of [`discord:${UUID}`, "web:../../x", "web:javascript:alert(1)"]) {
      expect(fork(from)).toMatchObject({ kind: "fork", conversation: undefined });
    }
  });

  it("[V-112] an import says that it is one, and links nowhere", () => {
    const imported = readDivider(entry("core.fork", { from: `import:${"a".repeat(64)}:x`, at: 3 }), "");
    expect(imported).toMatchObject({ kind: "fork", conversation: undefined });
    expect(imported?.words).toMatch(/^Imported from a file/);
  });

  it("[L-25] other kinds are no dividers", () => {
    expect(readDivider(entry("core.notice"), "x")).toBeUndefined();
    expect(readDivider(entry("notes.saved"), "x")).toBeUndefined();
  });

  it("[L-50] a divider is a row between the messages", () => {
    const summary = { ...entry("core.summary"), id: 2 };
    const rows = layOutRows([userEntry(1, "a"), summary, userEntry(3, "b")], makeView(), []);
    expect(rows.map((row) => row.kind)).toEqual(["day", "user", "divider", "user"]);
  });
});
