import { unreachable } from "../../lib/assert.ts";
import { cutText } from "../../lib/cut.ts";
import { decodeEntities } from "../../lib/html-entities.ts";
import type { HtmlToken } from "../../lib/html-tokens.ts";
import { MarkdownLines } from "./markdown-lines.ts";
import { OpenTags } from "./open-tags.ts";
import { type Attributes, closedBy, HIDDEN_TAGS, isHiddenBy, readSpec, type TagSpec, VOID_TAGS } from "./tags.ts";

/** Elements inside one another that are followed; deeper ones give their text only. */
const MAX_DEPTH = 100;
/** Tokens of one page that are read: what a hostile page may cost. */
export const MAX_TOKENS = 200_000;
/** UTF-16 units of a page's title. */
const MAX_TITLE_UNITS = 300;

export interface PageText {
  readonly title: string;
  readonly markdown: string;
  /** The page was longer than what was taken. */
  readonly cut: boolean;
}

interface Frame {
  readonly tag: string;
  readonly spec: TagSpec;
  readonly close: () => void;
}

/**
 * Turns the tokens of a page into Markdown. End tags may be missing: it closes by itself what HTML closes by
 * implication. When the page has a `main` element with text, only that counts.
 */
export class MarkdownWriter {
  readonly #base: URL;
  readonly #lines: MarkdownLines;
  readonly #stack: Frame[] = [];
  /** How many frames of each tag the stack holds. */
  readonly #open = new Map<string, number>();
  /** Set while a hidden element is open: the tags that are open inside it. It is then the innermost frame. */
  #hidden: OpenTags | undefined;
  #tokens = 0;
  #title = "";
  #state: "before main" | "in main" | "done" = "before main";

  constructor(options: { readonly base: URL; readonly maxUnits: number }) {
    this.#base = options.base;
    this.#lines = new MarkdownLines(options.maxUnits);
  }

  /** True when nothing that follows would change the result. */
  get done(): boolean {
    return this.#state === "done" || this.#lines.full || this.#tokens > MAX_TOKENS;
  }

  take(token: HtmlToken): void {
    this.#tokens++;
    if (this.done) return;
    switch (token.kind) {
      case "open":
        return this.#openTag(token.tag, token.attributes, token.selfClosing);
      case "close":
        return this.#closeTag(token.tag);
      case "text":
        return this.#text(token.text);
      default:
        return unreachable(token);
    }
  }

  finish(): PageText {
    this.#popTo(0);
    const title = cutText(this.#title.replaceAll(/\s+/g, " ").trim(), MAX_TITLE_UNITS);
    return { title, markdown: this.#lines.finish(), cut: this.#lines.full || this.#tokens > MAX_TOKENS };
  }

  #openTag(tag: string, attributes: Attributes, selfClosing: boolean): void {
    if (this.#staysHidden(tag)) return;
    // Drawings end themselves; other elements ignore the slash.
    if (selfClosing && (tag === "svg" || tag === "math")) return;
    if (VOID_TAGS.has(tag)) {
      this.#void(tag, attributes);
      return;
    }
    this.#closeImplied(tag);
    if (HIDDEN_TAGS.has(tag) || isHiddenBy(attributes)) {
      this.#hidden = new OpenTags();
      this.#push(tag, { kind: "hidden" }, () => this.#show());
      return;
    }
    const spec = readSpec(tag, attributes, this.#base);
    if (spec.kind === "plain" || this.#stack.length >= MAX_DEPTH) return;
    this.#push(tag, spec, this.#enter(tag, spec));
  }

  #closeTag(tag: string): void {
    if (this.#hidden?.close(tag) === true) return;
    if (this.#has(tag)) this.#popTo(this.#stack.findLastIndex((frame) => frame.tag === tag));
  }

  #text(raw: string): void {
    if (this.#hidden !== undefined) return;
    if (this.#stack.at(-1)?.spec.kind === "title") this.#title += decodeEntities(raw);
    else this.#lines.text(decodeEntities(raw));
  }

  /** Writes what opens the element and returns what closes it. */
  #enter(tag: string, spec: TagSpec): () => void {
    if (tag !== "main" || this.#state !== "before main") return this.#lines.enter(spec);
    this.#state = "in main";
    this.#lines.restart();
    return () => {
      this.#state = this.#lines.empty ? "before main" : "done";
    };
  }

  #void(tag: string, attributes: Attributes): void {
    if (tag === "br") this.#lines.lineBreak();
    if (tag === "hr") this.#lines.rule();
    const alt = tag === "img" ? decodeEntities(attributes.get("alt") ?? "").trim() : "";
    if (alt !== "" && !isHiddenBy(attributes)) this.#lines.text(`[image: ${alt}]`);
  }

  #closeImplied(tag: string): void {
    for (const { closes, within } of closedBy(tag)) {
      if (![...closes].some((name) => this.#has(name))) continue;
      const index = this.#stack.findLastIndex((frame) => closes.has(frame.tag) || within.has(frame.tag));
      const frame = this.#stack[index];
      if (frame !== undefined && closes.has(frame.tag)) this.#popTo(index);
    }
  }

  /**
   * What is hidden stays so until its end tag or its parent's: only a paragraph, which cannot contain blocks, ends where
   * the next block begins.
   */
  #staysHidden(tag: string): boolean {
    if (this.#hidden === undefined) return false;
    if (this.#stack.at(-1)?.tag === "p" && closedBy(tag).some(({ closes }) => closes.has("p"))) {
      this.#popTo(this.#stack.length - 1);
      return false;
    }
    if (!VOID_TAGS.has(tag)) this.#hidden.push(tag);
    return true;
  }

  #show(): void {
    this.#hidden = undefined;
  }

  #has(tag: string): boolean {
    return (this.#open.get(tag) ?? 0) > 0;
  }

  #push(tag: string, spec: TagSpec, close: () => void): void {
    this.#stack.push({ tag, spec, close });
    this.#open.set(tag, (this.#open.get(tag) ?? 0) + 1);
  }

  #popTo(length: number): void {
    for (const frame of this.#stack.splice(length).toReversed()) {
      this.#open.set(frame.tag, (this.#open.get(frame.tag) ?? 1) - 1);
      frame.close();
    }
  }
}
