import { expect, it } from "vitest";
import { checkSizes } from "../../../scripts/check/sizes.ts";

it.each([
  ["src/kernel/a.ts", 300],
  ["web/src/a.tsx", 300],
  ["scripts/a.ts", 300],
  ["test/kernel/a.test.ts", 600],
])("[P-10] %s may have %i lines and not one more", (path, limit) => {
  expect(checkSizes([{ path, text: "x\n".repeat(limit) }])).toEqual([]);
  const [finding] = checkSizes([{ path, text: "x\n".repeat(limit + 1) }]);
  expect(finding?.what).toContain(`${limit + 1} lines, the limit is ${limit}`);
});
