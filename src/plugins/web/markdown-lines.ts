import { unreachable } from "../../lib/assert.ts";
import { cutText } from "../../lib/cut.ts";
import { LineBuffer, type Prefix } from "./line-buffer.ts";
import type { TagSpec } from "./tags.ts";

interface List {
  readonly ordered: boolean;
  next: number;
}

type Close = () => void;
const nothing: Close = () => undefined;

/** Writes Markdown for elements and text as they come. Links, headings and table cells stay on one line. */
export class MarkdownLines {
  readonly #maxUnits: number;
  readonly #buffer: LineBuffer;
  readonly #lists: List[] = [];
  readonly #openMarks = new Set<string>();
  /** The text of the code block that is open. */
  #code: { readonly text: string[]; language: string } | undefined;
  #inTable = false;
  /** Cells of the table's first row so far; undefined after it. */
  #headerCells: number | undefined;

  constructor(maxUnits: number) {
    this.#maxUnits = maxUnits;
    this.#buffer = new LineBuffer(maxUnits);
  }

  get full(): boolean {
    return this.#buffer.full;
  }

  get empty(): boolean {
    return this.#buffer.empty;
  }

  /** Forgets what was written. */
  restart(): void {
    this.#buffer.restart();
  }

  finish(): string {
    return this.#buffer.finish();
  }

  text(text: string): void {
    if (this.#code !== undefined) {
      this.#code.text.push(text);
      return;
    }
    const words = text.replaceAll(/[\s\u00a0]+/g, " ");
    if (words.startsWith(" ")) this.#buffer.space = true;
    const trimmed = words.trim();
    if (trimmed === "") return;
    this.#buffer.write(this.#inTable && this.#buffer.flat > 0 ? trimmed.replaceAll("|", "\\|") : trimmed);
    if (words.endsWith(" ")) this.#buffer.space = true;
  }

  lineBreak(): void {
    if (this.#code !== undefined) this.#code.text.push("\n");
    else this.#buffer.break(1);
  }

  rule(): void {
    if (this.#buffer.flat > 0 || this.#code !== undefined) return;
    this.#buffer.break(2);
    this.#buffer.write("---");
    this.#buffer.break(2);
  }

  /** Writes what opens an element and returns what closes it. */
  enter(spec: TagSpec): Close {
    if (this.#code !== undefined) return this.#enterInsideCode(this.#code, spec);
    switch (spec.kind) {
      case "hidden":
      case "title":
      case "plain":
        return nothing;
      case "block":
        return this.#enterBlock(spec.gap);
      case "heading":
        return this.#enterHeading(spec.level);
      case "quote":
        return this.#enterPrefixed({ first: "> ", rest: "> ", used: false }, 2);
      case "list":
        return this.#enterList({ ordered: spec.ordered, next: spec.start });
      case "item":
        return this.#enterItem();
      case "mark":
        return this.#enterMark(spec.mark);
      case "link":
        return this.#flatly(this.#buffer.enterMark("[", `](${spec.href})`));
      case "code-block":
        return this.#enterCode(spec.language);
      case "table":
        return this.#enterTable();
      case "row":
        return this.#enterRow();
      case "cell":
        return this.#enterCell();
      default:
        return unreachable(spec);
    }
  }

  #enterInsideCode(code: { language: string }, spec: TagSpec): Close {
    if (spec.kind === "mark" && code.language === "") code.language = spec.language;
    return nothing;
  }

  #enterBlock(gap: number): Close {
    this.#buffer.break(gap);
    return () => this.#buffer.break(gap);
  }

  #enterHeading(level: number): Close {
    if (this.#buffer.flat > 0) return this.#enterBlock(1);
    this.#buffer.break(2);
    const close = this.#flatly(this.#buffer.enterMark(`${"#".repeat(level)} `, ""));
    return () => {
      close();
      this.#buffer.break(2);
    };
  }

  #enterPrefixed(prefix: Prefix, gap: number): Close {
    if (this.#buffer.flat > 0) return this.#enterBlock(gap);
    this.#buffer.break(gap);
    this.#buffer.prefixes.push(prefix);
    return () => {
      this.#buffer.prefixes.pop();
      this.#buffer.break(gap);
    };
  }

  #enterMark(mark: string): Close {
    if (this.#openMarks.has(mark)) return nothing;
    this.#openMarks.add(mark);
    const close = this.#buffer.enterMark(mark, mark);
    return () => {
      this.#openMarks.delete(mark);
      close();
    };
  }

  #enterList(list: List): Close {
    const gap = this.#lists.length === 0 ? 2 : 1;
    this.#buffer.break(gap);
    this.#lists.push(list);
    return () => {
      this.#lists.pop();
      this.#buffer.break(gap);
    };
  }

  #enterItem(): Close {
    const list = this.#lists.at(-1);
    const first = list?.ordered ? `${list.next++}. ` : "- ";
    return this.#enterPrefixed({ first, rest: " ".repeat(first.length), used: false }, 1);
  }

  #enterCode(language: string): Close {
    if (this.#buffer.flat > 0) return this.#enterBlock(1);
    const code = { text: [], language };
    this.#code = code;
    return () => {
      this.#code = undefined;
      this.#writeCode(code);
    };
  }

  #writeCode({ text, language }: { readonly text: readonly string[]; readonly language: string }): void {
    const whole = text
      .join("")
      .replaceAll(/\r\n?/g, "\n")
      .replace(/^\s*\n/, "");
    // One unit more than what fits keeps the buffer's own account of what was left out right.
    const code = cutText(whole, this.#maxUnits + 1).trimEnd();
    if (code === "") return;
    const longest = code.match(/`{3,}/g)?.reduce((most, run) => Math.max(most, run.length), 2) ?? 2;
    const fence = "`".repeat(longest + 1);
    this.#buffer.break(2);
    for (const line of [`${fence}${language}`, ...code.split("\n"), fence]) {
      if (this.full) return;
      this.#buffer.write(line);
      this.#buffer.break(1);
    }
    this.#buffer.break(2);
  }

  #enterTable(): Close {
    if (this.#buffer.flat > 0 || this.#inTable) return this.#enterBlock(1);
    this.#buffer.break(2);
    this.#inTable = true;
    this.#headerCells = 0;
    return () => {
      this.#inTable = false;
      this.#headerCells = undefined;
      this.#buffer.break(2);
    };
  }

  #enterRow(): Close {
    if (this.#buffer.flat > 0 || !this.#inTable) return this.#enterBlock(1);
    this.#buffer.break(1);
    return () => this.#closeRow();
  }

  #closeRow(): void {
    if (!this.#buffer.lineOpen) return;
    this.#buffer.append(" |");
    this.#buffer.break(1);
    const cells = this.#headerCells ?? 0;
    this.#headerCells = undefined;
    if (cells === 0) return;
    this.#buffer.write(`|${" --- |".repeat(cells)}`);
    this.#buffer.break(1);
  }

  #enterCell(): Close {
    if (this.#buffer.flat > 0 || !this.#inTable) return this.#enterBlock(1);
    if (this.#headerCells !== undefined) this.#headerCells++;
    this.#buffer.space = true;
    this.#buffer.write("|");
    this.#buffer.space = true;
    const close = this.#flatly(nothing);
    return () => {
      close();
      this.#buffer.space = false;
    };
  }

  #flatly(close: Close): Close {
    this.#buffer.flat++;
    return () => {
      this.#buffer.flat--;
      close();
    };
  }
}
