import { cutText } from "../../lib/cut.ts";
import { MAX_TITLE_UNITS } from "../../protocol/limits.ts";

/** A conversation's title from the first thing said in it: its first line with words, at most 80 units. */
export function titleFrom(text: string): string {
  const line = text.split("\n").find((candidate) => candidate.trim() !== "") ?? "";
  const words = line.trim().replace(/\s+/g, " ");
  return fitted(words, MAX_TITLE_UNITS);
}

const FORK = " (fork)";

/** What a conversation is called that begins with these words, or with files alone. */
export function titleOf(text: string): string {
  return titleFrom(text) || "Files";
}

/** The title of a fork: its origin's, told apart in a list. */
export function forkTitle(title: string): string {
  if (title === "" || title.endsWith(FORK)) return title;
  return `${fitted(title, MAX_TITLE_UNITS - FORK.length)}${FORK}`;
}

function fitted(words: string, units: number): string {
  return words.length <= units ? words : `${cutText(words, units - 1).trimEnd()}…`;
}
