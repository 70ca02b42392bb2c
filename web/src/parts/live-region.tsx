import type { JSX } from "preact";
import { useApp } from "./use-app.ts";

/** Where screen readers hear what the eye sees: start, end, failure, approval needed. */
export function LiveRegion(): JSX.Element {
  const { notices } = useApp();
  return (
    <div id="spoken" class="visually-hidden" role="status" aria-live="polite">
      {notices.spoken.value.map(({ id, words }) => (
        <p key={id}>{words}</p>
      ))}
    </div>
  );
}
