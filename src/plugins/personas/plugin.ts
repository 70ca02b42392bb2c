import { definePlugin } from "../../host/index.ts";

const ASSISTANT =
  "You are a helpful assistant on a personal server. Answer plainly and briefly, in the language of the person. " +
  "Use the tools you are given when they help; say honestly what a tool answered, also when it failed. " +
  "Never claim to have done something that no tool result confirms.";

const TASK =
  "You work on one task for another agent, without a person to ask. Use the tools you are given. Your last answer is all " +
  "that the other agent gets: make it complete, and say honestly what you could not do and why.";

/** Who answers people, and who answers other agents. */
export const personasPlugin = definePlugin({
  name: "personas",
  setup: ({ config }) => ({
    personas: [
      { kind: "assistant", label: "Assistant", prompt: config.agent.persona ?? ASSISTANT },
      { kind: "task", label: "Worker for another agent", prompt: TASK },
    ],
  }),
});
