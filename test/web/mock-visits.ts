import { beforeEach } from "vitest";
import { must } from "../../src/lib/assert.ts";
import type { Room } from "../kit/chat-server/house.ts";
import type { Open } from "./browser.ts";
import { type MockWorld, makeMockWorld } from "./mock-world.ts";
import { visitWorld } from "./visit-world.ts";

/** Windows onto a mock server of their own, for one group of tests. */
export interface MockVisits {
  readonly open: Open;
  readonly world: () => MockWorld;
  /** The server's side of the conversation that an address shows. */
  readonly room: (address: string) => Room;
}

/** Starts server and browser before the tests of the group, and ends them after it. The agent speaks fast. */
export function visitMock(): MockVisits {
  const { world, open } = visitWorld(makeMockWorld);
  beforeEach(() => {
    const { house } = world().server;
    house.refuseSends = undefined;
    house.pace = { units: 200, ms: 1 };
  });
  return {
    open,
    world,
    room: (address) =>
      must(world().server.house.rooms.get(address.split("/").at(-1) ?? ""), "the address is of a room"),
  };
}
