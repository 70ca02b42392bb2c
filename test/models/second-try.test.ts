import { describe, expect, it } from "vitest";
import type { Message } from "../../src/protocol/message.ts";
import { FILES, loadTestFile } from "./arbitrary.ts";
import { ONE_OF_EACH, openWorld, say } from "./kit.ts";

describe.each(ONE_OF_EACH)("a second try over $vendor", ({ model }) => {
  it("[M-28] goes without kept reasoning when the vendor refuses it, once", async () => {
    await using world = await openWorld();
    world.server.reply({ thinking: ["secret thought"], text: ["ok"] });
    const { message } = await world.ask(model, { thinking: "high" });
    const messages = [say("Hello?"), ...(message ? [message] : []), say("Again")];
    world.server.reply({ refuse: "bad_reasoning" }, { text: ["fine"] });
    const told = await world.ask(model, { thinking: "high", messages });
    expect(told.text).toBe("fine");
    const [, refused, accepted] = world.server.requests.map(({ body }) => JSON.stringify(body));
    expect(refused).toContain("secret thought");
    expect(accepted).not.toContain("secret thought");
    expect(world.server.requests).toHaveLength(3);
  });

  it("[M-28] goes without images when the vendor refuses one, once", async () => {
    await using world = await openWorld({ loadFile: loadTestFile });
    const png = FILES.png?.ref;
    const messages: Message[] = [{ role: "user", content: png ? [{ type: "file", file: png }] : [] }];
    world.server.reply({ refuse: "bad_image" }, { text: ["I cannot see it."] });
    expect((await world.ask(model, { messages })).text).toBe("I cannot see it.");
    const [first, second] = world.server.requests.map(({ body }) => JSON.stringify(body));
    expect(first).toContain("base64");
    expect(second).not.toContain("base64");
    expect(second).toContain("picture.png");
  });

  it("[M-28] retries nothing else, and nothing twice", async () => {
    await using world = await openWorld();
    world.server.reply({ refuse: "overloaded" });
    await world.ask(model);
    expect(world.server.requests).toHaveLength(1);
    world.server.reply({ refuse: "bad_reasoning" }, { refuse: "bad_reasoning" });
    expect((await world.ask(model)).error?.kind).toBe("invalid_request");
    expect(world.server.requests).toHaveLength(3);
  });

  it("[M-28] shows no text twice: what fails after the first words is an error", async () => {
    await using world = await openWorld();
    world.server.reply({ text: ["a", "b"], fault: { kind: "error", after: 5, error: "bad_image" } });
    const told = await world.ask(model);
    expect(told.text.length).toBeLessThanOrEqual(2);
    expect(world.server.requests).toHaveLength(1);
  });
});
