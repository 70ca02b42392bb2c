import { expect, it } from "vitest";
import { switchTools } from "../../../src/surfaces/webchat/tools-off.ts";

const TOOLS = ["now", "calculate", "add_note"];

it.each([
  [[], { calculate: false }, ["calculate"]],
  [["calculate"], { now: false }, ["now", "calculate"]],
  [["calculate"], { calculate: true }, []],
  [["calculate"], {}, ["calculate"]],
  [["calculate"], { calculate: false, add_note: false, now: false }, TOOLS],
  [["gone", "add_note"], { now: true }, ["add_note"]],
] as const)("[W-32] %j and the change %j make %j", (off, change, next) => {
  expect(switchTools(off, change, TOOLS)).toEqual({ ok: true, value: next });
});

it.each([
  ["calculat", "did you mean calculate?"],
  ["xyz", "there are now, calculate, add_note."],
  ["constructor", "there are"],
])("[W-32] the unknown name %s is refused: %s", (name, message) => {
  const refused = switchTools([], { now: false, [name]: false }, TOOLS);
  expect(refused).toMatchObject({ ok: false, error: expect.stringContaining(message) });
});
