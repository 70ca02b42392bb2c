/** What differs between two lists of what is stored. Yields it in words. */
export function* changed(before: readonly string[], after: readonly string[]): Generator<string> {
  for (const [at, line] of after.entries()) {
    if (line !== before[at]) yield `something was written: ${before[at]} → ${line}`;
  }
}
