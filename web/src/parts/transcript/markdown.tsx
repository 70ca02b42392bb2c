import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { createMarkdownView, type MarkdownView } from "../../markdown/markdown-view.ts";
import { copyText } from "../copy-text.ts";
import { useSurroundings } from "../use-app.ts";

/** A text of the model. While it streams only what is new is drawn. */
export function Markdown({ text, isComplete }: { readonly text: string; readonly isComplete: boolean }): JSX.Element {
  const { highlight } = useSurroundings();
  const root = useRef<HTMLDivElement>(null);
  const view = useRef<MarkdownView | undefined>(undefined);
  useLayoutEffect(() => {
    if (root.current === null) return;
    view.current ??= createMarkdownView(root.current, highlight);
    view.current.show(text, isComplete);
  }, [text, isComplete]);
  return <div ref={root} class={isComplete ? "md" : "md streaming"} onClick={copyFromBlock} />;
}

/** One listener for every copy button that the text's blocks have. */
function copyFromBlock(event: Event): void {
  const button = (event.target as HTMLElement).closest<HTMLButtonElement>("button[data-copy]");
  const code = button?.closest("figure")?.querySelector("code");
  if (button === null || code === null || code === undefined) return;
  void copyText(code.textContent).then((isCopied) => {
    button.textContent = isCopied ? "Copied" : "Not allowed";
    setTimeout(() => {
      button.textContent = "Copy";
    }, COPIED_MS);
  });
}

const COPIED_MS = 1_600;
