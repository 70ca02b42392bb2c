import { describe, expect, it } from "vitest";
import type { Message } from "../../src/protocol/message.ts";
import { asked, chat, counting, settingsWith, WINDOW, words } from "../compaction/kit.ts";
import { ANNA, BERT, entriesOf, send } from "./make.ts";
import { started } from "./started.ts";

const voice = (name: string) => ({ name, label: `[Message from ${name}]` });
const textsOf = (message: Message | undefined) =>
  message === undefined || message.role === "system"
    ? []
    : message.content.map((part) => ("text" in part ? part.text : part.type));

describe("who says something", () => {
  it("[J-28] is a line before the words for models, and beside them in the entry", async () => {
    const world = started();
    send(world, "hi", { voice: voice("Anna") });
    await world.run();
    expect(textsOf(world.model.requests[0]?.messages[0])).toEqual(["[Message from Anna]", "hi"]);
    const [entry] = entriesOf(world, "core.user");
    expect(textsOf(entry?.message)).toEqual(["hi"]);
    expect(entry?.data).toEqual({ input: `${ANNA}:hi`, actor: ANNA, voice: voice("Anna") });
  });

  it("[J-28] stays as it was said: queued, after a death, and when it is sent again", async () => {
    const held: (() => void)[] = [];
    const world = started({
      script: (_, nth) => ({
        text: "ok",
        ...(nth === 0 && { between: () => new Promise<void>((resolve) => held.push(resolve)) }),
      }),
    });
    send(world, "first", { voice: voice("Anna") });
    await world.run(() => held.length > 0);
    send(world, "second", { actor: BERT, voice: voice("Bert") });
    expect(world.kernel.snapshot().view.inbox).toMatchObject([{ actor: BERT, name: "Bert", text: "second" }]);
    world.crash();
    world.start().resume();
    await world.run();
    const said = world.model.requests.at(-1)?.messages.map(textsOf);
    expect(said).toEqual([["[Message from Anna]", "first"], ["ok"], ["[Message from Bert]", "second"]]);
    const sent = world.kernel.history.sentRequest(entriesOf(world, "core.assistant").at(-1)?.id ?? 0);
    expect(sent?.request.messages.map(textsOf)).toEqual(said);
  });

  it("[J-28] is no part of what a message is known by: said again under another name it is the same", async () => {
    const world = started();
    const receipt = send(world, "hi", { voice: voice("Anna") });
    await world.run();
    expect(send(world, "hi", { voice: voice("Anna B") })).toEqual({
      ...receipt,
      value: { input: `${ANNA}:hi`, status: "done" },
    });
    expect(entriesOf(world, "core.user")).toHaveLength(1);
  });

  it("[J-28] without one, nothing is said before the words", async () => {
    const world = started();
    send(world, "hi");
    await world.run();
    expect(textsOf(world.model.requests[0]?.messages[0])).toEqual(["hi"]);
    expect(entriesOf(world, "core.user")[0]?.data).toEqual({ input: `${ANNA}:hi`, actor: ANNA });
  });

  it("[J-29] is told to summarisers, and with what is pinned", async () => {
    const world = started({ script: counting(), settings: settingsWith(WINDOW) });
    send(world, words("The code is 4711.", 200), { voice: voice("Anna") });
    await world.run();
    world.kernel.history.pin(entriesOf(world, "core.user")[0]?.id ?? 0, true);
    await chat(world, 12, 200);
    const { answers, summaries } = asked(world);
    expect(JSON.stringify(summaries[0]?.messages)).toContain("User:\\n[Message from Anna]\\nThe code is 4711.");
    expect(JSON.stringify(answers.at(-1)?.messages)).toContain("User: [Message from Anna]\\nThe code is 4711.");
  });
});
