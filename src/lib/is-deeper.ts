/**
 * True when arrays and objects nest deeper than so many levels. Level by level, since a recursive walk of hostile input
 * would overflow the stack. A level is a set, so that a value that is shared or contains itself is looked at once.
 */
export function isDeeper(value: unknown, maxDepth: number): boolean {
  let level = new Set([value]);
  for (let depth = 0; depth <= maxDepth; depth++) {
    const next = new Set<unknown>();
    for (const item of level) {
      if (item === null || typeof item !== "object") continue;
      for (const inner of Object.values(item) as unknown[]) next.add(inner);
    }
    if (next.size === 0) return false;
    level = next;
  }
  return true;
}
