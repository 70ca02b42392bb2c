import { spawnSync } from "node:child_process";

/**
 * Crawls without one check after the other, in real objects. @param names of those that are hunted; none: all.
 * @returns the exit code, and what was printed where that is kept.
 */
export function runHunt(
  names: readonly string[],
  stdio: "inherit" | "pipe" = "inherit",
): { readonly code: number; readonly text: string } {
  const config = ["--config", "test/mutants/authority/vitest.config.ts", "--root", "."];
  const { status, stdout } = spawnSync(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...config], {
    env: { ...process.env, MUTANTS: names.join(" "), NO_COLOR: "1" },
    stdio,
    encoding: "utf8",
  });
  return { code: status ?? 1, text: stdout ?? "" };
}
