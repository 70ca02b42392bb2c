import { auditLineShape, exportEndShape, exportHeadShape } from "../../protocol/audit.ts";
import type { ChainHead } from "./seal-line.ts";
import { type ChainFault, verifyChain } from "./verify-chain.ts";

/** What was found in an export, or in a database. */
export interface AuditReport {
  readonly chains: number;
  readonly lines: number;
  /** The first fault of each chain that is not whole. */
  readonly faults: readonly (ChainFault & { readonly conversation: string })[];
  /** What is wrong with the export itself. */
  readonly remarks: readonly string[];
}

/** Chains as they are read, line after line. */
export class AuditReader {
  readonly #chains = new Map<string, unknown[]>();
  readonly #heads = new Map<string, ChainHead>();
  readonly #remarks: string[] = [];
  #lines = 0;

  /** A line as it was stored or exported. */
  line(value: unknown): void {
    this.#lines++;
    const conversation: unknown =
      typeof value === "object" && value !== null ? Reflect.get(value, "conversation") : undefined;
    const key = typeof conversation === "string" ? conversation : "";
    const chain = this.#chains.get(key) ?? [];
    chain.push(value);
    this.#chains.set(key, chain);
  }

  /** The newest line of a chain, as it is known beside the lines. */
  head(conversation: string, head: ChainHead): void {
    this.#heads.set(conversation, head);
  }

  remark(what: string): void {
    this.#remarks.push(what);
  }

  get lines(): number {
    return this.#lines;
  }

  report(): AuditReport {
    const conversations = [...new Set([...this.#chains.keys(), ...this.#heads.keys()])];
    const faults = conversations.flatMap((conversation) => {
      const chain = this.#chains.get(conversation) ?? [];
      const fault = verifyChain(conversation, chain, this.#heads.get(conversation));
      return fault ? [{ ...fault, conversation }] : [];
    });
    return { chains: conversations.length, lines: this.#lines, faults, remarks: this.#remarks };
  }
}

/** Checks an export, given as its lines of text. */
export function verifyExport(texts: Iterable<string>): AuditReport {
  const reader = new AuditReader();
  let end: number | undefined;
  let n = 0;
  for (const text of texts) {
    n++;
    if (text.trim() === "") continue;
    const value = parse(text);
    const head = exportHeadShape.safeParse(value);
    const last = exportEndShape.safeParse(value);
    if (head.success) reader.head(head.data.head.conversation, head.data.head);
    else if (last.success) end = last.data.end.lines;
    else {
      if (!auditLineShape.safeParse(value).success) reader.remark(`line ${n} of the file is no line of an audit`);
      reader.line(value);
    }
  }
  if (end === undefined) reader.remark("the file has no end: it was cut off");
  else if (end !== reader.lines) reader.remark(`the file says that it has ${end} lines and has ${reader.lines}`);
  return reader.report();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // What cannot be read is reported as a line that is none.
    return undefined;
  }
}
