import { isNode, lineAt, type ParsedFile, type SyntaxNode, walk } from "./syntax.ts";

/** A test title that begins with rule ids, or tries to: `malformed` has a bracket that is no id. */
export interface Citation {
  readonly where: string;
  readonly ids: readonly string[];
  readonly malformed: boolean;
}

const IDS = /^(\[(?:[A-Z]+-\d+|S\d+|trap \d+)\]\s*)+/;
const BRACKET = /^\[(?:[A-Z]|trap)[^\]]*\]/;
/** A group's title shows nothing by itself. */
const GROUPS = new Set(["describe", "suite"]);
const TEST_WORDS = new Set(["it", "test"]);

/**
 * Citations of one test file: the first argument of any call (`it`, `test`, or a wrapper that takes the title), and
 * the strings in the table of an `it.each` or `it.for`.
 */
export function readCitations({ path, text, tree }: ParsedFile): Citation[] {
  const citations: Citation[] = [];
  walk(tree, (node) => {
    if (node.type !== "CallExpression") return;
    for (const { title, start } of titlesOf(node)) {
      const ids = idsOf(title);
      const malformed = ids.length === 0 ? BRACKET.test(title) : BRACKET.test(title.replace(IDS, ""));
      if (ids.length > 0 || malformed) citations.push({ where: `${path}:${lineAt(text, start)}`, ids, malformed });
    }
  });
  return citations;
}

interface Title {
  readonly title: string;
  readonly start: number;
}

function titlesOf(call: SyntaxNode): Title[] {
  const callee = call["callee"];
  const [first] = call["arguments"] as readonly unknown[];
  if (!isNode(callee) || !isNode(first)) return [];
  if (isTable(callee)) return stringsIn(first);
  const root = rootOf(callee);
  const takesTitle = callee.type === "Identifier" ? !GROUPS.has(root) : TEST_WORDS.has(root);
  const title = takesTitle ? beginningOf(first) : undefined;
  return title === undefined ? [] : [{ title, start: first.start }];
}

/** `it.each`, `test.for` and the like, to be called with a table. */
function isTable(callee: SyntaxNode): boolean {
  const { property } = callee;
  return isNode(property) && ["each", "for"].includes(String(property["name"])) && TEST_WORDS.has(rootOf(callee));
}

function stringsIn(table: SyntaxNode): Title[] {
  const titles: Title[] = [];
  walk(table, (node) => {
    const title = node.type === "Literal" || node.type === "TemplateLiteral" ? beginningOf(node) : undefined;
    if (title !== undefined && IDS.test(title)) titles.push({ title, start: node.start });
  });
  return titles;
}

/** `it.each(table)` → `it`. */
function rootOf(node: SyntaxNode): string {
  const inner = node["object"] ?? node["callee"] ?? node["tag"];
  if (isNode(inner)) return rootOf(inner);
  return typeof node["name"] === "string" ? node["name"] : "";
}

/** The text with which a string, template or concatenation begins. */
function beginningOf(node: SyntaxNode): string | undefined {
  if (node.type === "Literal") return typeof node["value"] === "string" ? node["value"] : undefined;
  if (node.type === "BinaryExpression") return isNode(node["left"]) ? beginningOf(node["left"]) : undefined;
  if (node.type !== "TemplateLiteral") return undefined;
  const [first] = node["quasis"] as readonly { readonly value: { readonly cooked: string } }[];
  return first?.value.cooked;
}

function idsOf(title: string): string[] {
  const [beginning = ""] = IDS.exec(title) ?? [];
  return [...beginning.matchAll(/\[([^\]]+)\]/g)].map(([, id = ""]) => id);
}
