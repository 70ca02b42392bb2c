import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const STUDY = 128;
const spec = readFileSync("docs/spec/simulation.md", "utf8");
const rows = spec.split("\n").filter((line) => line.startsWith("| I-"));
const sources = globSync("test/{simulate,kit}/**/*.ts").map((path) => readFileSync(path, "utf8"));

describe("the table of invariants", () => {
  it("[Z-5] has each number of the study once", () => {
    const numbers = rows.flatMap((row) =>
      [...(row.split("|")[1] ?? "").matchAll(/I-(\d+)/g)].map(([, n]) => Number(n)),
    );
    expect(numbers).toEqual(Array.from({ length: STUDY }, (_, i) => i + 1));
  });

  it("[Z-5] names checks that exist", () => {
    const named = new Set([...spec.matchAll(/`(\w+)`/g)].map(([, name]) => name ?? ""));
    const missing = [...named].filter((name) => !sources.some((text) => text.includes(name)));
    expect(missing).toEqual([]);
  });

  it("[Z-5] names every check there is", () => {
    const declared =
      /const (\w+): (?:Commit|Request|Frame|State)Check\b|const (\w+) = \(\) => (?:this\.#find|\(this\.#is)/g;
    const complained = /(?:violated|#complain|new Violation)\(\s*"(\w+)"/g;
    const names = sources.flatMap((text) => [...text.matchAll(declared), ...text.matchAll(complained)]);
    const checks = new Set(names.map(([, name, other]) => name ?? other ?? ""));
    expect(checks.size).toBeGreaterThan(50);
    const unnamed = [...checks].filter((name) => !spec.includes(`\`${name}\``));
    expect(unnamed).toEqual([]);
  });
});
