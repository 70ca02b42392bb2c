import type { JSX } from "preact";

interface ProblemProps {
  /** Nothing is shown without them. */
  readonly words: string | undefined;
  /** For a field that names it as its description. */
  readonly id?: string;
}

/** What went wrong, in words that a screen reader says at once. */
export function Problem({ words, id }: ProblemProps): JSX.Element | null {
  if (words === undefined) return null;
  return (
    <p id={id} class="problem" role="alert">
      {words}
    </p>
  );
}
