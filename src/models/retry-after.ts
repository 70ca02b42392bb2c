/** Reads one header, null when it is absent: `Headers` fits. */
export type ReadHeader = (name: string) => string | null | undefined;

const NUMBER = /^\d+(\.\d+)?$/;

/**
 * How long the vendor asks to wait, in milliseconds: `retry-after-ms`, or `retry-after` in seconds or as a date.
 * Undefined when it says nothing readable; a date in the past is 0.
 */
export function readRetryAfter(header: ReadHeader, nowMs: number): number | undefined {
  const inMs = header("retry-after-ms")?.trim() ?? "";
  if (NUMBER.test(inMs)) return Math.round(Number(inMs));
  const value = header("retry-after")?.trim() ?? "";
  if (NUMBER.test(value)) return Math.round(Number(value) * 1000);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
