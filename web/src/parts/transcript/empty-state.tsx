import type { JSX } from "preact";
import { Mark } from "../icons.tsx";
import { isTouch } from "../shell/use-narrow.ts";
import { useApp } from "../use-app.ts";

/** Requests that the built-in demo model understands too. */
const EXAMPLES = [
  "What time is it in Tokyo?",
  "23 * 17.5",
  "Use several tools at once",
  "Send the build webhook",
  "Write something long",
] as const;

/** A conversation in which nothing was said yet. */
export function EmptyState(): JSX.Element {
  const app = useApp();
  const start = (example: string): void => {
    app.send(example, []);
    if (!isTouch()) document.getElementById("composer")?.focus();
  };
  const isDemo = app.me.value?.models.every((model) => model.demo) === true;
  return (
    <div class="empty-state">
      <Mark size={52} />
      <p class="empty-title">What shall we do?</p>
      <p class="quiet">
        {isDemo
          ? "The built-in demo model answers. It really calls tools, and asks before it does anything risky."
          : "Ask for anything. Risky steps wait until you approve them."}
      </p>
      <ul class="examples" aria-label="Examples">
        {EXAMPLES.map((example) => (
          <li key={example}>
            <button type="button" class="example" onClick={() => start(example)}>
              {example}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
