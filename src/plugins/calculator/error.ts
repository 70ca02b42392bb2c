/** An expression that has no value: the message is for whoever wrote it. */
export class CalculationError extends Error {
  override readonly name = "CalculationError";
}
