import type { OnCode } from "./code-block.ts";

/** Colours code. Loads the highlighter with the first block whose language it may know, never at start. */
export function createHighlight(load: () => Promise<typeof import("./highlighter.ts")>): OnCode {
  let loaded: typeof import("./highlighter.ts") | undefined;
  return (code, language) => {
    if (language === "" || code.textContent.length > MAX_COLOURED_UNITS) return;
    if (loaded !== undefined) {
      loaded.colour(code, language);
      return;
    }
    load().then(
      (module) => {
        loaded = module;
        module.colour(code, language);
      },
      // The code stays as it is, readable; the next block tries again.
      () => undefined,
    );
  };
}

/** Longer code stays plain: colouring it would be felt. */
const MAX_COLOURED_UNITS = 60_000;
