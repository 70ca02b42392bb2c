import { cutText } from "../lib/cut.ts";
import { visibleText } from "../lib/visible-text.ts";

const MAX_UNITS = 80;

/** A name as a provider tells it, fit to be shown. */
export function showName(name: unknown): string {
  return typeof name === "string" ? cutText(visibleText(name).replaceAll(/\s+/g, " ").trim(), MAX_UNITS) : "";
}
