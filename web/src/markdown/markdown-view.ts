import type { OnCode } from "./code-block.ts";
import { createRenderer } from "./renderer.ts";
import { createWriter, type Writer } from "./writer.ts";

/** Shows a text that grows. */
export interface MarkdownView {
  /** Shows `text`: only what is new is parsed when it continues what is shown; otherwise it starts over. */
  show(text: string, isComplete: boolean): void;
}

export function createMarkdownView(root: HTMLElement, onCode: OnCode): MarkdownView {
  let writer: Writer | undefined;
  let shown = "";
  let isEnded = false;

  const startOver = (): Writer => {
    root.replaceChildren();
    shown = "";
    isEnded = false;
    return createWriter((parser) => createRenderer(root, parser, onCode));
  };
  return {
    show: (text, isComplete) => {
      const goesOn = writer !== undefined && text.startsWith(shown) && !(isEnded && text.length > shown.length);
      const current = goesOn && writer !== undefined ? writer : startOver();
      writer = current;
      if (text.length > shown.length) current.write(text.slice(shown.length));
      shown = text;
      if (isComplete && !isEnded) {
        current.end();
        isEnded = true;
      }
    },
  };
}
