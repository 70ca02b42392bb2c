import { describe, expect, it } from "vitest";
import { settle } from "../kit/kernel-world.ts";
import { nodeWorld } from "../kit/node-world.ts";

const said = (messages: readonly unknown[]) => [...JSON.stringify(messages).matchAll(/word\d/g)].map(([word]) => word);

describe("what a request is made of", () => {
  it("[T-12] is all of the transcript, also after a read of it failed halfway", async () => {
    const world = nodeWorld({ script: () => ({ text: "Yes." }) });
    const say = (text: string) =>
      world.kernel.submit({ key: text, actor: "p_anna", meta: null, content: [{ type: "text", text }] });
    world.start().resume();
    say("word1");
    await world.run();
    // A life that has read nothing yet.
    world.crash();
    world.start().resume();
    const { sql } = world.storage;
    const { exec } = sql;
    let reads = 0;
    Object.assign(sql, {
      exec: (query: string, ...bindings: unknown[]) => {
        if (query.includes("FROM entries WHERE id BETWEEN") && ++reads === 1) throw new Error("the disk failed");
        return exec(query, ...bindings);
      },
    });
    say("word2");
    await settle();
    await world.run();
    Object.assign(sql, { exec });
    say("word3");
    await world.run();
    expect(reads).toBeGreaterThan(0);
    expect(said(world.model.requests.at(-1)?.messages ?? [])).toEqual(["word1", "word2", "word3"]);
  });
});
