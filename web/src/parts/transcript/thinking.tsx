import type { JSX } from "preact";
import { Icon } from "../icons.tsx";
import { Markdown } from "./markdown.tsx";

/** What the model thought before it answered: there for who wants it, closed for who does not. */
export function Thinking({ text, isLive }: { readonly text: string; readonly isLive: boolean }): JSX.Element {
  return (
    <details class="thinking">
      <summary>
        <Icon name="chevron" size={16} />
        {isLive ? "Thinking…" : "Thought"}
      </summary>
      <div class="thinking-body">
        <Markdown text={text} isComplete={!isLive} />
      </div>
    </details>
  );
}
