import { defineNamespace } from "../../kernel/index.ts";
import { utf8Bytes } from "../../lib/bytes.ts";
import { err, ok, type Result } from "../../lib/result.ts";

/** UTF-16 units of one note. */
export const MAX_NOTE_UNITS = 2_000;
/** Notes of one conversation. */
export const MAX_NOTES = 100;
/** UTF-8 bytes of all notes of one conversation, as stored. */
export const MAX_NOTES_BYTES = 200_000;

/** `id` is `n<task of the call that added it>`; `at` is milliseconds since 1970. */
export type Note = { readonly id: string; readonly text: string; readonly at: number };
export type NotesState = { readonly items: readonly Note[] };

/** The notes of a conversation, oldest first. Clients see how many there are. */
export const NOTES = defineNamespace<NotesState>({
  name: "notes",
  sticky: { items: [] },
  view: ({ items }) => ({ count: items.length }),
});

/** The state with a note added, or the sentence that refuses it. A note whose id stands there already changes nothing. */
export function decideAdd(state: NotesState, note: Note): Result<NotesState, string> {
  if (state.items.some(({ id }) => id === note.id)) return ok(state);
  if (note.text.length > MAX_NOTE_UNITS) {
    return err(`The note has ${note.text.length} characters; the limit is ${MAX_NOTE_UNITS}. Shorten or split it.`);
  }
  if (state.items.length >= MAX_NOTES) return err(`There are ${MAX_NOTES} notes already. Delete one first.`);
  const next = { items: [...state.items, note] };
  const bytes = utf8Bytes(JSON.stringify(next));
  if (bytes <= MAX_NOTES_BYTES) return ok(next);
  return err(`All notes together would take ${bytes} bytes; the limit is ${MAX_NOTES_BYTES}. Delete some first.`);
}

export function withoutNote(state: NotesState, id: string): NotesState {
  return { items: state.items.filter((note) => note.id !== id) };
}

/** The notes that contain every word of a query, whatever the case and the Unicode form, newest first. */
export function searchNotes(state: NotesState, query: string): readonly Note[] {
  const words = fold(query).split(/\s+/).filter(Boolean);
  return state.items.filter(({ text }) => words.every((word) => fold(text).includes(word))).toReversed();
}

function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}
