import { UNAVAILABLE } from "../people/directory.ts";
import { isStoreFailure, nameFailure } from "../store/failure.ts";
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
  return { event: "request.failed", id, ...request, error: nameFailure(error), at: framesOf(error) };
}

/** The database could not be asked, or the object is overloaded or being moved: trying again may help. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return isStoreFailure(error) || Reflect.get(error, "retryable") === true || Reflect.get(error, "overloaded") === true;
}

function framesOf(error: unknown): string[] {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  return stack
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.startsWith("at "))
    .slice(0, MAX_FRAMES);
}
