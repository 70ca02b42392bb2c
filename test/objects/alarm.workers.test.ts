import { env, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { Gate } from "../kit/gate.ts";
import { Talk } from "../kit/talk.workers.ts";
import { until } from "../kit/until.ts";

/** The platform's alarm, as it comes after so many deaths in it. */
function wake(talk: Talk, retryCount: number): Promise<void> {
  return runInDurableObject(talk.stage.object, (object) =>
    object.alarm({ retryCount, isRetry: retryCount > 0, scheduledTime: Date.now() }),
  );
}

/** A conversation that died in the midst of an answer. The next one comes at once. */
async function died(): Promise<Talk> {
  const talk = await Talk.begin();
  await talk.told();
  const gate = new Gate();
  talk.stage.script = () => ({ text: "A long answer.", between: () => gate.pass() });
  await talk.say("Hello");
  await gate.reached();
  await talk.die();
  talk.stage.script = () => ({ text: "Here I am." });
  return talk;
}

describe("an alarm that comes again", () => {
  it("[K-73] after three deaths in it starts nothing before its pause is over, whoever looks in", async () => {
    const talk = await died();
    await wake(talk, 3);
    expect((await talk.snapshot()).view.turn).not.toBeNull();
    const alarm = (await talk.alarm()) ?? 0;
    expect(alarm - Date.now()).toBeGreaterThan(30_000);
    expect(talk.stage.model.requests).toHaveLength(1);
    await wake(talk, 0);
    await talk.idle();
    expect((await talk.transcript()).at(-1)).toEqual(["assistant", "Here I am."]);
  });

  it("[K-73] after two it goes on at once, and somebody who speaks is answered in any case", async () => {
    const talk = await died();
    await wake(talk, 2);
    await talk.idle();
    expect(talk.stage.model.requests).toHaveLength(2);
    const other = await died();
    await wake(other, 3);
    await other.say("Are you there?");
    await other.idle();
    expect((await other.transcript()).at(-1)).toEqual(["assistant", "Here I am."]);
  });
});

describe("storage that fails in the alarm", () => {
  it("[K-73] the object gives the alarm back, and the platform repeats it until the work is done, with nobody looking in", async () => {
    const talk = await Talk.begin();
    const gate = new Gate();
    talk.stage.script = () => ({ text: "A long answer.", between: () => gate.pass() });
    await talk.say("Plan the week");
    await gate.reached();
    await until(async () => (await talk.alarm()) === null, "the alarm to be under way");
    talk.stage.script = () => ({ text: "Here I am." });
    talk.stage.isStorageBroken = true;
    gate.open();
    await until(() => talk.stage.refusals > 0, "the storage to refuse");
    talk.stage.isStorageBroken = false;
    const listed = () =>
      env.DB.prepare("select state, title from conversations where key = ?").bind(talk.stage.key).first();
    // The list may be told of the turn while it runs, too.
    const isOver = (row: Awaited<ReturnType<typeof listed>>) =>
      row?.["title"] === "Plan the week" && row["state"] === "idle";
    await until(async () => isOver(await listed()), "the platform to repeat the alarm");
    expect(talk.stage.model.requests).toHaveLength(2);
  });
});
