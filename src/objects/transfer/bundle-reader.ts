import { createHash } from "node:crypto";
import { utf8Bytes } from "../../lib/bytes.ts";
import { isDeeper } from "../../lib/is-deeper.ts";
import {
  type BundleEntry,
  type BundleHead,
  type BundleLineKind,
  bundleLines,
  MAX_BUNDLE_ENTRIES,
  MAX_BUNDLE_PIN_BYTES,
} from "../../protocol/bundle.ts";
import type { FileRef } from "../../protocol/message.ts";
import { validate } from "../../protocol/validate.ts";
import { BundleCalls } from "./bundle-calls.ts";
import type { BundleIndex, Stretch } from "./bundle-place.ts";

/** What a bundle does wrong, in a sentence that names its line. */
export class BundleFault extends Error {
  constructor(line: number, what: string) {
    super(`line ${line}: ${what}`);
    this.name = "BundleFault";
  }
}

/** Entries of one page, and bytes: as much as an object takes at once. */
const PAGE_ENTRIES = 200;
const PAGE_BYTES = 512 * 1024;
const MAX_DEPTH = 110;
const ORDER: readonly BundleLineKind[] = ["head", "entry", "piece", "file", "end"];

/** A file whose pieces are being read. */
interface OpenFile {
  readonly id: string;
  readonly from: number;
  readonly hash: ReturnType<typeof createHash>;
  bytes: number;
}

/** Reads a bundle line by line, once, and believes nothing of it. Keeps where its parts lie, not what they say. */
export class BundleReader {
  readonly #hash = createHash("sha256");
  readonly #calls = new BundleCalls();
  readonly #pages: (Stretch & { after: number; entries: number })[] = [];
  readonly #files: { [id: string]: Stretch } = {};
  readonly #named = new Map<string, FileRef>();
  readonly #ended = new Set<string>();
  #head: BundleHead | undefined;
  #file: OpenFile | undefined;
  #isOver = false;
  #line = 0;
  #at = 0;
  #last = 0;
  #entries = 0;
  #pinned = 0;
  #pins = 0;

  /** The newest entry, once all was read. */
  get through(): number {
    return this.#last;
  }

  /** @param bytes of the line in the upload, its line feed included. @throws BundleFault */
  read(bytes: Uint8Array): void {
    this.#line++;
    const text = decode(bytes);
    if (text === undefined) throw this.#fault("it is not UTF-8");
    if (text.trim() === "") throw this.#fault("it is empty");
    if (this.#isOver) throw this.#fault("it comes after the end");
    const { kind, value } = this.#parse(text);
    this.#take(kind, value, bytes.byteLength);
    if (kind !== "end") this.#hash.update(bytes);
    this.#at += bytes.byteLength;
  }

  /** Where everything lies. @throws BundleFault when something is missing. */
  end(): BundleIndex {
    const head = this.#head;
    if (!head || !this.#isOver) throw this.#fault("the file has no end: it was cut off");
    return {
      head,
      pages: this.#pages.map(({ entries: _counted, ...page }) => page),
      files: this.#files,
    };
  }

  #parse(text: string): { readonly kind: BundleLineKind; readonly value: object } {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw this.#fault("it is not JSON");
    }
    if (isDeeper(value, MAX_DEPTH)) throw this.#fault(`it nests deeper than ${MAX_DEPTH} levels`);
    const keys = value !== null && typeof value === "object" ? Object.keys(value) : [];
    const kind = ORDER.find((name) => keys.length === 1 && keys[0] === name);
    if (kind === undefined) throw this.#fault(`it has to be an object with one key of ${ORDER.join(", ")}`);
    return { kind, value: value as object };
  }

  #take(kind: BundleLineKind, value: object, bytes: number): void {
    if ((this.#head === undefined) !== (kind === "head")) {
      throw this.#fault(kind === "head" ? "there is a head already" : "the head has to come first");
    }
    switch (kind) {
      case "head":
        this.#head = this.#checked("head", value).head;
        return;
      case "entry":
        return this.#takeEntry(this.#checked("entry", value).entry, bytes);
      case "piece":
        return this.#takePiece(this.#checked("piece", value).piece);
      case "file":
        return this.#takeFile(this.#checked("file", value).file);
      case "end":
        return this.#takeEnd(this.#checked("end", value).end);
    }
  }

