import * as smd from "streaming-markdown";
import { escapeRun, isVerbatim } from "./escapes.ts";

/**
 * Feeds a text to the Markdown parser in whatever pieces it arrives, and keeps the words that the parser alone would
 * swallow: underscores and asterisks inside words, dollar signs, links that never close.
 */
export interface Writer {
  write(chunk: string): void;
  /** The text is complete: whatever is still open is closed. */
  end(): void;
}

/** Ends an address or label that the text itself never closed. The renderer shows such a link as it was written. */
export const BROKEN = "\u0000";

/** A renderer that can see the parser: only the parser's state tells whether a thing was closed or broke off. */
export type MakeRenderer = (parser: () => smd.Parser) => smd.Any_Renderer;

/** How deep a text may nest before its rest is shown flat. The parser's own tables end at 24, unchecked. */
const MAX_DEPTH = 64;
/** Units between two checks of the depth; one unit opens at most a few levels. */
const PIECE_UNITS = 32;
const TABLE_SIZE = MAX_DEPTH + 4 * PIECE_UNITS;

/** Runs whose meaning depends on what stands around them. */
const SPECIAL = /_+|\*+|\$|\\[^]?|\n/gu;

export function createWriter(makeRenderer: MakeRenderer): Writer {
  const renderer = makeRenderer(() => parser);
  const parser = deepParser(renderer);
  let held = "";
  let last = "";
  let isFlat = false;

  const put = (text: string): void => {
    for (let at = 0; at < text.length && !isFlat; at += PIECE_UNITS) {
      const piece = text.slice(at, at + PIECE_UNITS);
      isFlat = parser.len > MAX_DEPTH;
      if (isFlat) renderer.add_text(renderer.data, parser.pending + text.slice(at));
      else smd.parser_write(parser, piece);
    }
  };
  const putPlain = (text: string): void => {
    if (isFlat) renderer.add_text(renderer.data, text);
    else put(text);
    last = text.at(-1) ?? last;
  };
  const putRun = (run: string, after: string): void => {
    if (run.endsWith("\n")) closeLink(parser, put);
    const isPlain = isFlat || isVerbatim(parser);
    if (isPlain) putPlain(run);
    else put(escapeRun(run, { before: last, after }, parser.token));
    last = run.at(-1) ?? last;
  };
  const feed = (text: string, isLast: boolean): string => {
    let at = 0;
    for (const { 0: run, index } of text.matchAll(SPECIAL)) {
      const end = index + run.length;
      putPlain(text.slice(at, index));
      at = index;
      if (end === text.length && !isLast && run !== "\n") return text.slice(at);
      putRun(run, charAt(text, end));
      at = end;
    }
    const rest = text.slice(at);
    const cut = isLast ? rest.length : wholeLength(rest);
    putPlain(rest.slice(0, cut));
    return rest.slice(cut);
  };

  return {
    write: (chunk) => {
      held = feed(held + chunk, false);
    },
    end: () => {
      held = feed(held, true);
      if (!isFlat) {
        closeLink(parser, put);
        smd.parser_end(parser);
      }
      closeAll(parser, renderer);
    },
  };
}

/** The parser with tables that hold {@link MAX_DEPTH} levels: beyond its own 24 it would lose track. */
function deepParser(renderer: smd.Any_Renderer): smd.Parser {
  const parser = smd.parser(renderer);
  const tokens = new Uint32Array(TABLE_SIZE);
  const spaces = new Uint8Array(TABLE_SIZE);
  tokens.set(parser.tokens);
  spaces.set(parser.spaces);
  parser.tokens = tokens;
  parser.spaces = spaces;
  return parser;
}

/** At the end of a line: a link's address or an image never goes on in the next, it broke off. */
function closeLink(parser: smd.Parser, put: (text: string) => void): void {
  const isImage = parser.token === smd.IMAGE;
  if (!isImage && parser.token !== smd.LINK) return;
  if (parser.pending.startsWith("](")) put(`${BROKEN})`);
  else if (isImage && parser.pending !== "]") put(`${BROKEN}]`);
}

/** Closes what is open. The pending newline tells the renderer that these things were not closed by the text. */
function closeAll(parser: smd.Parser, renderer: smd.Any_Renderer): void {
  parser.pending = "\n";
  while (parser.len > 0) {
    parser.len -= 1;
    renderer.end_token(renderer.data);
  }
  // A last place for words that had none; it goes when it stays empty.
  renderer.add_token(renderer.data, smd.PARAGRAPH);
  renderer.end_token(renderer.data);
}

function charAt(text: string, index: number): string {
  const point = text.codePointAt(index);
  return point === undefined ? "" : String.fromCodePoint(point);
}

/** Length of a text without a trailing half of a surrogate pair, whose other half is still to come. */
function wholeLength(text: string): number {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length;
}
