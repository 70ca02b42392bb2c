import { env, runInDurableObject } from "cloudflare:test";
import { objectAlarm, systemClock } from "../../src/objects/platform.ts";
import { describeAlarmContract, describeClockContract, describeStorageContract } from "../kit/port-contract.ts";

/** Runs a body inside a fresh Durable Object. */
async function inObject(body: (state: DurableObjectState) => void | Promise<void>): Promise<void> {
  await runInDurableObject(env.SCRATCH.get(env.SCRATCH.newUniqueId()), async (_instance, state) => {
    await body(state);
  });
}

describeStorageContract("a Durable Object", (body) => inObject((state) => body(state.storage)));

describeAlarmContract("a Durable Object", (body) =>
  inObject(({ storage }) => body({ alarm: objectAlarm(storage), storage, armedFor: () => storage.getAlarm() })),
);

describeClockContract("the platform, in workerd", async (body) => {
  await body({ clock: systemClock, pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) });
});
