import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "althing-spec-"));
  mkdirSync(join(folder, "docs/spec"), { recursive: true });
  mkdirSync(join(folder, "test"));
  writeFileSync(join(folder, "docs/spec/quiet.md"), "- [Q-1] It rests.\n");
});
afterEach(() => rmSync(folder, { recursive: true }));

function spec(test: string) {
  writeFileSync(join(folder, "test/quiet.test.ts"), test);
  const run = spawnSync(process.execPath, [resolve("scripts/spec.ts")], { cwd: folder, encoding: "utf8" });
  return { code: run.status, output: run.stdout + run.stderr };
}

it("[P-17] prints nothing and ends with 0 when every rule has a test", () => {
  expect(spec('it("[Q-1] rests", rest);\n')).toEqual({ code: 0, output: "" });
});

it("[P-14] ends with 1 and names each finding when a rule has none", () => {
  const { code, output } = spec('it("[Q-2] rests", rest);\n');
  expect(code).toBe(1);
  expect(output).toContain("docs/spec/quiet.md:1: no test cites Q-1");
  expect(output).toContain("test/quiet.test.ts:1: cites Q-2");
});

it("[P-14] names a test that cannot be parsed", () => {
  expect(spec('it("[Q-1] rests", ;\n').output).toContain("test/quiet.test.ts: cannot be parsed");
});