  #takeEntry(entry: BundleEntry, bytes: number): void {
    if (this.#ended.size > 0 || this.#file) throw this.#fault("an entry comes after files");
    if (entry.id <= this.#last) throw this.#fault(`entry ${entry.id} does not follow entry ${this.#last}`);
    if (++this.#entries > MAX_BUNDLE_ENTRIES) throw this.#fault(`there are more than ${MAX_BUNDLE_ENTRIES} entries`);
    const fault = this.#calls.take(entry);
    if (fault !== undefined) throw this.#fault(fault);
    this.#takeNames(entry);
    this.#takePin(entry);
    const page = this.#pages.at(-1);
    if (page && page.entries < PAGE_ENTRIES && page.bytes + bytes <= PAGE_BYTES) {
      this.#pages[this.#pages.length - 1] = { ...page, bytes: page.bytes + bytes, entries: page.entries + 1 };
    } else this.#pages.push({ after: this.#last, from: this.#at, bytes, entries: 1 });
    this.#last = entry.id;
  }

  #takeNames({ message }: BundleEntry): void {
    if (!message || message.role === "assistant") return;
    for (const part of message.content) {
      if (part.type !== "file") continue;
      const known = this.#named.get(part.file.id);
      if (known && JSON.stringify(known) !== JSON.stringify(part.file)) {
        throw this.#fault(`file ${part.file.id} is described in two ways`);
      }
      this.#named.set(part.file.id, part.file);
    }
  }

  #takePin(entry: BundleEntry): void {
    if (!this.#head?.pins.includes(entry.id)) return;
    const { message } = entry;
    if (message?.role !== "user" && message?.role !== "assistant") throw this.#fault("nobody said what is pinned");
    this.#pins++;
    for (const part of message.content) if (part.type === "text") this.#pinned += utf8Bytes(part.text);
    if (this.#pinned > MAX_BUNDLE_PIN_BYTES) throw this.#fault(`more than ${MAX_BUNDLE_PIN_BYTES} bytes are pinned`);
  }

  #takePiece({ file, base64 }: { readonly file: string; readonly base64: string }): void {
    const open = this.#file ?? { id: file, from: this.#at, hash: createHash("sha256"), bytes: 0 };
    if (open.id !== file) throw this.#fault(`file ${open.id} has no end before file ${file} begins`);
    const named = this.#fileOf(file);
    const bytes = Buffer.from(base64, "base64");
    open.bytes += bytes.byteLength;
    if (open.bytes > named.bytes) throw this.#fault(`file ${file} has more than the ${named.bytes} bytes it says`);
    open.hash.update(bytes);
    this.#file = open;
  }

  #takeFile({
    id,
    sha256,
    gone,
  }: {
    readonly id: string;
    readonly sha256?: string | undefined;
    readonly gone?: true | undefined;
  }): void {
    const named = this.#fileOf(id);
    const open = this.#file;
    if (this.#ended.has(id)) throw this.#fault(`file ${id} comes twice`);
    if ((gone === true) === (open !== undefined) || (gone === true) === (sha256 !== undefined)) {
      throw this.#fault(`file ${id} is either there, with its sha256, or gone`);
    }
    if (open) {
      if (open.id !== id) throw this.#fault(`file ${open.id} has no end before file ${id}`);
      if (open.bytes !== named.bytes) throw this.#fault(`file ${id} has ${open.bytes} bytes and says ${named.bytes}`);
      if (open.hash.digest("hex") !== sha256) throw this.#fault(`file ${id} is not what its sha256 says`);
      this.#files[id] = { from: open.from, bytes: this.#at - open.from };
    }
    this.#ended.add(id);
    this.#file = undefined;
  }

  #takeEnd(end: { readonly entries: number; readonly files: number; readonly sha256: string }): void {
    if (this.#file) throw this.#fault(`file ${this.#file.id} has no end`);
    if (end.entries !== this.#entries) throw this.#fault(`it says ${end.entries} entries, there are ${this.#entries}`);
    if (end.files !== this.#ended.size) throw this.#fault(`it says ${end.files} files, there are ${this.#ended.size}`);
    if (end.sha256 !== this.#hash.digest("hex")) throw this.#fault("the lines before are not what its sha256 says");
    if (this.#pins !== this.#head?.pins.length) throw this.#fault("something is pinned that is not there");
    if (this.#entries === 0) throw this.#fault("there is no entry: begin a new conversation instead");
    this.#isOver = true;
  }

  /** A file that the head lists. */
  #fileOf(id: string): FileRef {
    const named = this.#head?.files.find((file) => file.id === id);
    if (!named) throw this.#fault(`the head lists no file ${JSON.stringify(id)}`);
    return named;
  }

  #checked<K extends BundleLineKind>(kind: K, value: object): ReturnType<(typeof bundleLines)[K]["parse"]> {
    const checked = validate(bundleLines[kind], value);
    if (!checked.ok) throw this.#fault(checked.error.slice(0, 3).join("; "));
    return checked.value as ReturnType<(typeof bundleLines)[K]["parse"]>;
  }

  #fault(what: string): BundleFault {
    return new BundleFault(this.#line, what);
  }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // What is no UTF-8 is told of by its line.
    return undefined;
  }
}
