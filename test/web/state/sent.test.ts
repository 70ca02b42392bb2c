import { describe, expect, it } from "vitest";
import type { Message } from "../../../src/protocol/message.ts";
import { nameSender, sizeOf, sizeOfAll } from "../../../web/src/state/sent.ts";

const MESSAGES: readonly Message[] = [
  { role: "system", text: "rules" },
  {
    role: "user",
    content: [
      { type: "text", text: "hello" },
      { type: "file", file: { id: "f", name: "a.txt", mime: "text/plain", bytes: 9 } },
    ],
  },
  {
    role: "assistant",
    stop: "calls",
    content: [
      { type: "thinking", text: "hm" },
      { type: "call", id: "1", name: "clock", args: "{}" },
    ],
  },
  { role: "tool", callId: "1", name: "clock", isError: true, content: [{ type: "text", text: "no" }] },
];

describe("a sent request", () => {
  it("[L-63] names each sender and counts what each message says", () => {
    expect(MESSAGES.map(nameSender)).toEqual(["System", "User", "Assistant", "Result of clock (an error)"]);
    expect(MESSAGES.map(sizeOf)).toEqual([5, 10, 9, 2]);
  });

  it("[L-63] counts the whole: prompts, tools and messages", () => {
    const request = { model: "a/b", thinking: "off", system: "1234", volatile: "12", tools: [], cutoff: 4 } as const;
    expect(sizeOfAll({ ...request, messages: MESSAGES })).toBe(4 + 2 + "[]".length + 26);
  });
});
