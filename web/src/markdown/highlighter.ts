import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

const LANGUAGES = { bash, css, diff, go, java, javascript, json, python, rust, sql, typescript, xml, yaml };

/** Colours a block in place, as nodes: the highlighter's tree is walked, its HTML is never used. */
export function colour(code: HTMLElement, language: string): void {
  const highlighter = createColourer();
  if (highlighter.getLanguage(language) === undefined) return;
  const text = code.textContent;
  const { _emitter: tree } = highlighter.highlight(text, { language, ignoreIllegals: true });
  const root = (tree as unknown as { readonly rootNode: ScopeNode }).rootNode;
  const fragment = code.ownerDocument.createDocumentFragment();
  appendScope(fragment, root);
  if (fragment.textContent === text) code.replaceChildren(fragment);
}

interface ScopeNode {
  readonly scope?: string;
  readonly children: readonly (ScopeNode | string)[];
}

function createColourer(): typeof hljs {
  for (const [name, language] of Object.entries(LANGUAGES)) {
    if (hljs.getLanguage(name) === undefined) hljs.registerLanguage(name, language);
  }
  return hljs;
}

function appendScope(parent: Node, node: ScopeNode): void {
  const doc = parent.ownerDocument as Document;
  for (const child of node.children) {
    if (typeof child === "string") {
      parent.appendChild(doc.createTextNode(child));
      continue;
    }
    const span = doc.createElement("span");
    if (child.scope !== undefined) span.className = `hl-${child.scope.split(/[.:]/)[0]}`;
    parent.appendChild(span);
    appendScope(span, child);
  }
}
