import { expect, it } from "vitest";
import { chatNamespace } from "../../../src/surfaces/webchat/chat-state.ts";

const chat = chatNamespace({ model: "demo/demo", thinking: "low", persona: "assistant" }, ["now", "calculate"]);

it("[W-25] what the person has not chosen shows as the deployment's default", () => {
  const tools = [
    { name: "now", on: true },
    { name: "calculate", on: true },
  ];
  const persona = "assistant";
  expect(chat.view?.(chat.defaults)).toEqual({ title: "", model: "demo/demo", thinking: "low", persona, tools });
  const chosen = { title: "A", model: "x/y", thinking: "off", persona: "pirate" } as const;
  expect(chat.view?.({ ...chat.defaults, ...chosen })).toEqual({ ...chosen, tools });
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
