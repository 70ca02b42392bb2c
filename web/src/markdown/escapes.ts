import * as smd from "streaming-markdown";

/** Whether a character belongs to a word, so that an underscore or asterisk beside it may be part of a name or a product. */
function isWord(char: string): boolean {
  return /^[\p{L}\p{N}]$/u.test(char);
}

/** Where the parser takes every character as it is: code, addresses, image descriptions. */
export function isVerbatim(parser: smd.Parser): boolean {
  switch (parser.tokens[parser.len]) {
    case smd.CODE_FENCE:
    case smd.CODE_BLOCK:
    case smd.CODE_INLINE:
    case smd.RAW_URL:
    case smd.IMAGE:
      return true;
    default:
      return parser.pending.startsWith("`") || parser.pending.startsWith("](") || opensIndentedCode(parser);
  }
}

/**
 * What to give the parser for a run of special characters, so that it comes out as words where words are meant:
 * `snake_case`, `2*3`, `$5`, `\(`. The parser has no mathematics to offer, so dollar signs are always words.
 */
export function escapeRun(
  run: string,
  around: { readonly before: string; readonly after: string },
  token: number,
): string {
  const isInside = isWord(around.before) && isWord(around.after);
  if (run === "$") return "\\$";
  if (/^\\[()[\]]$/.test(run)) return `\\${run}`;
  if (run.startsWith("_")) return isInside ? "\\_".repeat(run.length) : run;
  if (run === "*") return isInside && token !== smd.ITALIC_AST ? "\\*" : run;
  return run;
}

function opensIndentedCode(parser: smd.Parser): boolean {
  const isRoot = [smd.DOCUMENT, smd.BLOCKQUOTE, smd.LIST_ORDERED, smd.LIST_UNORDERED].some((t) => t === parser.token);
  return isRoot && parser.indent_len + (/^\s$/.test(parser.pending) ? 1 : 0) >= 4;
}
