import type { AuditReport } from "../../src/holds/audit/verify-export.ts";

/** Says what was found. @returns whether everything is whole. */
export function printReport({ chains, lines, faults, remarks }: AuditReport, print: (line: string) => void): boolean {
  for (const { conversation, seq, kind, detail } of faults) print(`${conversation} line ${seq}: ${kind}, ${detail}`);
  for (const remark of remarks) print(remark);
  const broken = faults.length + remarks.length;
  print(`${lines} lines in ${chains} chains: ${broken === 0 ? "all whole" : `${broken} faults`}`);
  return broken === 0;
}
