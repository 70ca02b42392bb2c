/** The value, which the program knows to be there. @throws when the program itself is wrong: outside input never ends here. */
export function must<T>(value: T | undefined | null, sentence: string): T {
  if (value === undefined || value === null) throw new Error(`Bug: ${sentence}`);
  return value;
}

/** The end of a switch over a union: the compiler proves that it is never reached. */
export function unreachable(value: never): never {
  throw new Error(`Bug: unexpected value ${JSON.stringify(value)}`);
}
