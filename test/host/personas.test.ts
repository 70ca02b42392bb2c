import { describe, expect, it } from "vitest";
import { choosePersona, type Host, personaSections } from "../../src/host/index.ts";
import type { Section } from "../../src/kernel/index.ts";
import { send } from "../kernel/make.ts";
import { started } from "../kernel/started.ts";
import { stopOf } from "../kit/stop-of.ts";
import { hostOf, pluginWith } from "./plugin-with.ts";

const sea: Section = { name: "sea", kind: "stable", render: () => "You are at sea." };
const PERSONAS = [
  { kind: "pirate", label: "Pirate", prompt: "You are a pirate.", sections: [sea] },
  { kind: "clerk", label: "Clerk", prompt: "You are a clerk." },
];
const host = () => hostOf(pluginWith("crew", { personas: PERSONAS }));

/** The system prompt of a conversation in which a persona answers. */
async function promptOf(made: Host, kind: string): Promise<string | undefined> {
  const world = started({
    register(registry) {
      for (const section of personaSections(made.personas, () => kind)) registry.registerSection(section);
    },
  });
  send(world, "Hello");
  await world.run();
  return world.model.requests[0]?.system;
}

describe("personas", () => {
  it("[X-37] prompt and sections stand where the persona answers, and nowhere else", async () => {
    expect(await promptOf(host(), "pirate")).toBe("You are a pirate.\n\nYou are at sea.");
    expect(await promptOf(host(), "clerk")).toBe("You are a clerk.");
  });

  it.each([
    ["Pirate", "must match"],
    [undefined, "must match"],
  ])("[X-37] the kind %j is refused", (kind, sentence) => {
    const made = () => hostOf(pluginWith("crew", { personas: [{ kind, label: "x", prompt: "" }] }));
    expect(stopOf(made).message).toContain(sentence);
  });

  it("[X-37] a persona without a prompt is refused; an empty prompt is one", () => {
    const crew = (persona: object) =>
      hostOf(pluginWith("crew", { personas: [{ kind: "mute", label: "x", ...persona }] }));
    expect(stopOf(() => crew({})).message).toContain("needs a prompt");
    expect(crew({ prompt: "" }).personas).toHaveLength(1);
  });

  it("[X-39] a kind that nobody has is told with the nearest, or with what there is", () => {
    const { personas } = host();
    expect(choosePersona("clerk", personas)).toMatchObject({ ok: true, value: { label: "Clerk" } });
    expect(choosePersona("pirat", personas)).toMatchObject({ error: expect.stringContaining("did you mean pirate?") });
    expect(choosePersona("judge", personas)).toMatchObject({
      error: expect.stringContaining("there are pirate, clerk."),
    });
    expect(choosePersona("judge", [])).toMatchObject({ error: expect.stringContaining("no plugin has any") });
  });
});
