import { decodeEntities } from "../../lib/html-entities.ts";

/** Raw values, character references not yet decoded. */
export type Attributes = ReadonlyMap<string, string>;

/** What an element means for the text. */
export type TagSpec =
  | { readonly kind: "hidden" }
  | { readonly kind: "title" }
  | { readonly kind: "plain" }
  /** A blank line (2) or a new line (1) before and after. */
  | { readonly kind: "block"; readonly gap: 1 | 2 }
  | { readonly kind: "heading"; readonly level: number }
  | { readonly kind: "quote" }
  | { readonly kind: "list"; readonly ordered: boolean; readonly start: number }
  | { readonly kind: "item" }
  | { readonly kind: "mark"; readonly mark: string; readonly language: string }
  | { readonly kind: "link"; readonly href: string }
  | { readonly kind: "code-block"; readonly language: string }
  | { readonly kind: "table" }
  | { readonly kind: "row" }
  | { readonly kind: "cell" };

export const VOID_TAGS: ReadonlySet<string> = new Set(
  "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr".split(" "),
);

/** Elements whose text is no part of what a reader sees, or is navigation beside the page's subject. */
export const HIDDEN_TAGS: ReadonlySet<string> = new Set(
  (
    "script style noscript template svg math canvas iframe object applet audio video map select datalist textarea " +
    "button dialog nav noframes noembed xmp"
  ).split(" "),
);

const HIDING_STYLE = /(?:display:none|visibility:hidden|opacity:0(?:\.0*)?(?:;|$)|font-size:0(?:[a-z%]*)(?:;|$))/;

/** True when attributes hide an element from readers. */
export function isHiddenBy(attributes: Attributes): boolean {
  if (attributes.get("hidden") !== undefined || attributes.get("aria-hidden")?.toLowerCase() === "true") return true;
  const style = attributes.get("style");
  return style !== undefined && HIDING_STYLE.test(decodeEntities(style).toLowerCase().replaceAll(/\s+/g, ""));
}

const BLANK_LINE = new Set("p figure dl fieldset details header footer article section aside main center".split(" "));
const NEW_LINE = new Set(
  "div body html head form address hgroup figcaption dt dd summary legend caption option label".split(" "),
);
const HEADINGS = new Set(["h1", "h2", "h3", "h4", "h5", "h6"]);
const MARKS: ReadonlyMap<string, string> = new Map([
  ["b", "**"],
  ["strong", "**"],
  ["i", "*"],
  ["em", "*"],
  ["code", "`"],
  ["kbd", "`"],
  ["samp", "`"],
  ["tt", "`"],
  ["del", "~~"],
  ["s", "~~"],
  ["strike", "~~"],
]);

export function readSpec(tag: string, attributes: Attributes, base: URL): TagSpec {
  if (BLANK_LINE.has(tag)) return { kind: "block", gap: 2 };
  if (NEW_LINE.has(tag)) return { kind: "block", gap: 1 };
  if (HEADINGS.has(tag)) return { kind: "heading", level: Number(tag.slice(1)) };
  const mark = MARKS.get(tag);
  if (mark !== undefined) return { kind: "mark", mark, language: readLanguage(attributes) };
  switch (tag) {
    case "title":
      return { kind: "title" };
    case "blockquote":
      return { kind: "quote" };
    case "ul":
    case "menu":
    case "ol":
      return { kind: "list", ordered: tag === "ol", start: readStart(attributes.get("start")) };
    case "li":
      return { kind: "item" };
    case "a":
      return readLink(attributes.get("href"), base);
    case "pre":
      return { kind: "code-block", language: readLanguage(attributes) };
    case "table":
      return { kind: "table" };
    case "tr":
      return { kind: "row" };
    case "td":
    case "th":
      return { kind: "cell" };
    default:
      return { kind: "plain" };
  }
}

function readLanguage(attributes: Attributes): string {
  return /\blang(?:uage)?-([\w+#-]{1,20})/.exec(attributes.get("class") ?? "")?.[1] ?? "";
}

function readStart(text: string | undefined): number {
  return /^\d{1,6}$/.test(text ?? "") ? Number(text) : 1;
}

function readLink(href: string | undefined, base: URL): TagSpec {
  const text = decodeEntities(href ?? "").trim();
  if (text === "" || text.startsWith("#") || !URL.canParse(text, base.href)) return { kind: "plain" };
  const url = new URL(text, base.href);
  const isShown = ["http:", "https:", "mailto:"].includes(url.protocol) && url.href.length <= MAX_LINK_UNITS;
  return isShown ? { kind: "link", href: url.href.replaceAll("(", "%28").replaceAll(")", "%29") } : { kind: "plain" };
}

const MAX_LINK_UNITS = 500;

/** What an opening tag closes by implication, and the elements that shield what is outside them. */
interface Implied {
  readonly closes: ReadonlySet<string>;
  readonly within: ReadonlySet<string>;
}

const CELL_WALLS = new Set(["table"]);
const P_CLOSED: Implied = { closes: new Set(["p"]), within: new Set(["td", "th", "table", "li", "blockquote"]) };
const IMPLIED: ReadonlyMap<string, readonly Implied[]> = new Map<string, readonly Implied[]>([
  ["li", [{ closes: new Set(["li"]), within: new Set(["ul", "ol", "menu", "table"]) }]],
  ["dt", [{ closes: new Set(["dt", "dd"]), within: new Set(["dl", "table"]) }]],
  ["dd", [{ closes: new Set(["dt", "dd"]), within: new Set(["dl", "table"]) }]],
  ["tr", [{ closes: new Set(["tr"]), within: CELL_WALLS }]],
  ["td", [{ closes: new Set(["td", "th"]), within: CELL_WALLS }]],
  ["th", [{ closes: new Set(["td", "th"]), within: CELL_WALLS }]],
  ["thead", [{ closes: new Set(["tr"]), within: CELL_WALLS }]],
  ["tbody", [{ closes: new Set(["tr"]), within: CELL_WALLS }]],
  ["tfoot", [{ closes: new Set(["tr"]), within: CELL_WALLS }]],
  ["a", [{ closes: new Set(["a"]), within: new Set(["td", "th", "table"]) }]],
  ["body", [{ closes: new Set(["head", "title"]), within: new Set() }]],
]);
const HEADING_CLOSED: Implied = { closes: HEADINGS, within: new Set(["td", "th", "table", "li"]) };
const OTHER_BLOCKS = new Set(["ul", "ol", "menu", "blockquote", "pre", "table", "hr"]);
const NOTHING: readonly Implied[] = [];

export function closedBy(tag: string): readonly Implied[] {
  if (HEADINGS.has(tag)) return [P_CLOSED, HEADING_CLOSED];
  const known = IMPLIED.get(tag);
  if (known !== undefined) return known;
  return BLANK_LINE.has(tag) || NEW_LINE.has(tag) || OTHER_BLOCKS.has(tag) ? [P_CLOSED] : NOTHING;
}
