import { describe, expect, it } from "vitest";
import { runChaos } from "./run-chaos.ts";

describe("chaos", () => {
  it("[T-9] [T-28] [K-32] [W-12] [W-14] survives 15 kills at random moments", { timeout: 300_000 }, async () => {
    const lines: string[] = [];
    const report = await runChaos({ kills: 15, seed: 20_261_129, wrangler: false, say: (line) => lines.push(line) });
    expect(report.violations, lines.join("\n")).toEqual([]);
    expect(report.killedInTurn, "most kills hit a turn").toBeGreaterThan(3);
    expect(report.messages).toBeGreaterThan(10);
  });

  it("[T-9] [K-32] survives kills under the real wrangler dev", { timeout: 180_000 }, async () => {
    const lines: string[] = [];
    const report = await runChaos({ kills: 2, seed: 7, wrangler: true, say: (line) => lines.push(line) });
    expect(report.violations, lines.join("\n")).toEqual([]);
  });
});
