/** Called with a finished block of code and its language as the text names it ("" for none). */
export type OnCode = (code: HTMLElement, language: string) => void;

/** Makes the frame of a code block (language, copy button, scrolling code) and gives back the node for its words. */
export function addCodeBlock(parent: HTMLElement): HTMLElement {
  const doc = parent.ownerDocument;
  const figure = parent.appendChild(doc.createElement("figure"));
  figure.className = "code";
  const caption = figure.appendChild(doc.createElement("figcaption"));
  caption.appendChild(doc.createElement("span")).textContent = "code";
  const button = caption.appendChild(doc.createElement("button"));
  button.type = "button";
  button.dataset.copy = "";
  button.textContent = "Copy";
  const pre = figure.appendChild(doc.createElement("pre"));
  pre.tabIndex = 0;
  return pre.appendChild(doc.createElement("code"));
}

/** Shows the language as soon as the text names it. */
export function labelCode(code: HTMLElement, language: string): void {
  const label = code.closest("figure")?.querySelector("figcaption span");
  const name = languageName(language);
  if (label !== null && label !== undefined && name !== "") label.textContent = name;
}

export function finishCode(code: HTMLElement, language: string, onCode: OnCode): void {
  const text = code.textContent;
  if (text.endsWith("\n")) code.textContent = text.slice(0, -1);
  onCode(code, languageName(language).toLowerCase());
}

function languageName(language: string): string {
  return /^[\w+#.-]{1,24}/.exec(language.trim())?.[0] ?? "";
}
