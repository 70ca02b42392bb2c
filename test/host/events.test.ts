import { describe, expect, it } from "vitest";
import { MAX_BUSY_EVENTS } from "../../src/host/events/event-teller.ts";
import type { HostEvents } from "../../src/host/events/host-events.ts";
import { EventTeller, eventsOf } from "../../src/host/index.ts";
import { send, tool } from "../kernel/make.ts";
import { started } from "../kernel/started.ts";
import { callsThenText } from "../kit/scenarios.ts";
import { stopOf } from "../kit/stop-of.ts";
import { hostOf, pluginWith } from "./plugin-with.ts";

const event = { conversation: "web:1", outcome: "answered" } as const;
const ended = [{ name: "turnEnded", event }] as const;

function tellerOf(...handlers: readonly HostEvents[]) {
  const reports: { event: string; facts: object }[] = [];
  const watchers = handlers.map((events, i) => ({ plugin: `p${i}`, events }));
  return { reports, teller: new EventTeller(watchers, { report: (event, facts) => reports.push({ event, facts }) }) };
}

const tick = () => new Promise((resolve) => setTimeout(resolve, 0));

describe("events", () => {
  it("[X-20] a turn with a call tells its start, its calls, its end and what changed, in order, and no words", async () => {
    const told: string[] = [];
    const note = (name: string) => (one: object) => void told.push(`${name} ${JSON.stringify(one)}`);
    const names = ["turnStarted", "turnProgress", "turnEnded"] as const;
    const { teller } = tellerOf(Object.fromEntries(names.map((name) => [name, note(name)])));
    const world = started({
      tools: [tool("dig", () => Promise.resolve({ text: "" }))],
      script: callsThenText([{ name: "dig", args: "{}" }]),
      onFrame: (frame) => teller.tell(eventsOf("web:1", frame)),
    });
    send(world, "go");
    await world.run();
    expect(told.map((line) => line.split(" ")[0])).toEqual([
      "turnStarted",
      "turnProgress",
      "turnProgress",
      "turnEnded",
    ]);
    expect(told.at(-1)).toContain('"outcome":"answered"');
    expect(told.join()).toContain('"state":"started"');
    const changes = world.commits.flatMap((frame) => eventsOf("web:1", frame).filter(({ name }) => name === "changed"));
    expect(changes.length).toBeGreaterThan(3);
    expect(JSON.stringify(changes)).not.toContain("All done");
    expect(changes[0]?.event).toMatchObject({ parts: expect.arrayContaining(["entries", "turn"]) });
  });

  it("[X-20] each plugin gets a copy of its own", () => {
    const seen: object[] = [];
    const spoil = { turnEnded: (one: object) => void Object.assign(one, { outcome: "spoilt" }) };
    const { teller } = tellerOf(spoil, { turnEnded: (one) => void seen.push(one) });
    teller.tell(ended);
    expect(seen).toEqual([event]);
  });

  it("[X-21] who throws, rejects or hangs is passed over; the others are told", async () => {
    let told = 0;
    const { teller, reports } = tellerOf(
      {
        turnEnded: () => {
          throw new Error("broken");
        },
      },
      { turnEnded: () => Promise.reject(new Error("broken too")) },
      { turnEnded: () => new Promise<void>(() => undefined) },
      { turnEnded: () => void told++ },
    );
    teller.tell(ended);
    await tick();
    expect(told).toBe(1);
    expect(reports.map(({ event: what, facts }) => [what, Reflect.get(facts, "plugin") as string])).toEqual([
      ["event.failed", "p0"],
      ["event.failed", "p1"],
    ]);
  });

  it("[X-21] busy with 100 events a plugin is told no more, reported once, until one ends", async () => {
    const ends: (() => void)[] = [];
    const { teller, reports } = tellerOf({ turnEnded: () => new Promise<void>((resolve) => ends.push(resolve)) });
    for (let i = 0; i < MAX_BUSY_EVENTS; i++) teller.tell(ended);
    expect([ends.length, reports.length]).toEqual([MAX_BUSY_EVENTS, 0]);
    teller.tell(ended);
    teller.tell(ended);
    expect([ends.length, reports.length]).toEqual([MAX_BUSY_EVENTS, 1]);
    ends[0]?.();
    await tick();
    teller.tell(ended);
    expect(ends.length).toBe(MAX_BUSY_EVENTS + 1);
  });

  it.each([
    ["serviceStarted", "isolates come and go"],
    ["shutdown", "the platform ends objects without a word"],
  ])("[X-22] watching %s stops the start with the reason", (name, reason) => {
    const { code, message } = stopOf(() => hostOf(pluginWith("dice", { events: { [name]: () => undefined } })));
    expect([code, message]).toEqual(["impossible_event", expect.stringContaining(reason)]);
  });

  it("[X-22] an unknown event is refused with the nearest, and what is no function too", () => {
    const watching = (events: object) => stopOf(() => hostOf(pluginWith("dice", { events }))).message;
    expect(watching({ turnEnd: () => undefined })).toContain("did you mean turnEnded?");
    expect(watching({ changed: 5 })).toContain("must be a function");
    expect(watching({ toString: () => undefined })).toContain("does not exist");
  });
});
