import { useEffect, useState } from "preact/hooks";
import type { Reply } from "../net/rest.ts";

/** What was asked of the server: its newest answer, if there is one, and why there is no newer one. */
export interface Loaded<T> {
  readonly value: T | undefined;
  readonly problem: string | undefined;
  /** Asks again. Resolves when the answer is there. */
  readonly reload: () => Promise<void>;
}

/** Asks when the part is shown first. An answer that comes after a newer question is dropped. */
export function useLoaded<T>(load: () => Reply<T>): Loaded<T> {
  const [value, setValue] = useState<T | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [questions] = useState({ count: 0 });
  const reload = async (): Promise<void> => {
    questions.count += 1;
    const mine = questions.count;
    const reply = await load();
    if (mine !== questions.count) return;
    if (reply.ok) setValue(reply.value);
    setProblem(reply.ok ? undefined : reply.error.message);
  };
  useEffect(() => void reload(), []);
  return { value, problem, reload };
}
