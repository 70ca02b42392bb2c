import { isMisleading, readLink, type SafeLink, splitRawUrl } from "./links.ts";
import { BROKEN } from "./writer.ts";

/** Longest refused address that is shown; a data address can be a megabyte. */
const MAX_SHOWN_UNITS = 300;

/** Ends a link: a checked target, or the words as they were written. */
export function finishLink(node: HTMLElement, target: string | undefined, isClosed: boolean): void {
  if (target === undefined) return unwrap(node, "[", isClosed ? "]" : "");
  const link = readTarget(target);
  if (link === undefined || node.tagName !== "A") return unwrap(node, "[", writtenTarget(target));
  point(node, link);
  if (isMisleading(node.textContent, link.host)) addHost(node, link.host);
}

/** Ends an image: nothing is loaded; a link names the host and opens a new tab. */
export function finishImage(node: HTMLElement, target: string | undefined): void {
  const alt = node.textContent;
  if (target === undefined) {
    const broken = alt.endsWith(BROKEN);
    node.textContent = broken ? alt.slice(0, -BROKEN.length) : alt;
    return unwrap(node, "![", broken ? "" : "]");
  }
  const link = readTarget(target);
  if (link === undefined || link.host === "" || node.tagName !== "A") {
    return unwrap(node, "![", writtenTarget(target));
  }
  node.className = "image";
  if (alt.trim() === "") node.textContent = "Image";
  point(node, link);
  addHost(node, link.host);
}

/** Ends an address in running text: the punctuation after it is not part of it. */
export function finishRawUrl(node: HTMLElement): void {
  const { url, rest } = splitRawUrl(node.textContent);
  const link = readLink(url);
  if (link === undefined || node.tagName !== "A") return unwrap(node, "", "");
  node.textContent = url;
  point(node, link);
  if (rest !== "") node.after(node.ownerDocument.createTextNode(rest));
}

/** Replaces a node by its children between two pieces of text. */
export function unwrap(node: HTMLElement, before: string, after: string): void {
  const doc = node.ownerDocument;
  node.before(doc.createTextNode(before), ...node.childNodes, doc.createTextNode(after));
  node.remove();
}

function point(node: HTMLElement, link: SafeLink): void {
  node.setAttribute("href", link.href);
  if (link.href.startsWith("#")) return;
  node.setAttribute("title", link.href);
  node.setAttribute("target", "_blank");
  node.setAttribute("rel", "noopener noreferrer");
}

function addHost(node: HTMLElement, host: string): void {
  const label = node.ownerDocument.createElement("span");
  label.className = "host";
  label.textContent = ` (${host})`;
  node.appendChild(label);
}

function readTarget(target: string): SafeLink | undefined {
  return target.endsWith(BROKEN) ? undefined : readLink(target);
}

function writtenTarget(target: string): string {
  const isBroken = target.endsWith(BROKEN);
  const words = isBroken ? target.slice(0, -BROKEN.length) : target;
  const shown = words.length > MAX_SHOWN_UNITS ? `${words.slice(0, MAX_SHOWN_UNITS)}…` : words;
  return `](${shown}${isBroken ? "" : ")"}`;
}
