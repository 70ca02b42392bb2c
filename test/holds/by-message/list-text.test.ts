import { expect, it } from "vitest";
import { listText } from "../../../src/holds/by-message/list-text.ts";

const call = (tool: string) => ({ tool, action: `Do ${tool}`, target: null, args: [{ name: "to", value: '"Bert"' }] });

it("[H-131] several calls are numbered, and files are listed with their sizes", () => {
  const file = { id: "f", name: "plan.pdf", bytes: 1_200, sha256: "0".repeat(64) };
  expect(listText([{ ...call("send"), files: [file] }, call("post")])).toBe(
    [
      "These 2 calls wait for your answer and have not run:",
      "1. send: Do send",
      '   to: "Bert"',
      "   file: plan.pdf (1200 bytes)",
      "2. post: Do post",
      '   to: "Bert"',
      "Answer yes or no with the number.",
    ].join("\n"),
  );
  expect(listText([])).toBe("");
});
