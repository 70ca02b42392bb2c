import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { makeChain } from "../kit/make-chain.ts";

const folder = mkdtempSync(join(tmpdir(), "audit-verify-"));
afterAll(() => rmSync(folder, { recursive: true }));

const chain = makeChain("web:a", [{ at: 1 }, { at: 2, event: "approved", by: "p_ada" }]);
const { conversation, seq, hash } = chain.at(-1) as (typeof chain)[number];
const whole = [{ head: { conversation, seq, hash } }, ...chain, { end: { lines: chain.length } }]
  .map((value) => JSON.stringify(value))
  .join("\n");

function verify(text: string) {
  const file = join(folder, "audit.ndjson");
  writeFileSync(file, text);
  const { status, stdout } = spawnSync(process.execPath, ["scripts/audit-verify.ts", file], { encoding: "utf8" });
  return { status, lines: stdout.trim().split("\n") };
}

it("[H-99] npm run audit:verify says that a file is whole, or names the first fault of each chain and fails", () => {
  expect(verify(whole)).toEqual({ status: 0, lines: ["2 lines in 1 chains: all whole"] });
  expect(verify(whole.replace("p_ada", "p_eve"))).toEqual({
    status: 1,
    lines: ["web:a line 2: changed, its hash is not that of what it says", "2 lines in 1 chains: 1 faults"],
  });
});

it("[H-99] npm run audit:verify says in plain words that there is nothing to check", () => {
  const missing = join(folder, "nowhere.ndjson");
  const file = spawnSync(process.execPath, ["scripts/audit-verify.ts", missing], { encoding: "utf8" });
  expect([file.status, file.stdout, file.stderr.trim()]).toEqual([
    1,
    "",
    `There is no file ${missing}: download one under "What was decided" on the page, or from /api/v1/audit/export.`,
  ]);
});
