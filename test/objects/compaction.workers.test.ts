import { evictDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../src/kernel/index.ts";
import { counting, isSummaryRequest, requestTokens, textsOf, words } from "../compaction/kit.ts";
import { Stage } from "../kit/stage.workers.ts";
import { Talk } from "../kit/talk.workers.ts";
import { until } from "../kit/until.ts";

/** Tokens of the demo model's window. */
const WINDOW = 32_000;

function talkative(): Stage {
  const stage = new Stage();
  stage.script = counting(() => ({ text: words("Answer", 6_000) }));
  return stage;
}

describe("compaction at the object", () => {
  it("[Q-1] [Q-30] the window is that of the model in use; evicted or not, no request is longer", async () => {
    const talk = await Talk.begin(talkative());
    for (let turn = 1; turn <= 7; turn++) {
      await talk.say(words(`message ${turn}`, 200));
      await until(async () => (await talk.control()).turn === null, "the turn to end");
      if (turn === 5) await evictDurableObject(talk.stage.object);
    }
    const { requests } = talk.stage.model;
    expect(requests.filter(isSummaryRequest).length).toBeGreaterThan(1);
    expect(Math.max(...requests.map(requestTokens))).toBeLessThan(WINDOW);
    const last = requests.at(-1) as ModelRequest;
    expect(textsOf(last)[0]).toContain("They talked.");
    const before = talk.stage.counts.read;
    await evictDurableObject(talk.stage.object);
    const { view } = await talk.snapshot();
    expect(talk.stage.counts.read - before).toBeLessThan(250);
    expect(view.entries.filter(({ kind }) => kind === "core.summary").length).toBeGreaterThan(0);
    expect(view.compaction).toBeNull();
  });
});
