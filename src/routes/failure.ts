import { DrizzleQueryError } from "drizzle-orm/errors";
import { UNAVAILABLE } from "../people/directory.ts";
import { Refuse } from "./refusal.ts";

/** What the operator reads of a failure. No request body, no secret, no value of a query. */
export interface FailureLine {
  readonly event: "request.failed";
  /** The id that the person was told. */
  readonly id: string;
  readonly method: string;
  /** The path with ids taken out. */
  readonly route: string;
  readonly error: string;
  readonly at: readonly string[];
}

const MAX_MESSAGE_UNITS = 300;
const MAX_FRAMES = 8;

/** What the person is told of a failure that nobody expected: an id to quote, and whether trying again may help. */
export function refusalOf(error: unknown, id: string): Refuse {
  if (error instanceof Refuse) return error;
  if (isPassing(error))
    return new Refuse({ code: "unavailable", message: `${UNAVAILABLE.message} (error ${id})`, ref: id });
  return new Refuse({
    code: "internal",
    message: `Something went wrong here. Quote error ${id} to the operator.`,
    ref: id,
  });
}

/** A line for the operator. */
export function describeFailure(
  error: unknown,
  id: string,
  request: { readonly method: string; readonly route: string },
): FailureLine {
  return { event: "request.failed", id, ...request, error: nameOf(error), at: framesOf(error) };
}

/** The database could not be asked, or the object is overloaded or being moved: trying again may help. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DrizzleQueryError || error.message.startsWith("D1_ERROR")) return true;
  return Reflect.get(error, "retryable") === true || Reflect.get(error, "overloaded") === true;
}

/** A query error repeats its parameters in its own message, so only its cause is named. */
function nameOf(error: unknown): string {
  const shown: unknown = error instanceof DrizzleQueryError ? error.cause : error;
  if (!(shown instanceof Error)) return "a value that is no error was thrown";
  return `${shown.name}: ${shown.message}`.slice(0, MAX_MESSAGE_UNITS);
}

function framesOf(error: unknown): string[] {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  return stack
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.startsWith("at "))
    .slice(0, MAX_FRAMES);
}
