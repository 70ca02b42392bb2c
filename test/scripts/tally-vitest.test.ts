import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Report, renderTally, tally } from "../../scripts/tally.ts";

const HEAD = 'import { beforeAll, expect, it } from "vitest";\n';
const PASSES = 'it("passes", () => expect(1).toBe(1));\n';

/** The count of a real vitest run over files given as name → text. */
/** Each test starts a vitest of its own, which takes as long as the machine lets it. */
const STARTS_A_PROCESS = { timeout: 60_000 };

describe("tally of vitest's own report", STARTS_A_PROCESS, () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "althing-tally-"));
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function count(files: Readonly<Record<string, string>>): string {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), HEAD + text);
    const output = join(folder, "report.json");
    const args = [resolve("node_modules/vitest/vitest.mjs"), "run", "--reporter=json", `--outputFile.json=${output}`];
    const { status } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
    return renderTally(tally(JSON.parse(readFileSync(output, "utf8")) as Report, status ?? 1));
  }

  it("[P-5] counts tests that pass, fail and are skipped", () => {
    const fails = 'it("fails", () => expect(1).toBe(2));\n';
    expect(count({ "a.test.ts": PASSES, "b.test.ts": fails, "c.test.ts": `it.skip("waits", () => {});\n` })).toBe(
      "1 passed, 1 failed, 1 skipped",
    );
  });

  it("[P-6] counts a file that does not load and a hook that throws", () => {
    const broken = 'import "./missing.ts";\n';
    const hook = `beforeAll(() => {\n  throw new Error("no server");\n});\n${PASSES}`;
    expect(count({ "a.test.ts": PASSES, "b.test.ts": broken + PASSES, "c.test.ts": hook })).toMatch(
      /^1 passed, 2 failed/,
    );
  });

  it("[P-6] counts an error outside any test", () => {
    const stray = 'void Promise.reject(new Error("stray"));\n';
    expect(count({ "a.test.ts": stray + PASSES })).toBe("1 passed, 1 failed");
  });
});
