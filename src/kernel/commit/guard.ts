import { utf8Bytes } from "../../lib/bytes.ts";
import { findJsonFault } from "../../lib/json.ts";
import { KernelError } from "../errors.ts";

/** @throws KernelError `not_json` naming the path. */
export function requireJson(value: unknown, what: string): void {
  const fault = findJsonFault(value, what);
  if (fault) throw new KernelError("not_json", `${fault.path} cannot be stored: ${fault.reason}.`);
}

/** The text, when it fits. @throws KernelError `too_large` naming value and limit. */
export function bounded(text: string, maxBytes: number, what: string): string {
  const bytes = text.length * 3 <= maxBytes ? 0 : utf8Bytes(text);
  if (bytes > maxBytes) {
    throw new KernelError("too_large", `${what} has ${bytes} bytes, the limit is ${maxBytes}: store less.`);
  }
  return text;
}
