import { cutText } from "../../lib/cut.ts";
import type { Note } from "./state.ts";

/** Units of a note that a listing shows; a search shows notes whole. */
const LISTED_UNITS = 300;
/** Notes that a search shows. */
const SHOWN_MATCHES = 20;

/** Every note, one a line, long ones cut. */
export function renderList(notes: readonly Note[]): string {
  if (notes.length === 0) return "There are no notes yet.";
  return [`${count(notes.length)}, oldest first:`, ...notes.map((note) => line(note, LISTED_UNITS))].join("\n");
}

/** The first matches, whole, and how many more there are. */
export function renderMatches(query: string, notes: readonly Note[]): string {
  if (notes.length === 0) return `No note matches ${JSON.stringify(query)}.`;
  const more = notes.length - SHOWN_MATCHES;
  return [
    `${count(notes.length)} match ${JSON.stringify(query)}, newest first:`,
    ...notes.slice(0, SHOWN_MATCHES).map((note) => line(note, note.text.length)),
    ...(more > 0 ? [`… and ${more} more: search for more words.`] : []),
  ].join("\n");
}

function line({ id, text, at }: Note, units: number): string {
  const shown = cutText(text, units);
  const cut = shown === text ? "" : `… (${text.length} characters)`;
  return `- ${id} (${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC): ${shown}${cut}`;
}

function count(notes: number): string {
  return notes === 1 ? "1 note" : `${notes} notes`;
}
