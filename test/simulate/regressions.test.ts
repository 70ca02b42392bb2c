import { describe, expect, it } from "vitest";
import type { AnyStep } from "./actors/index.ts";
import type { Script } from "./script.ts";
import { simulate } from "./simulation.ts";

/** Scripts that once broke an invariant, as `npm run simulate` printed them. */
const REGRESSIONS: readonly { readonly name: string; readonly script: Script<AnyStep> }[] = [
  {
    name: "seed 18: a stop between the commit of a repeated request and its sending",
    script: {
      steps: [
        { actor: "people", do: "say", who: "p_bert", mode: "none" },
        { actor: "platform", do: "crash" },
        { actor: "plugin", do: "clear" },
        { actor: "plugin", do: "count" },
        { actor: "people", do: "stop" },
      ],
      answers: [{ kind: "text" }],
      tools: [{ kind: "ok" }],
      deliveries: [{ kind: "sent" }],
      hooks: [{ kind: "pass" }],
      hosts: [{ kind: "ok" }],
      pages: [{ kind: "ok" }],
      window: null,
      fork: null,
    },
  },
  {
    name: "seed 1982: a delivery whose end could not be committed was sent once more by the kernel that was lost",
    script: {
      steps: [
        { actor: "people", do: "repeat", nth: 5, dies: 8 },
        { actor: "writer", do: "notice" },
        { actor: "historian", do: "reset" },
        { actor: "historian", do: "pin", nth: 8 },
        { actor: "people", do: "say", who: "p_anna", mode: "none" },
        { actor: "plugin", do: "tell", key: "chat", afterMs: 0, fails: { in: 5, when: "before" } },
        { actor: "platform", do: "retry", count: 4 },
        { actor: "people", do: "stop" },
      ],
      answers: [{ kind: "text" }],
      tools: [{ kind: "ok" }],
      deliveries: [{ kind: "sent" }],
      hooks: [{ kind: "pass" }],
      hosts: [{ kind: "ok" }],
      pages: [{ kind: "ok" }],
      window: null,
      fork: null,
    },
  },
];

describe("regressions", () => {
  it.each(REGRESSIONS)("[Z-4] [T-36] [K-36] [K-44] $name", async ({ script }) => {
    expect((await simulate(script)).violation).toBeUndefined();
  });
});
