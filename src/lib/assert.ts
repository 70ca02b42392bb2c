/** Throws when the program itself is wrong. Outside input never ends here. */
export function assert(condition: unknown, sentence: string): asserts condition {
  if (!condition) throw new Error(`Bug: ${sentence}`);
}

/** The value, which the program knows to be there. */
export function must<T>(value: T | undefined | null, sentence: string): T {
  assert(value !== undefined && value !== null, sentence);
  return value;
}

/** The end of a switch over a union: the compiler proves that it is never reached. */
export function unreachable(value: never): never {
  throw new Error(`Bug: unexpected value ${JSON.stringify(value)}`);
}
