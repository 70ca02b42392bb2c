/** The system's words where a wire has no role for them in the middle of a conversation: text of the user's turn in a tag. */
export function wrapNote(text: string): string {
  return `<system-note>\n${text}\n</system-note>`;
}
