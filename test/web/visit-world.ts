import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { Door, launchBrowser, type Open } from "./browser.ts";
import type { PageWorld } from "./page-world.ts";

type VisitedWorld = Pick<PageWorld, "url" | "newCode" | "close">;

/** Windows onto a world of their own, for one group of tests: it and its browser start before them and end after them. */
export function visitWorld<W extends VisitedWorld>(
  makeWorld: () => Promise<W>,
): { readonly world: () => W; readonly door: () => Door; readonly open: Open } {
  let world: W;
  let browser: Browser;
  let door: Door;
  beforeAll(async () => {
    [world, browser] = await Promise.all([makeWorld(), launchBrowser()]);
    door = new Door(browser, world);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });
  return { world: () => world, door: () => door, open: (options) => door.open(options) };
}
