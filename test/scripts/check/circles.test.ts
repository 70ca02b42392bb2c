import { describe, expect, it } from "vitest";
import { checkCircles } from "../../../scripts/check/circles.ts";
import { readImports } from "../../../scripts/check/imports.ts";
import { parsed } from "./parsed.ts";

function check(files: Readonly<Record<string, string>>) {
  return checkCircles(new Map(parsed(files).map((file) => [file.path, readImports(file)])));
}

describe("circles", () => {
  it("[P-9] finds none where imports point one way, also when two ways lead to one file", () => {
    const files = {
      "src/a.ts": 'import "./b.ts"; import "./c.ts";',
      "src/b.ts": 'import "./d.ts";',
      "src/c.ts": 'import "./d.ts";',
      "src/d.ts": "",
    };
    expect(check(files)).toEqual([]);
  });

  it("[P-9] names a circle once, by its shortest way, type-only imports included", () => {
    const files = {
      "src/a.ts": 'import type { B } from "./b.ts";',
      "src/b.ts": 'import { c } from "./c.ts"; import type { D } from "./d.ts";',
      "src/c.ts": 'type A = import("./a.ts").A;',
      "src/d.ts": 'import "./c.ts";',
    };
    const [finding, ...more] = check(files);
    expect(more).toEqual([]);
    expect(finding?.where).toBe("src/a.ts");
    expect(finding?.what).toContain("src/a.ts → src/b.ts → src/c.ts → src/a.ts");
  });

  it("[P-9] names each of two separate circles", () => {
    const files = {
      "src/a.ts": 'import "./b.ts";',
      "src/b.ts": 'import "./a.ts"; import "./x.ts";',
      "src/x.ts": 'import "./y.ts";',
      "src/y.ts": 'import "./x.ts";',
    };
    expect(check(files).map(({ where }) => where)).toEqual(["src/a.ts", "src/x.ts"]);
  });
});
