import { definePlugin } from "../../host/index.ts";

/** Prefix of the web chat's channel keys. */
const WEB = "web";

/** The web chat: its pages follow the conversation itself, every message of a person begins or joins a turn. */
export const webchatPlugin = definePlugin({
  name: "webchat",
  setup: () => ({
    surfaces: [{ kind: "view", surface: WEB }],
    claims: [{ name: "webchat", surface: WEB, owns: () => true, admit: () => ({ kind: "turn" }) }],
    backgroundTargets: [{ name: WEB, label: "Web chat", surface: WEB }],
  }),
});
