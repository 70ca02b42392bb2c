import { describe, expect, it } from "vitest";
import { makeChain } from "../kit/make-chain.ts";
import { checkDecisions } from "./check-decisions.ts";
import { runChaos, runPeopleChaos } from "./run-chaos.ts";

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

  it("[Z-8] [Z-9] survives 4 kills while two people decide", { timeout: 300_000 }, async () => {
    const said: string[] = [];
    const report = await runPeopleChaos({ kills: 4, seed: 20_261_130, say: (line) => said.push(line) });
    expect(report.violations, said.join("\n")).toEqual([]);
    expect(report.messages).toBeGreaterThan(4);
    expect(report.approved, "something was approved").toBeGreaterThan(0);
  });

  it("[Z-9] sees an execution that nobody approved, a second one, and one who could not decide", () => {
    const person = { hold: "h", by: "p_mia", tier: "member" } as const;
    const judge = (...events: readonly Parameters<typeof makeChain>[1][number][]) =>
      checkDecisions(makeChain("web:x", [{ hold: "h" }, ...events]), ({ by }) => by === "p_mia").violations;
    const approved = { ...person, event: "approved" } as const;
    const spent = { hold: "h", event: "spent" } as const;
    expect(judge(approved, spent)).toEqual([]);
    expect(judge({ hold: "h", event: "allowed" })).toEqual([]);
    expect(judge(spent)).toHaveLength(1);
    expect(judge(approved, spent, spent)).toHaveLength(1);
    expect(judge({ ...person, event: "declined" }, spent)).toHaveLength(1);
    expect(judge(approved, approved, spent)).toHaveLength(1);
    expect(judge({ ...approved, by: "p_eve" })).toHaveLength(1);
    expect(judge({ ...approved, tier: "guest" })).toHaveLength(1);
  });
});
