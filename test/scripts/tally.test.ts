import { describe, expect, it } from "vitest";
import { isGood, type Report, renderTally, tally } from "../../scripts/tally.ts";

function report(change: Partial<Report> = {}): Report {
  return { numPassedTests: 3, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [], ...change };
}

describe("tally", () => {
  it("[P-5] counts what passed and failed, and is good without failures", () => {
    expect(renderTally(tally(report(), 0))).toBe("3 passed, 0 failed");
    expect(isGood(tally(report(), 0))).toBe(true);
    expect(renderTally(tally(report({ numFailedTests: 2 }), 1))).toBe("3 passed, 2 failed");
    expect(isGood(tally(report({ numFailedTests: 2 }), 1))).toBe(false);
  });

  it("[P-5] names skipped and planned tests, and is not good with them", () => {
    const skipped = tally(report({ numPendingTests: 1, numTodoTests: 1 }), 0);
    expect(renderTally(skipped)).toBe("3 passed, 0 failed, 2 skipped");
    expect(isGood(skipped)).toBe(false);
  });

  it("[P-5] is not good when nothing ran", () => {
    expect(isGood(tally(report({ numPassedTests: 0 }), 0))).toBe(false);
  });

  it("[P-6] counts a file that failed without a failing test", () => {
    const broken = { name: "a.test.ts", status: "failed", assertionResults: [] };
    const failing = { name: "b.test.ts", status: "failed", assertionResults: [{ status: "failed" }] };
    const run = report({ numFailedTests: 1, testResults: [broken, failing] });
    expect(renderTally(tally(run, 1))).toBe("3 passed, 2 failed");
  });

  it("[P-6] counts a run that ended badly though no test failed, and one that left no report", () => {
    expect(renderTally(tally(report(), 1))).toBe("3 passed, 1 failed");
    expect(renderTally(tally(undefined, 1))).toBe("0 passed, 1 failed");
  });
});
