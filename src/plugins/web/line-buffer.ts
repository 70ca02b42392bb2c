import { cutText } from "../../lib/cut.ts";

/** What stands before each line inside a quote or list item; the first line differs. */
export interface Prefix {
  readonly first: string;
  readonly rest: string;
  used: boolean;
}

/**
 * Text as lines: keeps at most one space between words and one blank line between blocks, and writes the prefixes of
 * the enclosing lists and quotes before each line.
 */
export class LineBuffer {
  readonly prefixes: Prefix[] = [];
  /** How many enclosing elements (links, headings, cells) forbid a new line. */
  flat = 0;
  /** A space is due before the next text on this line. */
  space = false;
  readonly #maxUnits: number;
  #out: string[] = [];
  #units = 0;
  #gap = 0;
  #lineOpen = false;
  /** Opening marks that wait for text: without any they are never written. */
  #marks: string[] = [];

  constructor(maxUnits: number) {
    this.#maxUnits = maxUnits;
  }

  get full(): boolean {
    return this.#units > this.#maxUnits;
  }

  get empty(): boolean {
    return this.#out.length === 0;
  }

  get lineOpen(): boolean {
    return this.#lineOpen;
  }

  /** Forgets what was written. */
  restart(): void {
    this.#out = [];
    this.#units = 0;
    this.#gap = 0;
    this.space = false;
    this.#lineOpen = false;
  }

  finish(): string {
    return cutText(this.#out.join(""), this.#maxUnits).trim();
  }

  /** Asks for a new line (1) or a blank line (2) before what comes next. */
  break(gap: number): void {
    if (this.flat > 0) {
      this.space = true;
      return;
    }
    this.space = false;
    this.#lineOpen = false;
    if (!this.empty) this.#gap = Math.max(this.#gap, gap);
  }

  write(text: string): void {
    if (this.full) return;
    if (!this.#lineOpen) this.#openLine();
    else if (this.space) this.append(" ");
    this.space = false;
    for (const mark of this.#marks) this.append(mark);
    this.#marks = [];
    this.append(text);
  }

  /** Puts `open` before the next text and returns what puts `end` after the last, if there was any. */
  enterMark(open: string, end: string): () => void {
    this.#marks.push(open);
    const depth = this.#marks.length;
    const written = this.#out.length;
    return () => {
      if (this.#out.length > written) this.append(end);
      else this.#marks.length = Math.min(this.#marks.length, depth - 1);
    };
  }

  /** Adds text as it is to the last line. */
  append(text: string): void {
    if (text === "") return;
    this.#out.push(text);
    this.#units += text.length;
  }

  #openLine(): void {
    if (this.#gap > 0) this.append("\n");
    if (this.#gap > 1) this.append(`${this.#blankPrefix()}\n`);
    this.#gap = 0;
    for (const prefix of this.prefixes) {
      this.append(prefix.used ? prefix.rest : prefix.first);
      prefix.used = true;
    }
    this.#lineOpen = true;
  }

  /** A blank line stays inside the quotes that go on after it. */
  #blankPrefix(): string {
    const going = this.prefixes.filter((prefix) => prefix.used).map((prefix) => prefix.rest);
    return going.join("").trimEnd();
  }
}
