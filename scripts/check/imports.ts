import { posix } from "node:path";
import { isNode, lineAt, type ParsedFile, type SyntaxNode, walk } from "./syntax.ts";

/** One import, re-export, dynamic import or type import of a file. */
export interface Import {
  readonly line: number;
  /** As written. */
  readonly specifier: string;
  /** Path from the project's folder when the specifier is relative, else undefined. */
  readonly target: string | undefined;
  /** What is taken: names, `*` for a namespace, `default`; empty for a bare or dynamic import. */
  readonly names: readonly string[];
}

const WITH_SOURCE = new Set([
  "ImportDeclaration",
  "ExportNamedDeclaration",
  "ExportAllDeclaration",
  "ImportExpression",
  "TSImportType",
]);

/** Every import of a file, type-only ones included. */
export function readImports({ path, text, tree }: ParsedFile): Import[] {
  const imports: Import[] = [];
  walk(tree, (node) => {
    const { source } = node;
    if (!WITH_SOURCE.has(node.type) || !isNode(source) || typeof source["value"] !== "string") return;
    const specifier = source["value"];
    const target = specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : undefined;
    imports.push({ line: lineAt(text, node.start), specifier, target, names: namesOf(node) });
  });
  return imports;
}

function namesOf(node: SyntaxNode): string[] {
  const specifiers = Array.isArray(node["specifiers"]) ? (node["specifiers"] as unknown[]) : [];
  return specifiers.filter(isNode).map(nameOf);
}

function nameOf(specifier: SyntaxNode): string {
  if (specifier.type === "ImportNamespaceSpecifier") return "*";
  if (specifier.type === "ImportDefaultSpecifier") return "default";
  const { imported } = specifier;
  return isNode(imported) && typeof imported["name"] === "string" ? imported["name"] : "";
}
