import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** Lets a text field grow with its words, where the browser cannot do it by itself. */
export function useAutosize(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const element = field.current;
    if (element === null || CSS.supports("field-sizing", "content")) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight}px`;
  }, [text]);
}
