import { DrizzleQueryError } from "drizzle-orm/errors";

const MAX_UNITS = 300;

/** Whether D1 could not be asked. Trying again may help. */
export function isStoreFailure(error: unknown): boolean {
  return error instanceof DrizzleQueryError || (error instanceof Error && error.message.startsWith("D1_ERROR"));
}

/**
 * An error in words for the operator's log. A failed query repeats its parameters in its own message, and those may
 * name people and sessions: only its cause is told.
 */
export function nameFailure(error: unknown): string {
  const shown: unknown = error instanceof DrizzleQueryError ? error.cause : error;
  if (!(shown instanceof Error)) return "a value that is no error was thrown";
  return `${shown.name}: ${shown.message}`.slice(0, MAX_UNITS);
}
