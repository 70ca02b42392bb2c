import { useEffect, useState } from "preact/hooks";
import type { Reply } from "../net/rest.ts";

/** A list that is read page by page. */
export interface Pages<T> {
  /** Undefined: the first page is on its way, or could not be read. */
  readonly items: readonly T[] | undefined;
  /** There is more to read. */
  readonly hasMore: boolean;
  readonly problem: string | undefined;
  readonly more: () => Promise<void>;
  /** Reads anew as many pages as there are. */
  readonly reload: () => Promise<void>;
}

interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | undefined;
}

interface Read<T> {
  readonly items: readonly T[];
  readonly next: string | undefined;
  readonly pages: number;
}

/** Reads the first page when the part is shown. */
export function usePages<T>(load: (after: string | undefined) => Reply<Page<T>>): Pages<T> {
  const [read, setRead] = useState<Read<T> | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);

  const readOn = async (from: Read<T>, pages: number): Promise<void> => {
    let known = from;
    while (known.pages < pages) {
      const reply = await load(known.next);
      if (!reply.ok) return setProblem(reply.error.message);
      const { items, next } = reply.value;
      known = { items: [...known.items, ...items], next, pages: known.pages + 1 };
      if (next === undefined) break;
    }
    setProblem(undefined);
    setRead(known);
  };
  const reload = () => readOn({ items: [], next: undefined, pages: 0 }, read?.pages ?? 1);
  const more = async (): Promise<void> => {
    if (read?.next !== undefined) await readOn(read, read.pages + 1);
  };
  useEffect(() => void reload(), []);
  return { items: read?.items, hasMore: read?.next !== undefined, problem, more, reload };
}
