import { expect, it } from "vitest";
import { checkDependencies } from "../../../scripts/check/dependencies.ts";
import { renderFinding } from "../../../scripts/check/finding.ts";

const DOCUMENT = "| package | version | why |\n|---|---|---|\n| hono | 4.13.19 | routes |\n| @a/b | 1.0.0 | parts |\n";

function check(dependencies: Record<string, string>, devDependencies: Record<string, string> = {}): string[] {
  return checkDependencies({ dependencies, devDependencies }, DOCUMENT).map(renderFinding);
}

it("[P-21] is content when every package has a row with its version", () => {
  expect(check({ hono: "4.13.19" }, { "@a/b": "1.0.0" })).toEqual([]);
});

it("[P-21] names a package without a row, one written in another version, and a row without a package", () => {
  expect(check({ hono: "4.13.20", zod: "4.6.7" })).toEqual([
    "docs/dependencies.md: hono is written as 4.13.19, package.json has 4.13.20",
    "docs/dependencies.md: zod 4.6.7 has no row; add | zod | 4.6.7 | why it is there |",
    "docs/dependencies.md: @a/b is not in package.json; remove its row",
  ]);
});

it("[P-21] names a package that is not pinned", () => {
  expect(check({ hono: "^4.13.19" }, { "@a/b": "1.0.0" })).toEqual([
    "package.json: hono is ^4.13.19; pin it: npm install --save-exact hono",
  ]);
});
