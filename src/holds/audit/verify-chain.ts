import type { Json } from "../../lib/json.ts";
import { auditLineShape } from "../../protocol/audit.ts";
import { BEFORE_FIRST, type ChainHead, hashLine } from "./seal-line.ts";

/** How a chain is broken. `truncated`: its newest lines are gone. `forked`: two lines stand under one number. */
export type ChainFaultKind = "changed" | "missing" | "reordered" | "repeated" | "forked" | "truncated";

export interface ChainFault {
  readonly kind: ChainFaultKind;
  /** The number at which it shows. */
  readonly seq: number;
  readonly detail: string;
}

/**
 * The first fault of one conversation's chain, or undefined when it is whole.
 * @param lines as they were read, in the order in which they were read.
 * @param head the newest line as it is known from elsewhere: without one, a chain that lost its end looks whole.
 */
export function verifyChain(conversation: string, lines: readonly unknown[], head?: ChainHead): ChainFault | undefined {
  const hashes = new Map<number, string>();
  const numbers = new Set(lines.map(numberOf));
  let last: ChainHead | undefined;
  for (const value of lines) {
    const expected = (last?.seq ?? 0) + 1;
    const parsed = auditLineShape.safeParse(value);
    if (!parsed.success) return fault("changed", expected, "it has not the shape of a line");
    const line = parsed.data;
    const standing = hashes.get(line.seq);
    if (hashLine(value as { readonly [key: string]: Json }) !== line.hash) {
      return fault("changed", expected, "its hash is not that of what it says");
    }
    if (line.conversation !== conversation) return fault("changed", expected, `it belongs to ${line.conversation}`);
    if (standing !== undefined) {
      const isSame = standing === line.hash;
      return fault(isSame ? "repeated" : "forked", line.seq, isSame ? "it stands twice" : "another line stands here");
    }
    if (line.seq !== expected) {
      return numbers.has(expected)
        ? fault("reordered", expected, `line ${line.seq} comes before it`)
        : fault("missing", expected, `line ${line.seq} comes next`);
    }
    if (line.prev !== (last?.hash ?? BEFORE_FIRST)) {
      return fault("changed", line.seq, `it does not follow on line ${line.seq - 1} as it stands`);
    }
    hashes.set(line.seq, line.hash);
    last = { seq: line.seq, hash: line.hash };
  }
  return head && compareHead(last, hashes, head);
}

function compareHead(
  last: ChainHead | undefined,
  hashes: ReadonlyMap<number, string>,
  head: ChainHead,
): ChainFault | undefined {
  const known = hashes.get(head.seq);
  if (known === undefined) {
    return fault("truncated", (last?.seq ?? 0) + 1, `the newest line is ${head.seq}, and it ends before`);
  }
  return known === head.hash ? undefined : fault("forked", head.seq, "the newest line is known with another hash");
}

function numberOf(value: unknown): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, "seq") : undefined;
}

function fault(kind: ChainFaultKind, seq: number, detail: string): ChainFault {
  return { kind, seq, detail };
}
