import { err, ok, type Result } from "../../../src/lib/result.ts";

/** Edited arguments, or what is wrong with them in a sentence. */
export function readInput(text: string): Result<unknown, string> {
  try {
    return ok(JSON.parse(text) as unknown);
  } catch (error) {
    return err(`This is not JSON yet: ${error instanceof Error ? error.message : String(error)}`);
  }
}
