/** The parts of vitest's JSON report that count. */
export interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly FileResult[];
}

interface FileResult {
  readonly name: string;
  readonly status: string;
  readonly assertionResults: readonly { readonly status: string }[];
}

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/**
 * Counts a run. A file that fails without a failing test (it did not load, or a hook threw) counts as one failure; so
 * does a run that ended badly (`exitCode`) with no other failure, and a run without any test.
 */
export function tally(report: Report | undefined, exitCode: number): Tally {
  if (report === undefined) return { passed: 0, failed: 1, skipped: 0 };
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && !assertionResults.some((result) => result.status === "failed"),
  ).length;
  const counted = report.numFailedTests + brokenFiles;
  const failed = counted === 0 && (exitCode !== 0 || report.numPassedTests === 0) ? 1 : counted;
  return { passed: report.numPassedTests, failed, skipped: report.numPendingTests + report.numTodoTests };
}

/** The last line of a run: `12 passed, 0 failed`, and `, 1 skipped` when any was. */
export function renderTally({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

/** A run is good when nothing failed and nothing was skipped. */
export function isGood({ failed, skipped }: Tally): boolean {
  return failed === 0 && skipped === 0;
}
