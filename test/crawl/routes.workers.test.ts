import { beforeAll, describe, expect, it } from "vitest";
import type { Route } from "../../src/routes/route.ts";
import { ROUTES } from "../../src/routes/table.ts";
import { comeIn, tryRefused } from "./crawl.workers.ts";
import { DOORS, type Door } from "./doors.workers.ts";
import { listed } from "./listed.ts";
import { makeScene, type Scene } from "./scene.workers.ts";

const nameOf = ({ method, path }: Route) => `${method} ${path}`;
const doors = ROUTES.flatMap((route) =>
  (DOORS[nameOf(route)] ?? []).map((door, nth): [string, Route, Door] => [`${nameOf(route)} ${nth + 1}`, route, door]),
);
const inOrder = doors.toSorted(([, , { rank: one = 0 }], [, , { rank: other = 0 }]) => one - other);
describe("every route", () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await makeScene();
  });

  it("[V-90] has its place in the crawl, and the crawl knows no other", () => {
    expect(Object.keys(DOORS).sort()).toEqual(ROUTES.map(nameOf).sort());
  });

  it("[V-90] that is of a conversation is crawled as one", () => {
    const conversations = new Set(["members", "speaker", "room owners"]);
    const ofOne = doors.filter(([, { needs }, { isBlind }]) => needs === "conversation" && !isBlind);
    expect(ofOne.filter(([, , door]) => !conversations.has(door.for)).map(([name]) => name)).toEqual([]);
    expect(doors.filter(([, { needs }, door]) => (needs === "nothing") !== (door.for === "anybody"))).toEqual([]);
  });

  it.each(doors)("[V-91] [V-92] [V-93] %s is closed to whoever must not come in", async (_name, route, door) => {
    expect(await listed(tryRefused(scene, route, door))).toEqual([]);
  });
});

describe("somebody who may", () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await makeScene();
  });

  it.each(inOrder)("[V-90] comes in by %s", async (_name, route, door) => {
    expect(await listed(comeIn(scene, route, door))).toEqual([]);
  });
});
