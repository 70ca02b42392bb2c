import { expect, it } from "vitest";
import { chatNamespace } from "../../../src/surfaces/webchat/chat-state.ts";

it("[W-25] what the person has not chosen shows as the deployment's default", () => {
  const chat = chatNamespace({ model: "demo/demo", thinking: "low" });
  expect(chat.view?.(chat.defaults)).toEqual({ title: "", model: "demo/demo", thinking: "low" });
  expect(chat.view?.({ title: "A", model: "x/y", thinking: "off" })).toEqual({
    title: "A",
    model: "x/y",
    thinking: "off",
  });
});
