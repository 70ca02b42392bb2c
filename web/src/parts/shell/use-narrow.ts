import { useEffect, useState } from "preact/hooks";

const NARROW = "(max-width: 820px)";

/** Whether the window is too narrow for list and conversation side by side. Follows the window. */
export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => window.matchMedia(NARROW).matches);
  useEffect(() => {
    const query = window.matchMedia(NARROW);
    const follow = () => setNarrow(query.matches);
    query.addEventListener("change", follow);
    return () => query.removeEventListener("change", follow);
  }, []);
  return isNarrow;
}

/** Whether the main pointer is a finger: then Enter on the screen's keyboard breaks the line. */
export function isTouch(): boolean {
  return window.matchMedia("(pointer: coarse)").matches;
}
