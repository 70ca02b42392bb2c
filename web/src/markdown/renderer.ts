import * as smd from "streaming-markdown";
import { finishImage, finishLink, finishRawUrl, unwrap } from "./anchors.ts";
import { addCodeBlock, finishCode, labelCode, type OnCode } from "./code-block.ts";

/** One open thing of the text: the node that takes its words, and what the parser said about it. */
interface Frame {
  readonly token: smd.Token;
  readonly node: HTMLElement;
  /** Target of a link, language of a block, as the text says it. */
  attr?: string;
  /** How many backticks opened it. */
  readonly fence: number;
}

/** Nodes that hold other nodes only. Words that a broken table leaves in one go to the next place for words. */
const HOLDERS = new Set(["UL", "OL", "TABLE", "TR", "BLOCKQUOTE"]);

/**
 * A renderer that makes nodes under `root`. Nothing of the text is ever parsed as HTML, no attribute of a node comes
 * from the text but a checked link target and a list's first number.
 */
export function createRenderer(root: HTMLElement, parser: () => smd.Parser, onCode: OnCode): smd.Renderer<Frame[]> {
  let stray = "";
  const isHolder = (node: HTMLElement) => node === root || HOLDERS.has(node.tagName);
  const place = (node: HTMLElement) => {
    if (stray === "" || isHolder(node)) return;
    const words = stray;
    stray = "";
    addText(node, words);
  };
  return {
    data: [{ token: smd.DOCUMENT, node: root, fence: 0 }],
    add_token: (frames, token) => {
      const parent = frames.at(-1)?.node ?? root;
      const node = addNode(parent, token);
      frames.push({ token, node, fence: parser().fence_start });
      if (token !== smd.LINE_BREAK && token !== smd.RULE) place(node);
    },
    end_token: (frames) => {
      const frame = frames.length > 1 ? frames.pop() : undefined;
      if (frame !== undefined) finish(frame, parser().pending, onCode);
    },
    add_text: (frames, text) => {
      const node = frames.at(-1)?.node ?? root;
      if (isHolder(node)) stray += text;
      else addText(node, text);
    },
    set_attr: (frames, attr, value) => {
      const frame = frames.at(-1);
      if (frame !== undefined) setAttr(frame, attr, value);
    },
  };
}

const SIMPLE: Partial<Record<smd.Token, string>> = {
  [smd.BLOCKQUOTE]: "blockquote",
  [smd.PARAGRAPH]: "p",
  [smd.LINE_BREAK]: "br",
  [smd.RULE]: "hr",
  [smd.ITALIC_AST]: "em",
  [smd.ITALIC_UND]: "em",
  [smd.STRONG_AST]: "strong",
  [smd.STRONG_UND]: "strong",
  [smd.STRIKE]: "s",
  [smd.CODE_INLINE]: "code",
  [smd.LIST_UNORDERED]: "ul",
  [smd.LIST_ORDERED]: "ol",
  [smd.LIST_ITEM]: "li",
};

/** Headings of a text stand below the page's own two levels. */
const HEADING_OFFSET = 2;

function addNode(parent: HTMLElement, token: smd.Token): HTMLElement {
  const doc = parent.ownerDocument;
  const level = smd.heading_to_level(token);
  if (level > 0) {
    const heading = append(parent, `h${Math.min(6, level + HEADING_OFFSET)}`);
    heading.dataset.level = String(level);
    return heading;
  }
  switch (token) {
    case smd.CODE_BLOCK:
    case smd.CODE_FENCE:
      return addCodeBlock(parent);
    case smd.LINK:
    case smd.RAW_URL:
    case smd.IMAGE:
      return parent.appendChild(doc.createElement(parent.closest("a") === null ? "a" : "span"));
    case smd.TABLE: {
      const frame = append(parent, "div");
      frame.className = "table";
      frame.tabIndex = 0;
      return append(frame, "table");
    }
    case smd.TABLE_ROW:
      return append(tablePart(parent), "tr");
    case smd.TABLE_CELL:
      return append(parent, parent.parentElement?.tagName === "THEAD" ? "th" : "td");
    case smd.CHECKBOX: {
      const box = append(parent, "span");
      box.className = "check";
      box.setAttribute("role", "img");
      box.setAttribute("aria-label", "to do");
      return box;
    }
    default:
      return append(parent, SIMPLE[token] ?? "span");
  }
}

function append(parent: HTMLElement, tag: string): HTMLElement {
  return parent.appendChild(parent.ownerDocument.createElement(tag));
}

/** The head for a table's first row, the body for the others. */
function tablePart(table: HTMLElement): HTMLElement {
  const count = table.children.length;
  if (count === 0) return append(table, "thead");
  return count === 1 ? append(table, "tbody") : (table.children[1] as HTMLElement);
}

function addText(node: HTMLElement, text: string): void {
  const last = node.lastChild;
  if (last !== null && last.nodeType === 3) (last as Text).appendData(text);
  else node.appendChild(node.ownerDocument.createTextNode(text));
}

function setAttr(frame: Frame, attr: smd.Attr, value: string): void {
  switch (attr) {
    case smd.CHECKED:
      frame.node.classList.add("done");
      frame.node.setAttribute("aria-label", "done");
      return;
    case smd.START:
      if (/^\d{1,9}$/.test(value)) frame.node.setAttribute("start", value);
      return;
    case smd.LANG:
      labelCode(frame.node, value);
      frame.attr = value;
      return;
    default:
      frame.attr = value;
  }
}

/** What marks emphasis of each kind, to be put back where it was opened and never closed. */
const MARKS: Partial<Record<smd.Token, string>> = {
  [smd.ITALIC_AST]: "*",
  [smd.ITALIC_UND]: "_",
  [smd.STRONG_AST]: "**",
  [smd.STRONG_UND]: "__",
  [smd.STRIKE]: "~~",
};

function finish(frame: Frame, pending: string, onCode: OnCode): void {
  const { node, token } = frame;
  switch (token) {
    case smd.LINK:
      return finishLink(node, frame.attr, pending === "]");
    case smd.IMAGE:
      return finishImage(node, frame.attr);
    case smd.RAW_URL:
      return finishRawUrl(node);
    case smd.CODE_BLOCK:
    case smd.CODE_FENCE:
      return finishCode(node, frame.attr ?? "", onCode);
    case smd.PARAGRAPH:
      if (node.lastChild === null) node.remove();
      return;
    case smd.CODE_INLINE:
      if (!/^ ?`*$/.test(pending)) unwrap(node, "`".repeat(Math.max(1, frame.fence)), "");
      return;
    default: {
      const mark = MARKS[token];
      if (mark !== undefined && !pending.startsWith(mark.charAt(0))) unwrap(node, mark, "");
    }
  }
}
