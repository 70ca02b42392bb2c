import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { must } from "../../src/lib/assert.ts";
import type { Room } from "../kit/chat-server/house.ts";
import { Door, launchBrowser, type Open } from "./browser.ts";
import { type MockWorld, makeMockWorld } from "./mock-world.ts";

/** Windows onto a mock server of their own, for one group of tests. */
export interface MockVisits {
  readonly open: Open;
  readonly world: () => MockWorld;
  /** The server's side of the conversation that an address shows. */
  readonly room: (address: string) => Room;
}

/** Starts server and browser before the tests of the group, and ends them after it. The agent speaks fast. */
export function visitMock(): MockVisits {
  let world: MockWorld;
  let browser: Browser;
  let door: Door;
  beforeAll(async () => {
    [world, browser] = await Promise.all([makeMockWorld(), launchBrowser()]);
    door = new Door(browser, world);
  }, 120_000);
  beforeEach(() => {
    world.server.house.refuseSends = undefined;
    world.server.house.pace = { units: 200, ms: 1 };
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });
  return {
    open: (options) => door.open(options),
    world: () => world,
    room: (address) => must(world.server.house.rooms.get(address.split("/").at(-1) ?? ""), "the address is of a room"),
  };
}
