import { describe, expect, it } from "vitest";
import { summaryMessage, summaryRequest } from "../../../src/kernel/compaction/prompt.ts";
import { writeTranscript } from "../../../src/kernel/compaction/transcript.ts";
import type { Entry } from "../../../src/kernel/index.ts";
import { plan } from "../../../src/models/demo/plan.ts";
import type { Message } from "../../../src/protocol/message.ts";
import { assistant, requestOf, user } from "./kit.ts";

const ASKED = { model: "demo/demo", summaryBytes: 32_000, partBytes: 50_000, maxOutputTokens: 8_000 };

function entries(...messages: readonly (Message & { readonly isHead?: true })[]): Entry[] {
  return messages.map(({ isHead, ...message }, index) => ({
    id: index + 1,
    rev: 1,
    at: 0,
    kind: "core.user",
    message: message as Message,
    ...(isHead && { head: [] }),
  }));
}

/** What the demo model answers when the kernel asks for a summary of these. */
function summaryOf(transcript: readonly Entry[], before = ""): string {
  const text = writeTranscript(transcript);
  return plan(summaryRequest({ asked: ASKED, complaint: null, before, text, instructions: "" })).text;
}

describe("summaries of the demo model", () => {
  it("[G-47] tell what people said, in a line each", () => {
    const told = summaryOf(
      entries(user("Add a note: buy milk\nand bread"), assistant("- *Done*\n- noted"), user("2+2")),
    );
    expect(told).toBe("People said, oldest first:\n- Add a note: buy milk\n- 2+2");
  });

  it("[G-47] tell twenty lines of at most 120 characters", () => {
    const said = Array.from({ length: 21 }, (_, n) => user(`${n} ${"x".repeat(200)}`));
    const lines = summaryOf(entries(...said))
      .split("\n")
      .slice(1);
    expect(lines).toHaveLength(20);
    expect(lines[0]?.startsWith("- 1 x")).toBe(true);
    expect(lines[0]).toHaveLength(2 + 120);
  });

  it("[G-47] tell on what an earlier summary told, and the parts before", () => {
    const earlier = { ...summaryMessage("People said, oldest first:\n- hello"), isHead: true } as const;
    expect(summaryOf(entries(earlier, user("2+2")))).toBe("People said, oldest first:\n- hello\n- 2+2");
    expect(summaryOf(entries(user("2+2")), "People said, oldest first:\n- hello")).toContain("- hello\n- 2+2");
    expect(summaryOf(entries(assistant("Hm.")))).toBe("People said nothing that could be told in a line.");
  });

  it("[G-47] are nobody's wish", () => {
    const made = plan(requestOf([summaryMessage("People said:\n- what time is it?"), user("2+2")]));
    expect(made.calls.map(({ name }) => name)).toEqual(["calculate"]);
  });
});
