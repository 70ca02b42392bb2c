import { describe, expect, it } from "vitest";
import { MAX_MESSAGE_UNITS, TestNetwork, testSurface } from "../kit/test-network.ts";

const opened = () => {
  const network = new TestNetwork();
  return { network, channel: network.open("1") };
};

describe("the test network", () => {
  it("[X-89] shows a message once under its nonce, with an id and a time that only goes on", async () => {
    const { network, channel } = opened();
    const first = await network.post({ nonce: "a", channel, text: "Hi" });
    expect(await network.post({ nonce: "a", channel, text: "Hi" })).toEqual(first);
    const second = await network.post({ nonce: "b", channel, text: "Hi" });
    expect(network.messages.map(({ id }) => id)).toEqual(["1", "2"]);
    expect([first, second]).toMatchObject([{ id: "1" }, { id: "2" }]);
    const [one, two] = network.messages;
    expect(two?.at).toBeGreaterThan(one?.at ?? Number.POSITIVE_INFINITY);
  });

  it.each([
    ["another message under one nonce", { nonce: "a", text: "Other" }, "stands for another message"],
    ["an empty message", { nonce: "b", text: "" }, "is empty"],
    ["a message too long by one", { nonce: "b", text: "x".repeat(MAX_MESSAGE_UNITS + 1) }, "has 501 units"],
    ["a channel that it does not have", { nonce: "b", text: "Hi", channel: "test:2" }, "has no channel"],
  ])("[X-89] refuses %s", async (_what, post, error) => {
    const { network, channel } = opened();
    await network.post({ nonce: "a", channel, text: "x".repeat(MAX_MESSAGE_UNITS) });
    await expect(network.post({ channel, ...post })).rejects.toThrow(error);
    expect(network.messages).toHaveLength(1);
  });

  it("[X-89] closes what asks, and keeps how it was closed first", async () => {
    const { network, channel } = opened();
    await network.post({ nonce: "a", channel, text: "Hi" });
    const question = {
      prompt: "q1",
      task: 1,
      speaker: "p",
      askedAt: 0,
      deadline: 1,
      questions: [],
      status: "open",
    } as const;
    await network.post({ nonce: "b", channel, text: "", question });
    await expect(network.close({ key: "c", channel, message: "1", text: "over" })).rejects.toThrow("asks nothing");
    for (const text of ["first", "second"]) await network.close({ key: "c", channel, message: "2", text });
    expect(network.messages[1]?.closed).toBe("first");
  });

  it("[X-89] takes nothing while it is away", async () => {
    const { network, channel } = opened();
    network.isAway = true;
    expect(await network.post({ nonce: "a", channel, text: "Hi" })).toMatchObject({ status: "retry" });
    expect(network.messages).toEqual([]);
  });

  it("[X-89] a surface on it that lacks something has no such method", () => {
    const bare = testSurface(new TestNetwork(), {
      prompts: false,
      files: false,
      typing: false,
      stop: false,
      progress: false,
      reactions: false,
    });
    expect(Object.keys(bare).sort()).toEqual(["kind", "sendNotice", "sendReply", "surface"]);
  });
});
