import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("[P-2] runs on the Node that package.json pins, whatever the outer Node is", () => {
  const pinned: unknown = JSON.parse(readFileSync("package.json", "utf8"));
  expect(pinned).toMatchObject({ devDependencies: { node: process.versions.node } });
});
