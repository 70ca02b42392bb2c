/** An invariant that did not hold. `invariant` is the name of its function. */
export class Violation extends Error {
  override readonly name = "Violation";
  readonly invariant: string;

  constructor(invariant: string, what: string) {
    super(`${invariant}: ${what}`);
    this.invariant = invariant;
  }
}

/** What a world, an assertion or the kernel threw, under a name that does not depend on its numbers. */
export function violationOf(error: unknown): Violation {
  if (error instanceof Violation) return error;
  const message = error instanceof Error ? error.message : String(error);
  const [firstLine = ""] = message.split("\n");
  const invariant = `throws "${firstLine.replaceAll(/\d+/g, "n").slice(0, 80)}"`;
  return new Violation(invariant, error instanceof Error ? (error.stack ?? message) : message);
}
