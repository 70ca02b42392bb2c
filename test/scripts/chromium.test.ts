import { delimiter } from "node:path";
import { describe, expect, it } from "vitest";
import { type ChromiumWorld, findChromium } from "../../scripts/chromium.ts";

function world(files: readonly string[], named?: string): ChromiumWorld {
  const searchPath = ["/opt/bin", "/usr/local/bin"].join(delimiter);
  return { named, downloaded: "/cache/chrome", searchPath, exists: (path) => files.includes(path) };
}

describe("findChromium", () => {
  it("[P-4] takes the one that CHROMIUM names before any other", () => {
    expect(findChromium(world(["/usr/bin/chromium", "/mine/chrome"], "/mine/chrome"))).toBe("/mine/chrome");
  });

  it("[P-4] says which file CHROMIUM names when it does not exist", () => {
    expect(() => findChromium(world(["/usr/bin/chromium"], "/mine/chrome"))).toThrow("CHROMIUM names /mine/chrome");
  });

  it.each([
    [["/usr/bin/chromium", "/opt/bin/chromium", "/cache/chrome"], "/usr/bin/chromium"],
    [["/opt/bin/chromium", "/cache/chrome"], "/opt/bin/chromium"],
    [["/cache/chrome"], "/cache/chrome"],
    [[], undefined],
  ])("[P-4] of %j it takes %s", (files, chosen) => {
    expect(findChromium(world(files))).toBe(chosen);
  });

  it("[P-4] treats an empty CHROMIUM as not set", () => {
    expect(findChromium(world(["/usr/bin/chromium"], ""))).toBe("/usr/bin/chromium");
  });
});
