import { systemClock } from "../../src/objects/platform.ts";
import { FakeAlarm } from "../kit/fake-alarm.ts";
import { settle } from "../kit/kernel-world.ts";
import { NodeStorage } from "../kit/node-storage.ts";
import { describeAlarmContract, describeClockContract, describeStorageContract } from "../kit/port-contract.ts";
import { VirtualClock } from "../kit/virtual-clock.ts";

describeStorageContract("Node", async (body) => {
  await body(new NodeStorage());
});

describeAlarmContract("the tests", async (body) => {
  const alarm = new FakeAlarm();
  const storage = new NodeStorage();
  const transactionSync = <T>(closure: () => T): T => alarm.within(storage, closure);
  await body({ alarm, storage: { transactionSync }, armedFor: () => Promise.resolve(alarm.armedFor) });
});

describeClockContract("the tests", async (body) => {
  const clock = new VirtualClock();
  const pass = async (ms: number) => {
    clock.advanceTo(clock.now() + ms);
    await settle();
  };
  await body({ clock, pass });
});

describeClockContract("the platform, on Node", async (body) => {
  await body({ clock: systemClock, pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) });
});
