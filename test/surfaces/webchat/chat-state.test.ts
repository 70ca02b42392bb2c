import { expect, it } from "vitest";
import { chatNamespace } from "../../../src/surfaces/webchat/chat-state.ts";

const chat = chatNamespace({ model: "demo/demo", thinking: "low" }, ["now", "calculate"]);

it("[W-25] what the person has not chosen shows as the deployment's default", () => {
  const tools = [
    { name: "now", on: true },
    { name: "calculate", on: true },
  ];
  expect(chat.view?.(chat.defaults)).toEqual({ title: "", model: "demo/demo", thinking: "low", tools });
  expect(chat.view?.({ ...chat.defaults, title: "A", model: "x/y", thinking: "off" })).toEqual({
    title: "A",
    model: "x/y",
    thinking: "off",
    tools,
  });
});

it("[W-32] every tool of the deployment shows, on or off; a name that no tool has any more does not", () => {
  expect(chat.view?.({ ...chat.defaults, toolsOff: ["gone", "calculate"] })).toMatchObject({
    tools: [
      { name: "now", on: true },
      { name: "calculate", on: false },
    ],
  });
});

it("[W-34] the switches alone follow the transcript", () => {
  expect([...chat.rewindable]).toEqual(["toolsOff"]);
});
