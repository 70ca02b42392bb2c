import { cutText } from "../../lib/cut.ts";
import { MAX_TITLE_UNITS } from "../../protocol/limits.ts";

/** A conversation's title from the first thing said in it: its first line with words, at most 80 units. */
export function titleFrom(text: string): string {
  const line = text.split("\n").find((candidate) => candidate.trim() !== "") ?? "";
  const words = line.trim().replace(/\s+/g, " ");
  return words.length <= MAX_TITLE_UNITS ? words : `${cutText(words, MAX_TITLE_UNITS - 1).trimEnd()}…`;
}
