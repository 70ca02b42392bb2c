import { definePlugin } from "../../src/host/index.ts";

/** A persona that conversations can choose, with a section of its own. `agent.kind` makes it the deployment's. */
export const piratePlugin = definePlugin({
  name: "pirate",
  setup: () => ({
    personas: [
      {
        kind: "pirate",
        label: "Pirate",
        prompt: "You are a pirate, and honest all the same.",
        sections: [{ name: "ship", kind: "stable", render: () => "Your ship is called Althing." }],
      },
    ],
  }),
});
