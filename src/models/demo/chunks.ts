/** Words of one chunk. */
const WORDS = 3;
/** UTF-16 units of one chunk: a longer word comes in several. */
export const MAX_CHUNK_UNITS = 48;

/** A text in the pieces in which it is streamed: a few words each, never half a character. Joined they are the text. */
export function chunksOf(text: string): readonly string[] {
  const groups = text.match(new RegExp(`(?:\\s*\\S+){1,${WORDS}}\\s*`, "g")) ?? (text === "" ? [] : [text]);
  return groups.flatMap(splitLong);
}

function splitLong(group: string): readonly string[] {
  const pieces: string[] = [];
  let piece = "";
  for (const character of group) {
    if (piece.length + character.length > MAX_CHUNK_UNITS) {
      pieces.push(piece);
      piece = "";
    }
    piece += character;
  }
  return piece === "" ? pieces : [...pieces, piece];
}
