import { parseSync } from "vite";
import type { Finding } from "./finding.ts";
import type { SourceFile } from "./source-tree.ts";

/** A node of a syntax tree, as far as the checkers look. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

/** A source file with its syntax tree. */
export interface ParsedFile extends SourceFile {
  readonly tree: SyntaxNode;
}

/** Parses all files; one with a syntax error becomes a finding and is left out. */
export function parseFiles(files: readonly SourceFile[]): { parsed: ParsedFile[]; findings: Finding[] } {
  const parsed: ParsedFile[] = [];
  const findings: Finding[] = [];
  for (const file of files) {
    const { program, errors } = parseSync(file.path, file.text);
    const [first] = errors;
    if (first === undefined) parsed.push({ ...file, tree: program as unknown as SyntaxNode });
    else findings.push({ where: file.path, what: `cannot be parsed: ${first.message}` });
  }
  return { parsed, findings };
}

/** Calls `visit` for every node of the tree, parents first. */
export function walk(node: SyntaxNode, visit: (node: SyntaxNode) => void): void {
  visit(node);
  for (const child of Object.values(node)) {
    for (const item of Array.isArray(child) ? (child as unknown[]) : [child]) if (isNode(item)) walk(item, visit);
  }
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

/** The line, from 1, of an offset. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
