import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { must } from "../../../src/lib/assert.ts";
import type { App } from "../app/app.ts";
import type { Notifier } from "../app/notifier.ts";
import type { OnCode } from "../markdown/code-block.ts";

/** What every part of the page may use. */
export interface Surroundings {
  readonly app: App;
  readonly highlight: OnCode;
  readonly notifier: Notifier;
}

export const SurroundingsContext = createContext<Surroundings | undefined>(undefined);

export function useSurroundings(): Surroundings {
  return must(useContext(SurroundingsContext), "a part is drawn outside the page");
}

export function useApp(): App {
  return useSurroundings().app;
}

/** The time now, drawn again every `everyMs`. */
export function useNow(everyMs: number): number {
  const { app } = useSurroundings();
  const [now, setNow] = useState(() => app.ports.nowMs());
  useEffect(() => {
    const timer = setInterval(() => setNow(app.ports.nowMs()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
